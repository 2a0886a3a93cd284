// Planning of amax and of the scales of delayed scaling.
#include "ops/common/multi_tensor.hpp"
#include "ops/fp8/fp8.hpp"
#include "ops/fp8.gen.hpp"

#include "kernels/fp8/amax.h"

namespace adj {

namespace {

namespace largest {

using namespace amax_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::amax>);
    return {};
  }
  if (d.write_mode != ADJ_WRITE_ACCUMULATE) builder.clear_output(kAmax);
  const int arrays[] = {kInputs};
  add_multi_tensor(
      builder, *request.device, kMain, numel_of(d), arrays,
      [&](bool) {
        AmaxHead head{};
        head.finite_only = d.finite_only;
        return head;
      },
      [](PlanBuilder::Kernel& kernel) { kernel.tensor(offsetof(AmaxHead, amax), kAmax); });
  return {};
}

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}, {ADJ_F16}, {ADJ_BF16}};
  return *list;
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = "one launch over chunks of all tensors",
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "fp8/amax.cu", "amax", "ADJ_T={0} ")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace largest

namespace update {

using namespace fp8_scale_update_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_max_value(kName, d.max_value, d.code);
}

Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->code}; }

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.tensors == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::fp8_scale_update>);
    return {};
  }
  Fp8UpdateParams p{};
  p.length = d.length;
  p.tensors = d.tensors;
  p.largest = std::ldexp(largest_of(d.max_value, d.code), -d.margin);
  p.most_recent = d.algorithm == ADJ_AMAX_ALGORITHM_MOST_RECENT;
  p.skip_nonfinite = d.skip_nonfinite;
  builder.kernel(kMain, strided_grid(*request.device, ceil_div(d.tensors, kFp8UpdateColumns)), kFp8UpdateColumns * kFp8UpdateRows)
      .params(p)
      .tensor(offsetof(Fp8UpdateParams, history), kHistory)
      .tensor(offsetof(Fp8UpdateParams, scale), kScale)
      .tensor(offsetof(Fp8UpdateParams, inverse), kInverse)
      .tensor(offsetof(Fp8UpdateParams, error_flag), kErrorFlag);
  return {};
}

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F8_E4M3}, {ADJ_F8_E5M2}};
  return *list;
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "columns",
                                                      .summary = "a lane a tensor, eight rows of the history at a time",
                                                      .programs = {{"fp8/update.cu", "fp8_scale_update", ""}},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace update

}  // namespace

const OpInfo& info_amax() {
  using namespace largest;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "element", .variants = variants(), .signature = element_signature<Descriptor>, .finish = finish});
  return info;
}

const OpInfo& info_fp8_scale_update() {
  using namespace update;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "code", .variants = variants(), .validate = validate, .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj

// Planning of fill and normal.
#include "host/fill.hpp"
#include "kernels/prelude/philox.h"
#include "kernels/prelude/scalar.h"
#include "ops/common/common.hpp"
#include "ops/common/random.hpp"
#include "ops/fill.gen.hpp"

#include "kernels/fill/params.h"

namespace adj {

namespace {

std::int64_t grid_of(const Device& device, std::int64_t elements) { return grid_for(device, ceil_div(elements, kFillBlock * kFillTogether), 8, 4); }

namespace filling {

using namespace fill_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::fill>);
    return {};
  }
  FillParams p{};
  p.count = d.numel;
  builder.kernel(kMain, grid_of(*request.device, d.numel), kFillBlock)
      .params(p)
      .tensor(offsetof(FillParams, out), kOut)
      .scalar(offsetof(FillParams, value), kValue);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "vector", .summary = "16 bytes at a time", .programs = {{"fill/fill.cu", "fill", "ADJ_T={0}"}}, .guarantee = exact_guarantee},
      host_row(exact_guarantee)};
  return *list;
}

}  // namespace filling

namespace drawing {

using namespace normal_tables;

Result<void> check_args(const void*, const void* args) { return check_offset(kName, static_cast<const Args*>(args)->random); }

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.call({.function = check_state<Args>});
    builder.host(host_call<Descriptor, Args, host::normal>);
    return {};
  }
  NormalParams p{};
  p.count = d.numel;
  builder.kernel(kMain, grid_of(*request.device, d.numel), kFillBlock)
      .params(p)
      .tensor(offsetof(NormalParams, out), kOut)
      .scalar(offsetof(NormalParams, mean), kMean)
      .scalar(offsetof(NormalParams, std), kStd)
      .random(offsetof(NormalParams, random), kRandom);
  return {};
}

// Both sides compute in f64 with the functions of their mathematical library, which may differ in the last bits.
adj_guarantee guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-15); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "vector",
                                                      .summary = "two blocks of random words a thread, 16 bytes at a time",
                                                      .programs = {{"fill/normal.cu", "normal", "ADJ_T={0}"}},
                                                      .guarantee = guarantee},
                                                     host_row(guarantee)};
  return *list;
}

}  // namespace drawing

}  // namespace

const OpInfo& info_fill() {
  using namespace filling;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .signature = element_signature<Descriptor>, .finish = finish});
  return info;
}

const OpInfo& info_normal() {
  using namespace drawing;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj

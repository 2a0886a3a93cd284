// Planning of l2_norm: the norm of a list of tensors.
#include <adjoint/ops/reduce.h>

#include "host/reduce.hpp"
#include "ops/common/multi_norm.hpp"
#include "ops/reduce.gen.hpp"

#include "kernels/reduce/norm.h"

namespace adj {

namespace {

using namespace l2_norm_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64},  {ADJ_F16, ADJ_F32},  {ADJ_F32, ADJ_F16},
                                                       {ADJ_F16, ADJ_F16}, {ADJ_BF16, ADJ_F32}, {ADJ_F32, ADJ_BF16}, {ADJ_BF16, ADJ_BF16}};
  return *list;
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::l2_norm>);
    return {};
  }
  const std::span<const std::int64_t> lengths = numel_of(d);
  const auto empty = std::count(lengths.begin(), lengths.end(), 0);
  if (empty) builder.clear_output(kNorms);
  if (empty == d.count) {
    builder.clear_output(kOutput);
    builder.clear_output(kFoundInf);
    return {};
  }
  const MultiTensorWork work = norm_work(lengths);
  const NormSpace space(builder, work, d.element == ADJ_F64 ? kNormNumbersOfF64 : kNormNumbers);
  const int arrays[] = {kInputs};
  auto head_of = [&](bool) {
    L2NormHead head{};
    head.partials = space.partials;
    head.out_dtype = element_output_signature<Descriptor>(&d)[1];
    return head;
  };
  add_multi_tensor(builder, *request.device, kMain, work, arrays, head_of, [&](PlanBuilder::Kernel& kernel) {
    space.bind(kernel, offsetof(L2NormHead, partials));
    kernel.tensor(offsetof(L2NormHead, output), kOutput).tensor(offsetof(L2NormHead, norms), kNorms).tensor(offsetof(L2NormHead, found_inf), kFoundInf);
  });
  return {};
}

// At most eight squares are added in f32, all other sums are in f64. The square root halves the relative error. For f64 elements a thread
// adds a few thousand numbers one after the other.
adj_guarantee guarantee(const Signature& s) {
  const double terms = s[0] == ADJ_F64 ? 4096 * 0x1p-53 : 5 * 0x1p-24;
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, is_16bit_float(s[1]) ? 0.501 : 0.5, terms);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = "one launch over chunks of all tensors, with partial sums in the workspace",
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "reduce/l2_norm.cu", "l2_norm", "ADJ_T={0} ")},
                                                      .guarantee = guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.element = types[0];
  d.output = types[1];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "ReduceAllL2", describe_onnx}};

}  // namespace

const OpInfo& info_l2_norm() {
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, output",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_output_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj

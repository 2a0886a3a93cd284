// Planning of clip_grad_norm: the norm of a list, then its scaling.
#include "ops/common/multi_norm.hpp"
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {

using namespace clip_grad_norm_tables;

enum Program : int { kNormOfAll, kScale };

Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->grad}; }

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_grad_scale(kName, static_cast<const Args*>(args)->grad_scale, d.grad, true);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::clip_grad_norm>);
    return {};
  }
  const MultiTensorWork work = norm_work(numel_of(d));
  const int arguments[] = {kGrads};
  const NormSpace space(builder, work, d.grad == ADJ_F64 ? kNormNumbersOfF64 : kNormNumbers);
  const std::uint64_t multiplier = builder.book(2 * sizeof(double));
  ClipNormHead head{};
  head.norms = space.partials;
  head.max_norm = d.max_norm;
  head.epsilon = d.epsilon;
  auto bind = [&](PlanBuilder::Kernel& kernel) {
    kernel.scalar(offsetof(ClipNormHead, grad_scale), kGradScale)
        .workspace(offsetof(ClipNormHead, multiplier), multiplier)
        .tensor(offsetof(ClipNormHead, norm), kNorm)
        .tensor(offsetof(ClipNormHead, factor), kFactor)
        .tensor(offsetof(ClipNormHead, found_inf), kFoundInf);
    space.bind(kernel, offsetof(ClipNormHead, norms));
  };
  if (all_empty(numel_of(d))) {
    auto kernel = builder.kernel({kNormOfAll, kMultiTensorBound}, 1, kMultiTensorThreads);
    kernel.params(head);
    bind(kernel);
    return {};
  }
  add_multi_tensor(builder, *request.device, kNormOfAll, work, arguments, [&](bool) { return head; }, bind);
  if (d.norm_only) return {};
  auto scale_head = [&](bool) {
    ClipScaleHead scale{};
    scale.type = d.grad;
    return scale;
  };
  auto bind_scale = [&](PlanBuilder::Kernel& kernel) { kernel.workspace(offsetof(ClipScaleHead, multiplier), multiplier); };
  add_multi_tensor(builder, *request.device, kScale, numel_of(d), arguments, scale_head, bind_scale);
  return {};
}

// A norm has an error of 4u, from the sums of groups in f32, and a rounding. The factor adds a quotient and a rounding, the gradient one
// product.
adj_guarantee guarantee(const Signature& s) {
  const bool wide = s[0] == ADJ_F64;
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator_of(s[0]), is_16bit_float(s[0]) ? 0.501 : 0.5, wide ? 32 * 0x1p-53 : 10 * 0x1p-24);
}

adj_guarantee host_guarantee(const Signature& s) {
  adj_guarantee g = step_host_guarantee(s);
  g.determinism = ADJ_SHAPE_ONLY;  // one norm for all elements
  return g;
}

const std::vector<Variant>& variants() {
#define ADJ_CLIP_VARIANT(bytes, defines)                                                                    \
  {.algorithm = "two_pass",                                                                                 \
   .summary = "the norm of all tensors, then their scaling",                                                \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kNormOfAll, "optimizer/clip_norm.cu", "clip_norm", "ADJ_T={0} "), \
                ADJ_MULTI_TENSOR_PROGRAMS(kScale, "optimizer/clip_scale.cu", "clip_scale", defines)},       \
   .guarantee = guarantee,                                                                                  \
   .accepts = [](const Signature& s) { return size_of(s[0]) == bytes; }}
  static const auto* list = new std::vector<Variant>{ADJ_CLIP_VARIANT(4, "ADJ_WIDEST=4 "), ADJ_CLIP_VARIANT(2, "ADJ_WIDEST=2 "),
                                                     ADJ_CLIP_VARIANT(8, "ADJ_WIDEST=8 "), host_row(host_guarantee)};
#undef ADJ_CLIP_VARIANT
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.grad = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "InplaceClipGradNorm", describe_onnx}};

}  // namespace

const OpInfo& info_clip_grad_norm() {
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "grad",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = signature,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj

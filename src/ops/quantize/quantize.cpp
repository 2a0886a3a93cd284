// Planning of fake quantization and its gradient.
#include <cmath>

#include "host/quantize.hpp"
#include "kernels/prelude/scalar.h"
#include "ops/common/common.hpp"
#include "ops/quantize.gen.hpp"

#include "kernels/quantize/params.h"

namespace adj {

namespace {

static_assert(sizeof(ScalarParam) == sizeof(adj_scalar));
constexpr int kBlock = 256;

// Blocks for `count` elements, `together` vectors of 16 bytes a thread.
std::int64_t grid_of(const Device& device, std::int64_t count, adj_dtype element, std::int64_t together) {
  return strided_grid(device, ceil_div(count, std::int64_t{16 / size_of(element)} * kBlock * together));
}

namespace forward {

using namespace fake_quantize_forward_tables;

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (d.per_channel) return {};
  const double scale = d.element == ADJ_F64 ? a.scale.value : static_cast<float>(a.scale.value);
  if (!a.scale.device && !(scale > 0 && std::isfinite(scale)))
    return fail(ADJ_ERROR_INVALID_VALUE, "{}: scale = {}, expected a positive number in {}", kName, a.scale.value, dtype_name(accumulator_of(d.element)));
  if (!a.zero_point.device && !(a.zero_point.value >= static_cast<double>(d.quant_min) && a.zero_point.value <= static_cast<double>(d.quant_max)))
    return fail(ADJ_ERROR_INVALID_VALUE, "{}: zero_point = {} is outside of quant_min = {} to quant_max = {}", kName, a.zero_point.value, d.quant_min,
                d.quant_max);
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const std::int64_t count = d.outer * d.channels * d.inner;
  if (count == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::fake_quantize_forward>);
    return {};
  }
  FakeQuantizeParams p{};
  p.count = count;
  p.channels = d.channels;
  p.inner = d.inner;
  p.quant_min = static_cast<double>(d.quant_min);
  p.quant_max = static_cast<double>(d.quant_max);
  p.nan_to_min = d.nan_to_min;
  auto kernel = builder.kernel(kMain, grid_of(*request.device, count, d.element, kFakeQuantizeTogether), kBlock);
  kernel.params(p)
      .tensor(offsetof(FakeQuantizeParams, input), kInput)
      .tensor(offsetof(FakeQuantizeParams, out), kOut)
      .tensor(offsetof(FakeQuantizeParams, mask), kMask);
  if (d.per_channel) kernel.tensor(offsetof(FakeQuantizeParams, scales), kScales).tensor(offsetof(FakeQuantizeParams, zero_points), kZeroPoints);
  else kernel.scalar(offsetof(FakeQuantizeParams, scale), kScale).scalar(offsetof(FakeQuantizeParams, zero_point), kZeroPoint);
  return {};
}

// No error term: every operation is rounded as the contract says.
adj_guarantee guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(s[0]), 0.5, 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "vector",
                                                      .summary = "16 bytes at a time",
                                                      .programs = {{"quantize/fake_quantize.cu", "fake_quantize_forward", "ADJ_T={0} ADJ_BACKWARD=0"}},
                                                      .guarantee = guarantee},
                                                     host_row(guarantee)};
  return *list;
}

bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.inner = 8;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "FakeQuant", describe}};

}  // namespace forward

namespace backward {

using namespace fake_quantize_backward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::fake_quantize_backward>);
    return {};
  }
  FakeQuantizeParams p{};
  p.count = d.numel;
  builder.kernel(kMain, grid_of(*request.device, d.numel, d.element, 1), kBlock)
      .params(p)
      .tensor(offsetof(FakeQuantizeParams, input), kDout)
      .tensor(offsetof(FakeQuantizeParams, out), kDinput)
      .tensor(offsetof(FakeQuantizeParams, mask), kMask);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "vector",
                                                      .summary = "16 bytes at a time",
                                                      .programs = {{"quantize/fake_quantize.cu", "fake_quantize_backward", "ADJ_T={0} ADJ_BACKWARD=1"}},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.numel = 8;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "FakeQuantGrad", describe}};

}  // namespace backward

}  // namespace

const OpInfo& info_fake_quantize_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

const OpInfo& info_fake_quantize_backward() {
  using namespace backward;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj

// Planning of lists without a check: scale, zero, accumulate and scaled_sum.
#include <cmath>

#include "ops/precision/precision.hpp"
#include "ops/precision.gen.hpp"

namespace adj {

namespace {

constexpr const char* kSummary = "one launch over chunks of all tensors";
static_assert(sizeof(ScalarParam) == sizeof(adj_scalar));

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 0); }

Result<void> check_not_nan(const char* op, const char* name, const adj_scalar& s) {
  if (s.device || !std::isnan(s.value)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: {} is NaN", op, name);
}

// ---- scale

namespace scale {

using namespace scale_tables;
constexpr int kMostOutputs = 3;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype from : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype to : {ADJ_F32, ADJ_F16, ADJ_BF16}) all->push_back({from, to});
    all->push_back({ADJ_F64, ADJ_F64});
    return all.release();
  }();
  return *list;
}

Result<void> check_args(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_not_nan(kName, "scale", a.scale));
  ADJ_TRY(check_not_nan(kName, "scale_1", a.scale_1));
  return check_not_nan(kName, "scale_2", a.scale_2);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const std::span<const std::int64_t> numel = numel_of(d);
  if (all_empty(numel)) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::scale>);
    return {};
  }
  std::vector<int> arrays{kInputs};
  for (int k = 0; !d.fused && k < d.outputs; ++k) arrays.push_back(kOutputs + k);
  MultiTensorWork work = elementwise_work(*request.device, numel);
  if (d.fused) {
    std::uint64_t offset = 0;
    for (std::int64_t n : numel) {
      if (work.constants.empty()) work.constants.emplace_back();
      work.constants[0].push_back(offset);
      offset += static_cast<std::uint64_t>(n);
    }
  }
  auto head_of = [&](bool) {
    ScaleHead head{};
    head.outputs = d.outputs;
    head.scale_down = d.scale_down;
    return head;
  };
  add_multi_tensor(builder, *request.device, kMain, work, arrays, head_of, [&](PlanBuilder::Kernel& kernel) {
    for (int k = 0; k < kMostOutputs; ++k) kernel.scalar(offsetof(ScaleHead, scale) + static_cast<std::size_t>(k) * sizeof(ScalarParam), kScale + k);
    kernel.tensor(offsetof(ScaleHead, found_inf), kFoundInf);
    if (d.fused) kernel.tensor(offsetof(ScaleHead, fused), kFused);
  });
  return {};
}

adj_guarantee guarantee(const Signature& s) { return light_arithmetic(s[1], 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = kSummary,
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/scale.cu", "scale", "ADJ_FROM={0} ADJ_TO={1} ")},
                                                      .guarantee = guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

bool describe_scale(std::span<const adj_dtype> types, void* descriptor) { return describe_element(types, *static_cast<Descriptor*>(descriptor)); }
bool describe_mixed(std::span<const adj_dtype> types, void* descriptor) {
  if (!describe_scale(types, descriptor)) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.output = d.element == ADJ_F32 ? ADJ_F16 : ADJ_F32;
  d.fused = 1;
  return true;
}
bool describe_batch(std::span<const adj_dtype> types, void* descriptor) {
  if (!describe_scale(types, descriptor)) return false;
  static_cast<Descriptor*>(descriptor)->outputs = kMostOutputs;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "MixedPrecisionScale", describe_mixed}, {"ms", "Scale", describe_scale}, {"ms", "BatchScale", describe_batch}};

}  // namespace scale

// ---- zero

namespace zero {

using namespace zero_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::zero>);
    return {};
  }
  std::vector<std::int64_t> units(numel_of(d).begin(), numel_of(d).end());
  for (std::int64_t& n : units) n *= size_of(d.element) / 2;
  const int arrays[] = {kOutputs};
  add_multi_tensor(builder, *request.device, kMain, units, arrays, [](bool) { return ZeroHead{}; }, [](PlanBuilder::Kernel&) {});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = kSummary,
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/zero.cu", "zero", "")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) { return describe_element(types, *static_cast<Descriptor*>(descriptor)); }
constexpr OnnxBinding kOnnx[] = {{"ms", "ZeroGradient", describe_onnx}};

}  // namespace zero

// ---- accumulate

namespace accumulate {

using namespace accumulate_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    all->push_back({ADJ_F32, ADJ_F32});
    all->push_back({ADJ_F64, ADJ_F64});
    for (adj_dtype low : {ADJ_F16, ADJ_BF16}) {
      all->push_back({ADJ_F32, low});
      all->push_back({low, low});
      all->push_back({low, ADJ_F32});
    }
    return all.release();
  }();
  return *list;
}
Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.value ? d.value : d.element};
}

Result<void> check_args(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_not_nan(kName, "update", a.update));
  return check_not_nan(kName, "overwrite", a.overwrite);
}

void host_outputs(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  if (a.updated_flag.data) *static_cast<std::uint8_t*>(a.updated_flag.data) = 1;
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::accumulate>);
    return {};
  }
  std::vector<int> arrays{kSums, kValues, kOutputs};
  if (d.copies) arrays.push_back(kCopies);
  auto head_of = [&](bool) {
    AccumulateHead head{};
    head.copies = d.copies;
    return head;
  };
  add_multi_tensor(builder, *request.device, kMain, numel_of(d), arrays, head_of, [](PlanBuilder::Kernel& kernel) {
    kernel.scalar(offsetof(AccumulateHead, update), kUpdate).scalar(offsetof(AccumulateHead, overwrite), kOverwrite);
  });
  return {};
}

adj_guarantee guarantee(const Signature& s) { return light_arithmetic(s[0], 0); }

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "multi_tensor",
                                .summary = kSummary,
                                .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/accumulate.cu", "accumulate", "ADJ_SUM={0} ADJ_VALUE={1} ")},
                                .guarantee = guarantee},
                               host_row(host_guarantee)};
  return *list;
}

// Types of the registration: sum and value.
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || !describe_element(types.first(1), *static_cast<Descriptor*>(descriptor))) return false;
  static_cast<Descriptor*>(descriptor)->value = types[1];
  return true;
}
// Of the two outputs of InPlaceAccumulatorV2 graphs ask for the first alone, so nothing is copied.
constexpr OnnxBinding kOnnx[] = {{"ms", "InPlaceAccumulator", describe_onnx}, {"ms", "InPlaceAccumulatorV2", describe_onnx}};

}  // namespace accumulate

// ---- scaled_sum

namespace scaled_sum {

using namespace scaled_sum_tables;
constexpr int kMostInputs = 3;

Result<void> check_args(const void*, const void* args) {
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_not_nan(kName, "scale_0", a.scale_0));
  ADJ_TRY(check_not_nan(kName, "scale_1", a.scale_1));
  return check_not_nan(kName, "scale_2", a.scale_2);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::scaled_sum>);
    return {};
  }
  std::vector<int> arrays{kOutputs, kInputs0, kInputs1};
  if (d.inputs > 2) arrays.push_back(kInputs2);
  auto head_of = [&](bool) {
    ScaledSumHead head{};
    head.inputs = d.inputs;
    return head;
  };
  add_multi_tensor(builder, *request.device, kMain, numel_of(d), arrays, head_of, [](PlanBuilder::Kernel& kernel) {
    for (int k = 0; k < kMostInputs; ++k) kernel.scalar(offsetof(ScaledSumHead, scale) + static_cast<std::size_t>(k) * sizeof(ScalarParam), kScale0 + k);
  });
  return {};
}

// Three roundings: the product, the first sum, and for 16-bit types the second sum, which is rounded to f32 before the store.
adj_guarantee guarantee(const Signature& s) { return light_arithmetic(s[0], 3); }
adj_guarantee host_sum_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-15); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "multi_tensor",
                                                      .summary = kSummary,
                                                      .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "precision/scaled_sum.cu", "scaled_sum", "ADJ_T={0} ")},
                                                      .guarantee = guarantee},
                                                     host_row(host_sum_guarantee)};
  return *list;
}

bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (!describe_element(types, *static_cast<Descriptor*>(descriptor))) return false;
  static_cast<Descriptor*>(descriptor)->inputs = kMostInputs;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "ScaledSum", describe_onnx}};

}  // namespace scaled_sum

}  // namespace

const OpInfo& info_scale() {
  using namespace scale;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, output",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_output_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

const OpInfo& info_zero() {
  using namespace zero;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

const OpInfo& info_accumulate() {
  using namespace accumulate;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, value",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = signature,
                                                   .finish = finish,
                                                   .check_args = check_args,
                                                   .host_outputs = host_outputs});
  return info;
}

const OpInfo& info_scaled_sum() {
  using namespace scaled_sum;
  static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish,
                                                   .check_args = check_args});
  return info;
}

}  // namespace adj

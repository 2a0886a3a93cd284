#include <cmath>

#include <adjoint/ops/optimizer.h>

#include "host/optimizer.hpp"
#include "ops/common/multi_tensor.hpp"
#include "ops/optimizer/tables.gen.hpp"

#include "kernels/optimizer/params.h"

namespace adj {

namespace {

static_assert(sizeof(ScalarParam) == sizeof(adj_scalar));

Result<void> check_finite(const char* op, const char* field, double value) {
  if (std::isfinite(value)) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is not finite", op, field, value);
}
Result<void> check_decay_rate(const char* op, const char* field, double value) {
  if (value >= 0 && value < 1) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is outside [0, 1)", op, field, value);
}

// Scalars passed by value; those on the device are read by the kernel.
Result<void> check_lr(const char* op, const adj_scalar& lr) {
  if (lr.device || !std::isnan(lr.value)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: lr is NaN", op);
}
// The kernels divide by the scale in the type of their arithmetic.
Result<void> check_grad_scale(const char* op, const adj_scalar& scale, adj_dtype param) {
  if (scale.device) return {};
  const bool zero = param == ADJ_F64 ? scale.value == 0 : static_cast<float>(scale.value) == 0;
  if (!zero && !std::isnan(scale.value)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: grad_scale = {}, expected a number that is not zero in {}", op, scale.value,
              dtype_name(accumulator_of(param)));
}

bool all_empty(std::span<const std::int64_t> numel) {
  return std::all_of(numel.begin(), numel.end(), [](std::int64_t n) { return n == 0; });
}

// A tensor list of the sample descriptors behind the ONNX registrations.
constexpr std::int64_t kSampleNumel[] = {6, 3};

// Each stored value is rounded once, which is 0.5 ulp; what is rounded to 16 bits was rounded to f32 before, hence a hair
// more. u = 2^-24 (2^-53 for f64) is the rounding of one operation in the type of the arithmetic; the rounding errors
// before the last are counted in u times the terms of the sum. Results below the normal range of that type are outside.
adj_guarantee arithmetic(const Signature& s, double terms) {
  const bool narrow = is_16bit_float(s[0]) || is_16bit_float(s[2]) || is_16bit_float(s[3]);
  const double u = s[0] == ADJ_F64 ? 0x1p-53 : 0x1p-24;
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(s[0]), narrow ? 0.501 : 0.5, terms * u);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// ---- adamw

namespace adamw {

using namespace adamw_tables;
constexpr int kAdvanceProgram = kMultiTensorPrograms;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype grad : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F32, grad, ADJ_F32, copy});
    for (adj_dtype low : {ADJ_F16, ADJ_BF16}) {
      for (adj_dtype grad : {adj_dtype{ADJ_F32}, low})
        for (adj_dtype copy : {adj_dtype{ADJ_DTYPE_NONE}, low}) all->push_back({ADJ_F32, grad, low, copy});
      all->push_back({low, low, low, ADJ_DTYPE_NONE});
      all->push_back({low, low, ADJ_F32, ADJ_DTYPE_NONE});
      all->push_back({low, ADJ_F32, ADJ_F32, ADJ_DTYPE_NONE});
    }
    all->push_back({ADJ_F64, ADJ_F64, ADJ_F64, ADJ_DTYPE_NONE});
    return all.release();
  }();
  return *list;
}

std::span<const std::int64_t> numel(const Descriptor& d) { return {d.numel, static_cast<std::size_t>(d.count)}; }

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_multi_tensor(kName, numel(d)));
  ADJ_TRY(check_enum(kName, "mode", d.mode, ADJ_ADAMW_DECAY_LAST));
  ADJ_TRY(check_flag(kName, "no_bias_correction", d.no_bias_correction));
  ADJ_TRY(check_flag(kName, "advance_step", d.advance_step));
  if (d.reserved) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: reserved = {}, expected 0", kName, d.reserved);
  ADJ_TRY(check_decay_rate(kName, "beta1", d.beta1));
  ADJ_TRY(check_decay_rate(kName, "beta2", d.beta2));
  ADJ_TRY(check_finite(kName, "epsilon", d.epsilon));
  if (d.epsilon < 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: epsilon = {} is negative", kName, d.epsilon);
  ADJ_TRY(check_finite(kName, "weight_decay", d.weight_decay));
  if (d.no_bias_correction && d.mode != ADJ_ADAMW_DECAY_LAST)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: no_bias_correction = 1 is defined with mode = {} (decay last) only, mode is {}", kName,
                adj_adamw_mode{ADJ_ADAMW_DECAY_LAST}, d.mode);
  return {};
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.param, d.grad ? d.grad : d.param, d.state ? d.state : d.param, d.copy};
}

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Signature s = signature(descriptor);
  slots[kParams] = SlotSpec::list(s[0], numel(d));
  slots[kGrads] = SlotSpec::list(s[1], numel(d));
  slots[kExpAvg] = slots[kExpAvgSq] = SlotSpec::list(s[2], numel(d));
  slots[kCopies] = d.copy ? SlotSpec::list(d.copy, numel(d)) : SlotSpec::forbidden();
  slots[kLr] = slots[kGradScale] = SlotSpec::scalar(ADJ_F32, ADJ_F64);
  slots[kStep] = SlotSpec::scalar(ADJ_I64);
  slots[kStep].device_only = d.advance_step != 0;
  slots[kFoundInf] = SlotSpec::tensor(ADJ_F32, {1}, Presence::optional);
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_lr(kName, a.lr));
  ADJ_TRY(check_grad_scale(kName, a.grad_scale, d.param));
  // Steps up to 2^53 are exact in a double.
  if (!d.no_bias_correction && !a.step.device &&
      !(a.step.value >= 1 && a.step.value <= 0x1p53 && a.step.value == std::floor(a.step.value)))
    return fail(ADJ_ERROR_INVALID_VALUE, "{}: step = {}, expected a whole number from 1 on", kName, a.step.value);
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool empty = all_empty(numel(d));
  if (empty && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::adamw>);
    return {};
  }
  auto head_of = [&](bool first) {
    AdamwHead head{};
    head.beta1 = d.beta1;
    head.beta2 = d.beta2;
    head.epsilon = d.epsilon;
    head.weight_decay = d.weight_decay;
    head.decay_last = d.mode == ADJ_ADAMW_DECAY_LAST;
    head.bias_correction = !d.no_bias_correction;
    head.reports = first;
    return head;
  };
  auto patch = [](PlanBuilder::Kernel& kernel) {
    kernel.scalar(offsetof(AdamwHead, lr), kLr)
        .scalar(offsetof(AdamwHead, step), kStep)
        .scalar(offsetof(AdamwHead, grad_scale), kGradScale)
        .tensor(offsetof(AdamwHead, found_inf), kFoundInf)
        .tensor(offsetof(AdamwHead, error_flag), kErrorFlag);
  };
  std::vector<int> arrays{kParams, kGrads, kExpAvg, kExpAvgSq};
  if (d.copy) arrays.push_back(kCopies);
  add_multi_tensor(builder, *request.device, 0, numel(d), arrays, head_of, patch);
  if (!d.advance_step) return {};
  AdamwAdvanceParams p{};
  p.bias_correction = !d.no_bias_correction;
  p.reports = empty;
  builder.kernel(kAdvanceProgram, 1, 32)
      .params(p)
      .scalar(offsetof(AdamwAdvanceParams, step), kStep)
      .tensor(offsetof(AdamwAdvanceParams, found_inf), kFoundInf)
      .tensor(offsetof(AdamwAdvanceParams, error_flag), kErrorFlag);
  return {};
}

// Parameters: the old weight enters with the last rounding only. Of the change subtracted from it, the gradient carries 2u,
// the first moment 5u of its terms, the divisor 6.5u, and division, rate, products and sum 6u more: below 20u of the terms
// |lr weight_decay w| and lr (|beta1 m| + |(1 - beta1) g|) / a / divisor. The moments carry 3u and 6u. In f64 the bias
// corrections are no longer exact by comparison: up to 100u each, and as much again in the reference.
adj_guarantee guarantee(const Signature& s) { return arithmetic(s, s[0] == ADJ_F64 ? 512 : 20); }

const std::vector<Variant>& variants() {
#define ADJ_TYPES "ADJ_PARAM={0} ADJ_GRAD={1} ADJ_STATE={2} ADJ_COPY={3} "
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "multi_tensor", .summary = "one launch over chunks of all tensors", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {ADJ_MULTI_TENSOR_PROGRAMS("optimizer/adamw.cu", "adamw", ADJ_TYPES),
                    {"optimizer/advance.cu", "adamw_advance", ""}},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee}};
#undef ADJ_TYPES
  return *list;
}

// Learning rate, step, weights, gradients, moments.
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  constexpr adj_dtype kTypes[] = {ADJ_F32, ADJ_I64, ADJ_F32, ADJ_F32, ADJ_F32};
  if (!std::equal(types.begin(), types.end(), std::begin(kTypes), std::end(kTypes))) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = ADJ_F32;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "AdamWOptimizer", describe_onnx}};

}  // namespace adamw

// ---- sgd

namespace sgd {

using namespace sgd_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype grad : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype state : {ADJ_DTYPE_NONE, ADJ_F32})
        for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F32, grad, state, copy});
    for (adj_dtype state : {ADJ_DTYPE_NONE, ADJ_F64}) all->push_back({ADJ_F64, ADJ_F64, state, ADJ_DTYPE_NONE});
    for (adj_dtype low : {ADJ_BF16, ADJ_F16})
      for (adj_dtype state : {adj_dtype{ADJ_DTYPE_NONE}, low, adj_dtype{ADJ_F32}}) all->push_back({low, low, state, ADJ_DTYPE_NONE});
    return all.release();
  }();
  return *list;
}

std::span<const std::int64_t> numel(const Descriptor& d) { return {d.numel, static_cast<std::size_t>(d.count)}; }

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_multi_tensor(kName, numel(d)));
  ADJ_TRY(check_decay_rate(kName, "momentum", d.momentum));
  ADJ_TRY(check_finite(kName, "dampening", d.dampening));
  ADJ_TRY(check_finite(kName, "weight_decay", d.weight_decay));
  ADJ_TRY(check_flag(kName, "nesterov", d.nesterov));
  ADJ_TRY(check_flag(kName, "first_step", d.first_step));
  if (d.nesterov && (d.momentum == 0 || d.dampening != 0))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: nesterov = 1 needs momentum > 0 and dampening = 0, got {} and {}", kName, d.momentum,
                d.dampening);
  if (d.momentum != 0 && !d.state)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: momentum = {} needs state, the element type of the momentum buffers", kName, d.momentum);
  if (d.momentum == 0 && d.state)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: state is given, but momentum = 0 keeps no buffers", kName);
  return {};
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.param, d.grad ? d.grad : d.param, d.state, d.copy};
}

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const Signature s = signature(descriptor);
  slots[kParams] = SlotSpec::list(s[0], numel(d));
  slots[kGrads] = SlotSpec::list(s[1], numel(d));
  slots[kMomentumBuffers] = d.state ? SlotSpec::list(d.state, numel(d)) : SlotSpec::forbidden();
  slots[kCopies] = d.copy ? SlotSpec::list(d.copy, numel(d)) : SlotSpec::forbidden();
  slots[kLr] = slots[kGradScale] = SlotSpec::scalar(ADJ_F32, ADJ_F64);
  slots[kFoundInf] = SlotSpec::tensor(ADJ_F32, {1}, Presence::optional);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_lr(kName, a.lr));
  return check_grad_scale(kName, a.grad_scale, d.param);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel(d))) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::sgd>);
    return {};
  }
  auto head_of = [&](bool) {
    SgdHead head{};
    head.momentum = d.momentum;
    head.dampening = d.dampening;
    head.weight_decay = d.weight_decay;
    head.nesterov = d.nesterov;
    head.first_step = d.first_step;
    return head;
  };
  auto patch = [](PlanBuilder::Kernel& kernel) {
    kernel.scalar(offsetof(SgdHead, lr), kLr)
        .scalar(offsetof(SgdHead, grad_scale), kGradScale)
        .tensor(offsetof(SgdHead, found_inf), kFoundInf);
  };
  std::vector<int> arrays{kParams, kGrads};
  if (d.state) arrays.push_back(kMomentumBuffers);
  if (d.copy) arrays.push_back(kCopies);
  add_multi_tensor(builder, *request.device, 0, numel(d), arrays, head_of, patch);
  return {};
}

// The weight enters with the last rounding only; the gradient with its decay carries 3u of their sum, the buffer 6u, the
// Nesterov direction 8u, the product with lr 9u. As much again for the reference in f64.
adj_guarantee guarantee(const Signature& s) { return arithmetic(s, s[0] == ADJ_F64 ? 24 : 12); }

const std::vector<Variant>& variants() {
#define ADJ_TYPES "ADJ_PARAM={0} ADJ_GRAD={1} ADJ_STATE={2} ADJ_COPY={3} "
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "multi_tensor", .summary = "one launch over chunks of all tensors", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {ADJ_MULTI_TENSOR_PROGRAMS("optimizer/sgd.cu", "sgd", ADJ_TYPES)},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee}};
#undef ADJ_TYPES
  return *list;
}

// Learning rate, update signal, weights, gradients.
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  constexpr adj_dtype kTypes[] = {ADJ_F32, ADJ_BOOL, ADJ_F32, ADJ_F32};
  if (!std::equal(types.begin(), types.end(), std::begin(kTypes), std::end(kTypes))) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = ADJ_F32;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "SGDOptimizerV2", describe_onnx}};

}  // namespace sgd

}  // namespace

const OpInfo& info_adamw() {
  using namespace adamw;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = signatures();
    made.signature_columns = "param, grad, state, copy";
    made.variants = variants();
    made.onnx = kOnnx;
    made.validate = validate;
    made.signature = signature;
    made.shapes = shapes;
    made.finish = finish;
    made.check_args = check_args;
    return made;
  }();
  return info;
}

const OpInfo& info_sgd() {
  using namespace sgd;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = signatures();
    made.signature_columns = "param, grad, state, copy";
    made.variants = variants();
    made.onnx = kOnnx;
    made.validate = validate;
    made.signature = signature;
    made.shapes = shapes;
    made.finish = finish;
    made.check_args = check_args;
    return made;
  }();
  return info;
}

}  // namespace adj

// Planning of adamw and adam. Both use one kernel; the descriptor of adam has all of its options, adamw's some.
#include "ops/optimizer/optimizer.hpp"

namespace adj {

namespace {



AdamHead adam_head(double beta1, double beta2, double epsilon, double weight_decay, double max_norm, bool bias_correction) {
  AdamHead head{};
  head.control = step_control(max_norm);
  head.beta1 = beta1;
  head.beta2 = beta2;
  head.epsilon = epsilon;
  head.weight_decay = weight_decay;
  head.bias_correction = bias_correction;
  return head;
}

void add_update(const PlanRequest& request, PlanBuilder& builder, AdamHead head, std::span<const std::int64_t> numel, const StepSlots& slots,
                const StepOptions& options, const Signature& types, bool advance) {
  std::vector<int> arrays;
  if (!all_empty(numel)) head.lists = step_lists(builder, slots, options, types, arrays);
  auto head_of = [&](bool first) {
    head.lists.reports = first;
    return head;
  };
  auto patch = [&](PlanBuilder::Kernel& kernel) {
    kernel.scalar(offsetof(AdamHead, step), slots.step);
    patch_control(kernel, offsetof(AdamHead, control), slots);
  };
  if (!all_empty(numel)) add_multi_tensor(builder, *request.device, kMain, numel, arrays, head_of, patch);
  if (advance) add_advance(builder, slots, head.bias_correction, all_empty(numel));
}

// Parameters: the old weight has the last rounding only. The change has an error below 20u of the terms |lr weight_decay w| and
// lr (|beta1 m| + |(1 - beta1) g|) / a / divisor: 2u from the gradient, 5u from the first moment, 6.5u from the divisor, 6u from division,
// rate, products and sum. The moments have errors of 3u and 6u. In f64 each bias correction has up to 100u more, in the reference as well.
adj_guarantee guarantee(const Signature& s) { return step_guarantee(s, s[0] == ADJ_F64 ? 512 : 20); }

const std::vector<Variant>& adam_variants() {
#define ADJ_ADAM_VARIANT(bytes, defines)                                                                                          \
  {.algorithm = "multi_tensor", .summary = "one launch over chunks of all tensors", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80, \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "optimizer/adam.cu", "adam", defines), ADJ_ADVANCE_PROGRAM},         \
   .guarantee = guarantee, .accepts = is_widest<bytes>}
  static const auto* list = new std::vector<Variant>{
      ADJ_ADAM_VARIANT(4, "ADJ_WIDEST=4 "), ADJ_ADAM_VARIANT(2, "ADJ_WIDEST=2 "), ADJ_ADAM_VARIANT(8, "ADJ_WIDEST=8 "),
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = step_host_guarantee}};
#undef ADJ_ADAM_VARIANT
  return *list;
}

// ---- adamw

namespace adamw {

using namespace adamw_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>(moment_signatures());
    std::erase_if(*all, [](const Signature& s) { return s[0] == ADJ_F64 && s[3]; });
    return all.release();
  }();
  return *list;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_multi_tensor(kName, numel_of(d)));
  ADJ_TRY(check_enum(kName, "mode", d.mode, ADJ_ADAMW_DECAY_LAST));
  ADJ_TRY(check_flag(kName, "no_bias_correction", d.no_bias_correction));
  ADJ_TRY(check_flag(kName, "advance_step", d.advance_step));
  if (d.reserved) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: reserved = {}, expected 0", kName, d.reserved);
  ADJ_TRY(check_decay_rate(kName, "beta1", d.beta1, moment_rate(!d.no_bias_correction)));
  ADJ_TRY(check_decay_rate(kName, "beta2", d.beta2, moment_rate(!d.no_bias_correction)));
  ADJ_TRY(check_not_negative(kName, "epsilon", d.epsilon));
  ADJ_TRY(check_finite(kName, "weight_decay", d.weight_decay));
  if (d.no_bias_correction && d.mode != ADJ_ADAMW_DECAY_LAST)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: no_bias_correction = 1 is defined with mode = {} (decay last) only, mode is {}", kName,
                adj_adamw_mode{ADJ_ADAMW_DECAY_LAST}, d.mode);
  return {};
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_lr(kName, a.lr));
  ADJ_TRY(check_grad_scale(kName, a.grad_scale, d.param, false));
  if (!d.no_bias_correction) ADJ_TRY(check_step(kName, a.step));
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d)) && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::adamw>);
    return {};
  }
  AdamHead head = adam_head(d.beta1, d.beta2, d.epsilon, d.weight_decay, 1, !d.no_bias_correction);
  head.decay_last = d.mode == ADJ_ADAMW_DECAY_LAST;
  const StepSlots slots{.params = kParams, .grads = kGrads, .state = {kExpAvg, kExpAvgSq}, .copies = kCopies, .lr = kLr, .step = kStep,
                        .grad_scale = kGradScale, .found_inf = kFoundInf, .error_flag = kErrorFlag};
  add_update(request, builder, head, numel_of(d), slots, {}, moment_signature<Descriptor>(&d), d.advance_step != 0);
  return {};
}

// Types of the registration: learning rate, step, weights, gradients, moments.
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

// ---- adam

namespace adam {

using namespace adam_tables;

// Where the arguments of a step are.
constexpr StepSlots kStepSlots{.params = kParams, .grads = kGrads, .state = {kExpAvg, kExpAvgSq}, .copies = kCopies, .new_params = kNewParams,
                               .new_state = {kNewExpAvg, kNewExpAvgSq}, .updates = kUpdates, .lr = kLr, .step = kStep, .grad_scale = kGradScale,
                               .gradient_norm = kGradientNorm, .update_signal = kUpdateSignal, .found_inf = kFoundInf, .error_flag = kErrorFlag};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_multi_tensor(kName, numel_of(d)));
  ADJ_TRY(check_enum(kName, "decay", d.decay, ADJ_ADAM_DECAY_L2));
  ADJ_TRY(check_flag(kName, "no_bias_correction", d.no_bias_correction));
  ADJ_TRY(check_flag(kName, "advance_step", d.advance_step));
  if (auto options = read_options(kName, d); !options) return options.take_error();
  ADJ_TRY(check_decay_rate(kName, "beta1", d.beta1, moment_rate(!d.no_bias_correction)));
  ADJ_TRY(check_decay_rate(kName, "beta2", d.beta2, moment_rate(!d.no_bias_correction)));
  ADJ_TRY(check_not_negative(kName, "epsilon", d.epsilon));
  ADJ_TRY(check_finite(kName, "weight_decay", d.weight_decay));
  return check_max_norm(kName, "max_norm", d.max_norm);
}

Result<void> check_args(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  ADJ_TRY(check_common_scalars(kName, d, a));
  if (!d.no_bias_correction) ADJ_TRY(check_step(kName, a.step));
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (all_empty(numel_of(d)) && !d.advance_step) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::adam>);
    return {};
  }
  AdamHead head = adam_head(d.beta1, d.beta2, d.epsilon, d.weight_decay, d.max_norm, !d.no_bias_correction);
  head.decay_last = d.decay == ADJ_ADAM_DECAY_LAST;
  head.decay_l2 = d.decay == ADJ_ADAM_DECAY_L2;
  add_update(request, builder, head, numel_of(d), kStepSlots, options_of(d), moment_signature<Descriptor>(&d), d.advance_step != 0);
  return {};
}

// Types of the registration: learning rate, step, weights, moments, gradients, norm of the gradients, copies.
bool describe_onnx(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 7 || types[1] != ADJ_I64 || !is_float(types[0]) || !is_float(types[5])) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.param = types[2];
  d.state = types[3];
  d.grad = types[4];
  d.copy = types[6];
  d.updates = 1;
  d.out_of_place = 1;
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "AdamOptimizer", describe_onnx}};

}  // namespace adam

}  // namespace

const OpInfo& info_adamw() {
  using namespace adamw;
  static const OpInfo info = op_info(base_info(), {
      .signatures = signatures(), .signature_columns = "param, grad, state, copy", .variants = adam_variants(), .onnx = kOnnx,
      .validate = validate, .signature = moment_signature<Descriptor>, .finish = finish, .check_args = check_args});
  return info;
}

const OpInfo& info_adam() {
  using namespace adam;
  static const OpInfo info = op_info(base_info(), {
      .signatures = moment_signatures(), .signature_columns = "param, grad, state, copy", .variants = adam_variants(), .onnx = kOnnx,
      .validate = validate, .signature = moment_signature<Descriptor>, .finish = finish, .check_args = check_args});
  return info;
}

}  // namespace adj

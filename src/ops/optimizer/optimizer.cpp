#include "ops/optimizer/optimizer.hpp"

namespace adj {

static_assert(sizeof(ScalarParam) == sizeof(adj_scalar));

Result<void> check_finite(const char* op, const char* field, double value) {
  if (std::isfinite(value)) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is not finite", op, field, value);
}
Result<void> check_not_negative(const char* op, const char* field, double value) {
  ADJ_TRY(check_finite(op, field, value));
  if (value >= 0) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is negative", op, field, value);
}
Result<void> check_max_norm(const char* op, const char* field, double value) {
  if (value > 0) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {}, expected a number above 0", op, field, value);
}
Result<void> check_decay_rate(const char* op, const char* field, double value, Rate rate) {
  if (rate == Rate::finite) return check_finite(op, field, value);
  if (value >= 0 && value < 1) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is outside [0, 1)", op, field, value);
}
Result<void> check_lr(const char* op, const adj_scalar& lr) {
  if (lr.device) return {};
  if (std::isnan(lr.value)) return fail(ADJ_ERROR_INVALID_VALUE, "{}: lr was not given (NaN)", op);
  if (lr.value < 0 || std::isinf(lr.value)) return fail(ADJ_ERROR_INVALID_VALUE, "{}: lr = {}, expected a finite number that is not negative", op, lr.value);
  return {};
}
Result<void> check_grad_scale(const char* op, const adj_scalar& scale, adj_dtype param, bool positive) {
  if (scale.device) return {};
  const bool zero = param == ADJ_F64 ? scale.value == 0 : static_cast<float>(scale.value) == 0;
  if (!zero && !std::isnan(scale.value) && (!positive || scale.value > 0)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: grad_scale = {}, expected a number that is {} in {}", op, scale.value, positive ? "above zero" : "not zero",
              dtype_name(accumulator_of(param)));
}
Result<void> check_gradient_norm(const char* op, const adj_scalar& norm) {
  if (norm.device || (std::isfinite(norm.value) && norm.value >= 0)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: gradient_norm = {}, expected a finite number from 0 on", op, norm.value);
}
Result<void> check_update_signal(const char* op, const adj_scalar& signal) {
  if (signal.device || signal.value == 0 || signal.value == 1) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: update_signal = {}, expected 0 or 1", op, signal.value);
}
// Checks a step that is passed by value. The limit is 2^53, up to which whole numbers are exact in a double.
Result<void> check_step(const char* op, const adj_scalar& step) {
  if (step.device || (step.value >= 1 && step.value <= 0x1p53 && step.value == std::floor(step.value))) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: step = {}, expected a whole number from 1 on", op, step.value);
}

Result<void> check_seed(const char* op, const adj_scalar& seed) {
  if (seed.device || (seed.value >= 0 && seed.value <= 0x1p53 && seed.value == std::floor(seed.value))) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: seed = {}, expected a whole number from 0 to 2^53", op, seed.value);
}

StepLists step_lists(PlanBuilder& builder, const StepArguments& arguments, const StepOptions& options, const Signature& types, std::vector<int>& arrays) {
  StepLists lists{};
  auto place = [&](int argument) {
    arrays.push_back(argument);
    return static_cast<int>(arrays.size()) - 1;
  };
  auto moved = [&](bool moves, int from, int to) {
    if (moves) builder.copy(from, to);
    return moves ? to : from;
  };
  lists.param = types[0];
  lists.grad = types[1];
  lists.state = types[2];
  lists.copy = types[3];
  place(moved(options.out_of_place && !options.keep_params, arguments.params, arguments.new_params));
  place(moved(options.updates, arguments.grads, arguments.updates));
  if (types[2])
    for (int i = 0; i < 2 && arguments.state[i] >= 0; ++i) place(moved(options.out_of_place, arguments.state[i], arguments.new_state[i]));
  if (types[3]) lists.copies = place(arguments.copies);
  lists.keep_params = options.keep_params;
  lists.updates = options.updates;
  lists.clear_grads = options.clear_grads;
  lists.arrays = static_cast<int>(arrays.size());
  return lists;
}

StepControl step_control(double max_norm) {
  StepControl control{};
  control.update_signal.value = 1;
  control.inverse_max_norm = 1 / max_norm;
  return control;
}
void bind_control(PlanBuilder::Kernel& kernel, std::size_t offset, const StepArguments& arguments) {
  kernel.scalar(offset + offsetof(StepControl, lr), arguments.lr).scalar(offset + offsetof(StepControl, grad_scale), arguments.grad_scale);
  if (arguments.gradient_norm >= 0) kernel.scalar(offset + offsetof(StepControl, gradient_norm), arguments.gradient_norm);
  if (arguments.update_signal >= 0) kernel.scalar(offset + offsetof(StepControl, update_signal), arguments.update_signal);
  kernel.tensor(offset + offsetof(StepControl, found_inf), arguments.found_inf);
  if (arguments.error_flag >= 0) kernel.tensor(offset + offsetof(StepControl, error_flag), arguments.error_flag);
}
void add_advance(PlanBuilder& builder, const StepArguments& arguments, bool bias_correction, bool reports) {
  AdvanceParams p{};
  p.control = step_control(1);
  p.bias_correction = bias_correction;
  p.reports = reports;
  auto kernel = builder.kernel(kAdvance, 1, 32);
  kernel.params(p).scalar(offsetof(AdvanceParams, step), arguments.step);
  bind_control(kernel, offsetof(AdvanceParams, control), arguments);
}

const std::vector<Signature>& moment_signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (adj_dtype grad : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F32, grad, ADJ_F32, copy});
    for (adj_dtype low : {ADJ_F16, ADJ_BF16}) {
      for (adj_dtype grad : {ADJ_F32, low})
        for (adj_dtype copy : {ADJ_DTYPE_NONE, low}) all->push_back({ADJ_F32, grad, low, copy});
      all->push_back({low, low, low, ADJ_DTYPE_NONE});
      all->push_back({low, low, ADJ_F32, ADJ_DTYPE_NONE});
      all->push_back({low, ADJ_F32, ADJ_F32, ADJ_DTYPE_NONE});
    }
    for (adj_dtype copy : {ADJ_DTYPE_NONE, ADJ_F16, ADJ_BF16}) all->push_back({ADJ_F64, ADJ_F64, ADJ_F64, copy});
    return all.release();
  }();
  return *list;
}

int widest(const Signature& s) {
  int bytes = 0;
  for (int i = 0; i < 3; ++i)
    if (s[i]) bytes = std::max(bytes, static_cast<int>(size_of(s[i])));
  return bytes;
}

adj_guarantee step_guarantee(const Signature& s, double terms) {
  const bool narrow = is_16bit_float(s[0]) || is_16bit_float(s[1]) || is_16bit_float(s[2]) || is_16bit_float(s[3]);
  const double u = s[0] == ADJ_F64 ? 0x1p-53 : 0x1p-24;
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(s[0]), narrow ? 0.501 : 0.5, terms * u);
}
adj_guarantee step_host_guarantee(const Signature& s) {
  // A copy is the stored weight rounded once more. From f16 to bf16 the first rounding adds an eighth of half an ulp.
  const bool copies = s.count == 4 && s[3] != ADJ_DTYPE_NONE;
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, copies ? 0.5625 : 0.5, 1e-13);
}
adj_guarantee defined_guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(s[0]), 0, 0); }

}  // namespace adj

// Planning code that the optimizers share: checks, lists of a step, rows of the variant tables.
#pragma once

#include <cmath>

#include "host/optimizer.hpp"
#include "ops/common/multi_tensor.hpp"
#include "ops/optimizer.gen.hpp"

#include "kernels/prelude/multi_norm.h"
#include "kernels/optimizer/params.h"

namespace adj {

// ---- checks

Result<void> check_finite(const char* op, const char* field, double value);
Result<void> check_not_negative(const char* op, const char* field, double value);  // not negative and finite
Result<void> check_max_norm(const char* op, const char* field, double value);      // positive; may be infinite
// Values that a decay rate may have. A bias is corrected for rates in [0, 1).
enum class Rate { below_one, finite };
Result<void> check_decay_rate(const char* op, const char* field, double value, Rate rate = Rate::below_one);
inline Rate moment_rate(bool bias_correction) { return bias_correction ? Rate::below_one : Rate::finite; }
// Checks of scalars that are passed by value. Scalars in device memory are not checked here; the kernel reads them.
Result<void> check_lr(const char* op, const adj_scalar& lr);
// The scale must be valid in the type of the kernel's arithmetic, which divides by it.
Result<void> check_grad_scale(const char* op, const adj_scalar& scale, adj_dtype param, bool positive);
Result<void> check_gradient_norm(const char* op, const adj_scalar& norm);
Result<void> check_update_signal(const char* op, const adj_scalar& signal);
Result<void> check_step(const char* op, const adj_scalar& step);
Result<void> check_seed(const char* op, const adj_scalar& seed);
// The scalars that adam, lamb, lion and adamw_8bit have in common; the step is checked where the operator uses it.
template <class Descriptor, class Args>
Result<void> check_common_scalars(const char* op, const Descriptor& d, const Args& a) {
  ADJ_TRY(check_lr(op, a.lr));
  ADJ_TRY(check_grad_scale(op, a.grad_scale, d.param, true));
  ADJ_TRY(check_gradient_norm(op, a.gradient_norm));
  return check_update_signal(op, a.update_signal);
}

// Checks the fields of a descriptor that turn stochastic rounding on and give its keys.
template <class Descriptor>
Result<void> check_tensor_keys(const char* op, const Descriptor& d, bool needed) {
  if (d.tensor_key_count != (needed ? d.count : 0))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: tensor_key_count = {}, expected {}", op, d.tensor_key_count,
                needed ? fmt::format("count = {}", d.count) : "0 without stochastic_rounding");
  return {};
}

// Checks the list that says where parts of tensors begin. Parts begin at multiples of `unit`.
template <class Descriptor>
Result<void> check_first_elements(const char* op, const Descriptor& d, bool allowed, std::int64_t unit) {
  constexpr std::int64_t kMost = std::int64_t{1} << 59;
  if (d.first_element_count != 0 && (!allowed || d.first_element_count != d.count))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: first_element_count = {}, expected {}", op, d.first_element_count,
                allowed ? fmt::format("0 or count = {}", d.count) : "0 without stochastic_rounding");
  for (std::int64_t t = 0; t < d.first_element_count; ++t) {
    const std::int64_t first = d.first_elements[t];
    if (first < 0 || first % unit != 0)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: first_elements[{}] = {}, expected {}", op, t, first,
                  unit == 1 ? "a number from 0 on" : fmt::format("a multiple of {} from 0 on", unit));
    if (first > kMost - d.numel[t])
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: first_elements[{}] = {} and numel[{}] = {} add up to more than 2^59", op, t, first, t, d.numel[t]);
  }
  return {};
}
// Adds to a table what a kernel draws random bits by (multi_tensor_keyed).
template <class Descriptor>
void add_keys(MultiTensorWork& work, const Descriptor& d) {
  work.counts.emplace_back(d.tensor_keys, d.tensor_keys + d.count);
  if (!d.first_element_count) return;
  for (const int shift : {0, 32}) {
    std::vector<std::uint32_t>& half = work.counts.emplace_back();
    for (std::int64_t t = 0; t < d.count; ++t) half.push_back(static_cast<std::uint32_t>(d.first_elements[t] >> shift));
  }
}

// Flags of a descriptor that decide which lists a step writes.
struct StepOptions {
  bool out_of_place = false, updates = false, keep_params = false, clear_grads = false;
};
template <class Descriptor>
Result<StepOptions> read_options(const char* op, const Descriptor& d) {
  if (d.updates && d.clear_grads) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: clear_grads = 1 with updates = 1, expected one of them", op);
  if (d.keep_params && d.copy)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: copy = {} with keep_params = 1, which writes no parameters to copy", op, dtype_name(d.copy));
  return StepOptions{d.out_of_place != 0, d.updates != 0, d.keep_params != 0, d.clear_grads != 0};
}
template <class Descriptor>
StepOptions options_of(const Descriptor& d) {
  return {d.out_of_place != 0, d.updates != 0, d.keep_params != 0, d.clear_grads != 0};
}

// Signature of the optimizers with moments.
template <class Descriptor>
Signature moment_signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.param, d.grad ? d.grad : d.param, d.state ? d.state : d.param, d.copy};
}

// ---- planning

// Places of an operator's arguments; -1 for an argument that the operator lacks.
struct StepArguments {
  int params, grads, state[2], copies, new_params = -1, new_state[2] = {-1, -1}, updates = -1;
  int lr, step = -1, grad_scale, gradient_norm = -1, update_signal = -1, found_inf, error_flag = -1;
};
// Returns what a kernel reads about the lists, and stores their places in `arrays`, in the order of the table. Kernels update in place. For
// other output lists a copy is planned first, so that they are right after a skipped step as well; a list onto itself is not copied.
StepLists step_lists(PlanBuilder& builder, const StepArguments& arguments, const StepOptions& options, const Signature& types, std::vector<int>& arrays);
StepControl step_control(double max_norm);
void bind_control(PlanBuilder::Kernel& kernel, std::size_t offset, const StepArguments& arguments);
// Adds the launch after an update that advances the step. `reports`: this launch counts the errors, since no launch before it does.
enum AdvanceProgram : int { kAdvance };
#define ADJ_ADVANCE_PROGRAM {"optimizer/advance.cu", "advance", "", kAdvance}
void add_advance(PlanBuilder& builder, const StepArguments& arguments, bool bias_correction, bool reports);

// ---- rows

// Types of parameters, gradients, moments and copies for which there are kernels.
const std::vector<Signature>& moment_signatures();
// Bytes of the widest type of a signature, not counting the type of copies. It is the macro ADJ_WIDEST of the programs.
int widest(const Signature& s);
template <int bytes>
bool is_widest(const Signature& s) {
  return widest(s) == bytes;
}

// Guarantee of a step whose rounding errors before the last are at most `terms` * u times the terms of the sum. u = 2^-24 (2^-53 for f64) is
// the rounding of one operation in the type of the arithmetic. The store rounds once, by 0.5 ulp; a 16-bit value slightly more, since it was
// rounded to f32 before. Results below the normal range of the arithmetic are not covered.
adj_guarantee step_guarantee(const Signature& s, double terms);
adj_guarantee step_host_guarantee(const Signature&);
// Guarantee of results that the header defines to the last bit. It leaves the payload of a NaN open.
adj_guarantee defined_guarantee(const Signature& s);

}  // namespace adj

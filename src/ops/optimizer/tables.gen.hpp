// Written by tools/generate.py from include/adjoint/ops/optimizer.h. Do not edit.
#pragma once

#include <adjoint/ops/optimizer.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* optimizer_conventions = R"text(Multi-tensor optimizers: one call updates a whole list of tensors.

A descriptor gives the lengths of the tensors; the arguments give lists of the same count. Tensors may be empty.
All arithmetic is in f32 (f64 when the parameters are f64), each stored value is rounded once.

Equal bits. The order of a list changes no bit of a result. A list of adam, sgd, lion, adamw_8bit or lamb may be updated in
several calls. A tensor of adam and sgd may be split into several, since each element is updated by itself; so may a tensor
of lion and adamw_8bit. Where elements draw random bits, first_elements must say where a part begins. A part of a tensor has
another norm than the tensor: the results of lamb need whole tensors, and those of clip_grad_norm the whole list.

Scalars may be host values or device elements (adj_scalar). With grad_scale s, the gradient used is g / s.

Skipped calls. A call skips when found_inf, a device f32, is not 0, and for the reasons that each operator names. It then
leaves weights, moments, copies and step unchanged. Other outputs are written all the same: new weights and moments in
buffers of their own become copies of the old ones, and clear_grads clears gradients. A skipped call counts at most one
error in error_flag, and none when found_inf or update_signal skips it.

Stochastic rounding. With stochastic_rounding, a new weight of a 16-bit type is one of the two neighbours of its f32 value:
    P(the neighbour farther from 0) = distance from the nearer to 0 / distance of both, truncated to a multiple of 2^-16
Only f16 values below 2^-14 are truncated. A value that the type has stays as it is. Beyond the largest finite number the
neighbour is infinity, at the distance at which the type would go on. Infinities and NaN are rounded as usual.
Element e of a tensor draws 16 bits: those from bit 16 (e mod 2) on of word (e mod 8) / 2 of the block of Philox4x32-10 with
key seed and counter (e / 8 mod 2^32, e / 2^35, key of the tensor, step mod 2^32). It is rounded away from 0 when they and
the fraction in units of 2^-16 add up to 2^16 or more.

Parts. An entry of a list may be a part of a tensor: its tensor_keys is that of the tensor, and its first_elements the
number e of its first element. The parts then have the bits of the whole, in one call or in several, on one device or on
several.

Bias corrections a = 1 - beta1^t and b = 1 - beta2^t are computed in f64 without a power: with r = 0 and q = 1 - beta, for
each bit of t from the lowest on, r = fma(q, 1 - r, r) if the bit is 1, then q = fma(q, 1 - q, q). The last r is 1 - beta^t.

Error terms. The bound of a result is stated by each kernel (adj_guarantee) in terms of the magnitudes that are added up
in it. An operator names them below. A copy has the terms of its weight.)text";
}

namespace adj::sgd_tables {

using Descriptor = adj_sgd_descriptor;
using Args = adj_sgd_args;
inline constexpr const char* kName = "sgd";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(SGD with momentum. g = grad / s + weight_decay * w, |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale:
    without momentum: update = -lr * g
    with momentum:    buf = momentum * buf + (1 - dampening) * g;  update = -lr * (nesterov ? g + momentum * buf : buf)
    w += update
Buffers start at zero, except that first_step makes buf = g (PyTorch's first step). gradient_norm is the norm of all gradients as they
are, still scaled; 0, its default, clips nothing.

A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
the device is counted in error_flag. It then does what a call of adam does that skips.

Error terms: g: G = |grad / s| + |weight_decay * w|;  buf: B = |momentum * buf| + |1 - dampening| * G, or G with first_step;  update and w:
lr * G, lr * B with momentum, lr * (G + momentum * B) with nesterov.)text";
enum Argument : int { kParams, kGrads, kMomentumBuffers, kCopies, kNewParams, kNewMomentumBuffers, kUpdates, kLr, kGradScale,
    kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"params", offsetof(Args, params), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] param; written if !out_of_place && !keep_params: parameters w", ""},
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if clear_grads", ""},
    {"momentum_buffers", offsetof(Args, momentum_buffers), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] state; only if state; written if !out_of_place", "state"},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] copy; only if copy: a call that skips leaves it as it is", "copy"},
    {"new_params", offsetof(Args, new_params), ArgumentKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "[numel] param; only if out_of_place && !keep_params; may be params itself", "out_of_place && !keep_params"},
    {"new_momentum_buffers", offsetof(Args, new_momentum_buffers), ArgumentKind::list, Role::out, 1u << kMomentumBuffers, Space::stream, Given::depends, "[numel] state; only if out_of_place && state; may be momentum_buffers itself", "out_of_place && state"},
    {"updates", offsetof(Args, updates), ArgumentKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "[numel] grad; only if updates; may be grads itself", "updates"},
    {"lr", offsetof(Args, lr), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: finite, not negative; must be given", ""},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: not 0", ""},
    {"gradient_norm", offsetof(Args, gradient_norm), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: >= 0", ""},
    {"update_signal", offsetof(Args, update_signal), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0 skips", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when gradient_norm is not finite", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum), "in [0, 1)"},
    {"dampening", nullptr, kFieldF64, offsetof(Descriptor, dampening), "finite"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"nesterov", nullptr, kFieldI32, offsetof(Descriptor, nesterov), "1: needs momentum > 0 and dampening == 0"},
    {"first_step", nullptr, kFieldI32, offsetof(Descriptor, first_step), "1: the momentum buffers are written without being read"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and buffers go to new_params and new_momentum_buffers"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "of the gradients; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of the momentum buffers; 0 = none, required exactly when momentum != 0"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 3, offsetof(Descriptor, param), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 4, offsetof(Descriptor, grad), 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, state), kNoTerm, 0},
    {TermOp::type, 6, offsetof(Descriptor, copy), kNoTerm, 0},
    {TermOp::i32, 1, offsetof(Descriptor, out_of_place), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, keep_params), 0, 0},
    {TermOp::negation, -1, 7, 0, 0},
    {TermOp::both, -1, 6, 8, 0},
    {TermOp::both, -1, 6, 4, 0},
    {TermOp::i32, 2, offsetof(Descriptor, updates), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::items, -1, 12, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"out_of_place", kFieldI32, offsetof(Descriptor, out_of_place), kNoTerm, false, 0},
    {"updates", kFieldI32, offsetof(Descriptor, updates), kNoTerm, false, 0},
    {"param", kFieldDtype, offsetof(Descriptor, param), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 1},
    {"state", kFieldDtype, offsetof(Descriptor, state), kNoTerm, false, 0},
    {"copy", kFieldDtype, offsetof(Descriptor, copy), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 4, 4, kNoTerm},
    {2, 5, 5, kNoTerm},
    {2, 0, 9, kNoTerm},
    {2, 4, 10, kNoTerm},
    {2, 3, 11, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {14, 13, kNoTerm, 12},
    {14, 15, kNoTerm, 12},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kParams] = ArgumentSpec::list(d.param, list_of(d.numel, d.count));
  arguments[kGrads] = ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count));
  arguments[kMomentumBuffers] = (d.state != 0) ? ArgumentSpec::list(d.state, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kCopies] = (d.copy != 0) ? ArgumentSpec::list(d.copy, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewParams] = ((d.out_of_place != 0) && !(d.keep_params != 0)) ? ArgumentSpec::list(d.param, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewMomentumBuffers] = ((d.out_of_place != 0) && (d.state != 0)) ? ArgumentSpec::list(d.state, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kUpdates] = (d.updates != 0) ? ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kLr] = float_scalar();
  arguments[kGradScale] = float_scalar();
  arguments[kGradientNorm] = float_scalar();
  arguments[kUpdateSignal] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kParams: return (!(d.out_of_place != 0) && !(d.keep_params != 0)) ? Role::inout : Role::in;
    case kGrads: return (d.clear_grads != 0) ? Role::inout : Role::in;
    case kMomentumBuffers: return !(d.out_of_place != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SGD;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SGD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SGD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::sgd_tables

namespace adj::adam_tables {

using Descriptor = adj_adam_descriptor;
using Args = adj_adam_args;
inline constexpr const char* kName = "adam";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Adam and AdamW. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction),
    g = grad / s,   |s| = max(|grad_scale|, gradient_norm / max_norm), s with the sign of grad_scale
    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    decay first: update = -lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
    decay last:  q = lr * sqrt(b) / a * m / (sqrt(v) + epsilon);  update = -q - lr * weight_decay * (w - q)
    decay l2:    g += weight_decay * w before m and v;  update = -lr * (m / a) / (sqrt(v / b) + epsilon)
    w += update
Settings of other libraries:
    PyTorch Adam                   decay l2
    PyTorch AdamW, Apex FusedAdam  decay first
    Hugging Face AdamW             decay last
    ONNX Runtime AdamOptimizer     weight_decay_mode is decay; out_of_place, updates
    ONNX Runtime AdamWOptimizer    adam_mode is decay

Arguments. gradient_norm is the norm of all gradients as they are, still scaled (clip_grad_norm with norm_only writes it).
0, its default, clips nothing, and neither does an infinite max_norm. lr_of and weight_decay_of have a number for each
tensor, in the memory of the stream; they take the place of lr and weight_decay, and a captured graph reads them anew.

Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the
type of the arithmetic, in which, fma rounding once,
    g = grad / s;   decay l2: g = fma(weight_decay, w, g)
    m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
    decay first: d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(lr * weight_decay, w, (lr / a) * d)
    decay l2:    d = m / fma(sqrt(v), 1 / sqrt(b), epsilon),   u = fma(0, w, (lr / a) * d)
    decay last:  d = m / (sqrt(v) + epsilon),   r = lr * sqrt(b) / a,   u = fma(lr * weight_decay, fma(-r, d, w), r * d)
    update = -u,   w = w - u
with |s| = max(|grad_scale|, gradient_norm * (1 / max_norm)).

In place. Weights, moments and cleared gradients are updated in place. With out_of_place, new weights and moments may be the
buffers of the old ones, and updates those of the gradients.

Edge cases:
  - A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is
    below 1 with bias correction. The last two are errors by value, and on the device are counted in error_flag.
  - A call that skips copies the gradients to updates.
  - Infinities and NaN among the gradients enter moments and weights.
  - Steps count from 1. Without bias correction only stochastic_rounding reads the step.

Error terms. Against the formulas in real numbers, with u = 2^-24 (2^-53 for f64), G, M and V for the terms of g, m and v,
and before the rounding of the store, the errors of m and v are below 4 u M and 8 u V, of update and w below 20 u W
(512 u W for f64):
    G = |g| for decay first and last, |grad / s| + |weight_decay * w| for l2
    M = |beta1 * m| + |(1 - beta1)| * G,   V = |beta2 * v| + |(1 - beta2)| * G * G
    W = |lr * weight_decay * w| except for l2, plus Q * (1 + lr * |weight_decay|) * V / v, where Q is the magnitude of the
       update without decay with M in place of m. V / v is 1 for decay first and last with rates in [0, 1].

Source: Kingma and Ba 2015, Adam; Loshchilov and Hutter 2019, Decoupled Weight Decay Regularization.)text";
enum Argument : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kSeed, kGradScale, kGradientNorm, kUpdateSignal, kLrOf, kWeightDecayOf, kFoundInf, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"params", offsetof(Args, params), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] param; written if !out_of_place && !keep_params: parameters w", ""},
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if clear_grads", ""},
    {"exp_avg", offsetof(Args, exp_avg), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] state; written if !out_of_place: first moment m", ""},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] state; written if !out_of_place: second moment v", ""},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] copy; only if copy", "copy"},
    {"new_params", offsetof(Args, new_params), ArgumentKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "[numel] param; only if out_of_place && !keep_params; may be params itself", "out_of_place && !keep_params"},
    {"new_exp_avg", offsetof(Args, new_exp_avg), ArgumentKind::list, Role::out, 1u << kExpAvg, Space::stream, Given::depends, "[numel] state; only if out_of_place; may be exp_avg itself", "out_of_place"},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), ArgumentKind::list, Role::out, 1u << kExpAvgSq, Space::stream, Given::depends, "[numel] state; only if out_of_place; may be exp_avg_sq itself", "out_of_place"},
    {"updates", offsetof(Args, updates), ArgumentKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "[numel] grad; only if updates; may be grads itself", "updates"},
    {"lr", offsetof(Args, lr), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: finite, not negative; must be given without lr_of", ""},
    {"step", offsetof(Args, step), ArgumentKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; on the device if advance_step; written if advance_step: >= 1", ""},
    {"seed", offsetof(Args, seed), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value", "stochastic_rounding"},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: not 0", ""},
    {"gradient_norm", offsetof(Args, gradient_norm), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: >= 0", ""},
    {"update_signal", offsetof(Args, update_signal), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0 skips", ""},
    {"lr_of", offsetof(Args, lr_of), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[count] accumulator(param): learning rate of each tensor, in place of lr", ""},
    {"weight_decay_of", offsetof(Args, weight_decay_of), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[count] accumulator(param): decay of each tensor, in place of weight_decay", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"tensor_keys", nullptr, kFieldI64List, offsetof(Descriptor, tensor_keys), "host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits"},
    {"first_elements", nullptr, kFieldI64List, offsetof(Descriptor, first_elements), "host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1); any finite number with no_bias_correction"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1); any finite number with no_bias_correction"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"decay", "first,last,l2", kFieldI32, offsetof(Descriptor, decay), "first unless stated"},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction), "1: a = b = 1"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards, so a captured graph can be replayed"},
    {"stochastic_rounding", nullptr, kFieldI32, offsetof(Descriptor, stochastic_rounding), "1: of the new weights, for parameters of a 16-bit type; needs tensor_keys"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of both moments: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 4, offsetof(Descriptor, param), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 5, offsetof(Descriptor, grad), 0, 0},
    {TermOp::type, 6, offsetof(Descriptor, state), 0, 0},
    {TermOp::type, 7, offsetof(Descriptor, copy), kNoTerm, 0},
    {TermOp::i32, 2, offsetof(Descriptor, out_of_place), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, keep_params), 0, 0},
    {TermOp::negation, -1, 7, 0, 0},
    {TermOp::both, -1, 6, 8, 0},
    {TermOp::i32, 3, offsetof(Descriptor, updates), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, stochastic_rounding), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::i64, 0, offsetof(Descriptor, count), 0, 0},
    {TermOp::items, -1, 14, kNoTerm, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::items, -1, 12, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"stochastic_rounding", kFieldI32, offsetof(Descriptor, stochastic_rounding), kNoTerm, false, 0},
    {"out_of_place", kFieldI32, offsetof(Descriptor, out_of_place), kNoTerm, false, 0},
    {"updates", kFieldI32, offsetof(Descriptor, updates), kNoTerm, false, 0},
    {"param", kFieldDtype, offsetof(Descriptor, param), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 1},
    {"state", kFieldDtype, offsetof(Descriptor, state), kNoTerm, false, 1},
    {"copy", kFieldDtype, offsetof(Descriptor, copy), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {2, 5, 5, kNoTerm},
    {2, 0, 9, kNoTerm},
    {2, 4, 6, kNoTerm},
    {2, 4, 6, kNoTerm},
    {2, 3, 10, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 11, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {15, 13, kNoTerm, 12},
    {15, 13, kNoTerm, 12},
    {17, 16, kNoTerm, 12},
    {17, 18, kNoTerm, 12},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kParams] = ArgumentSpec::list(d.param, list_of(d.numel, d.count));
  arguments[kGrads] = ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count));
  arguments[kExpAvg] = ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count));
  arguments[kExpAvgSq] = ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count));
  arguments[kCopies] = (d.copy != 0) ? ArgumentSpec::list(d.copy, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewParams] = ((d.out_of_place != 0) && !(d.keep_params != 0)) ? ArgumentSpec::list(d.param, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewExpAvg] = (d.out_of_place != 0) ? ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewExpAvgSq] = (d.out_of_place != 0) ? ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kUpdates] = (d.updates != 0) ? ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kLr] = float_scalar();
  arguments[kStep] = ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE);
  arguments[kStep].device_only = (d.advance_step != 0);
  arguments[kSeed] = (d.stochastic_rounding != 0) ? ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE) : ArgumentSpec::forbidden();
  arguments[kGradScale] = float_scalar();
  arguments[kGradientNorm] = float_scalar();
  arguments[kUpdateSignal] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kLrOf] = tensor(accumulator_of(d.param), Dims().add(d.count), Presence::optional);
  arguments[kWeightDecayOf] = tensor(accumulator_of(d.param), Dims().add(d.count), Presence::optional);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kParams: return (!(d.out_of_place != 0) && !(d.keep_params != 0)) ? Role::inout : Role::in;
    case kGrads: return (d.clear_grads != 0) ? Role::inout : Role::in;
    case kExpAvg: return !(d.out_of_place != 0) ? Role::inout : Role::in;
    case kExpAvgSq: return !(d.out_of_place != 0) ? Role::inout : Role::in;
    case kStep: return (d.advance_step != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAM;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::adam_tables

namespace adj::lamb_tables {

using Descriptor = adj_lamb_descriptor;
using Args = adj_lamb_args;
inline constexpr const char* kName = "lamb";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(LAMB. With t the step, a = 1 - beta1^t, b = 1 - beta2^t (both 1 with no_bias_correction), for every tensor
    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    d = weight_decay * w + (m / a) / (sqrt(v / b) + epsilon)
    r = lr * max(ratio_min, min(ratio_max, |w| / |d|)), or lr where one of these L2 norms of the tensor is 0
    update = -r * d,   w += update
Norms neither overflow nor vanish. Each hyperparameter holds for all tensors, or has a value for each of them.

A tensor whose norm of w or d is not finite keeps weights, moments and copies, its updates are 0, and it is counted in error_flag.
A weight that would not be finite in its own type stays as it is, with an update of 0. A call skips as one of adam does.

Error terms: m and v as in adam, with M and V. With N the norm over the tensor of the terms of d,
    d: T = |weight_decay * w| + (M / a) / (sqrt(v / b) + epsilon) * V / v
    update and w: |r| * T * (1 + N / |d|))text";
enum Argument : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kGradScale, kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"params", offsetof(Args, params), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] param; written if !out_of_place && !keep_params: parameters w", ""},
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if clear_grads", ""},
    {"exp_avg", offsetof(Args, exp_avg), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] state; written if !out_of_place: first moment m", ""},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] state; written if !out_of_place: second moment v", ""},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] copy; only if copy", "copy"},
    {"new_params", offsetof(Args, new_params), ArgumentKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "[numel] param; only if out_of_place && !keep_params; may be params itself", "out_of_place && !keep_params"},
    {"new_exp_avg", offsetof(Args, new_exp_avg), ArgumentKind::list, Role::out, 1u << kExpAvg, Space::stream, Given::depends, "[numel] state; only if out_of_place; may be exp_avg itself", "out_of_place"},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), ArgumentKind::list, Role::out, 1u << kExpAvgSq, Space::stream, Given::depends, "[numel] state; only if out_of_place; may be exp_avg_sq itself", "out_of_place"},
    {"updates", offsetof(Args, updates), ArgumentKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "[numel] grad; only if updates; may be grads itself", "updates"},
    {"lr", offsetof(Args, lr), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: finite, not negative; must be given", ""},
    {"step", offsetof(Args, step), ArgumentKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; on the device if advance_step; written if advance_step", ""},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: > 0", ""},
    {"gradient_norm", offsetof(Args, gradient_norm), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: >= 0", ""},
    {"update_signal", offsetof(Args, update_signal), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0 skips", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: counts as in adam, and the tensors that are kept as they are", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1); any finite number with no_bias_correction"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1); any finite number with no_bias_correction"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"ratio_min", nullptr, kFieldF64, offsetof(Descriptor, ratio_min), "not NaN; at most ratio_max"},
    {"ratio_max", nullptr, kFieldF64, offsetof(Descriptor, ratio_max), "not NaN"},
    {"beta1_of", nullptr, kFieldF64List, offsetof(Descriptor, beta1_of), "beta1 of each tensor; host array, copied by select"},
    {"beta2_of", nullptr, kFieldF64List, offsetof(Descriptor, beta2_of), "beta2 of each tensor; host array, copied by select"},
    {"epsilon_of", nullptr, kFieldF64List, offsetof(Descriptor, epsilon_of), "epsilon of each tensor; host array, copied by select"},
    {"weight_decay_of", nullptr, kFieldF64List, offsetof(Descriptor, weight_decay_of), "weight_decay of each tensor; host array, copied by select"},
    {"max_norm_of", nullptr, kFieldF64List, offsetof(Descriptor, max_norm_of), "max_norm of each tensor; host array, copied by select"},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction), "1: a = b = 1"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of both moments: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 3, offsetof(Descriptor, param), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 4, offsetof(Descriptor, grad), 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, state), 0, 0},
    {TermOp::type, 6, offsetof(Descriptor, copy), kNoTerm, 0},
    {TermOp::i32, 1, offsetof(Descriptor, out_of_place), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, keep_params), 0, 0},
    {TermOp::negation, -1, 7, 0, 0},
    {TermOp::both, -1, 6, 8, 0},
    {TermOp::i32, 2, offsetof(Descriptor, updates), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"out_of_place", kFieldI32, offsetof(Descriptor, out_of_place), kNoTerm, false, 0},
    {"updates", kFieldI32, offsetof(Descriptor, updates), kNoTerm, false, 0},
    {"param", kFieldDtype, offsetof(Descriptor, param), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 1},
    {"state", kFieldDtype, offsetof(Descriptor, state), kNoTerm, false, 1},
    {"copy", kFieldDtype, offsetof(Descriptor, copy), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {2, 5, 5, kNoTerm},
    {2, 0, 9, kNoTerm},
    {2, 4, 6, kNoTerm},
    {2, 4, 6, kNoTerm},
    {2, 3, 10, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {13, 12, kNoTerm, 11},
    {13, 14, kNoTerm, 11},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kParams] = ArgumentSpec::list(d.param, list_of(d.numel, d.count));
  arguments[kGrads] = ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count));
  arguments[kExpAvg] = ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count));
  arguments[kExpAvgSq] = ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count));
  arguments[kCopies] = (d.copy != 0) ? ArgumentSpec::list(d.copy, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewParams] = ((d.out_of_place != 0) && !(d.keep_params != 0)) ? ArgumentSpec::list(d.param, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewExpAvg] = (d.out_of_place != 0) ? ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kNewExpAvgSq] = (d.out_of_place != 0) ? ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kUpdates] = (d.updates != 0) ? ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kLr] = float_scalar();
  arguments[kStep] = ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE);
  arguments[kStep].device_only = (d.advance_step != 0);
  arguments[kGradScale] = float_scalar();
  arguments[kGradientNorm] = float_scalar();
  arguments[kUpdateSignal] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kParams: return (!(d.out_of_place != 0) && !(d.keep_params != 0)) ? Role::inout : Role::in;
    case kGrads: return (d.clear_grads != 0) ? Role::inout : Role::in;
    case kExpAvg: return !(d.out_of_place != 0) ? Role::inout : Role::in;
    case kExpAvgSq: return !(d.out_of_place != 0) ? Role::inout : Role::in;
    case kStep: return (d.advance_step != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAMB;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAMB_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAMB_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::lamb_tables

namespace adj::clip_grad_norm_tables {

using Descriptor = adj_clip_grad_norm_descriptor;
using Args = adj_clip_grad_norm_args;
inline constexpr const char* kName = "clip_grad_norm";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Scaling of gradients by their common L2 norm. With N the norm of all gradients divided by grad_scale:
    factor = min(1, max_norm / (N + epsilon)),   grad *= factor / grad_scale
Squares neither overflow nor vanish. Where N is not finite in the type of norm, the gradients stay as they are, factor is 1, and found_inf
becomes 1; else it becomes 0. An infinite max_norm clips nothing. An empty list has the norm 0.

Error terms: every result has one term, its own magnitude.)text";
enum Argument : int { kGrads, kGradScale, kNorm, kFactor, kFoundInf };
inline constexpr ArgumentInfo kArguments[] = {
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if !norm_only: gradients of the parameters", ""},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: > 0", ""},
    {"norm", offsetof(Args, norm), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] accumulator(grad): N", ""},
    {"factor", offsetof(Args, factor), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] accumulator(grad)", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 1 where N is not finite, else 0", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"norm_only", nullptr, kFieldI32, offsetof(Descriptor, norm_only), "1: the gradients are not written"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, grad), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::items, -1, 3, kNoTerm, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {5, 4, kNoTerm, 3},
    {5, 4, kNoTerm, 3},
    {5, 6, kNoTerm, 3},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kGrads] = ArgumentSpec::list(d.grad, list_of(d.numel, d.count));
  arguments[kGradScale] = float_scalar();
  arguments[kNorm] = tensor(accumulator_of(d.grad), Dims().add(1), Presence::optional);
  arguments[kFactor] = tensor(accumulator_of(d.grad), Dims().add(1), Presence::optional);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kGrads: return !(d.norm_only != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CLIP_GRAD_NORM;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CLIP_GRAD_NORM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::clip_grad_norm_tables

namespace adj::lion_tables {

using Descriptor = adj_lion_descriptor;
using Args = adj_lion_args;
inline constexpr const char* kName = "lion";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Lion (Chen et al. 2023, Symbolic Discovery of Optimization Algorithms). With the gradient
    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    c = beta1 * m + (1 - beta1) * g,   m = beta2 * m + (1 - beta2) * g,   w -= lr * (sign(c) + weight_decay * w)
gradient_norm is as in adam.

Results are defined to the last bit; only the payload of a NaN is open. Scalars are combined in f64 and then rounded to the type of the
arithmetic, in which, fma rounding once,
    g = grad / s,   c = fma(1 - beta1, g, beta1 * m),   m = fma(1 - beta2, g, beta2 * m)
    w = w - fma(lr * weight_decay, w, lr * sign(c))
with s = max(grad_scale, gradient_norm * (1 / max_norm)). lr * sign(c) is lr for c > 0, -lr for c < 0, and else c itself: +0, -0 or NaN.
So a weight of -0 stays -0 where c is +0, and becomes +0 where c is -0.

A call skips when update_signal is 0, when found_inf is not 0, or when gradient_norm is not finite; that is an error by value, and on
the device is counted in error_flag. It then leaves everything as it is, but clears gradients all the same.)text";
enum Argument : int { kParams, kGrads, kExpAvg, kCopies, kLr, kStep, kSeed, kGradScale, kGradientNorm, kUpdateSignal, kFoundInf,
    kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"params", offsetof(Args, params), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] param: parameters w", ""},
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if clear_grads", ""},
    {"exp_avg", offsetof(Args, exp_avg), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] state: moment m", ""},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] copy; only if copy", "copy"},
    {"lr", offsetof(Args, lr), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: finite, not negative; must be given", ""},
    {"step", offsetof(Args, step), ArgumentKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; on the device if advance_step; written if advance_step: read by stochastic_rounding, then >= 1 by value", ""},
    {"seed", offsetof(Args, seed), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "i64 on the device; only if stochastic_rounding: on the device all 64 bits count; from 0 to 2^53 by value", "stochastic_rounding"},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: > 0", ""},
    {"gradient_norm", offsetof(Args, gradient_norm), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: >= 0", ""},
    {"update_signal", offsetof(Args, update_signal), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0 skips", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when gradient_norm is not finite", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1]"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1]"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"tensor_keys", nullptr, kFieldI64List, offsetof(Descriptor, tensor_keys), "host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits"},
    {"first_elements", nullptr, kFieldI64List, offsetof(Descriptor, first_elements), "host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59"},
    {"stochastic_rounding", nullptr, kFieldI32, offsetof(Descriptor, stochastic_rounding), "1: of the new weights, for parameters of a 16-bit type; needs tensor_keys"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of the moment: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, param), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, grad), 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, state), 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, copy), kNoTerm, 0},
    {TermOp::i32, 1, offsetof(Descriptor, stochastic_rounding), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"stochastic_rounding", kFieldI32, offsetof(Descriptor, stochastic_rounding), kNoTerm, false, 0},
    {"param", kFieldDtype, offsetof(Descriptor, param), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 1},
    {"state", kFieldDtype, offsetof(Descriptor, state), kNoTerm, false, 1},
    {"copy", kFieldDtype, offsetof(Descriptor, copy), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {2, 5, 5, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 6, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {9, 8, kNoTerm, 7},
    {9, 10, kNoTerm, 7},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kParams] = ArgumentSpec::list(d.param, list_of(d.numel, d.count));
  arguments[kGrads] = ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count));
  arguments[kExpAvg] = ArgumentSpec::list(either(d.state, d.param), list_of(d.numel, d.count));
  arguments[kCopies] = (d.copy != 0) ? ArgumentSpec::list(d.copy, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kLr] = float_scalar();
  arguments[kStep] = ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE);
  arguments[kStep].device_only = (d.advance_step != 0);
  arguments[kSeed] = (d.stochastic_rounding != 0) ? ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE) : ArgumentSpec::forbidden();
  arguments[kGradScale] = float_scalar();
  arguments[kGradientNorm] = float_scalar();
  arguments[kUpdateSignal] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kGrads: return (d.clear_grads != 0) ? Role::inout : Role::in;
    case kStep: return (d.advance_step != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LION;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LION_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LION_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::lion_tables

namespace adj::adamw_8bit_tables {

using Descriptor = adj_adamw_8bit_descriptor;
using Args = adj_adamw_8bit_args;
inline constexpr const char* kName = "adamw_8bit";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(AdamW with moments of 8 bits. With t the step, a = 1 - beta1^t, b = 1 - beta2^t, and the gradient
    g = grad / s,   s = max(grad_scale, gradient_norm / max_norm)
    m = beta1 * m + (1 - beta1) * g,   v = beta2 * v + (1 - beta2) * g * g
    w -= lr * ((m / a) / (sqrt(v / b) + epsilon) + weight_decay * w)
gradient_norm is as in adam. The weights follow from m and v before these are rounded.

Moments are stored in blocks of 256 consecutive elements of a tensor, of which the last one may be short: a byte for each element and a
scale for each block, the largest magnitude in it. For the f32 number with the bits x << 20 written as F(x), a byte c is worth
    in exp_avg:    F(c & 127) * 2^112 * scale, negative where bit 7 is set:  4 bits of exponent, 3 of mantissa
    in exp_avg_sq: F(c) * 2^96 * scale:                                      5 bits of exponent, 3 of mantissa
so that the largest magnitude is stored as it is. The worth of a byte is rounded to f32. Training begins with zeros in all four lists. m is
rounded to the nearest byte, away from 0 between two; a negative m that is rounded to 0 has the byte 0x80, which is worth -0. v is rounded at
random, as weights are by stochastic rounding, with the bits that a weight draws: its decay of a thousandth at a step is less than half the distance of two
bytes, and would be lost. The smallest byte of v is 1, which keeps divisors above 0. A block without a magnitude of 2^-126 or more becomes
zero, with a scale and bytes of 0. A block with a magnitude that is not finite gets the scale NaN and bytes of 0: from the next step on all
its weights are NaN.

An entry of the list that is a part of a tensor begins with a block, at a multiple of 256.

Results are defined to the last bit, but for the payload of a NaN. Scalars are combined in f64 and rounded to f32, and in f32, fma rounding
once,
    g = grad / s,   m = fma(1 - beta1, g, beta1 * m),   v = fma((1 - beta2) * g, g, beta2 * v)
    w = w - fma(lr * weight_decay, w, (lr / a) * (m / fma(sqrt(v), 1 / sqrt(b), epsilon)))
    byte of m: |m| * (1 / scale) * 2^-112, rounded;  byte of v: |v| * (1 / scale) * 2^-96, rounded, from 1 to 248
with s = max(grad_scale, gradient_norm * (1 / max_norm)).

A call skips when update_signal is 0, when found_inf is not 0, when gradient_norm is not finite, or when the step is below 1; the last
two are errors by value, and on the device are counted in error_flag. It then leaves everything as it is, but clears gradients all the
same.)text";
enum Argument : int { kParams, kGrads, kExpAvg, kExpAvgScale, kExpAvgSq, kExpAvgSqScale, kCopies, kLr, kStep, kSeed, kGradScale,
    kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"params", offsetof(Args, params), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] param: parameters w", ""},
    {"grads", offsetof(Args, grads), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] grad; written if clear_grads", ""},
    {"exp_avg", offsetof(Args, exp_avg), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] u8: bytes of the first moment m", ""},
    {"exp_avg_scale", offsetof(Args, exp_avg_scale), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[ceil_div(numel, 256)] f32: scales of m", ""},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[numel] u8: bytes of the second moment v", ""},
    {"exp_avg_sq_scale", offsetof(Args, exp_avg_sq_scale), ArgumentKind::list, Role::inout, 0, Space::stream, Given::always, "[ceil_div(numel, 256)] f32: scales of v", ""},
    {"copies", offsetof(Args, copies), ArgumentKind::list, Role::inout, 0, Space::stream, Given::depends, "[numel] copy; only if copy", "copy"},
    {"lr", offsetof(Args, lr), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: finite, not negative; must be given", ""},
    {"step", offsetof(Args, step), ArgumentKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; on the device if advance_step; written if advance_step: >= 1", ""},
    {"seed", offsetof(Args, seed), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "i64 on the device: of the random bits: on the device all 64 bits count; from 0 to 2^53 by value", ""},
    {"grad_scale", offsetof(Args, grad_scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: > 0", ""},
    {"gradient_norm", offsetof(Args, gradient_norm), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "any floating-point type on the device: >= 0", ""},
    {"update_signal", offsetof(Args, update_signal), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device: 0 skips", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1)"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1)"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"tensor_keys", nullptr, kFieldI64List, offsetof(Descriptor, tensor_keys), "host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits"},
    {"first_elements", nullptr, kFieldI64List, offsetof(Descriptor, first_elements), "host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its numel at most 2^59"},
    {"stochastic_rounding", nullptr, kFieldI32, offsetof(Descriptor, stochastic_rounding), "1: of the new weights too, for parameters of a 16-bit type"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, param), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 2, offsetof(Descriptor, grad), 0, 0},
    {TermOp::number, -1, ADJ_U8, 0, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
    {TermOp::number, -1, 256, 0, 0},
    {TermOp::ceil_div, -1, 1, 6, kNoTerm},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, copy), kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::items, -1, 10, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"param", kFieldDtype, offsetof(Descriptor, param), kNoTerm, false, 0},
    {"grad", kFieldDtype, offsetof(Descriptor, grad), kNoTerm, false, 1},
    {"copy", kFieldDtype, offsetof(Descriptor, copy), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {2, 3, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {8, 5, kNoTerm, kNoTerm},
    {2, 4, kNoTerm, kNoTerm},
    {8, 5, kNoTerm, kNoTerm},
    {2, 9, 9, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {11, 5, kNoTerm, 10},
    {11, 12, kNoTerm, 10},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kParams] = ArgumentSpec::list(d.param, list_of(d.numel, d.count));
  arguments[kGrads] = ArgumentSpec::list(either(d.grad, d.param), list_of(d.numel, d.count));
  arguments[kExpAvg] = ArgumentSpec::list(ADJ_U8, list_of(d.numel, d.count));
  arguments[kExpAvgScale] = each(ADJ_F32, d.count, [&](std::int64_t i) { return ceil_div_of(d.numel[i], 256); });
  arguments[kExpAvgSq] = ArgumentSpec::list(ADJ_U8, list_of(d.numel, d.count));
  arguments[kExpAvgSqScale] = each(ADJ_F32, d.count, [&](std::int64_t i) { return ceil_div_of(d.numel[i], 256); });
  arguments[kCopies] = (d.copy != 0) ? ArgumentSpec::list(d.copy, list_of(d.numel, d.count)) : ArgumentSpec::forbidden();
  arguments[kLr] = float_scalar();
  arguments[kStep] = ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE);
  arguments[kStep].device_only = (d.advance_step != 0);
  arguments[kSeed] = ArgumentSpec::scalar(ADJ_I64, ADJ_DTYPE_NONE);
  arguments[kGradScale] = float_scalar();
  arguments[kGradientNorm] = float_scalar();
  arguments[kUpdateSignal] = ArgumentSpec::scalar(ADJ_BOOL, ADJ_DTYPE_NONE);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kGrads: return (d.clear_grads != 0) ? Role::inout : Role::in;
    case kStep: return (d.advance_step != 0) ? Role::inout : Role::in;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAMW_8BIT;
  info.name = kName;
  info.family = "optimizer";
  info.definition = kDefinition;
  info.conventions = optimizer_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_8BIT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_8BIT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::adamw_8bit_tables

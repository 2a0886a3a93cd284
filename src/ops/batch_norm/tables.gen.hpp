// Written by tools/generate.py from include/adjoint/ops/batch_norm.h. Do not edit.
#pragma once

#include <adjoint/ops/batch_norm.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* batch_norm_conventions = R"text(Batch norm with its gradient.

Arguments. Tensors are [outer, channels, inner] in row-major order:
    channels before the spatial dimensions (NCHW): outer = N, inner = product of the spatial dimensions
    channels last (NHWC):                          outer = N times the spatial dimensions, inner = 1
A channel has M = outer * inner elements.

Types. X, Y and their gradients have `element`; scale, bias and their gradients `weight`; saved and running statistics `stats`: f32, f16, bf16 with
each other, or all f64. Arithmetic is f32 (f64 for f64). Statistics are put together in f64. There is one rounding at the store. What is stored in
16 bits is rounded there only: Y is made of the unrounded statistics. Sums are split by the shape and the types alone.

Edge cases:
- A NaN or an infinity stays in its channel and makes the statistics of that channel NaN.
- An extent is 0: dscale and dbias are 0. Nothing else is written.

Terms (see adj_guarantee), with D the largest |x - mean| of the channel, or 16 standard deviations where that is less, and q = 1 + (D * inv_std)^2.
With the running statistics D is 0.
    Y: |scale| * inv_std * (|x - mean| + D) * q + |bias|
    mean: D;  inv_std: inv_std * q;  running statistics: the summands, with the variance times q
    dX: |scale| * inv_std * (|dy| + mean of |dy| + |h| * mean of |dy * h|);  dscale: sum of |dy * h|;  dbias: sum of |dy|

Source: com.microsoft BatchNormInternal and BatchNormalizationGrad; ONNX BatchNormalization; PyTorch's batch_norm, but for the momentum, which is
ONNX's.)text";
}

namespace adj::batch_norm_forward_tables {

using Descriptor = adj_batch_norm_forward_descriptor;
using Args = adj_batch_norm_forward_args;
inline constexpr const char* kName = "batch_norm_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Batch norm:
    y = (x - mean[c]) * inv_std[c] * scale[c] + bias[c],  inv_std[c] = 1 / sqrt(variance[c] + epsilon)
training: mean and (biased) variance are those of the channel, and
    next_running_mean     = momentum * running_mean + (1 - momentum) * mean
    next_running_variance = momentum * running_variance + (1 - momentum) * variance * M / (M - 1)   (M = 1: variance)
otherwise the running statistics are used. PyTorch's momentum is 1 minus this one.

Its gradient: batch_norm_backward(dout, input, scale, saved_mean, saved_inv_std, running_mean ? frozen, running_variance ? frozen, frozen = !training).)text";
enum Argument : int { kInput, kScale, kBias, kRunningMean, kRunningVariance, kOut, kNextRunningMean, kNextRunningVariance,
    kSavedMean, kSavedInvStd };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: X", ""},
    {"scale", offsetof(Args, scale), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 1 without", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 0 without", ""},
    {"running_mean", offsetof(Args, running_mean), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; optional if training: needed for next_running_mean", "training"},
    {"running_variance", offsetof(Args, running_variance), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; optional if training: needed for next_running_variance", "training"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element; may be input itself: Y", ""},
    {"next_running_mean", offsetof(Args, next_running_mean), ArgumentKind::tensor, Role::out, 1u << kRunningMean, Space::stream, Given::depends, "[channels] stats; only if training; may be running_mean itself", "training"},
    {"next_running_variance", offsetof(Args, next_running_variance), ArgumentKind::tensor, Role::out, 1u << kRunningVariance, Space::stream, Given::depends, "[channels] stats; only if training; may be running_variance itself", "training"},
    {"saved_mean", offsetof(Args, saved_mean), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "[channels] stats; only if training", "training"},
    {"saved_inv_std", offsetof(Args, saved_inv_std), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "[channels] stats; only if training", "training"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; -1: not given, an error"},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels), ">= 0; -1: not given, an error"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum), "0 to 1: weight of the old running statistics"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: with the running statistics"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and Y"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of scale and bias; 0 = element"},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats), "of the statistics; 0 = weight"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, channels), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::type, 4, offsetof(Descriptor, weight), 1, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, training), 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, stats), 8, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, false, 0},
    {"channels", kFieldI64, offsetof(Descriptor, channels), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 1},
    {"stats", kFieldDtype, offsetof(Descriptor, stats), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {9, 8, kNoTerm, 0},
    {9, 8, kNoTerm, 0},
    {9, 11, kNoTerm, 10},
    {9, 11, kNoTerm, 10},
    {7, 1, kNoTerm, kNoTerm},
    {9, 11, 10, 0},
    {9, 11, 10, 0},
    {9, 11, 10, 0},
    {9, 11, 10, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kScale] = tensor(either(d.weight, d.element), Dims().add(d.channels), Presence::optional);
  arguments[kBias] = tensor(either(d.weight, d.element), Dims().add(d.channels), Presence::optional);
  arguments[kRunningMean] = tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), optional_if((d.training != 0)));
  arguments[kRunningVariance] = tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), optional_if((d.training != 0)));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kNextRunningMean] = (d.training != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kNextRunningVariance] = (d.training != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kSavedMean] = (d.training != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kSavedInvStd] = (d.training != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels), Presence::optional) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_FORWARD;
  info.name = kName;
  info.family = "batch_norm";
  info.definition = kDefinition;
  info.conventions = batch_norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::batch_norm_forward_tables

namespace adj::batch_norm_backward_tables {

using Descriptor = adj_batch_norm_backward_descriptor;
using Args = adj_batch_norm_backward_args;
inline constexpr const char* kName = "batch_norm_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:
    dbias[c] = sum of dy;  dscale[c] = sum of dy * h
    dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)
frozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy.)text";
enum Argument : int { kDout, kInput, kScale, kSavedMean, kSavedInvStd, kRunningMean, kRunningVariance, kDinput, kDscale, kDbias };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: dY", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: X", ""},
    {"scale", offsetof(Args, scale), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 1 without", ""},
    {"saved_mean", offsetof(Args, saved_mean), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; only if !frozen", "!frozen"},
    {"saved_inv_std", offsetof(Args, saved_inv_std), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; only if !frozen", "!frozen"},
    {"running_mean", offsetof(Args, running_mean), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; only if frozen", "frozen"},
    {"running_variance", offsetof(Args, running_variance), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; only if frozen", "frozen"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element; may be dout or input itself: dX", ""},
    {"dscale", offsetof(Args, dscale), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[channels] weight", ""},
    {"dbias", offsetof(Args, dbias), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[channels] weight", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; -1: not given, an error"},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels), ">= 0; -1: not given, an error"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0; read where frozen"},
    {"frozen", nullptr, kFieldI32, offsetof(Descriptor, frozen), "1: the forward operator used the running statistics"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and its gradient, and of dY"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of scale, dscale and dbias; 0 = element"},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats), "of the statistics; 0 = weight"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, channels), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::type, 5, offsetof(Descriptor, weight), 1, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i32, 3, offsetof(Descriptor, frozen), 0, 0},
    {TermOp::negation, -1, 10, 0, 0},
    {TermOp::type, 6, offsetof(Descriptor, stats), 8, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, false, 0},
    {"channels", kFieldI64, offsetof(Descriptor, channels), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"frozen", kFieldI32, offsetof(Descriptor, frozen), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 1},
    {"stats", kFieldDtype, offsetof(Descriptor, stats), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
    {9, 8, kNoTerm, 0},
    {9, 12, 11, kNoTerm},
    {9, 12, 11, kNoTerm},
    {9, 12, 10, kNoTerm},
    {9, 12, 10, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
    {9, 8, kNoTerm, 0},
    {9, 8, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kScale] = tensor(either(d.weight, d.element), Dims().add(d.channels), Presence::optional);
  arguments[kSavedMean] = !(d.frozen != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kSavedInvStd] = !(d.frozen != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kRunningMean] = (d.frozen != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kRunningVariance] = (d.frozen != 0) ? tensor(either(either(d.stats, d.weight), d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kDscale] = tensor(either(d.weight, d.element), Dims().add(d.channels), Presence::optional);
  arguments[kDbias] = tensor(either(d.weight, d.element), Dims().add(d.channels), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_BACKWARD;
  info.name = kName;
  info.family = "batch_norm";
  info.definition = kDefinition;
  info.conventions = batch_norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::batch_norm_backward_tables

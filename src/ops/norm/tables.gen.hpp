// Written by tools/generate.py from include/adjoint/ops/norm.h. Do not edit.
#pragma once

#include <adjoint/ops/norm.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* norm_conventions = R"text(Layer norm and RMS norm with their gradients.

`axis` splits the shape of X into rows (the dimensions before it) and columns (axis and all after it). Every row is normalised by itself:
    layer norm:  h[i, j] = (x[i, j] - mean[i]) * inv_std[i],  inv_std[i] = 1 / sqrt(variance of row i + epsilon)  (biased variance)
    RMS norm:    h[i, j] = x[i, j] * inv_std[i],              inv_std[i] = 1 / sqrt(mean of squares of row i + epsilon)
    y[i, j] = h[i, j] * gamma[j] + beta[j]

Arguments. X, dX, Y and dY have the shape. gamma, beta and their gradients have `columns` elements, mean and inv_std `rows`.

Types. X has `element`, Y and dY have `output`, gamma, beta and their gradients have `weight`: f32, f16, bf16 with each other, or all f64. Where
element and output are both of 16 bits, they are the same. mean and inv_std are f32, f64 where X is f64.
Arithmetic is f32 (f64 for f64), with one rounding at the store. A row's dX does not depend on other rows. Sums over rows are split by the shape
and the types alone.

Edge cases:
- A NaN or an infinity stays in its row, and in its column of the gradients of gamma and beta.
- rows = 0: the gradients of gamma and beta are 0, or keep what they hold when they accumulate. Nothing else is written.
- columns = 0: nothing is written.
- A sum of two -0 is -0.

Terms (see adj_guarantee), with g = dy * gamma and a mean over the row:
    dX: inv_std * (|g| + mean of |g| + |h| * mean of |g * h|) + |dresidual|, for RMS norm without the mean of |g|
    dgamma: sum of |dy * h|;  dbeta: sum of |dy|;  with write_mode accumulate what they held before is a term as well
Forward, with e = |x - mean| + 2^-20 * mean of |x|, for RMS norm e = |x|, where |x| + |residual| is added to e if the sum is not stored, and
q = 1 + mean of (e * inv_std)^2:
    Y: inv_std * |gamma| * (e + mean of e) * q + |beta|, for RMS norm inv_std * |gamma| * e * q
    mean: mean of e;  inv_std: inv_std * q;  sum: none

Source: com.microsoft LayerNormalizationGrad, SimplifiedLayerNormalizationGrad and InvertibleLayerNormalizationGrad; ONNX LayerNormalization;
PyTorch's layer_norm and rms_norm.)text";
}

namespace adj::layer_norm_backward_tables {

using Descriptor = adj_layer_norm_backward_descriptor;
using Args = adj_layer_norm_backward_args;
inline constexpr const char* kName = "layer_norm_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Layer norm, gradient:
    g = dy * gamma
    dx[i, j] = inv_std[i] * (g[i, j] - mean over j of g - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    dgamma[j] = sum over i of dy * h;  dbeta[j] = sum over i of dy

From the output. With from_output, X need not be kept:
    h = (y - beta) / gamma,  mean over j of (g * h) = mean over j of (dy * (y - beta))
h is as exact as the stored Y. Where a gamma is 0, or smaller than the least normal number of the arithmetic, its column of dX and dgamma has an
infinity or a NaN. Other columns are not affected.)text";
enum Argument : int { kDout, kInput, kOut, kGamma, kBeta, kMean, kInvStd, kDresidual, kDinput, kDgamma, kDbeta };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape output: dY", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape element; only if !from_output: X", "!from_output"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape output; only if from_output: Y", "from_output"},
    {"gamma", offsetof(Args, gamma), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; optional if !from_output: 1 without", "!from_output"},
    {"beta", offsetof(Args, beta), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; only if from_output: 0 without", "from_output"},
    {"mean", offsetof(Args, mean), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(shape, 0, axis)] accumulator(element); only if !from_output", "!from_output"},
    {"inv_std", offsetof(Args, inv_std), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[product(shape, 0, axis)] accumulator(element)", ""},
    {"dresidual", offsetof(Args, dresidual), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "shape element: another gradient flowing into X, added before the rounding", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream, Given::always, "shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree", ""},
    {"dgamma", offsetof(Args, dgamma), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; only if has_dgamma; read if write_mode == accumulate", "has_dgamma"},
    {"dbeta", offsetof(Args, dbeta), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; only if has_dbeta; read if write_mode == accumulate", "has_dbeta"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output), "0: from X, mean and inv_std; 1: from Y, gamma, beta and inv_std"},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma), "1: dgamma is wanted"},
    {"has_dbeta", nullptr, kFieldI32, offsetof(Descriptor, has_dbeta), "1: dbeta is wanted"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dgamma and dbeta"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and dX"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y and dY; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma, beta and their gradients; 0 = output"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, from_output), 0, 0},
    {TermOp::negation, -1, 3, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, weight), 1, 0},
    {TermOp::i32, -1, offsetof(Descriptor, axis), 0, 0},
    {TermOp::product, -1, 2, 6, kNoTerm},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::product, -1, 2, 11, 6},
    {TermOp::items, -1, 12, kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dgamma), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dbeta), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"from_output", kFieldI32, offsetof(Descriptor, from_output), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 1, kNoTerm, kNoTerm},
    {2, 0, 4, kNoTerm},
    {2, 1, 3, kNoTerm},
    {8, 5, kNoTerm, 4},
    {8, 5, 3, 9},
    {13, 10, 4, kNoTerm},
    {13, 10, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, 9},
    {2, 0, kNoTerm, kNoTerm},
    {8, 5, 14, kNoTerm},
    {8, 5, 15, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(either(d.output, d.element), d.shape);
  arguments[kInput] = !(d.from_output != 0) ? tensor(d.element, d.shape) : ArgumentSpec::forbidden();
  arguments[kOut] = (d.from_output != 0) ? tensor(either(d.output, d.element), d.shape) : ArgumentSpec::forbidden();
  arguments[kGamma] = tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), optional_if(!(d.from_output != 0)));
  arguments[kBeta] = (d.from_output != 0) ? tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kMean] = !(d.from_output != 0) ? tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis))) : ArgumentSpec::forbidden();
  arguments[kInvStd] = tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis)));
  arguments[kDresidual] = tensor(d.element, d.shape, Presence::optional);
  arguments[kDinput] = tensor(d.element, d.shape);
  arguments[kDgamma] = (d.has_dgamma != 0) ? tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis))) : ArgumentSpec::forbidden();
  arguments[kDbeta] = (d.has_dbeta != 0) ? tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDgamma: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    case kDbeta: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_BACKWARD;
  info.name = kName;
  info.family = "norm";
  info.definition = kDefinition;
  info.conventions = norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_BACKWARD_ARGS));
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

}  // namespace adj::layer_norm_backward_tables

namespace adj::rms_norm_backward_tables {

using Descriptor = adj_rms_norm_backward_descriptor;
using Args = adj_rms_norm_backward_args;
inline constexpr const char* kName = "rms_norm_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(RMS norm, gradient:
    g = dy * gamma
    dx[i, j] = inv_std[i] * (g[i, j] - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
    dgamma[j] = sum over i of dy * h
from_output: h is y / gamma; see layer norm.)text";
enum Argument : int { kDout, kInput, kOut, kGamma, kInvStd, kDresidual, kDinput, kDgamma };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape output: dY", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape element; only if !from_output: X", "!from_output"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape output; only if from_output: Y", "from_output"},
    {"gamma", offsetof(Args, gamma), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; optional if !from_output: 1 without", "!from_output"},
    {"inv_std", offsetof(Args, inv_std), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[product(shape, 0, axis)] accumulator(element)", ""},
    {"dresidual", offsetof(Args, dresidual), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "shape element: another gradient flowing into X, added before the rounding", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream, Given::always, "shape element; may be dout, input, out or dresidual itself: dX; may share a buffer when the types agree", ""},
    {"dgamma", offsetof(Args, dgamma), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[product(shape, axis)] weight; only if has_dgamma; read if write_mode == accumulate", "has_dgamma"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output), "0: from X and inv_std; 1: from Y, gamma and inv_std"},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma), "1: dgamma is wanted"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dgamma"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and dX"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y and dY; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma and dgamma; 0 = output"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, from_output), 0, 0},
    {TermOp::negation, -1, 3, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, weight), 1, 0},
    {TermOp::i32, -1, offsetof(Descriptor, axis), 0, 0},
    {TermOp::product, -1, 2, 6, kNoTerm},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::product, -1, 2, 10, 6},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dgamma), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"from_output", kFieldI32, offsetof(Descriptor, from_output), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 1, kNoTerm, kNoTerm},
    {2, 0, 4, kNoTerm},
    {2, 1, 3, kNoTerm},
    {8, 5, kNoTerm, 4},
    {12, 9, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, 13},
    {2, 0, kNoTerm, kNoTerm},
    {8, 5, 14, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(either(d.output, d.element), d.shape);
  arguments[kInput] = !(d.from_output != 0) ? tensor(d.element, d.shape) : ArgumentSpec::forbidden();
  arguments[kOut] = (d.from_output != 0) ? tensor(either(d.output, d.element), d.shape) : ArgumentSpec::forbidden();
  arguments[kGamma] = tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), optional_if(!(d.from_output != 0)));
  arguments[kInvStd] = tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis)));
  arguments[kDresidual] = tensor(d.element, d.shape, Presence::optional);
  arguments[kDinput] = tensor(d.element, d.shape);
  arguments[kDgamma] = (d.has_dgamma != 0) ? tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDgamma: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_BACKWARD;
  info.name = kName;
  info.family = "norm";
  info.definition = kDefinition;
  info.conventions = norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_BACKWARD_ARGS));
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

}  // namespace adj::rms_norm_backward_tables

namespace adj::layer_norm_forward_tables {

using Descriptor = adj_layer_norm_forward_descriptor;
using Args = adj_layer_norm_forward_args;
inline constexpr const char* kName = "layer_norm_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Layer norm, of X or of X + residual. Where `sum` is given, X + residual is rounded to `element`, stored there, and normalised after the rounding.
The gradient then takes `sum` for X.

Its gradient: layer_norm_backward(dout, input = sum | input, gamma, mean, inv_std, dresidual = dsum, dinput = input | residual).)text";
enum Argument : int { kInput, kResidual, kGamma, kBeta, kOut, kSum, kMean, kInvStd };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape element: X", ""},
    {"residual", offsetof(Args, residual), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape element; only if has_residual", "has_residual"},
    {"gamma", offsetof(Args, gamma), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[product(shape, axis)] weight: 1 without", ""},
    {"beta", offsetof(Args, beta), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[product(shape, axis)] weight: 0 without", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::always, "shape output; may be input or residual itself: Y; may share a buffer when the types agree", ""},
    {"sum", offsetof(Args, sum), ArgumentKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::depends, "shape element; only if has_residual; may be input or residual itself: X + residual", "has_residual"},
    {"mean", offsetof(Args, mean), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[product(shape, 0, axis)] accumulator(element)", ""},
    {"inv_std", offsetof(Args, inv_std), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[product(shape, 0, axis)] accumulator(element)", ""},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual), "1: residual is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X, residual and sum"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma and beta; 0 = output"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, has_residual), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, weight), 4, 0},
    {TermOp::i32, -1, offsetof(Descriptor, axis), 0, 0},
    {TermOp::product, -1, 1, 6, kNoTerm},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::product, -1, 1, 10, 6},
    {TermOp::items, -1, 11, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"has_residual", kFieldI32, offsetof(Descriptor, has_residual), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {1, 0, 2, kNoTerm},
    {8, 5, kNoTerm, 3},
    {8, 5, kNoTerm, 3},
    {1, 4, kNoTerm, kNoTerm},
    {1, 0, 2, 3},
    {12, 9, kNoTerm, 3},
    {12, 9, kNoTerm, 3},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.shape);
  arguments[kResidual] = (d.has_residual != 0) ? tensor(d.element, d.shape) : ArgumentSpec::forbidden();
  arguments[kGamma] = tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), Presence::optional);
  arguments[kBeta] = tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), Presence::optional);
  arguments[kOut] = tensor(either(d.output, d.element), d.shape);
  arguments[kSum] = (d.has_residual != 0) ? tensor(d.element, d.shape, Presence::optional) : ArgumentSpec::forbidden();
  arguments[kMean] = tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis)), Presence::optional);
  arguments[kInvStd] = tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis)), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_FORWARD;
  info.name = kName;
  info.family = "norm";
  info.definition = kDefinition;
  info.conventions = norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_FORWARD_ARGS));
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

}  // namespace adj::layer_norm_forward_tables

namespace adj::rms_norm_forward_tables {

using Descriptor = adj_rms_norm_forward_descriptor;
using Args = adj_rms_norm_forward_args;
inline constexpr const char* kName = "rms_norm_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(RMS norm, of X or of X + residual; see layer norm.

Its gradient: rms_norm_backward(dout, input = sum | input, gamma, inv_std, dresidual = dsum, dinput = input | residual).)text";
enum Argument : int { kInput, kResidual, kGamma, kOut, kSum, kInvStd };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape element: X", ""},
    {"residual", offsetof(Args, residual), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape element; only if has_residual", "has_residual"},
    {"gamma", offsetof(Args, gamma), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[product(shape, axis)] weight: 1 without", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::always, "shape output; may be input or residual itself: Y; may share a buffer when the types agree", ""},
    {"sum", offsetof(Args, sum), ArgumentKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::depends, "shape element; only if has_residual; may be input or residual itself: X + residual", "has_residual"},
    {"inv_std", offsetof(Args, inv_std), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[product(shape, 0, axis)] accumulator(element)", ""},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual), "1: residual is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X, residual and sum"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma; 0 = output"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::i32, 1, offsetof(Descriptor, has_residual), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, weight), 4, 0},
    {TermOp::i32, -1, offsetof(Descriptor, axis), 0, 0},
    {TermOp::product, -1, 1, 6, kNoTerm},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::product, -1, 1, 10, 6},
    {TermOp::items, -1, 11, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"has_residual", kFieldI32, offsetof(Descriptor, has_residual), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 2},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {1, 0, 2, kNoTerm},
    {8, 5, kNoTerm, 3},
    {1, 4, kNoTerm, kNoTerm},
    {1, 0, 2, 3},
    {12, 9, kNoTerm, 3},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.shape);
  arguments[kResidual] = (d.has_residual != 0) ? tensor(d.element, d.shape) : ArgumentSpec::forbidden();
  arguments[kGamma] = tensor(either(either(d.weight, d.output), d.element), Dims().add(product_of(d.shape, d.axis)), Presence::optional);
  arguments[kOut] = tensor(either(d.output, d.element), d.shape);
  arguments[kSum] = (d.has_residual != 0) ? tensor(d.element, d.shape, Presence::optional) : ArgumentSpec::forbidden();
  arguments[kInvStd] = tensor(accumulator_of(d.element), Dims().add(product_of(d.shape, 0, d.axis)), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_FORWARD;
  info.name = kName;
  info.family = "norm";
  info.definition = kDefinition;
  info.conventions = norm_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_FORWARD_ARGS));
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

}  // namespace adj::rms_norm_forward_tables

// Written by tools/generate.py from include/adjoint/ops/activation.h. Do not edit.
#pragma once

#include <adjoint/ops/activation.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* activation_conventions = R"text(Activation functions and gated activations, forward and backward.

Arguments. Tensors are [outer, inner] in row-major order. Without bias and dbias only the product of both matters, and outer may stay 1.

Types. f32, f64, f16, bf16. Elements are computed in f32 (f64 for f64) and rounded once. On GPUs functions with an exponential are computed in f64
for every type where the preference demands ADJ_MATH_IEEE.

Edge cases:
- A product of a value or a slope with dout and with the linear part is in range wherever the exact product is, whatever the magnitude of its factors.
- It is infinite where a factor is infinite, unless the value or the slope is 0 there.
- outer or inner is 0: dbias is 0, or keeps what it holds when it accumulates. Nothing else is written.

Terms (see adj_guarantee). They are stated for the slope of each function. A gradient has the terms of the slope times |dout|, an output those
of the value. With v the argument of an exponential in the formula, terms that carry exp(-|v|) count 1 + |v| times. dbias has the terms of all
elements of its column of dinput, and with write_mode accumulate what it held before.

Source: com.microsoft GeluGrad, FastGeluGrad, QuickGeluGrad, ReluGrad, SigmoidGrad, TanhGrad, LeakyReluGrad, BiasGeluGrad_dX, BiasFastGeluGrad_dX;
PyTorch's functions of the same names.)text";
}

namespace adj::activation_backward_tables {

using Descriptor = adj_activation_backward_descriptor;
using Args = adj_activation_backward_args;
inline constexpr const char* kName = "activation_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradient of an activation function:
    dinput = dout * f'(z),  z = saved + bias as in the forward operator, or f'(z) taken from the saved f(z)
    dbias[i] (=|+=) sum over the rows of dinput[row, i]
dbias is the gradient of bias, and may be asked for without a bias. It adds unrounded elements in f32 (f64 for f64), in an order that follows from
the shape and the element type, and is rounded once.)text";
enum Argument : int { kDout, kSaved, kBias, kDinput, kDbias };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element", ""},
    {"saved", offsetof(Args, saved), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element: the input or the output of the forward operator", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[inner] element; only if has_bias", "has_bias"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kSaved, Space::stream, Given::always, "[outer, inner] element; may be dout or saved itself", ""},
    {"dbias", offsetof(Args, dbias), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[inner] element; only if has_dbias; read if write_mode == accumulate", "has_dbias"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope), "of leaky_relu; finite in the arithmetic's type"},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha), "of quick_gelu; likewise"},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha), "of elu; likewise"},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish,relu_squared", kFieldI32, offsetof(Descriptor, function), ""},
    {"saved", "default,input,output", kFieldI32, offsetof(Descriptor, saved), ""},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is added to saved, which is the input"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is written"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dbias; only with has_dbias"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i32, 2, offsetof(Descriptor, has_bias), 0, 0},
    {TermOp::i32, 3, offsetof(Descriptor, has_dbias), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"has_bias", kFieldI32, offsetof(Descriptor, has_bias), kNoTerm, false, 0},
    {"has_dbias", kFieldI32, offsetof(Descriptor, has_dbias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
    {3, 1, 6, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
    {3, 1, 7, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kSaved] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kBias] = (d.has_bias != 0) ? tensor(d.element, Dims().add(d.inner)) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kDbias] = (d.has_dbias != 0) ? tensor(d.element, Dims().add(d.inner)) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDbias: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_BACKWARD;
  info.name = kName;
  info.family = "activation";
  info.definition = kDefinition;
  info.conventions = activation_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_BACKWARD_ARGS));
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

}  // namespace adj::activation_backward_tables

namespace adj::activation_forward_tables {

using Descriptor = adj_activation_forward_descriptor;
using Args = adj_activation_forward_args;
inline constexpr const char* kName = "activation_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64).

Its gradient: activation_backward(dout, saved = out | input, bias).)text";
enum Argument : int { kInput, kBias, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[inner] element; only if has_bias", "has_bias"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, inner] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope), "of leaky_relu; finite in the arithmetic's type"},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha), "of quick_gelu; likewise"},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha), "of elu; likewise"},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish,relu_squared", kFieldI32, offsetof(Descriptor, function), ""},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is added to input"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i32, 2, offsetof(Descriptor, has_bias), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"has_bias", kFieldI32, offsetof(Descriptor, has_bias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {3, 1, 6, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kBias] = (d.has_bias != 0) ? tensor(d.element, Dims().add(d.inner)) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_FORWARD;
  info.name = kName;
  info.family = "activation";
  info.definition = kDefinition;
  info.conventions = activation_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_FORWARD_ARGS));
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

}  // namespace adj::activation_forward_tables

namespace adj::gated_activation_backward_tables {

using Descriptor = adj_gated_activation_backward_descriptor;
using Args = adj_gated_activation_backward_args;
inline constexpr const char* kName = "gated_activation_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradient of a gated activation, laid out like its input:
    dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)
The terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|.)text";
enum Argument : int { kDout, kInput, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, 2 * inner] element: what the forward operator got", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, 2 * inner] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function), ""},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout), ""},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second), "1: gate and linear change places"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::mul, -1, 6, 2, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::items, -1, 4, 8, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {9, 1, kNoTerm, kNoTerm},
    {9, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.inner));
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add((2 * d.inner)));
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add((2 * d.inner)));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_BACKWARD;
  info.name = kName;
  info.family = "activation";
  info.definition = kDefinition;
  info.conventions = activation_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS));
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

}  // namespace adj::gated_activation_backward_tables

namespace adj::gated_activation_forward_tables {

using Descriptor = adj_gated_activation_forward_descriptor;
using Args = adj_gated_activation_forward_args;
inline constexpr const char* kName = "gated_activation_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|.

Its gradient: gated_activation_backward(dout, input).)text";
enum Argument : int { kInput, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, 2 * inner] element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, inner] element", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function), ""},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout), ""},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second), "1: gate and linear change places"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, inner), 0, 0},
    {TermOp::mul, -1, 2, 3, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
    {TermOp::items, -1, 6, 8, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {9, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add((2 * d.inner)));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_FORWARD;
  info.name = kName;
  info.family = "activation";
  info.definition = kDefinition;
  info.conventions = activation_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS));
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

}  // namespace adj::gated_activation_forward_tables

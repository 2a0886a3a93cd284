// Written by tools/generate.py from include/adjoint/ops/conv.h. Do not edit.
#pragma once

#include <adjoint/ops/conv.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* conv_conventions = R"text(Convolution, transposed convolution, and their gradients.

Arguments. With 1 to 3 spatial dimensions and G groups,
    convolution            input [N, C, I], weight [M, C / G, K], out [N, M, O]
    transposed             input [N, C, O], weight [C, M / G, K], out [N, M, I]
With channels_last the channels are the last dimension of all three: input [N, I, C], weight [M, K, C / G], out [N, O, M]. In every spatial
dimension, with the stride s, the dilation d and the pads b and e at the beginning and the end,
    O = floor((I + b + e - d (K - 1) - 1) / s) + 1
For the transposed form this leaves s values of I: out says which. There is no auto_pad. Give the pads that it stands for, which may differ
between beginning and end.

Types. f32, f64, f16, bf16. Products are added in f32 (f64 for f64) and rounded once. cuDNN may round sums of some of the products of f16 and bf16 to
the element type, and a sum before it adds the bias. The bounds of its kernels have room for that. The guarantee of the kernel that select chooses
says what the order of additions depends on.

In place. No buffers overlap.

Edge cases:
- An element outside of a tensor counts as 0.
- Where a weight, a gradient or the input of a transposed convolution is not a finite number, elements that it could only meet outside of a tensor
  are unspecified.

Limits on a device. The places of a batch (N times I, or N times O), the products of an element and the elements of one image are below 2^31.

Kernels. A plan of cuDNN needs every tensor at a multiple of 16 bytes: run, bind and can_implement refuse others with ADJ_ERROR_MISALIGNED. select
prefers cuDNN where it can be loaded and takes the problem. With preference.backend = ADJ_BACKEND_BESPOKE any address of an element will do:
- f16 and bf16 go to tensor cores. Tensors whose channels are not last, or not a multiple of 8 in a group, are copied into the workspace.
- Other problems, and groups of one channel, go to a slower kernel that needs workspace for sums alone.

Terms (see adj_guarantee): the magnitudes of the products, of the bias, and of what an accumulating call adds to.

Source: ONNX's Conv and ConvTranspose; com.microsoft ConvGrad and ConvTransposeGrad; PyTorch's conv1d to conv3d and conv_transpose1d to
conv_transpose3d.)text";
}

namespace adj::conv_backward_tables {

using Descriptor = adj_conv_backward_descriptor;
using Args = adj_conv_backward_args;
inline constexpr const char* kName = "conv_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradients of convolution, each on request:
    dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]
    dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]
    dbias[m] (=|+=) sum over n and o of dout[n, m, o])text";
enum Argument : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "out element", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "input element; only if has_dweight", "has_dweight"},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "weight element; only if has_dinput", "has_dinput"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "input element; only if has_dinput", "has_dinput"},
    {"dweight", offsetof(Args, dweight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "weight element; only if has_dweight; read if write_mode == accumulate", "has_dweight"},
    {"dbias", offsetof(Args, dbias), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[extent(out, channels_last ? -1 : 1)], element; only if has_dbias; read if write_mode == accumulate", "has_dbias"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as in the forward direction"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as in the forward direction"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as in the forward direction"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in the forward direction"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in the forward direction"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in the forward direction"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput), "1: dinput is computed"},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight), "1: dweight is computed"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is computed"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dweight and dbias: overwrite, accumulate"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 2, offsetof(Descriptor, out), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dweight), 0, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dinput), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, weight), 0, 0},
    {TermOp::i32, 3, offsetof(Descriptor, has_dbias), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, channels_last), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::sub, -1, 8, 9, 0},
    {TermOp::choose, -1, 7, 10, 9},
    {TermOp::extent, -1, 1, 11, kNoTerm},
    {TermOp::items, -1, 12, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"weight", kFieldShape, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"has_dbias", kFieldI32, offsetof(Descriptor, has_dbias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {3, 0, 2, kNoTerm},
    {5, 0, 4, kNoTerm},
    {3, 0, 4, kNoTerm},
    {5, 0, 2, kNoTerm},
    {13, 0, 6, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, d.out);
  arguments[kInput] = (d.has_dweight != 0) ? tensor(d.element, d.input) : ArgumentSpec::forbidden();
  arguments[kWeight] = (d.has_dinput != 0) ? tensor(d.element, d.weight) : ArgumentSpec::forbidden();
  arguments[kDinput] = (d.has_dinput != 0) ? tensor(d.element, d.input) : ArgumentSpec::forbidden();
  arguments[kDweight] = (d.has_dweight != 0) ? tensor(d.element, d.weight) : ArgumentSpec::forbidden();
  arguments[kDbias] = (d.has_dbias != 0) ? tensor(d.element, Dims().add(extent_of(d.out, ((d.channels_last != 0) ? -1 : 1)))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDweight: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    case kDbias: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_BACKWARD;
  info.name = kName;
  info.family = "conv";
  info.definition = kDefinition;
  info.conventions = conv_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_BACKWARD_ARGS));
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

}  // namespace adj::conv_backward_tables

namespace adj::conv_transpose_backward_tables {

using Descriptor = adj_conv_transpose_backward_descriptor;
using Args = adj_conv_transpose_backward_args;
inline constexpr const char* kName = "conv_transpose_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradients of transposed convolution, each on request:
    dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]
    dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]
    dbias[q] (=|+=) sum over n and i of dout[n, q, i])text";
enum Argument : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "out element", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "input element; only if has_dweight", "has_dweight"},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "weight element; only if has_dinput", "has_dinput"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "input element; only if has_dinput", "has_dinput"},
    {"dweight", offsetof(Args, dweight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "weight element; only if has_dweight; read if write_mode == accumulate", "has_dweight"},
    {"dbias", offsetof(Args, dbias), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[extent(out, channels_last ? -1 : 1)], element; only if has_dbias; read if write_mode == accumulate", "has_dbias"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as in the forward direction"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as in the forward direction"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as in the forward direction"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in conv_forward"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in conv_forward"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in conv_forward"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput), "1: dinput is computed"},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight), "1: dweight is computed"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is computed"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dweight and dbias: overwrite, accumulate"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 2, offsetof(Descriptor, out), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dweight), 0, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, has_dinput), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, weight), 0, 0},
    {TermOp::i32, 3, offsetof(Descriptor, has_dbias), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, channels_last), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::sub, -1, 8, 9, 0},
    {TermOp::choose, -1, 7, 10, 9},
    {TermOp::extent, -1, 1, 11, kNoTerm},
    {TermOp::items, -1, 12, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"weight", kFieldShape, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"has_dbias", kFieldI32, offsetof(Descriptor, has_dbias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {3, 0, 2, kNoTerm},
    {5, 0, 4, kNoTerm},
    {3, 0, 4, kNoTerm},
    {5, 0, 2, kNoTerm},
    {13, 0, 6, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, d.out);
  arguments[kInput] = (d.has_dweight != 0) ? tensor(d.element, d.input) : ArgumentSpec::forbidden();
  arguments[kWeight] = (d.has_dinput != 0) ? tensor(d.element, d.weight) : ArgumentSpec::forbidden();
  arguments[kDinput] = (d.has_dinput != 0) ? tensor(d.element, d.input) : ArgumentSpec::forbidden();
  arguments[kDweight] = (d.has_dweight != 0) ? tensor(d.element, d.weight) : ArgumentSpec::forbidden();
  arguments[kDbias] = (d.has_dbias != 0) ? tensor(d.element, Dims().add(extent_of(d.out, ((d.channels_last != 0) ? -1 : 1)))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDweight: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    case kDbias: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_BACKWARD;
  info.name = kName;
  info.family = "conv";
  info.definition = kDefinition;
  info.conventions = conv_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS));
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

}  // namespace adj::conv_transpose_backward_tables

namespace adj::conv_forward_tables {

using Descriptor = adj_conv_forward_descriptor;
using Args = adj_conv_forward_args;
inline constexpr const char* kName = "conv_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):
    out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k]

Its gradient: conv_backward(dout, input ? has_dweight, weight ? has_dinput).)text";
enum Argument : int { kInput, kWeight, kBias, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "input element", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "weight element", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[extent(out, channels_last ? -1 : 1)], element; only if has_bias", "has_bias"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "out element", ""},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as stored"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "one per spatial dimension, or none for 1"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "all beginnings, then all ends, or none for 0"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "one per spatial dimension, or none for 1"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, weight), 0, 0},
    {TermOp::i32, 3, offsetof(Descriptor, has_bias), 0, 0},
    {TermOp::shape, 2, offsetof(Descriptor, out), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, channels_last), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::sub, -1, 6, 7, 0},
    {TermOp::choose, -1, 5, 8, 7},
    {TermOp::extent, -1, 4, 9, kNoTerm},
    {TermOp::items, -1, 10, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"weight", kFieldShape, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"has_bias", kFieldI32, offsetof(Descriptor, has_bias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {11, 0, 3, kNoTerm},
    {4, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.input);
  arguments[kWeight] = tensor(d.element, d.weight);
  arguments[kBias] = (d.has_bias != 0) ? tensor(d.element, Dims().add(extent_of(d.out, ((d.channels_last != 0) ? -1 : 1)))) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, d.out);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_FORWARD;
  info.name = kName;
  info.family = "conv";
  info.definition = kDefinition;
  info.conventions = conv_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_FORWARD_ARGS));
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

}  // namespace adj::conv_forward_tables

namespace adj::conv_transpose_forward_tables {

using Descriptor = adj_conv_transpose_forward_descriptor;
using Args = adj_conv_transpose_forward_args;
inline constexpr const char* kName = "conv_transpose_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Transposed convolution:
    out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of
                               input[n, c, o] * weight[c, m, k]

Its gradient: conv_transpose_backward(dout, input ? has_dweight, weight ? has_dinput).)text";
enum Argument : int { kInput, kWeight, kBias, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "input element", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "weight element", ""},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[extent(out, channels_last ? -1 : 1)], element; only if has_bias", "has_bias"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "out element", ""},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as stored"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in conv_forward"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in conv_forward"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in conv_forward"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, weight), 0, 0},
    {TermOp::i32, 3, offsetof(Descriptor, has_bias), 0, 0},
    {TermOp::shape, 2, offsetof(Descriptor, out), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, channels_last), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::sub, -1, 6, 7, 0},
    {TermOp::choose, -1, 5, 8, 7},
    {TermOp::extent, -1, 4, 9, kNoTerm},
    {TermOp::items, -1, 10, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"weight", kFieldShape, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"has_bias", kFieldI32, offsetof(Descriptor, has_bias), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {11, 0, 3, kNoTerm},
    {4, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.input);
  arguments[kWeight] = tensor(d.element, d.weight);
  arguments[kBias] = (d.has_bias != 0) ? tensor(d.element, Dims().add(extent_of(d.out, ((d.channels_last != 0) ? -1 : 1)))) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, d.out);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_FORWARD;
  info.name = kName;
  info.family = "conv";
  info.definition = kDefinition;
  info.conventions = conv_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS));
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

}  // namespace adj::conv_transpose_forward_tables

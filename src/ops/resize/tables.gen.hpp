// Written by tools/generate.py from include/adjoint/ops/resize.h. Do not edit.
#pragma once

#include <adjoint/ops/resize.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* resize_conventions = R"text(Resizing of the spatial dimensions of a tensor by nearest neighbours or linear interpolation, and its gradient.

Arguments. Tensors are [N, C, spatial] as stored, or [N, spatial, C] with channels_last, with 1 to 3 spatial dimensions of at most 2^29 each. N and
C are the same on both sides.

Coordinates. In a spatial dimension of `in` elements of the input and `out` of the result, with q = in / out, or 1 / scale when scales are given,
element o of the result lies at
    half_pixel           (o + 0.5) * q - 0.5
    pytorch_half_pixel   the same, and 0 when out is 1
    asymmetric           o * q
    align_corners        o * (in - 1) / (out - 1), whatever the scales; 0 when out is 1
clamped to [0, in - 1]. Without scales, and where a scale equals out / in, this is exact. With other scales q is rounded to f64, and the coordinate is
    half_pixel, pytorch_half_pixel   fma(o + 0.5, q, -0.5), product and difference rounded once to f64
    asymmetric                       o * q, rounded to f64
Scales are not looked at when both shapes are equal: the result is then the input.

Weights. nearest: the element at the rounded coordinate has weight 1. linear: with c the integer part and f the rest of the coordinate, element c has
weight 1 - f, and element c + 1 has weight f. Weights of several dimensions multiply. The gradient uses the weights of the forward operator.

Types. Sums are taken in f32 (f64 for f64) and rounded once, in an order that depends on the spatial extents, the scales and the element type alone.

Edge cases:
- An element of weight 0 takes no part: a NaN or an infinity there is not seen.

Terms (see adj_guarantee): weight times element, with the weights that follow from these coordinates.

Source: ONNX's Resize and com.microsoft ResizeGrad; PyTorch's interpolate with modes nearest-exact, linear, bilinear and trilinear.)text";
}

namespace adj::resize_backward_tables {

using Descriptor = adj_resize_backward_descriptor;
using Args = adj_resize_backward_args;
inline constexpr const char* kName = "resize_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]

Every element of dinput is written, with zero where no weight falls on it.)text";
enum Argument : int { kDout, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "out element", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "input element", ""},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "of dinput, as stored: 3 to 5 dimensions"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "of dout, as stored"},
    {"scales", nullptr, kFieldF64List, offsetof(Descriptor, scales), "as in the forward direction"},
    {"mode", "default,linear,nearest", kFieldI32, offsetof(Descriptor, mode), "linear, nearest"},
    {"coordinates", "default,half_pixel,align_corners,asymmetric,pytorch_half_pixel", kFieldI32, offsetof(Descriptor, coordinates), "half_pixel, align_corners, asymmetric, pytorch_half_pixel"},
    {"rounding", "default,round_prefer_floor,round_prefer_ceil,floor,ceil", kFieldI32, offsetof(Descriptor, rounding), "only with nearest"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: [N, spatial, C]"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 1, offsetof(Descriptor, out), 0, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, d.out);
  arguments[kDinput] = tensor(d.element, d.input);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RESIZE_BACKWARD;
  info.name = kName;
  info.family = "resize";
  info.definition = kDefinition;
  info.conventions = resize_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_BACKWARD_ARGS));
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

}  // namespace adj::resize_backward_tables

namespace adj::resize_forward_tables {

using Descriptor = adj_resize_forward_descriptor;
using Args = adj_resize_forward_args;
inline constexpr const char* kName = "resize_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i]

Its gradient: resize_backward(dout).)text";
enum Argument : int { kInput, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "input element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "out element", ""},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"scales", nullptr, kFieldF64List, offsetof(Descriptor, scales), "out over in, finite and > 0"},
    {"mode", "default,linear,nearest", kFieldI32, offsetof(Descriptor, mode), "linear, nearest"},
    {"coordinates", "default,half_pixel,align_corners,asymmetric,pytorch_half_pixel", kFieldI32, offsetof(Descriptor, coordinates), "half_pixel, align_corners, asymmetric, pytorch_half_pixel"},
    {"rounding", "default,round_prefer_floor,round_prefer_ceil,floor,ceil", kFieldI32, offsetof(Descriptor, rounding), "only with nearest"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: [N, spatial, C]"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, out), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input", kFieldShape, offsetof(Descriptor, input), kNoTerm, false, 0},
    {"out", kFieldShape, offsetof(Descriptor, out), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.input);
  arguments[kOut] = tensor(d.element, d.out);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RESIZE_FORWARD;
  info.name = kName;
  info.family = "resize";
  info.definition = kDefinition;
  info.conventions = resize_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_FORWARD_ARGS));
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

}  // namespace adj::resize_forward_tables

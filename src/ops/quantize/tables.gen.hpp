// Written by tools/generate.py from include/adjoint/ops/quantize.h. Do not edit.
#pragma once

#include <adjoint/ops/quantize.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* quantize_conventions = R"text(Fake quantization: numbers are rounded to a grid of integers and back. Definitions: com.microsoft FakeQuant and FakeQuantGrad, and
PyTorch's fake_quantize functions. Nothing is done when an extent is 0.)text";
}

namespace adj::fake_quantize_forward_tables {

using Descriptor = adj_fake_quantize_forward_descriptor;
using Args = adj_fake_quantize_forward_args;
inline constexpr const char* kName = "fake_quantize_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Tensors are [outer, channels, inner] in row-major order. Without per_channel only their product matters. With s and z, the scale and the zero point
of the tensor or of an element's channel:
    q = rint(input / s) + z, half to even
    out = (min(max(q, quant_min), quant_max) - z) * s,  mask = quant_min <= q <= quant_max

Types. All of it is computed in f32 (f64 for f64) and rounded once, at the end. Scales and zero points are used as they are: the zero point is not
rounded.

Edge cases:
- A NaN gives NaN and a mask of 0.
- A scale on the device that is 0 or not finite gives what IEEE arithmetic gives.

Its gradient: fake_quantize_backward(dout, mask).)text";
enum Argument : int { kInput, kScale, kZeroPoint, kScales, kZeroPoints, kOut, kMask };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element", ""},
    {"scale", offsetof(Args, scale), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; only if !per_channel: > 0", "!per_channel"},
    {"zero_point", offsetof(Args, zero_point), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::depends, "f32 or f64 on the device; only if !per_channel: quant_min to quant_max", "!per_channel"},
    {"scales", offsetof(Args, scales), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] accumulator(element); only if per_channel", "per_channel"},
    {"zero_points", offsetof(Args, zero_points), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] accumulator(element); only if per_channel", "per_channel"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element; may be input itself", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[outer, channels, inner] bool", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"quant_min", nullptr, kFieldI64, offsetof(Descriptor, quant_min), "below quant_max; both within 2^24"},
    {"quant_max", nullptr, kFieldI64, offsetof(Descriptor, quant_max), "above quant_min"},
    {"per_channel", nullptr, kFieldI32, offsetof(Descriptor, per_channel), "1: scales and zero_points have one number a channel"},
    {"nan_to_min", nullptr, kFieldI32, offsetof(Descriptor, nan_to_min), "1: a NaN counts as quant_min, as in ONNX Runtime"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
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
    {TermOp::i32, 3, offsetof(Descriptor, per_channel), 0, 0},
    {TermOp::negation, -1, 8, 0, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"channels", kFieldI64, offsetof(Descriptor, channels), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, false, 0},
    {"per_channel", kFieldI32, offsetof(Descriptor, per_channel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {kNoTerm, kNoTerm, 9, kNoTerm},
    {kNoTerm, kNoTerm, 9, kNoTerm},
    {11, 10, 8, kNoTerm},
    {11, 10, 8, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
    {7, 12, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kScale] = !(d.per_channel != 0) ? ArgumentSpec::scalar(ADJ_F32, ADJ_F64) : ArgumentSpec::forbidden();
  arguments[kZeroPoint] = !(d.per_channel != 0) ? ArgumentSpec::scalar(ADJ_F32, ADJ_F64) : ArgumentSpec::forbidden();
  arguments[kScales] = (d.per_channel != 0) ? tensor(accumulator_of(d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kZeroPoints] = (d.per_channel != 0) ? tensor(accumulator_of(d.element), Dims().add(d.channels)) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.channels).add(d.inner));
  arguments[kMask] = tensor(ADJ_BOOL, Dims().add(d.outer).add(d.channels).add(d.inner), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_FORWARD;
  info.name = kName;
  info.family = "quantize";
  info.definition = kDefinition;
  info.conventions = quantize_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS));
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

}  // namespace adj::fake_quantize_forward_tables

namespace adj::fake_quantize_backward_tables {

using Descriptor = adj_fake_quantize_backward_descriptor;
using Args = adj_fake_quantize_backward_args;
inline constexpr const char* kName = "fake_quantize_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0.)text";
enum Argument : int { kDout, kMask, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"mask", offsetof(Args, mask), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] bool", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout, Space::stream, Given::always, "[numel] element; may be dout itself", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), ">= 0; -1: not given, refused"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::number, -1, ADJ_BOOL, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64, offsetof(Descriptor, numel), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 1, kNoTerm, kNoTerm},
    {3, 4, kNoTerm, kNoTerm},
    {3, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.numel));
  arguments[kMask] = tensor(ADJ_BOOL, Dims().add(d.numel));
  arguments[kDinput] = tensor(d.element, Dims().add(d.numel));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_BACKWARD;
  info.name = kName;
  info.family = "quantize";
  info.definition = kDefinition;
  info.conventions = quantize_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS));
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

}  // namespace adj::fake_quantize_backward_tables

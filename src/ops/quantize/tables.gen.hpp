// Written by tools/generate.py from include/adjoint/ops/quantize.h. Do not edit.
#pragma once

#include <adjoint/ops/quantize.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::fake_quantize_forward_tables {

using Descriptor = adj_fake_quantize_forward_descriptor;
using Args = adj_fake_quantize_forward_args;
inline constexpr const char* kName = "fake_quantize_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kScale, kZeroPoint, kScales, kZeroPoints, kOut, kMask };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element"},
    {"scale", offsetof(Args, scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "without per_channel (else refused), > 0; by value, or on the device f32 or f64"},
    {"zero_point", offsetof(Args, zero_point), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "without per_channel (else refused), quant_min to quant_max; by value, or on the device f32 or f64"},
    {"scales", offsetof(Args, scales), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with per_channel, [channels] f32 (f64 for f64)"},
    {"zero_points", offsetof(Args, zero_points), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with per_channel, [channels] f32 (f64 for f64)"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element; may be input itself"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[outer, channels, inner] bool"},
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
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_FORWARD;
  info.name = kName;
  info.family = "quantize";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::fake_quantize_forward_tables

namespace adj::fake_quantize_backward_tables {

using Descriptor = adj_fake_quantize_backward_descriptor;
using Args = adj_fake_quantize_backward_args;
inline constexpr const char* kName = "fake_quantize_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kMask, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element"},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] bool"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout, Space::stream, Given::always, "[numel] element; may be dout itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), ">= 0; -1: not given, refused"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_BACKWARD;
  info.name = kName;
  info.family = "quantize";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::fake_quantize_backward_tables

// Written by tools/generate.py from include/adjoint/ops/quantize.h. Do not edit.
#pragma once

#include <adjoint/ops/quantize.h>

#include "plan/op.hpp"

namespace adj::fake_quantize_forward_tables {

using Descriptor = adj_fake_quantize_forward_descriptor;
using Args = adj_fake_quantize_forward_args;
inline constexpr const char* kName = "fake_quantize_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kScale, kZeroPoint, kScales, kZeroPoints, kOut, kMask };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scale", offsetof(Args, scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"zero_point", offsetof(Args, zero_point), SlotKind::scalar, Role::in, 0, Space::stream},
    {"scales", offsetof(Args, scales), SlotKind::tensor, Role::in, 0, Space::stream},
    {"zero_points", offsetof(Args, zero_points), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"quant_min", nullptr, kFieldI64, offsetof(Descriptor, quant_min)},
    {"quant_max", nullptr, kFieldI64, offsetof(Descriptor, quant_max)},
    {"per_channel", nullptr, kFieldI32, offsetof(Descriptor, per_channel)},
    {"nan_to_min", nullptr, kFieldI32, offsetof(Descriptor, nan_to_min)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kDout, kMask, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"mask", offsetof(Args, mask), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FAKE_QUANTIZE_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::fake_quantize_backward_tables

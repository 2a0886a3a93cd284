// Written by tools/generate.py from include/adjoint/ops/resize.h. Do not edit.
#pragma once

#include <adjoint/ops/resize.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::resize_backward_tables {

using Descriptor = adj_resize_backward_descriptor;
using Args = adj_resize_backward_args;
inline constexpr const char* kName = "resize_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape out, element"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "shape input, element"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "of dinput, as stored: 3 to 5 dimensions"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "of dout, as stored"},
    {"scales", nullptr, kFieldF64List, offsetof(Descriptor, scales), "as in the forward direction"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mode", "default,linear,nearest", kFieldI32, offsetof(Descriptor, mode), "linear, nearest"},
    {"coordinates", "default,half_pixel,align_corners,asymmetric,pytorch_half_pixel", kFieldI32, offsetof(Descriptor, coordinates), "half_pixel, align_corners, asymmetric, pytorch_half_pixel"},
    {"rounding", "default,round_prefer_floor,round_prefer_ceil,floor,ceil", kFieldI32, offsetof(Descriptor, rounding), "only with nearest"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: [N, spatial, C]"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RESIZE_BACKWARD;
  info.name = kName;
  info.family = "resize";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::resize_backward_tables

namespace adj::resize_forward_tables {

using Descriptor = adj_resize_forward_descriptor;
using Args = adj_resize_forward_args;
inline constexpr const char* kName = "resize_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape input, element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "shape out, element"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"scales", nullptr, kFieldF64List, offsetof(Descriptor, scales), "out over in, finite and > 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"mode", "default,linear,nearest", kFieldI32, offsetof(Descriptor, mode), "linear, nearest"},
    {"coordinates", "default,half_pixel,align_corners,asymmetric,pytorch_half_pixel", kFieldI32, offsetof(Descriptor, coordinates), "half_pixel, align_corners, asymmetric, pytorch_half_pixel"},
    {"rounding", "default,round_prefer_floor,round_prefer_ceil,floor,ceil", kFieldI32, offsetof(Descriptor, rounding), "only with nearest"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: [N, spatial, C]"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RESIZE_FORWARD;
  info.name = kName;
  info.family = "resize";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RESIZE_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::resize_forward_tables

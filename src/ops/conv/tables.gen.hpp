// Written by tools/generate.py from include/adjoint/ops/conv.h. Do not edit.
#pragma once

#include <adjoint/ops/conv.h>

#include "plan/op.hpp"

namespace adj::conv_backward_tables {

using Descriptor = adj_conv_backward_descriptor;
using Args = adj_conv_backward_args;
inline constexpr const char* kName = "conv_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input)},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight)},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out)},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides)},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads)},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations)},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last)},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput)},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight)},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::conv_backward_tables

namespace adj::conv_transpose_backward_tables {

using Descriptor = adj_conv_transpose_backward_descriptor;
using Args = adj_conv_transpose_backward_args;
inline constexpr const char* kName = "conv_transpose_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input)},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight)},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out)},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides)},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads)},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations)},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last)},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput)},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight)},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::conv_transpose_backward_tables

namespace adj::conv_forward_tables {

using Descriptor = adj_conv_forward_descriptor;
using Args = adj_conv_forward_args;
inline constexpr const char* kName = "conv_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kWeight, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input)},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight)},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out)},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides)},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads)},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations)},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last)},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::conv_forward_tables

namespace adj::conv_transpose_forward_tables {

using Descriptor = adj_conv_transpose_forward_descriptor;
using Args = adj_conv_transpose_forward_args;
inline constexpr const char* kName = "conv_transpose_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kWeight, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input)},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight)},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out)},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides)},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads)},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations)},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last)},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::conv_transpose_forward_tables

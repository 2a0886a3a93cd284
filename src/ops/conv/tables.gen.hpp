// Written by tools/generate.py from include/adjoint/ops/conv.h. Do not edit.
#pragma once

#include <adjoint/ops/conv.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::conv_backward_tables {

using Descriptor = adj_conv_backward_descriptor;
using Args = adj_conv_backward_args;
inline constexpr const char* kName = "conv_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape out, element"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_dweight, shape input, element"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_dinput, shape weight, element"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "with has_dinput, shape input, element"},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dweight, shape weight, element; in/out when accumulating"},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dbias, [M] element; in/out when accumulating"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as in the forward direction"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as in the forward direction"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as in the forward direction"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in the forward direction"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in the forward direction"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in the forward direction"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput), "1: dinput is computed"},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight), "1: dweight is computed"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is computed"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dweight and dbias: overwrite, accumulate"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_BACKWARD;
  info.name = kName;
  info.family = "conv";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kWeight, kDinput, kDweight, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape out, element"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_dweight, shape input, element"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_dinput, shape weight, element"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "with has_dinput, shape input, element"},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dweight, shape weight, element; in/out when accumulating"},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dbias, [M] element; in/out when accumulating"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as in the forward direction"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as in the forward direction"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as in the forward direction"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in conv_forward"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in conv_forward"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in conv_forward"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_dinput", nullptr, kFieldI32, offsetof(Descriptor, has_dinput), "1: dinput is computed"},
    {"has_dweight", nullptr, kFieldI32, offsetof(Descriptor, has_dweight), "1: dweight is computed"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is computed"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dweight and dbias: overwrite, accumulate"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_BACKWARD;
  info.name = kName;
  info.family = "conv";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kWeight, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape input, element"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape weight, element"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_bias, [M] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "shape out, element"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as stored"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "one per spatial dimension, or none for 1"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "all beginnings, then all ends, or none for 0"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "one per spatial dimension, or none for 1"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_FORWARD;
  info.name = kName;
  info.family = "conv";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kWeight, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape input, element"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape weight, element"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_bias, [M] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "shape out, element"},
};
inline constexpr Field kFields[] = {
    {"input", nullptr, kFieldShape, offsetof(Descriptor, input), "as stored: 3 to 5 dimensions"},
    {"weight", nullptr, kFieldShape, offsetof(Descriptor, weight), "as stored"},
    {"out", nullptr, kFieldShape, offsetof(Descriptor, out), "as stored"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "as in conv_forward"},
    {"pads", nullptr, kFieldAxes, offsetof(Descriptor, pads), "as in conv_forward"},
    {"dilations", nullptr, kFieldAxes, offsetof(Descriptor, dilations), "as in conv_forward"},
    {"groups", nullptr, kFieldI64, offsetof(Descriptor, groups), ">= 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"channels_last", nullptr, kFieldI32, offsetof(Descriptor, channels_last), "1: channels are the last dimension of all tensors"},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CONV_TRANSPOSE_FORWARD;
  info.name = kName;
  info.family = "conv";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::conv_transpose_forward_tables

// Written by tools/generate.py from include/adjoint/ops/index.h. Do not edit.
#pragma once

#include <adjoint/ops/index.h>

#include "plan/op.hpp"

namespace adj::gather_nd_grad_tables {

using Descriptor = adj_gather_nd_grad_descriptor;
using Args = adj_gather_nd_grad_args;
inline constexpr const char* kName = "gather_nd_grad";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape)},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape)},
    {"batch_dims", nullptr, kFieldI64, offsetof(Descriptor, batch_dims)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ND_GRAD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gather_nd_grad_tables

namespace adj::gather_elements_grad_tables {

using Descriptor = adj_gather_elements_grad_descriptor;
using Args = adj_gather_elements_grad_args;
inline constexpr const char* kName = "gather_elements_grad";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape)},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape)},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ELEMENTS_GRAD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gather_elements_grad_tables

namespace adj::index_add_tables {

using Descriptor = adj_index_add_descriptor;
using Args = adj_index_add_args;
inline constexpr const char* kName = "index_add";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kIndices, kSource, kOutput, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"source", offsetof(Args, source), SlotKind::tensor, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_ADD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::index_add_tables

namespace adj::slice_grad_tables {

using Descriptor = adj_slice_grad_descriptor;
using Args = adj_slice_grad_args;
inline constexpr const char* kName = "slice_grad";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape)},
    {"starts", nullptr, kFieldAxes, offsetof(Descriptor, starts)},
    {"ends", nullptr, kFieldAxes, offsetof(Descriptor, ends)},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes)},
    {"steps", nullptr, kFieldAxes, offsetof(Descriptor, steps)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SLICE_GRAD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::slice_grad_tables

namespace adj::pad_and_unflatten_tables {

using Descriptor = adj_pad_and_unflatten_descriptor;
using Args = adj_pad_and_unflatten_args;
inline constexpr const char* kName = "pad_and_unflatten";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kIndices, kOutput, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch)},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_PAD_AND_UNFLATTEN;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::pad_and_unflatten_tables

namespace adj::flatten_and_unpad_tables {

using Descriptor = adj_flatten_and_unpad_descriptor;
using Args = adj_flatten_and_unpad_args;
inline constexpr const char* kName = "flatten_and_unpad";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kIndices, kOutput, kUnflattenDims, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream},
    {"unflatten_dims", offsetof(Args, unflatten_dims), SlotKind::tensor, Role::out, 0, Space::host},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch)},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FLATTEN_AND_UNPAD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::flatten_and_unpad_tables

// Written by tools/generate.py from include/adjoint/ops/control.h. Do not edit.
#pragma once

#include <adjoint/ops/control.h>

#include "plan/op.hpp"

namespace adj::group_tables {

using Descriptor = adj_group_descriptor;
using Args = adj_group_args;
inline constexpr const char* kName = "group";
inline const Descriptor kDefault{};
enum Slot : int { kInputs, kDone };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"done", offsetof(Args, done), SlotKind::tensor, Role::out, 0, Space::host},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GROUP;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::group_tables

namespace adj::record_event_tables {

using Descriptor = adj_record_event_descriptor;
using Args = adj_record_event_args;
inline constexpr const char* kName = "record_event";
inline const Descriptor kDefault{};
enum Slot : int { kEvent, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"event", offsetof(Args, event), SlotKind::handle, Role::in, 0, Space::stream},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RECORD_EVENT;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::record_event_tables

namespace adj::wait_event_tables {

using Descriptor = adj_wait_event_descriptor;
using Args = adj_wait_event_args;
inline constexpr const char* kName = "wait_event";
inline const Descriptor kDefault{};
enum Slot : int { kEvent, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"event", offsetof(Args, event), SlotKind::handle, Role::in, 0, Space::stream},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_WAIT_EVENT;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::wait_event_tables

namespace adj::yield_tables {

using Descriptor = adj_yield_descriptor;
using Args = adj_yield_args;
inline constexpr const char* kName = "yield";
inline const Descriptor kDefault{};
enum Slot : int { kOutputs, kGradients };
inline constexpr SlotInfo kSlots[] = {
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::in, 0, Space::stream},
    {"gradients", offsetof(Args, gradients), SlotKind::list, Role::in, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"non_differentiable", nullptr, kFieldI64List, offsetof(Descriptor, non_differentiable)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_YIELD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::yield_tables

namespace adj::user_kernel_tables {

using Descriptor = adj_user_kernel_descriptor;
using Args = adj_user_kernel_args;
inline constexpr const char* kName = "user_kernel";
inline const Descriptor kDefault{};
enum Slot : int { kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::inout, 1u << kInputs, Space::stream},
};
inline constexpr Field kFields[] = {
    {"source", nullptr, kFieldText, offsetof(Descriptor, source)},
    {"entry", nullptr, kFieldText, offsetof(Descriptor, entry)},
    {"macros", nullptr, kFieldText, offsetof(Descriptor, macros)},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel)},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel)},
    {"integers", nullptr, kFieldI64List, offsetof(Descriptor, integers)},
    {"reals", nullptr, kFieldF64List, offsetof(Descriptor, reals)},
    {"grid", nullptr, kFieldAxes, offsetof(Descriptor, grid)},
    {"block", nullptr, kFieldAxes, offsetof(Descriptor, block)},
    {"shared_bytes", nullptr, kFieldI64, offsetof(Descriptor, shared_bytes)},
    {"host", nullptr, kFieldPointer, offsetof(Descriptor, host)},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output_element", nullptr, kFieldDtype, offsetof(Descriptor, output_element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_USER_KERNEL;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::user_kernel_tables

namespace adj::callback_tables {

using Descriptor = adj_callback_descriptor;
using Args = adj_callback_args;
inline constexpr const char* kName = "callback";
inline const Descriptor kDefault{};
enum Slot : int { kInputs, kOutputs, kContext };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::inout, 1u << kInputs, Space::stream},
    {"context", offsetof(Args, context), SlotKind::tensor, Role::inout, 0, Space::host},
};
inline constexpr Field kFields[] = {
    {"function", nullptr, kFieldPointer, offsetof(Descriptor, function)},
    {"destroy", nullptr, kFieldPointer, offsetof(Descriptor, destroy)},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user)},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel)},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CALLBACK;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::callback_tables

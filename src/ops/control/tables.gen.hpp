// Written by tools/generate.py from include/adjoint/ops/control.h. Do not edit.
#pragma once

#include <adjoint/ops/control.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::group_tables {

using Descriptor = adj_group_descriptor;
using Args = adj_group_args;
inline constexpr const char* kName = "group";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kDone };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::optional, "[numel[i]] element each: what has to be there; nothing is read"},
    {"done", offsetof(Args, done), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[1] bool: true, written by the call itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GROUP;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GROUP_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GROUP_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kEvent, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"event", offsetof(Args, event), SlotKind::handle, Role::in, 0, Space::stream, Given::depends, "present exactly when skip is 0"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip), "1: no event, tensors are passed on only"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RECORD_EVENT;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECORD_EVENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECORD_EVENT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kEvent, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"event", offsetof(Args, event), SlotKind::handle, Role::in, 0, Space::stream, Given::depends, "present exactly when skip is 0"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
    {"skip", nullptr, kFieldI32, offsetof(Descriptor, skip), "1: no event, tensors are passed on only"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_WAIT_EVENT;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_WAIT_EVENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_WAIT_EVENT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kOutputs, kGradients };
inline constexpr SlotInfo kSlots[] = {
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"gradients", offsetof(Args, gradients), SlotKind::list, Role::in, 0, Space::stream, Given::always, "one for each differentiable output, of its size or, with free_shape, of any"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"non_differentiable", nullptr, kFieldI64List, offsetof(Descriptor, non_differentiable), "host array of places among outputs, ascending; copied by select"},
    {"free_shape", nullptr, kFieldI64List, offsetof(Descriptor, free_shape), "host array of places of differentiable outputs, ascending; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_YIELD;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_YIELD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_YIELD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[input_numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[output_numel[i]] output_element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"code", nullptr, kFieldBytes, offsetof(Descriptor, code), "what code_kind says; copied by select"},
    {"entry", nullptr, kFieldText, offsetof(Descriptor, entry), "name of the kernel, as the code has it: of a C++ function the mangled one; copied by select"},
    {"macros", nullptr, kFieldText, offsetof(Descriptor, macros), "of a source: blank-separated, \"N=4 FAST\"; defined at the head of the source; may be null, null otherwise"},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel), "host array of input_count element counts >= 0"},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel), "host array of output_count element counts >= 0"},
    {"integers", nullptr, kFieldI64List, offsetof(Descriptor, integers), "host array of integer_count arguments"},
    {"reals", nullptr, kFieldF64List, offsetof(Descriptor, reals), "host array of real_count arguments"},
    {"grid", nullptr, kFieldAxes, offsetof(Descriptor, grid), "blocks, 1 to 3 extents >= 1"},
    {"block", nullptr, kFieldAxes, offsetof(Descriptor, block), "threads, 1 to 3 extents >= 1"},
    {"shared_bytes", nullptr, kFieldI64, offsetof(Descriptor, shared_bytes), "dynamic shared memory of a block, >= 0"},
    {"host", nullptr, kFieldPointer, offsetof(Descriptor, host), "for the host stream; null: there is no plan for it"},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user), "what host is called with; may be null"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs: every type of adj_dtype"},
    {"output_element", nullptr, kFieldDtype, offsetof(Descriptor, output_element), "of outputs: every type, or none for that of inputs"},
    {"code_kind", "source,ptx,cubin", kFieldI32, offsetof(Descriptor, code_kind), "what code is"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_USER_KERNEL;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_USER_KERNEL_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_USER_KERNEL_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInputs, kOutputs, kContext };
inline constexpr SlotInfo kSlots[] = {
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[input_numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[output_numel[i]] element each; may be inputs itself"},
    {"context", offsetof(Args, context), SlotKind::tensor, Role::inout, 0, Space::host, Given::optional, "[1] i64"},
};
inline constexpr Field kFields[] = {
    {"function", nullptr, kFieldPointer, offsetof(Descriptor, function), "must be given"},
    {"destroy", nullptr, kFieldPointer, offsetof(Descriptor, destroy), "called with user when the plan is gone; may be null"},
    {"user", nullptr, kFieldPointer, offsetof(Descriptor, user), "the caller's; may be null"},
    {"input_numel", nullptr, kFieldI64List, offsetof(Descriptor, input_numel), "host array of input_count element counts >= 0; copied by select"},
    {"output_numel", nullptr, kFieldI64List, offsetof(Descriptor, output_numel), "host array of output_count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs and outputs: every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CALLBACK;
  info.name = kName;
  info.family = "control";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CALLBACK_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CALLBACK_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::callback_tables

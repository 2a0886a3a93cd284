// Written by tools/generate.py from include/adjoint/ops/collective.h. Do not edit.
#pragma once

#include <adjoint/ops/collective.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::all_reduce_tables {

using Descriptor = adj_all_reduce_descriptor;
using Args = adj_all_reduce_args;
inline constexpr const char* kName = "all_reduce";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64"},
    {"reduction", "default,sum,average,max,min,prod", kFieldI32, offsetof(Descriptor, reduction), "default: sum"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_REDUCE;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::all_reduce_tables

namespace adj::all_gather_tables {

using Descriptor = adj_all_gather_descriptor;
using Args = adj_all_gather_args;
inline constexpr const char* kName = "all_gather";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each; may be a part of outputs, that of this rank", 1u << kOutputs},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[ranks * numel[i]] (even) or [numel[i]] (whole) element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, >= 1; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts of the inputs >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
    {"layout", "default,even,whole", kFieldI32, offsetof(Descriptor, layout), "default: even"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ALL_GATHER;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_GATHER_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ALL_GATHER_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::all_gather_tables

namespace adj::reduce_scatter_tables {

using Descriptor = adj_reduce_scatter_descriptor;
using Args = adj_reduce_scatter_args;
inline constexpr const char* kName = "reduce_scatter";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[ranks * numel[i]] (even) or [numel[i]] (whole) element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::inout, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself, may be a part of inputs, that of this rank", 1u << kInputs},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, >= 1; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts of the outputs >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i8, u8, i32, u32, i64, u64"},
    {"layout", "default,even,whole", kFieldI32, offsetof(Descriptor, layout), "default: even"},
    {"reduction", "default,sum,average,max,min,prod", kFieldI32, offsetof(Descriptor, reduction), "default: sum"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_REDUCE_SCATTER;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_SCATTER_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_SCATTER_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::reduce_scatter_tables

namespace adj::send_tables {

using Descriptor = adj_send_descriptor;
using Args = adj_send_args;
inline constexpr const char* kName = "send";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kTensors };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"tensors", offsetof(Args, tensors), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
};
inline constexpr Field kFields[] = {
    {"peer", nullptr, kFieldI64, offsetof(Descriptor, peer), "rank that receives, not this one; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SEND;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SEND_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SEND_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::send_tables

namespace adj::recv_tables {

using Descriptor = adj_recv_descriptor;
using Args = adj_recv_args;
inline constexpr const char* kName = "recv";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kTensors };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"tensors", offsetof(Args, tensors), SlotKind::list, Role::out, 0, Space::stream, Given::always, "[numel[i]] element each"},
};
inline constexpr Field kFields[] = {
    {"peer", nullptr, kFieldI64, offsetof(Descriptor, peer), "rank that sends, not this one; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RECV;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECV_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RECV_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::recv_tables

namespace adj::broadcast_tables {

using Descriptor = adj_broadcast_descriptor;
using Args = adj_broadcast_args;
inline constexpr const char* kName = "broadcast";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kTensors };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"tensors", offsetof(Args, tensors), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "[numel[i]] element each"},
};
inline constexpr Field kFields[] = {
    {"root", nullptr, kFieldI64, offsetof(Descriptor, root), "a rank of the communicator"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BROADCAST;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BROADCAST_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BROADCAST_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::broadcast_tables

namespace adj::adasum_all_reduce_tables {

using Descriptor = adj_adasum_all_reduce_descriptor;
using Args = adj_adasum_all_reduce_args;
inline constexpr const char* kName = "adasum_all_reduce";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInputs, kOutputs };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::always, "an ncclComm_t of the device; on the host stream a handle of adj_host_comm_create"},
    {"inputs", offsetof(Args, inputs), SlotKind::list, Role::in, 0, Space::stream, Given::always, "[numel[i]] element each"},
    {"outputs", offsetof(Args, outputs), SlotKind::list, Role::out, 1u << kInputs, Space::stream, Given::always, "[numel[i]] element each; may be inputs itself"},
};
inline constexpr Field kFields[] = {
    {"ranks", nullptr, kFieldI64, offsetof(Descriptor, ranks), "of the communicator, a power of two; must be given"},
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADASUM_ALL_REDUCE;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADASUM_ALL_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADASUM_ALL_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::adasum_all_reduce_tables

namespace adj::megatron_f_tables {

using Descriptor = adj_megatron_f_descriptor;
using Args = adj_megatron_f_args;
inline constexpr const char* kName = "megatron_f";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInput, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::depends, "present exactly when backward is 1"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"backward", nullptr, kFieldI32, offsetof(Descriptor, backward), "1: the backward direction"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MEGATRON_F;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_F_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_F_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::megatron_f_tables

namespace adj::megatron_g_tables {

using Descriptor = adj_megatron_g_descriptor;
using Args = adj_megatron_g_args;
inline constexpr const char* kName = "megatron_g";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kCommunicator, kInput, kOutput };
inline constexpr SlotInfo kSlots[] = {
    {"communicator", offsetof(Args, communicator), SlotKind::handle, Role::in, 0, Space::stream, Given::depends, "present exactly when backward is 0"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[numel] element"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[numel] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64, offsetof(Descriptor, numel), "elements >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"backward", nullptr, kFieldI32, offsetof(Descriptor, backward), "1: the backward direction"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_MEGATRON_G;
  info.name = kName;
  info.family = "collective";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_G_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_MEGATRON_G_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::megatron_g_tables

// Written by tools/generate.py from include/adjoint/ops/embedding.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding.h>

#include "plan/op.hpp"

namespace adj::embedding_forward_tables {

using Descriptor = adj_embedding_forward_descriptor;
using Args = adj_embedding_forward_args;
inline constexpr const char* kName = "embedding_forward";
inline const Descriptor kDefault{};
enum Slot : int { kWeight, kIndices, kOut, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_zeroes_forward", nullptr, kFieldI32, offsetof(Descriptor, padding_zeroes_forward)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_forward_tables

namespace adj::embedding_backward_tables {

using Descriptor = adj_embedding_backward_descriptor;
using Args = adj_embedding_backward_args;
inline constexpr const char* kName = "embedding_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kIndices, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_backward_tables

namespace adj::gather_grad_tables {

using Descriptor = adj_gather_grad_descriptor;
using Args = adj_gather_grad_args;
inline constexpr const char* kName = "gather_grad";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_GRAD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gather_grad_tables

namespace adj::index_plan_tables {

using Descriptor = adj_index_plan_descriptor;
using Args = adj_index_plan_args;
inline constexpr const char* kName = "index_plan";
inline const Descriptor kDefault{};
enum Slot : int { kIndices, kSortedRows, kOrder, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::out, 0, Space::stream},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"wrap_negative", nullptr, kFieldI32, offsetof(Descriptor, wrap_negative)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_PLAN;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::index_plan_tables

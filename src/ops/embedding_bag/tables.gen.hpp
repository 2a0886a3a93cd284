// Written by tools/generate.py from include/adjoint/ops/embedding_bag.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding_bag.h>

#include "plan/op.hpp"

namespace adj::embedding_bag_forward_tables {

using Descriptor = adj_embedding_bag_forward_descriptor;
using Args = adj_embedding_bag_forward_args;
inline constexpr const char* kName = "embedding_bag_forward";
inline const Descriptor kDefault{};
enum Slot : int { kWeight, kIndices, kOffsets, kPerSampleWeights, kOut, kMaxPositions, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream},
    {"per_sample_weights", offsetof(Args, per_sample_weights), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream},
    {"max_positions", offsetof(Args, max_positions), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode)},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets)},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset)},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_bag_forward_tables

namespace adj::embedding_bag_backward_tables {

using Descriptor = adj_embedding_bag_backward_descriptor;
using Args = adj_embedding_bag_backward_args;
inline constexpr const char* kName = "embedding_bag_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kIndices, kOffsets, kPerSampleWeights, kMaxPositions, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream},
    {"per_sample_weights", offsetof(Args, per_sample_weights), SlotKind::tensor, Role::in, 0, Space::stream},
    {"max_positions", offsetof(Args, max_positions), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode)},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets)},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset)},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_bag_backward_tables

namespace adj::embedding_bag_per_sample_weights_backward_tables {

using Descriptor = adj_embedding_bag_per_sample_weights_backward_descriptor;
using Args = adj_embedding_bag_per_sample_weights_backward_args;
inline constexpr const char* kName = "embedding_bag_per_sample_weights_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kWeight, kIndices, kOffsets, kDperSampleWeights, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dper_sample_weights", offsetof(Args, dper_sample_weights), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings)},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim)},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices)},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index)},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets)},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset)},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx)},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_bag_per_sample_weights_backward_tables

// Written by tools/generate.py from include/adjoint/ops/embedding_bag.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding_bag.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::embedding_bag_forward_tables {

using Descriptor = adj_embedding_bag_forward_descriptor;
using Args = adj_embedding_bag_forward_args;
inline constexpr const char* kName = "embedding_bag_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kWeight, kIndices, kOffsets, kPerSampleWeights, kOut, kMaxPositions, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[V, D] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[B, N / B] index, or [N] with offsets"},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_offsets, [B] index, or [B + 1] with include_last_offset"},
    {"per_sample_weights", offsetof(Args, per_sample_weights), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_per_sample_weights, shape of indices, element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[B, D] element"},
    {"max_positions", offsetof(Args, max_positions), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "only for max, [B, D] i32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode), "mean unless stated"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "only with offsets"},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights), "only with sum"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_FORWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kIndices, kOffsets, kPerSampleWeights, kMaxPositions, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[B, D] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [B, N / B] index, or [N] with offsets"},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_offsets, [B] index, or [B + 1] with include_last_offset"},
    {"per_sample_weights", offsetof(Args, per_sample_weights), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_per_sample_weights, shape of indices, element"},
    {"max_positions", offsetof(Args, max_positions), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with max, [B, D] i32, from the forward direction"},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[V, D] element; in/out when accumulating"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [N] i32"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [N] i32"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode), "mean unless stated"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "1: offsets has the end of the last bag too; only with offsets"},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights), "1: positions have weights; only with sum"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq), "not with max"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; V at most 2^31 - 1"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_BACKWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kWeight, kIndices, kOffsets, kDperSampleWeights, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[B, D] element"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[V, D] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[B, N / B] index, or [N] with offsets"},
    {"offsets", offsetof(Args, offsets), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_offsets, [B] index, or [B + 1] with include_last_offset"},
    {"dper_sample_weights", offsetof(Args, dper_sample_weights), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "shape of indices, element"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "1: offsets has the end of the last bag too; only with offsets"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::embedding_bag_per_sample_weights_backward_tables

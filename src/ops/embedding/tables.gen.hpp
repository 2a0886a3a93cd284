// Written by tools/generate.py from include/adjoint/ops/embedding.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::embedding_forward_tables {

using Descriptor = adj_embedding_forward_descriptor;
using Args = adj_embedding_forward_args;
inline constexpr const char* kName = "embedding_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kWeight, kIndices, kOut, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[V, D] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N] index"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[N, D] element"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_zeroes_forward", nullptr, kFieldI32, offsetof(Descriptor, padding_zeroes_forward), "1: rows of padding_idx come out as zeros"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_FORWARD;
  info.name = kName;
  info.family = "embedding";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kIndices, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, D] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [N] index"},
    {"dweight", offsetof(Args, dweight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[V, D] element; in/out when accumulating"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [N] i32"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [N] i32"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16: type of dout and dweight"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq), "1: a row is divided by the number of its indices"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; V at most 2^31 - 1"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BACKWARD;
  info.name = kName;
  info.family = "embedding";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, num_indices, inner] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [num_indices] index"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[outer, extent, inner] element; in/out when accumulating"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [num_indices] i32"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [num_indices] i32"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), ">= 0, below 2^31; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16: type of dout and dinput"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; extent at most 2^31 - 1"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_GRAD;
  info.name = kName;
  info.family = "embedding";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kIndices, kSortedRows, kOrder, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N] index; or of slices and elements [indices_shape]"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[N] i32"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[N] i32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0, below 2^31: rows that positions may name; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31: positions; must be given"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"wrap_negative", nullptr, kFieldI32, offsetof(Descriptor, wrap_negative), "of rows, 1: negative indices count from the end; 0: they are out of range"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "of rows, 1: padding_idx holds"},
    {"positions", "rows,slices,elements", kFieldI32, offsetof(Descriptor, positions), "rows unless stated"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of slices and elements: the gradient's"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "of slices and elements"},
    {"batch_dims", nullptr, kFieldI64, offsetof(Descriptor, batch_dims), "of slices: as gather_nd_grad's"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "of elements: as gather_elements_grad's"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_PLAN;
  info.name = kName;
  info.family = "embedding";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_PLAN_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_PLAN_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::index_plan_tables

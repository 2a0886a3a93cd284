// Written by tools/generate.py from include/adjoint/ops/index.h. Do not edit.
#pragma once

#include <adjoint/ops/index.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::gather_nd_grad_tables {

using Descriptor = adj_gather_nd_grad_descriptor;
using Args = adj_gather_nd_grad_args;
inline constexpr const char* kName = "gather_nd_grad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[extents of indices but the last, extents of dinput from b + K on] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [indices_shape] index"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[input_shape] element; read in accumulate mode only"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indexed slices left out is added"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, i32, one for each slice"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, i32, one for each slice"},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "rank 1 to 8; the last extent is K, with batch_dims + K <= the rank of dinput"},
    {"batch_dims", nullptr, kFieldI64, offsetof(Descriptor, batch_dims), "b, in [0, rank of indices)"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "default: overwrite"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan of slices, instead of indices"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ND_GRAD;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ND_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[indices_shape] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [indices_shape] index"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::inout, 0, Space::stream, Given::always, "[input_shape] element; read in accumulate mode only"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside the axis is added"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, i32, one for each index"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, i32, one for each index"},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "of dout and indices, the same rank"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "in [-rank, rank)"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "default: overwrite"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan of elements, instead of indices"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ELEMENTS_GRAD;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kIndices, kSource, kOutput, kErrorFlag, kSortedRows, kOrder };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[shape] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "without use_index_plan, [num_indices] index"},
    {"source", offsetof(Args, source), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[shape with num_indices in place of the axis' extent] element"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[shape] element; may be input itself"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside the axis is added"},
    {"sorted_rows", offsetof(Args, sorted_rows), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [num_indices] i32"},
    {"order", offsetof(Args, order), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with use_index_plan, [num_indices] i32"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of input and output, rank 1 to 8"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "in [-rank, rank)"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "0 to 2^31 - 1; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan with wrap_negative, instead of indices"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_ADD;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_ADD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_ADD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[extents of the slice] element"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[input_shape] element"},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"starts", nullptr, kFieldAxes, offsetof(Descriptor, starts), "up to one for each axis"},
    {"ends", nullptr, kFieldAxes, offsetof(Descriptor, ends), "as many"},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes), "as many, or none; no axis twice"},
    {"steps", nullptr, kFieldAxes, offsetof(Descriptor, steps), "as many, or none; not 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SLICE_GRAD;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SLICE_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SLICE_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kIndices, kOutput, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices, inner] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices] index"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, length, inner] element"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside [0, batch * length) is added"},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "rows of input, 0 to 2^31 - 1; must be given"},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), ">= 0; must be given"},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length), ">= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "elements of a row, >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i32, i64"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_PAD_AND_UNFLATTEN;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_PAD_AND_UNFLATTEN_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kIndices, kOutput, kUnflattenDims, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, length, inner] element"},
    {"indices", offsetof(Args, indices), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices] index"},
    {"output", offsetof(Args, output), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_indices, inner] element"},
    {"unflatten_dims", offsetof(Args, unflatten_dims), SlotKind::tensor, Role::out, 0, Space::host, Given::optional, "[2] i64: batch and length, written by the call itself"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside is added"},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "rows of output, 0 to 2^31 - 1; must be given"},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), ">= 0; must be given"},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length), ">= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "elements of a row, >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i32, i64"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FLATTEN_AND_UNPAD;
  info.name = kName;
  info.family = "index";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FLATTEN_AND_UNPAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::flatten_and_unpad_tables

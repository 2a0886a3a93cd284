// Written by tools/generate.py from include/adjoint/ops/index.h. Do not edit.
#pragma once

#include <adjoint/ops/index.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* index_conventions = R"text(Gradients of lookups by several indices, of slices and of padding.

Indices. Those of gather_nd_grad, gather_elements_grad and index_add lie in [-s, s) along an axis of extent s. Negative ones count from the end. Rows
of pad_and_unflatten and flatten_and_unpad lie in [0, batch * length). What lies outside is skipped, and is counted in error_flag if that is given.

Types. Where several positions name one element, their sum is taken in f32 (f64 for f64), in an order that depends on the indices alone, and is
rounded once. Where a preference asks for no determinism, gather_elements_grad may add up in memory in f32 and f64, in the order of arrival.

Index plans. With use_index_plan, index_plan (ops/embedding.h) has sorted the positions and counted what lies outside. Rows or elements are then at
most 2^31 - 1. gather_nd_grad and index_add give the same bits as without a plan. gather_elements_grad may add in another order.

Edge cases:
- A NaN or an infinity affects its own element only.
- Extents may be 0 where nothing else is said. A tensor without elements may be null.

Source: com.microsoft GatherNDGrad, GatherElementsGrad, SliceGrad, PadAndUnflatten and FlattenAndUnpad; PyTorch index_add.)text";
}

namespace adj::gather_nd_grad_tables {

using Descriptor = adj_gather_nd_grad_descriptor;
using Args = adj_gather_nd_grad_args;
inline constexpr const char* kName = "gather_nd_grad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,
M = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:
    dinput = 0 (or what it holds);   dinput[batch(m), index(m), j] += dout[m, j]   for m < M, j < L
where batch(m) = m / (M / B) and index(m) = indices[m, 0], .., indices[m, K - 1] along the axes b to b + K - 1.
The first b extents of dinput and indices are the same. dinput overlaps nothing.)text";
enum Argument : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "indices_shape index; only if !use_index_plan", "!use_index_plan"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "input_shape element; read if write_mode == accumulate", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indexed slices left out is added", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(indices_shape, 0, -1)] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(indices_shape, 0, -1)] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "rank 1 to 8; the last extent is K, with batch_dims + K <= the rank of dinput"},
    {"batch_dims", nullptr, kFieldI64, offsetof(Descriptor, batch_dims), "b, in [0, rank of indices)"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "default: overwrite"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan of slices, instead of indices"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input_shape), 0, 0},
    {TermOp::i64, -1, offsetof(Descriptor, batch_dims), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, indices_shape), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::sub, -1, 4, 5, 0},
    {TermOp::extent, -1, 3, 6, kNoTerm},
    {TermOp::add, -1, 2, 7, 0},
    {TermOp::part, -1, 1, 8, kNoTerm},
    {TermOp::items, -1, 9, kNoTerm, 0},
    {TermOp::part, -1, 3, 4, 6},
    {TermOp::items, -1, 11, 10, 0},
    {TermOp::i32, 2, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 13, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::product, -1, 3, 4, 6},
    {TermOp::items, -1, 19, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input_shape", kFieldShape, offsetof(Descriptor, input_shape), kNoTerm, false, 0},
    {"indices_shape", kFieldShape, offsetof(Descriptor, indices_shape), kNoTerm, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {12, 0, kNoTerm, kNoTerm},
    {3, 15, 14, kNoTerm},
    {1, 0, kNoTerm, kNoTerm},
    {17, 16, kNoTerm, 5},
    {20, 18, 13, kNoTerm},
    {20, 18, 13, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(part_of(d.indices_shape, 0, -1)).add(part_of(d.input_shape, (d.batch_dims + extent_of(d.indices_shape, -1)))));
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, d.indices_shape) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, d.input_shape);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSortedRows] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(product_of(d.indices_shape, 0, -1))) : ArgumentSpec::forbidden();
  arguments[kOrder] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(product_of(d.indices_shape, 0, -1))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDinput: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ND_GRAD;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ND_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ND_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::gather_nd_grad_tables

namespace adj::gather_elements_grad_tables {

using Descriptor = adj_gather_elements_grad_descriptor;
using Args = adj_gather_elements_grad_args;
inline constexpr const char* kName = "gather_elements_grad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(GatherElements gradient:
    dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape
where indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
the axis. dinput overlaps nothing.)text";
enum Argument : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "indices_shape element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "indices_shape index; only if !use_index_plan", "!use_index_plan"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "input_shape element; read if write_mode == accumulate", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside the axis is added", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(indices_shape)] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[product(indices_shape)] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "of dout and indices, the same rank"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "in [-rank, rank)"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "default: overwrite"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan of elements, instead of indices"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 1, offsetof(Descriptor, indices_shape), 0, 0},
    {TermOp::i32, 2, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 2, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input_shape), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::product, -1, 1, kNoTerm, kNoTerm},
    {TermOp::items, -1, 10, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input_shape", kFieldShape, offsetof(Descriptor, input_shape), kNoTerm, false, 0},
    {"indices_shape", kFieldShape, offsetof(Descriptor, indices_shape), kNoTerm, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {1, 4, 3, kNoTerm},
    {5, 0, kNoTerm, kNoTerm},
    {8, 7, kNoTerm, 6},
    {11, 9, 2, kNoTerm},
    {11, 9, 2, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, d.indices_shape);
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, d.indices_shape) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, d.input_shape);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSortedRows] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(product_of(d.indices_shape))) : ArgumentSpec::forbidden();
  arguments[kOrder] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(product_of(d.indices_shape))) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDinput: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATHER_ELEMENTS_GRAD;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ELEMENTS_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_ELEMENTS_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::gather_elements_grad_tables

namespace adj::index_add_tables {

using Descriptor = adj_index_add_descriptor;
using Args = adj_index_add_args;
inline constexpr const char* kName = "index_add";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Addition of rows along an axis:
    output = input;   output[p, indices[n], q] += source[p, n, q]
for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
output may be input itself; otherwise it overlaps nothing.)text";
enum Argument : int { kInput, kIndices, kSource, kOutput, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] index; only if !use_index_plan", "!use_index_plan"},
    {"source", offsetof(Args, source), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "replaced(shape, axis, num_indices) element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "shape element; may be input itself", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside the axis is added", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of input and output, rank 1 to 8"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "in [-rank, rank)"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "0 to 2^31 - 1; must be given"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order, of an index plan with wrap_negative, instead of indices"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::i32, 2, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 2, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::i64, -1, offsetof(Descriptor, axis), 0, 0},
    {TermOp::replaced, -1, 1, 7, 5},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 9, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {6, 4, 3, kNoTerm},
    {8, 0, kNoTerm, kNoTerm},
    {1, 0, kNoTerm, kNoTerm},
    {11, 10, kNoTerm, 9},
    {6, 12, 2, kNoTerm},
    {6, 12, 2, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.shape);
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kSource] = tensor(d.element, replaced_of(d.shape, d.axis, d.num_indices));
  arguments[kOutput] = tensor(d.element, d.shape);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSortedRows] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kOrder] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_ADD;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_ADD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_ADD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::index_add_tables

namespace adj::slice_grad_tables {

using Descriptor = adj_slice_grad_descriptor;
using Args = adj_slice_grad_args;
inline constexpr const char* kName = "slice_grad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:
    dinput[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)] = dout[i]
starts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are
clamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes[k]; without axes
to axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit.)text";
enum Argument : int { kDout, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "element: the extents of the slice", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "input_shape element", ""},
};
inline constexpr Field kFields[] = {
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of dinput, rank 1 to 8"},
    {"starts", nullptr, kFieldAxes, offsetof(Descriptor, starts), "up to one for each axis"},
    {"ends", nullptr, kFieldAxes, offsetof(Descriptor, ends), "as many"},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes), "as many, or none; no axis twice"},
    {"steps", nullptr, kFieldAxes, offsetof(Descriptor, steps), "as many, or none; not 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "every type of adj_dtype"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, input_shape), 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"input_shape", kFieldShape, offsetof(Descriptor, input_shape), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {kNoTerm, 0, kNoTerm, kNoTerm},
    {1, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = computed(d.element);
  arguments[kDinput] = tensor(d.element, d.input_shape);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SLICE_GRAD;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SLICE_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SLICE_GRAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::slice_grad_tables

namespace adj::pad_and_unflatten_tables {

using Descriptor = adj_pad_and_unflatten_descriptor;
using Args = adj_pad_and_unflatten_args;
inline constexpr const char* kName = "pad_and_unflatten";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Rows to their places in a padded batch:
    output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]
Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad.)text";
enum Argument : int { kInput, kIndices, kOutput, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices, inner] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices] index", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, length, inner] element", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside [0, batch * length) is added", ""},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "rows of input, 0 to 2^31 - 1; must be given"},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), ">= 0; must be given"},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length), ">= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "elements of a row, >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i32, i64"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::type, 5, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, length), 0, 0},
    {TermOp::items, -1, 8, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 10, 9, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"batch", kFieldI64, offsetof(Descriptor, batch), kNoTerm, false, 0},
    {"length", kFieldI64, offsetof(Descriptor, length), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {7, 6, kNoTerm, kNoTerm},
    {11, 1, kNoTerm, kNoTerm},
    {13, 12, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.num_indices).add(d.inner));
  arguments[kIndices] = tensor(d.index, Dims().add(d.num_indices));
  arguments[kOutput] = tensor(d.element, Dims().add(d.batch).add(d.length).add(d.inner));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_PAD_AND_UNFLATTEN;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_PAD_AND_UNFLATTEN_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::pad_and_unflatten_tables

namespace adj::flatten_and_unpad_tables {

using Descriptor = adj_flatten_and_unpad_descriptor;
using Args = adj_flatten_and_unpad_args;
inline constexpr const char* kName = "flatten_and_unpad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Rows of a padded batch:
    output[i, :] = input[indices[i] / length, indices[i] % length, :]
and zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
indices are unique.)text";
enum Argument : int { kInput, kIndices, kOutput, kUnflattenDims, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, length, inner] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices] index", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_indices, inner] element", ""},
    {"unflatten_dims", offsetof(Args, unflatten_dims), ArgumentKind::tensor, Role::out, 0, Space::host, Given::optional, "[2] i64: batch and length, written by the call itself", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: the number of indices outside is added", ""},
};
inline constexpr Field kFields[] = {
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "rows of output, 0 to 2^31 - 1; must be given"},
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), ">= 0; must be given"},
    {"length", nullptr, kFieldI64, offsetof(Descriptor, length), ">= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "elements of a row, >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16, i32, i64"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, length), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::type, 5, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 9, kNoTerm, 0},
    {TermOp::items, -1, 9, 3, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::items, -1, 13, kNoTerm, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"batch", kFieldI64, offsetof(Descriptor, batch), kNoTerm, false, 0},
    {"length", kFieldI64, offsetof(Descriptor, length), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {10, 8, kNoTerm, kNoTerm},
    {11, 1, kNoTerm, kNoTerm},
    {14, 12, kNoTerm, 0},
    {15, 12, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.batch).add(d.length).add(d.inner));
  arguments[kIndices] = tensor(d.index, Dims().add(d.num_indices));
  arguments[kOutput] = tensor(d.element, Dims().add(d.num_indices).add(d.inner));
  arguments[kUnflattenDims] = tensor(ADJ_I64, Dims().add(2), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_FLATTEN_AND_UNPAD;
  info.name = kName;
  info.family = "index";
  info.definition = kDefinition;
  info.conventions = index_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_FLATTEN_AND_UNPAD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::flatten_and_unpad_tables

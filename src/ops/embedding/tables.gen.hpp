// Written by tools/generate.py from include/adjoint/ops/embedding.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* embedding_conventions = R"text(Embedding lookup and its gradient, the gradient of Gather, and the sorted indices that gradients share. Definition: ONNX Gather and
PyTorch's nn.functional.embedding; com.microsoft GatherGrad; index_plan is defined here.)text";
}

namespace adj::embedding_forward_tables {

using Descriptor = adj_embedding_forward_descriptor;
using Args = adj_embedding_forward_args;
inline constexpr const char* kName = "embedding_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.

An index outside [0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is
counted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set.

Its gradient: embedding_backward(dout, indices, scale_grad_by_freq).)text";
enum Argument : int { kWeight, kIndices, kOut, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_embeddings, embedding_dim] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices] index", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_indices, embedding_dim] element", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"padding_zeroes_forward", nullptr, kFieldI32, offsetof(Descriptor, padding_zeroes_forward), "1: rows of padding_idx come out as zeros"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, embedding_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_embeddings), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::type, 4, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::items, -1, 7, 3, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_embeddings", kFieldI64, offsetof(Descriptor, num_embeddings), kNoTerm, false, 0},
    {"embedding_dim", kFieldI64, offsetof(Descriptor, embedding_dim), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), 0, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {8, 6, kNoTerm, kNoTerm},
    {9, 1, kNoTerm, kNoTerm},
    {11, 10, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kWeight] = tensor(d.element, Dims().add(d.num_embeddings).add(d.embedding_dim));
  arguments[kIndices] = tensor(d.index, Dims().add(d.num_indices));
  arguments[kOut] = tensor(d.element, Dims().add(d.num_indices).add(d.embedding_dim));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_FORWARD;
  info.name = kName;
  info.family = "embedding";
  info.definition = kDefinition;
  info.conventions = embedding_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_FORWARD_ARGS));
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

}  // namespace adj::embedding_forward_tables

namespace adj::embedding_backward_tables {

using Descriptor = adj_embedding_backward_descriptor;
using Args = adj_embedding_backward_args;
inline constexpr const char* kName = "embedding_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
    s_r = 1, or 1 / (number of such n) with scale_grad_by_freq

Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone.

In place. dout and dweight must not overlap.

Edge cases:
- Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
- Indices outside [0, num_embeddings) are skipped and counted in error_flag.

Workspace on a device. None for up to 1024 indices into a dweight of up to 16 MB. Other calls sort the indices: at most 16 N + 516 Ki bytes and,
beyond 127 indices, D accumulators (f32, or f64 for f64) for every 64 indices. V is then at most 2^32 - 2.

Index plans. With use_index_plan the call takes sorted_rows and order in place of indices: what index_plan gave for the same V and N.
- Nothing is sorted, and 2 N + 1024 bytes of workspace take the place of 16 N + 516 Ki.
- Positions that the plan leaves out get no gradient, so has_padding_idx must be 0. The plan has counted them, so error_flag stays as it is.
- The bits are those of the same SKU without a plan.
- Contents that index_plan did not write for this V and N give an unspecified dweight. Nothing is read or written outside the buffers.

Without determinism. A preference of determinism none may take a kernel that adds to dweight in memory, in the order in which additions arrive.
- It serves f32 and f64, since 16-bit sums would be rounded at every addition, up to 65536 indices, and neither scale_grad_by_freq nor
  use_index_plan.
- n additions to an element are up to n roundings. The guarantee states the bound for the most.
- In f32 it takes numbers and intermediate sums below 2^-126 in magnitude for zero. The bound leaves that out, and ADJ_MATH_IEEE excludes it.
- It needs no workspace. It is chosen where there are few addends, and few that share a row; preference.sku = "embedding_backward/atomic*"
  forces it.)text";
enum Argument : int { kDout, kIndices, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_indices, embedding_dim] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] index; only if !use_index_plan", "!use_index_plan"},
    {"dweight", offsetof(Args, dweight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "[num_embeddings, embedding_dim] element; read if write_mode == accumulate", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq), "1: a row is divided by the number of its indices"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; V at most 2^31 - 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16: type of dout and dweight"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, embedding_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i32, 3, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 6, 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_embeddings), 0, 0},
    {TermOp::items, -1, 10, 3, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_embeddings", kFieldI64, offsetof(Descriptor, num_embeddings), kNoTerm, false, 0},
    {"embedding_dim", kFieldI64, offsetof(Descriptor, embedding_dim), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), 0, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {9, 8, 7, kNoTerm},
    {11, 1, kNoTerm, kNoTerm},
    {13, 12, kNoTerm, 0},
    {9, 14, 6, kNoTerm},
    {9, 14, 6, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.num_indices).add(d.embedding_dim));
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kDweight] = tensor(d.element, Dims().add(d.num_embeddings).add(d.embedding_dim));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSortedRows] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kOrder] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDweight: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BACKWARD;
  info.name = kName;
  info.family = "embedding";
  info.definition = kDefinition;
  info.conventions = embedding_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BACKWARD_ARGS));
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

}  // namespace adj::embedding_backward_tables

namespace adj::gather_grad_tables {

using Descriptor = adj_gather_grad_descriptor;
using Args = adj_gather_grad_args;
inline constexpr const char* kName = "gather_grad";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
    dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
    row(x) = x, or x + extent when x is negative

Arguments. outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it, and
num_indices the product of the extents of indices. dout is [outer, indices..., inner].

Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone, or with
determinism none as in embedding_backward.

In place. dout and dinput must not overlap.

Edge cases:
- An index outside [-extent, extent) is skipped and counted in error_flag, once, whatever outer is.
- Rows that no index names are zero when overwriting and unchanged when accumulating.

Workspace and the most rows on a device are those of embedding_backward, with outer * inner for D. Only where outer is 1 can no workspace be needed.

Index plans. use_index_plan is as in embedding_backward, with extent for V. wrap_negative in the plan's descriptor lets negative indices count from
the end.)text";
enum Argument : int { kDout, kIndices, kDinput, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, num_indices, inner] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] index; only if !use_index_plan", "!use_index_plan"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "[outer, extent, inner] element; read if write_mode == accumulate", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), ">= 0, below 2^31; must be given"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; extent at most 2^31 - 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16: type of dout and dinput"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::i32, 4, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 8, 0, 0},
    {TermOp::type, 6, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, extent), 0, 0},
    {TermOp::items, -1, 12, 3, 0},
    {TermOp::items, -1, 6, 13, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"extent", kFieldI64, offsetof(Descriptor, extent), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), 0, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {11, 10, 9, kNoTerm},
    {14, 1, kNoTerm, kNoTerm},
    {16, 15, kNoTerm, 0},
    {11, 17, 8, kNoTerm},
    {11, 17, 8, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.num_indices).add(d.inner));
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSortedRows] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
  arguments[kOrder] = (d.use_index_plan != 0) ? tensor(ADJ_I32, Dims().add(d.num_indices)) : ArgumentSpec::forbidden();
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
  info.id = ADJ_OP_GATHER_GRAD;
  info.name = kName;
  info.family = "embedding";
  info.definition = kDefinition;
  info.conventions = embedding_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_GRAD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATHER_GRAD_ARGS));
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

}  // namespace adj::gather_grad_tables

namespace adj::index_plan_tables {

using Descriptor = adj_index_plan_descriptor;
using Args = adj_index_plan_args;
inline constexpr const char* kName = "index_plan";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Index plan: the positions of indices, stably sorted by the rows that the indices name.
    sorted_rows[i]   the row of the i-th position in that order, ascending; V for positions that take no part, which come last
    order[i]         the position itself; ascending among those of one row, and among those that take no part

Arguments. `positions` says what a row is:
- Rows: index x names row x, or x + V when it is negative and wrap_negative is set. A position takes no part when its index is then outside
  [0, V), which is counted in error_flag, or is padding_idx.
- Slices and elements: the rows are those that gather_nd_grad and gather_elements_grad (ops/index.h) add to, of the same input_shape and
  indices_shape: slices of dinput, or single elements of it. Negative indices count from the end. A position with an index outside its axis takes
  no part and is counted.

Use. Gradients that sum by row take the results in place of indices and sort nothing: use_index_plan of embedding_backward,
embedding_bag_backward, gather_grad, gather_nd_grad, gather_elements_grad and index_add. One plan serves any number of them with the same V and N,
of any element type and width: the tables and layers that look up the same indices, and every step for which these stay as they are. Embeddings
with padding_idx take a plan with the same padding_idx; gather_grad and index_add take one with wrap_negative.

Results. order is a permutation of 0 ... N - 1. Both results follow from the indices alone: exactly, on every backend.

In place. Neither result may overlap the other one or indices.

Edge cases:
- With N = 0 nothing is launched.

Workspace on a device: none up to 4096 indices; else 8 N bytes and at most 512 KB; for slices and elements 8 N bytes more.)text";
enum Argument : int { kIndices, kSortedRows, kOrder, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "positions != rows ? indices_shape : [num_indices], index", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_indices] i32", ""},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_indices] i32", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range indices are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0, below 2^31: rows that positions may name; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31: positions; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"input_shape", nullptr, kFieldShape, offsetof(Descriptor, input_shape), "of slices and elements: the gradient's"},
    {"indices_shape", nullptr, kFieldShape, offsetof(Descriptor, indices_shape), "of slices and elements"},
    {"batch_dims", nullptr, kFieldI64, offsetof(Descriptor, batch_dims), "of slices: as gather_nd_grad's"},
    {"axis", nullptr, kFieldI64, offsetof(Descriptor, axis), "of elements: as gather_elements_grad's"},
    {"wrap_negative", nullptr, kFieldI32, offsetof(Descriptor, wrap_negative), "of rows, 1: negative indices count from the end; 0: they are out of range"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "of rows, 1: padding_idx holds"},
    {"positions", "rows,slices,elements", kFieldI32, offsetof(Descriptor, positions), "rows unless stated"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, positions), 0, 0},
    {TermOp::number, -1, ADJ_INDEX_POSITIONS_ROWS, 0, 0},
    {TermOp::ne, -1, 2, 3, 0},
    {TermOp::shape, 1, offsetof(Descriptor, indices_shape), 0, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::choose_shape, -1, 4, 5, 7},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), 0, false, 0},
    {"indices_shape", kFieldShape, offsetof(Descriptor, indices_shape), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {8, 1, kNoTerm, kNoTerm},
    {7, 9, kNoTerm, kNoTerm},
    {7, 9, kNoTerm, kNoTerm},
    {11, 10, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kIndices] = tensor(d.index, ((d.positions != ADJ_INDEX_POSITIONS_ROWS) ? d.indices_shape : Dims().add(d.num_indices)));
  arguments[kSortedRows] = tensor(ADJ_I32, Dims().add(d.num_indices));
  arguments[kOrder] = tensor(ADJ_I32, Dims().add(d.num_indices));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_INDEX_PLAN;
  info.name = kName;
  info.family = "embedding";
  info.definition = kDefinition;
  info.conventions = embedding_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_PLAN_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_INDEX_PLAN_ARGS));
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

}  // namespace adj::index_plan_tables

// Written by tools/generate.py from include/adjoint/ops/embedding_bag.h. Do not edit.
#pragma once

#include <adjoint/ops/embedding_bag.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* embedding_bag_conventions = R"text(Reduction of bags of embedding rows and its gradients.

Bags. N indices in B bags. They are a matrix [B, N / B] whose rows are the bags, or have one dimension with has_offsets:
- Bag b is the positions [offsets[b], offsets[b + 1]). The last bag ends at N. With include_last_offset there are B + 1 offsets, and the last bag
  ends at offsets[B].
- offsets[0] must be 0, and offsets must ascend up to at most N. A bag whose own two bounds break this is empty, and is counted in error_flag by
  every operator.
- A position that descending offsets put into several bags belongs to each of them in the forward direction, and to the last of them in the
  gradients.

Entries. A position takes part unless its index is padding_idx or outside [0, num_embeddings). Negative indices do not wrap around. Every index of
a bag outside that range is counted in error_flag. Positions in no bag are not looked at.

Source: PyTorch's nn.functional.embedding_bag, which differs in three points: here max_positions holds positions in place of rows, a NaN is a maximum
wherever it stands, and bad offsets and indices are counted.)text";
}

namespace adj::embedding_bag_forward_tables {

using Descriptor = adj_embedding_bag_forward_descriptor;
using Args = adj_embedding_bag_forward_args;
inline constexpr const char* kName = "embedding_bag_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(EmbeddingBag forward, over the positions n of bag b that take part:
    sum    out[b, :] = sum of per_sample_weights[n] * weight[indices[n], :], with weights of 1 when they are absent
    mean   out[b, :] = sum of weight[indices[n], :] / number of such n
    max    out[b, c] = max of weight[indices[n], c];  max_positions[b, c] = the first n that has it

Types. 16-bit types accumulate in f32 and are rounded once. max is exact. The order of additions depends on the shape alone.

Edge cases:
- A bag without positions that take part gives zeros, and -1 in max_positions.
- Where there is a NaN, the first one is the maximum.

Its gradient: embedding_bag_backward(dout, indices, offsets, per_sample_weights, max_positions, scale_grad_by_freq).)text";
enum Argument : int { kWeight, kIndices, kOffsets, kPerSampleWeights, kOut, kMaxPositions, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_embeddings, embedding_dim] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index", ""},
    {"offsets", offsetof(Args, offsets), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_bags + include_last_offset] index; only if has_offsets", "has_offsets"},
    {"per_sample_weights", offsetof(Args, per_sample_weights), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element; only if has_per_sample_weights", "has_per_sample_weights"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[num_bags, embedding_dim] element", ""},
    {"max_positions", offsetof(Args, max_positions), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "[num_bags, embedding_dim] i32; only if mode == max", "mode == max"},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode), "mean unless stated"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "only with offsets"},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights), "only with sum"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 6, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, embedding_dim), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_embeddings), 0, 0},
    {TermOp::items, -1, 3, 2, 0},
    {TermOp::type, 7, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i32, 4, offsetof(Descriptor, has_offsets), 0, 0},
    {TermOp::i64, 2, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, num_bags), 0, 0},
    {TermOp::div, -1, 7, 9, 0},
    {TermOp::items, -1, 10, kNoTerm, 0},
    {TermOp::items, -1, 9, 11, 0},
    {TermOp::choose_shape, -1, 6, 8, 12},
    {TermOp::i32, -1, offsetof(Descriptor, include_last_offset), 0, 0},
    {TermOp::add, -1, 9, 14, 0},
    {TermOp::items, -1, 15, kNoTerm, 0},
    {TermOp::i32, 5, offsetof(Descriptor, has_per_sample_weights), 0, 0},
    {TermOp::items, -1, 9, 2, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mode), 0, 0},
    {TermOp::number, -1, ADJ_BAG_MAX, 0, 0},
    {TermOp::eq, -1, 19, 20, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 22, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_embeddings", kFieldI64, offsetof(Descriptor, num_embeddings), kNoTerm, false, 0},
    {"embedding_dim", kFieldI64, offsetof(Descriptor, embedding_dim), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"num_bags", kFieldI64, offsetof(Descriptor, num_bags), kNoTerm, false, 0},
    {"has_offsets", kFieldI32, offsetof(Descriptor, has_offsets), kNoTerm, false, 0},
    {"has_per_sample_weights", kFieldI32, offsetof(Descriptor, has_per_sample_weights), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {4, 0, kNoTerm, kNoTerm},
    {13, 5, kNoTerm, kNoTerm},
    {16, 5, 6, kNoTerm},
    {13, 0, 17, kNoTerm},
    {18, 0, kNoTerm, kNoTerm},
    {18, 23, 21, 22},
    {25, 24, kNoTerm, 22},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kWeight] = tensor(d.element, Dims().add(d.num_embeddings).add(d.embedding_dim));
  arguments[kIndices] = tensor(d.index, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags))));
  arguments[kOffsets] = (d.has_offsets != 0) ? tensor(d.index, Dims().add((d.num_bags + d.include_last_offset))) : ArgumentSpec::forbidden();
  arguments[kPerSampleWeights] = (d.has_per_sample_weights != 0) ? tensor(d.element, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags)))) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, Dims().add(d.num_bags).add(d.embedding_dim));
  arguments[kMaxPositions] = (d.mode == ADJ_BAG_MAX) ? tensor(ADJ_I32, Dims().add(d.num_bags).add(d.embedding_dim), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_FORWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.definition = kDefinition;
  info.conventions = embedding_bag_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS));
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

}  // namespace adj::embedding_bag_forward_tables

namespace adj::embedding_bag_backward_tables {

using Descriptor = adj_embedding_bag_backward_descriptor;
using Args = adj_embedding_bag_backward_args;
inline constexpr const char* kName = "embedding_bag_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being the bag of n:
    sum    dweight[r, :] (=|+=) s_r * sum of per_sample_weights[n] * dout[bag(n), :]
    mean   dweight[r, :] (=|+=) s_r * sum of dout[bag(n), :] / number of positions of bag(n) that take part
    max    dweight[r, c] (=|+=) sum of dout[bag(n), c] over those n that are max_positions[bag(n), c]
    s_r = 1, or 1 / (number of such n) with scale_grad_by_freq, which max does not have

Types. Accumulation and order are those of embedding_backward. max_positions are compared, never used as addresses.

In place. dweight must not overlap an input.

Edge cases:
- Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.

Workspace on a device: 4 N bytes with offsets, and B accumulators for the mean. Where embedding_backward sorts: what it takes, 4 N bytes more, and N
accumulators for the mean and with per_sample_weights.

Without determinism. Determinism none is as in embedding_backward. max adds once for every bag and column, so its kernel serves up to 65536 bags
with any number of indices.

Index plans. use_index_plan is as in embedding_backward. offsets, per_sample_weights and max_positions are given all the same, and error_flag counts
bad offsets alone. The plan knows no bags:
- s_r counts all positions of row r in the plan, also those in no bag.
- Where bad offsets let bags overlap, the mean counts a position for the last of them only.)text";
enum Argument : int { kDout, kIndices, kOffsets, kPerSampleWeights, kMaxPositions, kDweight, kErrorFlag, kSortedRows, kOrder };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_bags, embedding_dim] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index; only if !use_index_plan", "!use_index_plan"},
    {"offsets", offsetof(Args, offsets), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_bags + include_last_offset] index; only if has_offsets", "has_offsets"},
    {"per_sample_weights", offsetof(Args, per_sample_weights), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element; only if has_per_sample_weights", "has_per_sample_weights"},
    {"max_positions", offsetof(Args, max_positions), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_bags, embedding_dim] i32; only if mode == max: from the forward direction", "mode == max"},
    {"dweight", offsetof(Args, dweight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "[num_embeddings, embedding_dim] element; read if write_mode == accumulate", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it", ""},
    {"sorted_rows", offsetof(Args, sorted_rows), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
    {"order", offsetof(Args, order), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_indices] i32; only if use_index_plan", "use_index_plan"},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"mode", "default,sum,mean,max", kFieldI32, offsetof(Descriptor, mode), "mean unless stated"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "1: offsets has the end of the last bag too; only with offsets"},
    {"has_per_sample_weights", nullptr, kFieldI32, offsetof(Descriptor, has_per_sample_weights), "1: positions have weights; only with sum"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "overwrite unless stated"},
    {"scale_grad_by_freq", nullptr, kFieldI32, offsetof(Descriptor, scale_grad_by_freq), "not with max"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"use_index_plan", nullptr, kFieldI32, offsetof(Descriptor, use_index_plan), "1: sorted_rows and order instead of indices; V at most 2^31 - 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 7, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, embedding_dim), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, num_bags), 0, 0},
    {TermOp::items, -1, 3, 2, 0},
    {TermOp::i32, 6, offsetof(Descriptor, use_index_plan), 0, 0},
    {TermOp::negation, -1, 5, 0, 0},
    {TermOp::type, 8, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i32, 4, offsetof(Descriptor, has_offsets), 0, 0},
    {TermOp::i64, 2, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 9, kNoTerm, 0},
    {TermOp::div, -1, 9, 3, 0},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::items, -1, 3, 12, 0},
    {TermOp::choose_shape, -1, 8, 10, 13},
    {TermOp::i32, -1, offsetof(Descriptor, include_last_offset), 0, 0},
    {TermOp::add, -1, 3, 15, 0},
    {TermOp::items, -1, 16, kNoTerm, 0},
    {TermOp::i32, 5, offsetof(Descriptor, has_per_sample_weights), 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, mode), 0, 0},
    {TermOp::number, -1, ADJ_BAG_MAX, 0, 0},
    {TermOp::eq, -1, 19, 20, 0},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_embeddings), 0, 0},
    {TermOp::items, -1, 23, 2, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 25, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_embeddings", kFieldI64, offsetof(Descriptor, num_embeddings), kNoTerm, false, 0},
    {"embedding_dim", kFieldI64, offsetof(Descriptor, embedding_dim), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"num_bags", kFieldI64, offsetof(Descriptor, num_bags), kNoTerm, false, 0},
    {"has_offsets", kFieldI32, offsetof(Descriptor, has_offsets), kNoTerm, false, 0},
    {"has_per_sample_weights", kFieldI32, offsetof(Descriptor, has_per_sample_weights), kNoTerm, false, 0},
    {"use_index_plan", kFieldI32, offsetof(Descriptor, use_index_plan), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {4, 0, kNoTerm, kNoTerm},
    {14, 7, 6, kNoTerm},
    {17, 7, 8, kNoTerm},
    {14, 0, 18, kNoTerm},
    {4, 22, 21, kNoTerm},
    {24, 0, kNoTerm, kNoTerm},
    {27, 26, kNoTerm, 25},
    {10, 22, 5, kNoTerm},
    {10, 22, 5, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.num_bags).add(d.embedding_dim));
  arguments[kIndices] = !(d.use_index_plan != 0) ? tensor(d.index, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags)))) : ArgumentSpec::forbidden();
  arguments[kOffsets] = (d.has_offsets != 0) ? tensor(d.index, Dims().add((d.num_bags + d.include_last_offset))) : ArgumentSpec::forbidden();
  arguments[kPerSampleWeights] = (d.has_per_sample_weights != 0) ? tensor(d.element, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags)))) : ArgumentSpec::forbidden();
  arguments[kMaxPositions] = (d.mode == ADJ_BAG_MAX) ? tensor(ADJ_I32, Dims().add(d.num_bags).add(d.embedding_dim)) : ArgumentSpec::forbidden();
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
  info.id = ADJ_OP_EMBEDDING_BAG_BACKWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.definition = kDefinition;
  info.conventions = embedding_bag_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS));
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

}  // namespace adj::embedding_bag_backward_tables

namespace adj::embedding_bag_per_sample_weights_backward_tables {

using Descriptor = adj_embedding_bag_per_sample_weights_backward_descriptor;
using Args = adj_embedding_bag_per_sample_weights_backward_args;
inline constexpr const char* kName = "embedding_bag_per_sample_weights_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])

Types. 16-bit types accumulate in f32 and are rounded once. The order of additions depends on the shape alone.

Edge cases:
- A position that does not take part, or is in no bag, gets 0.)text";
enum Argument : int { kDout, kWeight, kIndices, kOffsets, kDperSampleWeights, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_bags, embedding_dim] element", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[num_embeddings, embedding_dim] element", ""},
    {"indices", offsetof(Args, indices), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], index", ""},
    {"offsets", offsetof(Args, offsets), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_bags + include_last_offset] index; only if has_offsets", "has_offsets"},
    {"dper_sample_weights", offsetof(Args, dper_sample_weights), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_offsets ? [num_indices] : [num_bags, num_indices / num_bags], element", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: bad offsets and indices are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"num_embeddings", nullptr, kFieldI64, offsetof(Descriptor, num_embeddings), "V >= 0; must be given"},
    {"embedding_dim", nullptr, kFieldI64, offsetof(Descriptor, embedding_dim), "D >= 0; must be given"},
    {"num_indices", nullptr, kFieldI64, offsetof(Descriptor, num_indices), "N >= 0, below 2^31; without offsets a multiple of B; must be given"},
    {"num_bags", nullptr, kFieldI64, offsetof(Descriptor, num_bags), "B >= 0, below 2^31; must be given"},
    {"padding_idx", nullptr, kFieldI64, offsetof(Descriptor, padding_idx), "in [-V, V); negative counts from the end"},
    {"has_offsets", nullptr, kFieldI32, offsetof(Descriptor, has_offsets), "1: bags of any length"},
    {"include_last_offset", nullptr, kFieldI32, offsetof(Descriptor, include_last_offset), "1: offsets has the end of the last bag too; only with offsets"},
    {"has_padding_idx", nullptr, kFieldI32, offsetof(Descriptor, has_padding_idx), "1: padding_idx holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"index", nullptr, kFieldDtype, offsetof(Descriptor, index), "i32, i64: of indices and offsets"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 5, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, embedding_dim), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, num_bags), 0, 0},
    {TermOp::items, -1, 3, 2, 0},
    {TermOp::i64, 0, offsetof(Descriptor, num_embeddings), 0, 0},
    {TermOp::items, -1, 5, 2, 0},
    {TermOp::type, 6, offsetof(Descriptor, index), kNoTerm, 0},
    {TermOp::i32, 4, offsetof(Descriptor, has_offsets), 0, 0},
    {TermOp::i64, 2, offsetof(Descriptor, num_indices), 0, 0},
    {TermOp::items, -1, 9, kNoTerm, 0},
    {TermOp::div, -1, 9, 3, 0},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::items, -1, 3, 12, 0},
    {TermOp::choose_shape, -1, 8, 10, 13},
    {TermOp::i32, -1, offsetof(Descriptor, include_last_offset), 0, 0},
    {TermOp::add, -1, 3, 15, 0},
    {TermOp::items, -1, 16, kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 18, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"num_embeddings", kFieldI64, offsetof(Descriptor, num_embeddings), kNoTerm, false, 0},
    {"embedding_dim", kFieldI64, offsetof(Descriptor, embedding_dim), kNoTerm, false, 0},
    {"num_indices", kFieldI64, offsetof(Descriptor, num_indices), kNoTerm, false, 0},
    {"num_bags", kFieldI64, offsetof(Descriptor, num_bags), kNoTerm, false, 0},
    {"has_offsets", kFieldI32, offsetof(Descriptor, has_offsets), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"index", kFieldDtype, offsetof(Descriptor, index), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {4, 0, kNoTerm, kNoTerm},
    {6, 0, kNoTerm, kNoTerm},
    {14, 7, kNoTerm, kNoTerm},
    {17, 7, 8, kNoTerm},
    {14, 0, kNoTerm, kNoTerm},
    {20, 19, kNoTerm, 18},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.num_bags).add(d.embedding_dim));
  arguments[kWeight] = tensor(d.element, Dims().add(d.num_embeddings).add(d.embedding_dim));
  arguments[kIndices] = tensor(d.index, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags))));
  arguments[kOffsets] = (d.has_offsets != 0) ? tensor(d.index, Dims().add((d.num_bags + d.include_last_offset))) : ArgumentSpec::forbidden();
  arguments[kDperSampleWeights] = tensor(d.element, ((d.has_offsets != 0) ? Dims().add(d.num_indices) : Dims().add(d.num_bags).add(quotient(d.num_indices, d.num_bags))));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD;
  info.name = kName;
  info.family = "embedding_bag";
  info.definition = kDefinition;
  info.conventions = embedding_bag_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS));
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

}  // namespace adj::embedding_bag_per_sample_weights_backward_tables

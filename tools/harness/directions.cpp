#include "harness/directions.hpp"

#include <adjoint/ops/all.gen.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace harness {

namespace {

const adj::Field* find_field(const adj::OpInfo& op, const char* name) {
  for (const adj::Field& field : op.fields)
    if (std::strcmp(field.name, name) == 0) return &field;
  return nullptr;
}

}  // namespace

const adj::Field& field_of(const adj::OpInfo& op, const char* name) {
  if (const adj::Field* field = find_field(op, name)) return *field;
  throw std::logic_error(fmt::format("harness: {} has no field called {}", op.name, name));
}
std::size_t place_of(const adj::OpInfo& op, const RowField& field) {
  const adj::Field& f = field_of(op, field.name);
  return f.offset + (f.kind == adj::kFieldShape ? offsetof(adj_shape, dims) + static_cast<std::size_t>(field.axis) * sizeof(std::int64_t) : 0);
}

namespace {

template <class Descriptor>
const Descriptor& as(const Problem& problem) {
  return *reinterpret_cast<const Descriptor*>(problem.descriptor());
}

Rows along(const Problem& problem, std::vector<RowField> fields) {
  std::int64_t count = 0;
  std::memcpy(&count, reinterpret_cast<const std::byte*>(problem.descriptor()) + place_of(problem.op(), fields.at(0)), sizeof count);
  return {fields[0].name, std::move(fields), {count}};
}
// Along the largest of the axes of `shape` whose bits are set.
std::vector<Rows> along_largest(const Problem& problem, const char* name, const adj_shape& shape, unsigned axes) {
  std::optional<int> largest;
  for (int i = 0; i < shape.rank; ++i)
    if (axes >> i & 1 && (!largest || shape.dims[i] > shape.dims[*largest])) largest = i;
  if (!largest) return {};
  return {along(problem, {{name, *largest}})};
}
// Sequences of one length, and heads that share no k and v.
template <class Descriptor>
std::vector<Rows> attention_rows(const Problem& problem) {
  const auto& d = as<Descriptor>(problem);
  if (d.has_lengths || d.q_strides.count > 0) return {};
  std::vector<Rows> rows{along(problem, {{"batch"}})};
  if (d.kv_heads == 0) rows.push_back(along(problem, {{"heads"}}));
  return rows;
}
template <class Descriptor>
std::vector<Rows> norm_rows(const Problem& problem) {
  const auto& d = as<Descriptor>(problem);
  const std::int64_t axis = d.axis < 0 ? d.axis + d.shape.rank : d.axis;
  return along_largest(problem, "shape", d.shape, (1u << axis) - 1);
}
// Sequences of packed tensors, and their tokens where positions are given.
template <class Descriptor>
std::vector<Rows> rope_rows(const Problem& problem, const adj_axes& out_strides) {
  const auto& d = as<Descriptor>(problem);
  if (d.strides.count || out_strides.count) return {};
  if (!d.position) return {along(problem, {{"batch"}})};
  return {along(problem, {{"batch"}}), along(problem, {{"tokens"}})};
}
// True when the offset of a row's numbers would pass 2^64, so that it is not that of a problem.
bool wraps(const Problem& problem) {
  for (const Problem::ArgumentContents& c : problem.contents()) {
    std::uint64_t offset = c.random.offset;
    if (c.present && c.data.size() == 1 && c.data[0].dtype == ADJ_U64) std::memcpy(&offset, c.data[0].bytes.data() + 8, sizeof offset);
    if (offset > ~std::uint64_t{0} / 2) return true;
  }
  return false;
}
// Rows of the columns that dropout takes; an element draws one number.
Rows dropout_rows(Rows rows, std::int64_t columns, adj_dropout_mask mask) {
  rows.draws = columns;
  const std::int64_t together = mask == ADJ_DROPOUT_MASK_BITS ? 32 : 4;  // elements that share a word of the mask, or a block of numbers
  rows.grain = together / std::gcd(std::max<std::int64_t>(columns, 1), together);
  return rows;
}
Rows elements_of_lists(const Problem& problem, std::int64_t grain = 1, bool positions = false) {
  for (const adj::ArgumentSpec& spec : problem.specs())
    if (!spec.numel.empty()) return {"each tensor", {}, {spec.numel.begin(), spec.numel.end()}, grain, 0, positions};
  return {"each tensor", {}, {}};
}

// Rows of a matrix of codes, which share their scales with no other rows but those of a block.
template <class Descriptor>
std::vector<Rows> rows_of_codes(const Problem& problem) {
  const auto& d = as<Descriptor>(problem);
  const bool blocks = d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  if (d.scale_layout == ADJ_SCALE_LAYOUT_GEMM && (blocks || d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128)) return {};  // has padding
  Rows rows = along(problem, {{"rows"}});
  if (blocks) rows.grain = 128;
  if constexpr (requires { d.scale_source; }) {
    if (d.granularity <= ADJ_SCALE_GRANULARITY_TENSOR && d.scale_source <= ADJ_SCALE_SOURCE_COMPUTED) return {};  // all rows make the scale
    if (d.has_transposed && d.granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128) return {};  // groups of 128 rows have a scale
    if (d.stochastic_rounding) {
      rows.grain = std::lcm(rows.grain, 8 / std::gcd(std::max<std::int64_t>(d.columns, 1), std::int64_t{8}));  // eight numbers are of a block
      rows.draw_rows = rows.grain;
      rows.draws = rows.grain * d.columns / 2;
    }
  }
  return {std::move(rows)};
}
std::vector<Rows> rows_of_product(const Problem& problem) {
  const auto& d = as<adj_scaled_matmul_descriptor>(problem);
  const bool blocks = d.granularity_a == ADJ_SCALE_GRANULARITY_BLOCK_128X128;
  if (d.scale_layout == ADJ_SCALE_LAYOUT_GEMM && (blocks || d.granularity_a == ADJ_SCALE_GRANULARITY_BLOCK_1X128)) return {};
  Rows rows = along(problem, {{"m"}});
  if (blocks) rows.grain = 128;
  return {std::move(rows)};
}

// Rows of a table that indices name. None where a row that is padding is counted from the first one.
template <class Descriptor>
std::vector<Rows> table_rows(const Problem& problem, const char* extent) {
  const auto& d = as<Descriptor>(problem);
  if constexpr (requires { d.has_padding_idx; })
    if (d.has_padding_idx && d.padding_idx >= 0) return {};
  Rows rows = along(problem, {{extent}});
  rows.named_by = "indices";
  rows.whole = true;
  return {std::move(rows)};
}
// The first axis of a shape, whose extents indices name.
Rows table_axis(const Problem& problem, const char* shape, std::int64_t every = 1) {
  Rows rows = along(problem, {{shape, 0}});
  rows.named_by = "indices";
  rows.every = every;
  rows.whole = true;
  return rows;
}
// Rows whose numbers are those of ONNX Runtime's threads, where the elements take more than a turn of its grid. A thread takes four numbers in each turn.
std::vector<Rows> dropout_turns(Rows rows, std::int64_t elements, std::int64_t columns, std::int64_t multiprocessors, std::int64_t threads) {
  const std::int64_t stretch = 1024 * multiprocessors * (threads / 256);
  if (stretch == 0 || elements < stretch) return {};
  rows.grain = std::lcm(stretch / std::gcd(columns, stretch), rows.grain);
  rows.draw_rows = stretch / std::gcd(columns, stretch);
  rows.draws = 4 * (columns / std::gcd(columns, stretch));
  return {std::move(rows)};
}
template <class Descriptor>
std::vector<Rows> dropout_turns(const Problem& problem, const char* rows, std::int64_t elements, std::int64_t columns) {
  const auto& d = as<Descriptor>(problem);
  if (d.mapping != ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || wraps(problem)) return {};
  return dropout_turns(dropout_rows(along(problem, {{rows}}), columns, d.mask), elements, columns, d.multiprocessors, d.threads_per_multiprocessor);
}

}  // namespace

std::vector<Rows> tables_of(const Problem& problem) {
  switch (problem.op().id) {
    case ADJ_OP_EMBEDDING_FORWARD: return table_rows<adj_embedding_forward_descriptor>(problem, "num_embeddings");
    case ADJ_OP_EMBEDDING_BACKWARD: return table_rows<adj_embedding_backward_descriptor>(problem, "num_embeddings");
    case ADJ_OP_EMBEDDING_BAG_FORWARD: return table_rows<adj_embedding_bag_forward_descriptor>(problem, "num_embeddings");
    case ADJ_OP_EMBEDDING_BAG_BACKWARD: return table_rows<adj_embedding_bag_backward_descriptor>(problem, "num_embeddings");
    case ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD:
      return table_rows<adj_embedding_bag_per_sample_weights_backward_descriptor>(problem, "num_embeddings");
    case ADJ_OP_GATHER_BACKWARD: return table_rows<adj_gather_backward_descriptor>(problem, "extent");
    case ADJ_OP_INDEX_ADD:
      if (as<adj_index_add_descriptor>(problem).axis != 0) return {};
      return {table_axis(problem, "shape")};
    case ADJ_OP_GATHER_ELEMENTS_BACKWARD:
      if (as<adj_gather_elements_backward_descriptor>(problem).axis != 0) return {};
      return {table_axis(problem, "input_shape")};
    case ADJ_OP_GATHER_ND_BACKWARD: {
      const auto& d = as<adj_gather_nd_backward_descriptor>(problem);
      const std::int64_t names = d.indices_shape.dims[d.indices_shape.rank - 1];
      if (d.batch_dims != 0 || names == 0) return {};
      return {table_axis(problem, "input_shape", names)};
    }
    case ADJ_OP_VIEW: {
      Rows rows = elements_of_lists(problem);
      rows.sum = "total";
      return {std::move(rows)};
    }
    case ADJ_OP_PAD_AND_UNFLATTEN: {
      Rows rows = along(problem, {{"batch"}});
      rows.named_by = "indices";
      rows.names = as<adj_pad_and_unflatten_descriptor>(problem).length;
      rows.whole = true;
      return {std::move(rows)};
    }
    case ADJ_OP_SLICE_BACKWARD: {
      const auto& d = as<adj_slice_backward_descriptor>(problem);
      for (std::int64_t i = 0; i < d.starts.count; ++i)
        if (d.axes.count == 0 || d.axes.at[i] == 0 || d.axes.at[i] == -d.input_shape.rank) return {};
      return {along(problem, {{"input_shape", 0}})};
    }
    case ADJ_OP_DIV_BACKWARD: {
      const auto& d = as<adj_div_backward_descriptor>(problem);
      const auto &a = d.a_shape, &b = d.b_shape;
      if (a.rank == 0 || b.rank == 0) return {};
      if (a.rank == b.rank && a.dims[0] == b.dims[0]) return {along(problem, {{"a_shape", 0}, {"b_shape", 0}})};
      if (a.rank > b.rank || (a.rank == b.rank && b.dims[0] == 1)) return {along(problem, {{"a_shape", 0}})};
      return {along(problem, {{"b_shape", 0}})};
    }
    case ADJ_OP_DROPOUT_FORWARD: return dropout_turns<adj_dropout_forward_descriptor>(problem, "numel", as<adj_dropout_forward_descriptor>(problem).numel, 1);
    case ADJ_OP_DROPOUT_BACKWARD:
      return dropout_turns<adj_dropout_backward_descriptor>(problem, "numel", as<adj_dropout_backward_descriptor>(problem).numel, 1);
    case ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD: {
      // Shorter rows are drawn by lanes, whose threads have a subsequence each.
      const auto& d = as<adj_bias_softmax_dropout_forward_descriptor>(problem);
      if (d.columns <= 2048 || d.bias_rows > 1) return {};
      return dropout_turns<adj_bias_softmax_dropout_forward_descriptor>(problem, "rows", d.rows * d.columns, d.columns);
    }
    case ADJ_OP_SOFTMAX_DROPOUT_BACKWARD: {
      const auto& d = as<adj_softmax_dropout_backward_descriptor>(problem);
      if (d.columns <= 2048) return {};
      return dropout_turns<adj_softmax_dropout_backward_descriptor>(problem, "rows", d.rows * d.columns, d.columns);
    }
    case ADJ_OP_BATCH_NORM_FORWARD:
      if (as<adj_batch_norm_forward_descriptor>(problem).outer != 1) return {};
      return {along(problem, {{"channels"}})};
    case ADJ_OP_BATCH_NORM_BACKWARD:
      if (as<adj_batch_norm_backward_descriptor>(problem).outer != 1) return {};
      return {along(problem, {{"channels"}})};
    case ADJ_OP_GROUP_NORM_FORWARD:
    case ADJ_OP_GROUP_NORM_BACKWARD: return {along(problem, {{"outer"}})};
    case ADJ_OP_ALL_FINITE:
    case ADJ_OP_AMAX: {
      Rows rows = elements_of_lists(problem);
      rows.whole = true;
      return {std::move(rows)};
    }
    default: return {};
  }
}

std::vector<Rows> rows_of(const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  const bool draws_by_position = find_field(op, "first_elements") != nullptr;
  switch (op.id) {
    case ADJ_OP_ACTIVATION_FORWARD:
    case ADJ_OP_ACTIVATION_BACKWARD:
    case ADJ_OP_SOFTMAX_FORWARD:
    case ADJ_OP_SOFTMAX_BACKWARD:
    case ADJ_OP_LOG_SOFTMAX_FORWARD:
    case ADJ_OP_LOG_SOFTMAX_BACKWARD: return {along(problem, {{"outer"}}), along(problem, {{"inner"}})};
    case ADJ_OP_GATED_ACTIVATION_FORWARD:
    case ADJ_OP_GATED_ACTIVATION_BACKWARD:
    case ADJ_OP_CONCAT:
    case ADJ_OP_SPLIT: return {along(problem, {{"outer"}})};
    case ADJ_OP_FAKE_QUANTIZE_FORWARD: return {along(problem, {{"outer"}}), along(problem, {{"channels"}}), along(problem, {{"inner"}})};
    case ADJ_OP_FAKE_QUANTIZE_BACKWARD: return {along(problem, {{"numel"}})};
    case ADJ_OP_GIST_ENCODE:
    case ADJ_OP_GIST_DECODE: {
      const auto& d = as<adj_gist_encode_descriptor>(problem);  // the decoder's begins with the same members
      Rows rows = along(problem, {{"outer"}});
      if (d.format == ADJ_GIST_FORMAT_PACK1) rows.grain = 8 / std::gcd(std::max<std::int64_t>(d.inner, 1), std::int64_t{8});
      return {std::move(rows)};
    }
    case ADJ_OP_DROPOUT_FORWARD: {
      const auto& d = as<adj_dropout_forward_descriptor>(problem);
      if (d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || wraps(problem)) return {};  // numbers depend on all elements
      return {dropout_rows(along(problem, {{"numel"}}), 1, d.mask)};
    }
    case ADJ_OP_DROPOUT_BACKWARD: {
      const auto& d = as<adj_dropout_backward_descriptor>(problem);
      if (d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || wraps(problem)) return {};
      return {dropout_rows(along(problem, {{"numel"}}), 1, d.mask)};
    }
    case ADJ_OP_BIAS_SOFTMAX_DROPOUT_FORWARD: {
      const auto& d = as<adj_bias_softmax_dropout_forward_descriptor>(problem);
      if (d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || wraps(problem)) return {};
      if (d.bias_rows <= 1 || d.rows == 0) return {dropout_rows(along(problem, {{"rows"}}), d.columns, d.mask)};
      // Rows that meet each row of the bias once, or all that meet one row of it.
      const std::int64_t times = d.rows / d.bias_rows;
      Rows rows = d.inner_broadcast ? along(problem, {{"bias_rows"}, {"rows"}}) : Rows{"rows", {{"rows"}}, {times}};
      return {dropout_rows(std::move(rows), d.columns * (d.inner_broadcast ? times : d.bias_rows), d.mask)};
    }
    case ADJ_OP_SOFTMAX_DROPOUT_BACKWARD: {
      const auto& d = as<adj_softmax_dropout_backward_descriptor>(problem);
      if (d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME || wraps(problem)) return {};
      return {dropout_rows(along(problem, {{"rows"}}), d.columns, d.mask)};
    }
    case ADJ_OP_ATTENTION_FORWARD: return attention_rows<adj_attention_forward_descriptor>(problem);
    case ADJ_OP_ATTENTION_BACKWARD: return attention_rows<adj_attention_backward_descriptor>(problem);
    case ADJ_OP_CONV_FORWARD:
    case ADJ_OP_CONV_BACKWARD:
    case ADJ_OP_CONV_TRANSPOSE_FORWARD:
    case ADJ_OP_CONV_TRANSPOSE_BACKWARD:
    case ADJ_OP_RESIZE_FORWARD:
    case ADJ_OP_RESIZE_BACKWARD: return {along(problem, {{"input"}, {"out"}})};
    case ADJ_OP_MATMUL: {
      const auto& d = as<adj_matmul_descriptor>(problem);
      if (d.lda || d.ldb || d.ldd || d.stride_a || d.stride_b || d.stride_d) return {};
      return {along(problem, {{d.batch == 1 ? "m" : "batch"}})};
    }
    case ADJ_OP_SCALED_MATMUL: return rows_of_product(problem);
    case ADJ_OP_QUANTIZE: return rows_of_codes<adj_quantize_descriptor>(problem);
    case ADJ_OP_DEQUANTIZE: return rows_of_codes<adj_dequantize_descriptor>(problem);
    case ADJ_OP_FP8_SCALE_UPDATE: return {along(problem, {{"tensors"}})};
    case ADJ_OP_EMBEDDING_FORWARD:
    case ADJ_OP_FLATTEN_AND_UNPAD: return {along(problem, {{"num_indices"}})};
    case ADJ_OP_EMBEDDING_BAG_FORWARD:
      if (as<adj_embedding_bag_forward_descriptor>(problem).has_offsets) return {};  // they would need other values
      return {along(problem, {{"num_bags"}, {"num_indices"}})};
    case ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD:
      if (as<adj_embedding_bag_per_sample_weights_backward_descriptor>(problem).has_offsets) return {};
      return {along(problem, {{"num_bags"}, {"num_indices"}})};
    case ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS: return {along(problem, {{"batch"}}), along(problem, {{"inner"}})};
    case ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD: {
      const adj_reduction reduction = as<adj_softmax_cross_entropy_loss_backward_descriptor>(problem).reduction;
      if (reduction != ADJ_REDUCTION_NONE && reduction != ADJ_REDUCTION_SUM) return {};  // a mean divides by what all rows weigh
      return {along(problem, {{"batch"}}), along(problem, {{"inner"}})};
    }
    case ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS: return {along(problem, {{"rows"}})};
    case ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD: {
      const adj_reduction reduction = as<adj_soft_label_cross_entropy_loss_backward_descriptor>(problem).reduction;
      if (reduction != ADJ_REDUCTION_NONE && reduction != ADJ_REDUCTION_SUM) return {};
      return {along(problem, {{"rows"}})};
    }
    case ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT: {
      const adj_reduction reduction = as<adj_cross_entropy_with_gradient_descriptor>(problem).reduction;
      if (reduction != ADJ_REDUCTION_NONE && reduction != ADJ_REDUCTION_SUM) return {};
      return {along(problem, {{"samples"}})};
    }
    case ADJ_OP_LINEAR_CROSS_ENTROPY: {
      const adj_reduction reduction = as<adj_linear_cross_entropy_descriptor>(problem).reduction;
      if (reduction != ADJ_REDUCTION_NONE && reduction != ADJ_REDUCTION_SUM) return {};
      return {along(problem, {{"samples"}})};
    }
    case ADJ_OP_LINEAR_CROSS_ENTROPY_BACKWARD: {
      const adj_reduction reduction = as<adj_linear_cross_entropy_backward_descriptor>(problem).reduction;
      if (reduction != ADJ_REDUCTION_NONE && reduction != ADJ_REDUCTION_SUM) return {};
      return {along(problem, {{"samples"}})};
    }
    case ADJ_OP_LINEAR_LOG_PROB:
    case ADJ_OP_LINEAR_LOG_PROB_BACKWARD:
    case ADJ_OP_LOG_PROB_ENTROPY:
    case ADJ_OP_LOG_PROB_ENTROPY_BACKWARD: return {along(problem, {{"samples"}})};
    case ADJ_OP_LAYER_NORM_FORWARD: return norm_rows<adj_layer_norm_forward_descriptor>(problem);
    case ADJ_OP_LAYER_NORM_BACKWARD: return norm_rows<adj_layer_norm_backward_descriptor>(problem);
    case ADJ_OP_RMS_NORM_FORWARD: return norm_rows<adj_rms_norm_forward_descriptor>(problem);
    case ADJ_OP_RMS_NORM_BACKWARD: return norm_rows<adj_rms_norm_backward_descriptor>(problem);
    case ADJ_OP_REDUCE: {
      const auto& d = as<adj_reduce_descriptor>(problem);
      unsigned reduced = d.axes.count == 0 && !d.noop_with_empty_axes ? ~0u : 0;
      for (std::int64_t i = 0; i < d.axes.count; ++i) reduced |= 1u << (d.axes.at[i] < 0 ? d.axes.at[i] + d.shape.rank : d.axes.at[i]);
      // Neighbouring columns share a tile, so the rows of segments are what lies before the axis.
      return along_largest(problem, "shape", d.shape, ~reduced & (d.segments >= 0 ? (reduced & -reduced) - 1 : ~0u));
    }
    case ADJ_OP_ROPE_FORWARD: return rope_rows<adj_rope_forward_descriptor>(problem, as<adj_rope_forward_descriptor>(problem).out_strides);
    case ADJ_OP_ROPE_BACKWARD: {
      const auto& d = as<adj_rope_backward_descriptor>(problem);
      return d.dout_strides.count ? std::vector<Rows>{} : rope_rows<adj_rope_backward_descriptor>(problem, d.dinput_strides);
    }
    case ADJ_OP_MOE_PERMUTE_BACKWARD:
    case ADJ_OP_MOE_UNPERMUTE:
    case ADJ_OP_MOE_UNPERMUTE_BACKWARD: return {along(problem, {{"tokens"}})};
    case ADJ_OP_TRANSPOSE: return {along(problem, {{"batch"}}), along(problem, {{"rows"}}), along(problem, {{"columns"}})};
    case ADJ_OP_FILL: return {along(problem, {{"numel"}})};
    case ADJ_OP_NORMAL: {
      if (wraps(problem)) return {};
      Rows rows = along(problem, {{"numel"}});
      rows.draws = 1;
      rows.grain = 4;
      return {std::move(rows)};
    }
    case ADJ_OP_SCALE:
      if (as<adj_scale_descriptor>(problem).fused) return {};  // one buffer has all tensors
      return {elements_of_lists(problem)};
    case ADJ_OP_LION:
      if (!as<adj_lion_descriptor>(problem).stochastic_rounding) return {elements_of_lists(problem)};
      if (!draws_by_position) return {};
      return {elements_of_lists(problem, 1, true)};
    case ADJ_OP_ADAMW_8BIT:
      if (!draws_by_position) return {};
      return {elements_of_lists(problem, 256, true)};
    case ADJ_OP_ADAM:
      if (!as<adj_adam_descriptor>(problem).stochastic_rounding) return {elements_of_lists(problem)};
      if (!draws_by_position) return {};
      return {elements_of_lists(problem, 1, true)};
    case ADJ_OP_SGD:
    case ADJ_OP_IS_FINITE:
    case ADJ_OP_ZERO:
    case ADJ_OP_ACCUMULATE:
    case ADJ_OP_SCALED_SUM:
    case ADJ_OP_COPY: return {elements_of_lists(problem)};
    default: return {};
  }
}

}  // namespace harness

#include "harness/rows.hpp"

#include <adjoint/ops/all.gen.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "harness/arguments.hpp"

namespace harness {

namespace {

using Counts = std::vector<std::int64_t>;

// Field of a descriptor whose value is a multiple of the number of rows; of a shape, one of its extents.
struct RowField {
  const char* name;
  int axis = 0;
};
// A direction in which a problem may be cut. Rows of lists are the elements of each tensor; others are counted by `fields`.
struct Rows {
  std::string name;
  std::vector<RowField> fields;  // none: the list `numel`
  Counts counts;                 // number of rows; of lists, of each tensor
  std::int64_t grain = 1;        // parts begin at multiples of so many rows
  std::int64_t draws = 0;        // random numbers of a row: by so many the offset of a part is larger
  bool positions = false;        // true: first_elements says where parts of tensors begin
};
struct Range {
  Counts begin, length;  // in rows, for each of Rows::counts
};

const adj::Field* find_field(const adj::OpInfo& op, const char* name) {
  for (const adj::Field& field : op.fields)
    if (std::strcmp(field.name, name) == 0) return &field;
  return nullptr;
}
const adj::Field& field_of(const adj::OpInfo& op, const char* name) {
  if (const adj::Field* field = find_field(op, name)) return *field;
  throw std::logic_error(fmt::format("harness: {} has no field called {}", op.name, name));
}
// Position of an extent in the descriptor, in bytes.
std::size_t place_of(const adj::OpInfo& op, const RowField& field) {
  const adj::Field& f = field_of(op, field.name);
  return f.offset + (f.kind == adj::kFieldShape ? offsetof(adj_shape, dims) + static_cast<std::size_t>(field.axis) * sizeof(std::int64_t) : 0);
}

// Descriptor with the given number of rows. Its lists live as long as this does.
class Cut {
 public:
  Cut(const Problem& problem, const Rows& rows, const Counts& counts, const Counts* begin) {
    const adj::OpInfo& op = problem.op();
    bytes_.resize((op.descriptor_size + 7) / 8);
    std::memcpy(bytes_.data(), problem.descriptor(), op.descriptor_size);
    for (const RowField& field : rows.fields) {
      std::int64_t& value = *reinterpret_cast<std::int64_t*>(reinterpret_cast<std::byte*>(bytes_.data()) + place_of(op, field));
      value = value / rows.counts[0] * counts[0];
    }
    if (rows.fields.empty()) set_list(field_of(op, "numel"), counts);
    if (begin && rows.positions) {
      // The tensors of the problem may be parts themselves.
      const std::size_t at = field_of(op, "first_elements").offset;
      const auto* bytes = reinterpret_cast<const std::byte*>(problem.descriptor());
      std::int64_t length = 0;
      const std::int64_t* own = nullptr;
      std::memcpy(&length, bytes + at - sizeof length, sizeof length);
      std::memcpy(&own, bytes + at, sizeof own);
      Counts first = *begin;
      for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) first[t] += own[t];
      set_list(field_of(op, "first_elements"), first);
    }
  }
  const adj_header& get() const { return *reinterpret_cast<const adj_header*>(bytes_.data()); }

 private:
  void set_list(const adj::Field& field, const Counts& list) {
    const Counts& kept = *lists_.emplace_back(std::make_unique<Counts>(list));
    const std::int64_t length = static_cast<std::int64_t>(kept.size()), *data = kept.data();
    auto* at = reinterpret_cast<std::byte*>(bytes_.data()) + field.offset;
    std::memcpy(at - sizeof length, &length, sizeof length);
    std::memcpy(at, &data, sizeof data);
  }
  std::vector<std::uint64_t> bytes_;
  std::vector<std::unique_ptr<Counts>> lists_;
};

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
  for (const Problem::SlotContents& c : problem.contents()) {
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
  for (const adj::SlotSpec& spec : problem.specs())
    if (!spec.numel.empty()) return {"each tensor", {}, {spec.numel.begin(), spec.numel.end()}, grain, 0, positions};
  return {"each tensor", {}, {}};
}

// Directions in which the rows of a problem are independent by the definition of its operator. Extents of 1 and 0 count.
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

using Slice = Part::Slice;
using Slices = std::vector<std::vector<Slice>>;  // of each slot, of each of its buffers

// Slices by comparison of the shapes of the whole, of the part, and of the rows before the part.
Slices slices_of(const adj::OpInfo& op, const std::vector<adj::SlotSpec>& whole, const std::vector<adj::SlotSpec>& part,
                 const std::vector<adj::SlotSpec>& before) {
  Slices slices(op.slots.size());
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const adj::SlotSpec &all = whole[i], &some = part[i];
    if (op.slots[i].kind == adj::SlotKind::list) {
      for (std::size_t k = 0; k < all.numel.size(); ++k) slices[i].push_back({1, all.numel[k], before[i].numel[k], some.numel[k], 1});
    } else if (op.slots[i].kind == adj::SlotKind::tensor) {
      Slice slice;
      slice.whole = slice.part = static_cast<std::int64_t>(all.bytes / std::max(adj::size_of(all.dtype), 1u));
      for (int axis = 0; axis < all.rank; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (all.shape[a] == some.shape[a]) continue;
        slice.whole = all.shape[a];
        slice.part = some.shape[a];
        slice.begin = before[i].shape[a];
        slice.outer = slice.stride = 1;
        for (std::size_t b = 0; b < static_cast<std::size_t>(all.rank); ++b) (b < a ? slice.outer : slice.stride) *= b == a ? 1 : all.shape[b];
      }
      slices[i].push_back(slice);
    }
  }
  return slices;
}

Data cut(const Data& data, const Slice& slice) {
  if (!slice.is_cut()) return data;
  Data result;
  result.dtype = data.dtype;
  const std::size_t size = adj::size_of(data.dtype) * static_cast<std::size_t>(slice.stride);
  const std::size_t length = static_cast<std::size_t>(slice.part) * size;
  result.bytes.resize(static_cast<std::size_t>(slice.outer) * length);
  if (length == 0) return result;
  for (std::int64_t o = 0; o < slice.outer; ++o)
    std::memcpy(result.bytes.data() + static_cast<std::size_t>(o) * length,
                data.bytes.data() + static_cast<std::size_t>(o * slice.whole + slice.begin) * size, length);
  return result;
}

void advance(Problem::SlotContents& contents, std::uint64_t words) {
  contents.random.offset += words;
  if (contents.data.empty()) return;
  std::uint64_t state[2];
  std::memcpy(state, contents.data[0].bytes.data(), sizeof state);
  state[1] += words;
  std::memcpy(contents.data[0].bytes.data(), state, sizeof state);
}

Part take(const Problem& problem, const Rows& rows, const Range& range, const std::string& name) {
  const adj::OpInfo& op = problem.op();
  const Cut cut_descriptor(problem, rows, range.length, &range.begin);
  Part result{name, Problem(cut_descriptor.get()), Slices(op.slots.size())};
  std::vector<adj::SlotSpec> before(op.slots.size());
  const Cut rows_before(problem, rows, range.begin, nullptr);
  op.shapes(&rows_before.get(), before);
  const Slices slices = slices_of(op, problem.specs(), result.problem.specs(), before);
  const bool first = std::all_of(range.begin.begin(), range.begin.end(), [](std::int64_t begin) { return begin == 0; });
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const Problem::SlotContents& from = problem.contents()[i];
    Problem::SlotContents& to = result.problem.contents()[i];
    to = from;
    if (op.slots[i].kind == adj::SlotKind::random) advance(to, static_cast<std::uint64_t>(range.begin[0] * rows.draws));
    for (std::size_t k = 0; k < slices[i].size() && k < from.data.size(); ++k) to.data[k] = cut(from.data[k], slices[i][k]);
    // Positions of samples are counted from the first row.
    if (std::strcmp(op.slots[i].name, "max_positions") == 0 && !first) continue;
    const bool has_rows = op.slots[i].kind == adj::SlotKind::list || std::any_of(slices[i].begin(), slices[i].end(), [](const Slice& s) { return s.is_cut(); });
    if (has_rows && !from.data.empty()) result.rows[i] = slices[i];
  }
  return result;
}

}  // namespace

std::vector<Part> parts_of(const Problem& problem) {
  std::vector<Part> result;
  for (const Rows& rows : rows_of(problem)) {
    Range first, second, one;
    bool first_differs = false, one_differs = false;
    for (std::int64_t count : rows.counts) {
      const std::int64_t grains = count / rows.grain, middle = (grains + 1) / 2 * rows.grain, at = grains * 2 / 3 * rows.grain;
      const std::int64_t half = std::min(middle, count), begin = at < count ? at : 0;
      first.begin.push_back(0);
      first.length.push_back(half);
      second.begin.push_back(half);
      second.length.push_back(count - half);
      one.begin.push_back(begin);
      one.length.push_back(std::min(rows.grain, count - begin));
      first_differs |= half < count && half > 0;
      one_differs |= one.length.back() < count && one.length.back() != half;
    }
    const bool lists = rows.fields.empty();
    auto name = [&](const char* which) { return fmt::format("{} {}", which, lists ? "of each tensor" : "of the rows along " + rows.name); };
    if (first_differs) {
      result.push_back(take(problem, rows, first, name("the first half")));
      result.push_back(take(problem, rows, second, name("the second half")));
    }
    if (one_differs) result.push_back(take(problem, rows, one, fmt::format("row {} alone", one.begin[0]) + name("")));
  }
  return result;
}

std::optional<Enlarged> enlarged(const Problem& problem, std::int64_t elements) {
  const adj::OpInfo& op = problem.op();
  for (const Rows& rows : rows_of(problem)) {
    // Of a list, the longest tensor.
    const auto longest = std::max_element(rows.counts.begin(), rows.counts.end());
    if (longest == rows.counts.end() || *longest == 0) continue;
    std::int64_t most = 0;
    for (const Problem::SlotContents& c : problem.contents())
      for (const Data& d : c.data) most = std::max(most, d.numel());
    const std::int64_t of_row = most / *longest;
    if (of_row == 0) continue;
    // A number of rows that grids of any usual size divide, so that the last block has the last row.
    const std::int64_t unit = std::int64_t{3465} << (of_row < 64 ? 20 : 10), count = (elements / of_row + unit) / unit * unit;
    const auto at = static_cast<std::size_t>(longest - rows.counts.begin());
    Counts counts = rows.counts, begin(rows.counts.size());
    counts[at] = count;
    begin[at] = count - *longest;
    if (begin[at] % rows.grain != 0) continue;
    const Cut whole(problem, rows, counts, nullptr), before(problem, rows, begin, nullptr);
    if (!op.validate(&whole.get())) continue;
    auto copy = adj::DescriptorCopy::make(&whole.get());
    if (!copy) continue;
    Enlarged result{std::move(*copy), std::vector<adj::SlotSpec>(op.slots.size()), problem, {}};
    result.count = count;
    op.shapes(result.descriptor.get(), result.specs);
    std::vector<adj::SlotSpec> specs_before(op.slots.size());
    op.shapes(&before.get(), specs_before);
    result.rows = slices_of(op, result.specs, problem.specs(), specs_before);
    bool contiguous = true;
    for (std::size_t i = 0; i < op.slots.size(); ++i) {
      for (const Part::Slice& slice : result.rows[i]) contiguous &= slice.outer == 1;
      if (op.slots[i].kind == adj::SlotKind::random) {
        result.random_offset_back = static_cast<std::uint64_t>(begin[0] * rows.draws);
        advance(result.last.contents()[i], result.random_offset_back);
      }
    }
    if (contiguous && !rows.positions) return result;
  }
  return std::nullopt;
}

bool is_batch_invariant(const adj::Sku& sku, const Problem& problem, std::size_t slot) {
  return adj::guarantee_of(sku, problem.descriptor(), static_cast<int>(slot)).determinism >= ADJ_BATCH_INVARIANT;
}

bool promises_rows(const adj::Sku& sku, const Problem& problem) {
  for (std::size_t i = 0; i < problem.op().slots.size(); ++i)
    if (is_output(problem, i) && is_batch_invariant(sku, problem, i)) return true;
  return false;
}

std::string difference(const Problem& problem, const Outputs& outputs, const Part& part, const Outputs& alone, const adj::Sku& sku) {
  const adj::OpInfo& op = problem.op();
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (outputs.slots[i].empty() || part.rows[i].empty() || !is_batch_invariant(sku, problem, i)) continue;
    for (std::size_t k = 0; k < outputs.slots[i].size(); ++k) {
      const Data rows = cut(outputs.slots[i][k], part.rows[i][k]);
      const Data& own = alone.slots[i][k];
      const std::size_t size = adj::size_of(own.dtype);
      for (std::size_t e = 0; e < own.bytes.size(); e += size)
        if (std::memcmp(&rows.bytes[e], &own.bytes[e], size) != 0)
          return fmt::format("{}: {}[{}]{} is {:.17g}, with all rows {:.17g}", part.name, op.slots[i].name, e / size,
                             outputs.slots[i].size() > 1 ? fmt::format(" of tensor {}", k) : "", own.get(static_cast<std::int64_t>(e / size)),
                             rows.get(static_cast<std::int64_t>(e / size)));
    }
  }
  return {};
}

}  // namespace harness

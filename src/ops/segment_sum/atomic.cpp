// Gradients of lookups by floating-point additions in memory, for callers that require no determinism.
#include <bit>

#include "kernels/segment_sum/params.h"
#include "kernels/segment_sum/atomic.h"
#include "ops/common/thresholds.hpp"
#include "ops/segment_sum/segment_sum.hpp"

namespace adj {

namespace {

// Roundings of one element: n additions in any order err by up to n roundings of the sum of magnitudes. Two more are the product with a
// weight and the share of a bag.
constexpr double kAtomicRoundings = kMostAdditions + 2;

}  // namespace

bool adds_in_accumulator(const Signature& s) { return s[0] == accumulator_of(s[0]); }

adj_guarantee atomic_guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_NONDETERMINISTIC, ADJ_MATH_IEEE, ADJ_F64, 0, kAtomicRoundings * 0x1p-53);
  return make_guarantee(ADJ_NONDETERMINISTIC, ADJ_MATH_FAST, ADJ_F32, 0, kAtomicRoundings * 0x1p-24);
}

bool sorts_faster(const RowSums& d, bool max) {
  if (d.indices == 0) return false;
  // Additions to the same row wait for each other: with more than 16 bags a row, sorting is faster.
  if (max) return d.dout_rows / 16 > d.rows;
  // Additions in memory win while dout is so small that the sort would take most of the time.
  return d.indices > d.rows || d.indices * size_of(d.element) > thresholds::kAtomicBytes / std::max<std::int64_t>(1, d.outer * d.columns);
}

Result<void> finish_atomic(const RowSums& d, const Device& device, PlanBuilder& builder) {
  const bool max = d.bags && d.bags->max_positions >= 0;
  const std::int64_t additions = max ? d.dout_rows : d.indices;
  if (d.scale_by_count) return fail(ADJ_ERROR_UNSUPPORTED, "does not count occurrences, scale_grad_by_freq = 1 needs their number");
  if (additions > kMostAdditions)
    return fail(ADJ_ERROR_UNSUPPORTED, "states its error for up to {} additions to one element, num_{} = {}", kMostAdditions, max ? "bags" : "indices",
                additions);
  if (!d.accumulate) builder.clear_output(d.arguments.gradient);

  // Maxima use no vectors: their neighbouring columns go to different rows.
  const bool vectors = !max && d.columns * size_of(d.element) % 16 == 0;
  EmbeddingAtomicParams p{};
  p.lookup.num_embeddings = d.rows;
  p.lookup.embedding_dim = d.columns;
  p.lookup.num_indices = d.indices;
  p.lookup.padding_row = d.padding_row;
  p.lookup.dout_rows = d.dout_rows;
  p.lookup.bag_length = d.bag_length;
  p.outer = d.outer;
  const std::int64_t piece = vectors ? 16 / size_of(d.element) : 1, lanes = power_of_two(ceil_div(d.columns, piece), 32);
  const std::int64_t stretches = std::max<std::int64_t>(1, ceil_div(d.columns, lanes * piece));
  p.columns_log2 = std::countr_zero(static_cast<std::uint64_t>(lanes * piece));
  const std::int64_t resident = std::int64_t{device.multiprocessors} * (max ? kAtomicMaxBlocks : kAtomicBlocks);
  const std::int64_t blocks = std::clamp<std::int64_t>(ceil_div(additions * lanes, kAtomicBlock), 1, resident);
  const std::int64_t sets = ceil_div(resident, blocks);
  p.stretch_blocks = static_cast<unsigned>(std::min(stretches, sets));
  const std::int64_t matrices = std::clamp<std::int64_t>(sets / p.stretch_blocks, 1, std::max<std::int64_t>(1, d.outer));
  auto kernel = builder.kernel({kMain, vectors ? kWholeRows : kAnyRows}, blocks, kAtomicBlock, p.stretch_blocks * matrices).params(p);
  if (vectors) kernel.when_unaligned({kMain, kAnyRows}, {d.arguments.dout, d.arguments.gradient});
  static_assert(offsetof(EmbeddingAtomicParams, lookup) == 0);
  d.bind(kernel);
  return {};
}

}  // namespace adj

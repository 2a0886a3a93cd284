// Lookups of rows.
#include "kernels/segment_sum/params.h"
#include "ops/segment_sum/segment_sum.hpp"

namespace adj {

namespace {

// Division by multiplication. `x * inverse >> bits` equals `x / period` while `x * e < 2^bits`, where `e = inverse * period - 2^bits` is the
// rounding error of the inverse. The assertion checks the largest `x` and the largest `e`.
constexpr std::int64_t kLongestStretch = std::int64_t{kForwardBlock} * kForwardVectors;
static_assert((2 * kLongestStretch - 1) * (kLongestStretch - 1) < 1 << kForwardInverseBits);

}  // namespace

void plan_row_lookup(const RowLookup& d, const Device& device, PlanBuilder& builder) {
  EmbeddingForwardParams p{};
  p.num_embeddings = d.rows;
  p.row_bytes = d.row_bytes;
  p.num_indices = d.count;
  p.zero_row = d.zero_row;
  const bool vectors = p.row_bytes > 0 && p.row_bytes % 16 == 0;
  unsigned block = kForwardBlock;
  std::int64_t blocks;
  if (vectors) {
    // A small output gets smaller blocks, for more multiprocessors.
    constexpr unsigned kSmallestBlock = 64;
    p.vectors = d.count * (p.row_bytes / 16);
    const auto stretch = [&] { return std::int64_t{block} * kForwardVectors; };
    while (block > kSmallestBlock && ceil_div(p.vectors, stretch()) < device.multiprocessors) block /= 2;
    blocks = ceil_div(p.vectors, stretch());
    p.period = static_cast<unsigned>(std::min<std::int64_t>(p.row_bytes / 16, stretch()));
    p.inverse_period = static_cast<unsigned>(ceil_div(1 << kForwardInverseBits, p.period));
  } else {
    constexpr int kBlocksPerMultiprocessor = 8;
    const std::int64_t work = std::max<std::int64_t>(d.count, ceil_div(d.count * p.row_bytes, kForwardBlock * 16));
    blocks = grid_for(device, work, kBlocksPerMultiprocessor, 4);
  }
  auto kernel = builder.kernel({kLookup, vectors ? kWholeRows : kAnyRows}, blocks, block);
  if (vectors) kernel.when_unaligned({kLookup, kAnyRows}, {d.weight, d.out});
  kernel.params(p).tensor(offsetof(EmbeddingForwardParams, weight), d.weight).tensor(offsetof(EmbeddingForwardParams, out), d.out);
  if (d.indices >= 0) kernel.tensor(offsetof(EmbeddingForwardParams, indices), d.indices);
  else kernel.workspace(offsetof(EmbeddingForwardParams, indices), d.map);
  if (d.error_flag >= 0) kernel.tensor(offsetof(EmbeddingForwardParams, error_flag), d.error_flag);
}

}  // namespace adj

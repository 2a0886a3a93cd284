// The bags of positions and the bag shares, which gradients of embedding bags need first. ../segment_sum/README.md defines the words.
//
// Computes: bag_of[n] = bag + 1 of the last bag that has position n; shares[b] = 1 / number of positions of bag b that take part, 0 for none.
// Work split: p.lanes threads take a bag.
// Memory: offsets are read once; for a mean the indices are, too. 4 bytes are written for each position.
// Order of additions: none; a maximum of integers and their sums do not depend on the order.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_I index type.
#include "embedding_bag/params.h"
#include "embedding_bag/bags.cuh"
#include "prelude/thread.cuh"

typedef Acc<ADJ_T> A;

// Where bags overlap, the maximum gives a position to the last bag, whatever the order of execution.
extern "C" __global__ void __launch_bounds__(kBagBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingBagMapParams p) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.bags.indices);
  const int lane = lane_index() & (p.lanes - 1);
  const i64 bags_per_warp = kWarp >> lowest_bit(p.lanes);
  i64 bad = 0;
  for (i64 first = global_thread() / kWarp * bags_per_warp; first < p.bags.num_bags; first += global_threads() / kWarp * bags_per_warp) {
    const i64 bag = first + (lane_index() >> lowest_bit(p.lanes));
    const bool active = bag < p.bags.num_bags;
    BagRange range{0, 0, false};
    if (active) range = bag_range<ADJ_I>(p.bags, bag);
    bad += range.bad && lane == 0;
    u32 entries = 0;
#pragma unroll 2
    for (i64 n = range.begin + lane; n < range.end; n += p.lanes) {
      if (p.bag_of) atomic_max(p.bag_of + n, static_cast<u32>(bag + 1));
      if (!p.shares) continue;
      u32 ignored = 0;
      entries += row_of_index(p.bags, static_cast<i64>(indices[n]), ignored) != kNoRow;
    }
    if (!p.shares) continue;
    for (int mask = p.lanes / 2; mask > 0; mask /= 2) entries += shuffle_xor(entries, mask);
    if (active && lane == 0) static_cast<A*>(p.shares)[bag] = entries ? A{1} / static_cast<A>(entries) : A{0};
  }
  if (bad && p.error_flag) atomic_add(p.error_flag, bad);
}

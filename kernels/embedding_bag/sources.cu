// What sorted occurrences in bags add.
//
// ADJ_STAGE picks the program:
//   0  entries  how many of them each bag has, for the mean from an index plan
//   1  sources  the bag of each, whose row of dout it adds, and its weight, in the order in which they are summed
//
// Macros: for stage 1 ADJ_T, the element type.
#include "index/sum.h"
#include "embedding_bag/bags.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(kRowSumBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingBagSourcesParams p) {
  static_assert(kNoBag == kNoSource);
  let_next_grid_begin();
  wait_for_earlier_grids();
#pragma unroll 1
  for (i64 i = global_thread(); i < p.num_indices; i += global_threads()) {
    const u32 n = min_of(p.order[i], p.num_indices - 1);  // the sorted occurrences may be the caller's
    const u32 bag = p.rows[i] < p.num_embeddings ? bag_of_position(p.bag_of, p.bag_length, n) : kNoSource;
#if ADJ_STAGE == 0
    if (bag != kNoSource) atomic_add(p.entries + bag, 1u);
#else
    typedef Acc<ADJ_T> A;
    p.sources[i] = bag;
    if (!p.weights) continue;
    A weight;
    if (bag == kNoSource) weight = 0;
    else if (p.shares) weight = static_cast<const A*>(p.shares)[bag];
    else if (p.entries) weight = A{1} / static_cast<A>(p.entries[bag]);
    else weight = to_acc(static_cast<const ADJ_T*>(p.sample_weights)[n]);
    static_cast<A*>(p.weights)[i] = weight;
#endif
  }
}

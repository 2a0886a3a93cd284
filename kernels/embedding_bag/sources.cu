// The bags and weights of sorted occurrences, for the sums of ../segment_sum/. Its README.md defines the words.
//
// Computes: by ADJ_STAGE
//   0  entries  the number of occurrences of each bag, for a mean with an index plan
//   1  sources  the bag of each sorted occurrence, whose row of dout it adds, and its weight
// Work split: a thread takes an occurrence, a grid apart.
// Memory: for each occurrence its row, its position and its bag are read; 4 bytes and a weight are written.
// Order of additions: none in floating point.
// Limits: none. A caller's order of occurrences may hold anything: positions are clamped.
//
// Macros: for stage 1 ADJ_T, the element type.
#include "segment_sum/sum.h"
#include "embedding_bag/bags.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(kRowSumBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingBagSourcesParams p) {
  static_assert(kNoBag == kNoSource);
  let_next_grid_begin();
  wait_for_earlier_grids();
#pragma unroll 1
  for (i64 i = global_thread(); i < p.num_indices; i += global_threads()) {
    const u32 n = min_of(p.order[i], p.num_indices - 1);  // a caller's order may hold anything
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

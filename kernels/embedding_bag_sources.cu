// What sorted occurrences in bags add: the bag, whose row of dout it is, and its weight, in the order in which they are summed.
// Macros: ADJ_T element type.
#include "params/embedding_sum.h"
#include "prelude/bags.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(kRowSumBlock) ADJ_ENTRY(const __grid_constant__ EmbeddingBagSourcesParams p) {
  typedef Acc<ADJ_T> A;
#pragma unroll 1
  for (i64 i = global_thread(); i < p.num_indices; i += global_threads()) {
    if (p.rows[i] >= p.num_embeddings) continue;  // perhaps in no bag
    const u32 n = p.order[i], bag = bag_of_position(p.bag_of, p.bag_length, n);
    p.sources[i] = bag;
    if (p.weights)
      static_cast<A*>(p.weights)[i] = p.shares ? static_cast<const A*>(p.shares)[bag] : to_acc(static_cast<const ADJ_T*>(p.sample_weights)[n]);
  }
}

// Embedding lookup: out[n, :] = weight[indices[n], :].
//
// Macros: ADJ_T element type, ADJ_I index type.
#include "params/embedding.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// One group of threads copies one row; lanes beyond the row's vectors idle. Rows need not be aligned: when the row
// pitch or a base is not a multiple of 16 bytes the copy goes element by element.
extern "C" __global__ void __launch_bounds__(256) ADJ_ENTRY(const __grid_constant__ EmbeddingForwardParams p) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const bool vectors = aligned16(p.weight) && aligned16(p.out) && p.row_bytes % 16 == 0;
  const i64 units = vectors ? p.row_bytes / 16 : p.row_bytes / static_cast<i64>(sizeof(ADJ_T));
  // Threads per row: the power of two that covers the row, between a warp and the block.
  int group = kWarp;
  while (group < block_threads() && group < units) group *= 2;
  const int lane = thread_index() & (group - 1);
  const i64 rows_per_block = block_threads() / group;
  const i64 stride = grid_blocks() * rows_per_block;
  for (i64 n = block_index() * rows_per_block + thread_index() / group; n < p.num_indices; n += stride) {
    const i64 row = static_cast<i64>(indices[n]);
    const bool valid = row >= 0 && row < p.num_embeddings;
    if (!valid && p.error_flag && lane == 0) atomic_add(p.error_flag, i64{1});
    const bool zero = !valid || row == p.zero_row;
    if (vectors) {
      const Words4* from = static_cast<const Words4*>(p.weight) + (zero ? 0 : row) * units;
      Words4* to = static_cast<Words4*>(p.out) + n * units;
      for (i64 i = lane; i < units; i += group) store_streaming(to + i, zero ? Words4{0, 0, 0, 0} : load_words(from + i));
    } else {
      const ADJ_T* from = static_cast<const ADJ_T*>(p.weight) + (zero ? 0 : row) * units;
      ADJ_T* to = static_cast<ADJ_T*>(p.out) + n * units;
      for (i64 i = lane; i < units; i += group) to[i] = zero ? ADJ_T{} : from[i];
    }
  }
}

// Embedding lookup.
//
// Computes: out[n, :] = weight[indices[n], :]; zeros where the index is p.zero_row or outside the rows. The latter are counted.
// Work split: with ADJ_ALIGNED=1 a block takes stretches of the output, a grid apart; else a group of 32 threads or more takes a row.
// Memory: every row is read once for each index that names it, the output is written once; vectors of 16 bytes with ADJ_ALIGNED=1, else elements.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_I index type; ADJ_ALIGNED 1 for aligned rows, 0 for any, and then ADJ_T element type.
#include "segment_sum/params.h"
#include "segment_sum/lookup.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// Returns the row of weight that an index names, -1 for a row of zeros.
__device__ __forceinline__ i64 row_of(const EmbeddingForwardParams& p, ADJ_I index, u32& errors) {
  return row_of_index<false>(static_cast<i64>(index), p.num_embeddings, p.zero_row, errors);
}

#if ADJ_ALIGNED

// A block copies a stretch of the output at a time, wherever rows begin in it: no thread idles, and neighbouring threads store
// neighbouring vectors. A thread loads all of its vectors before it stores the first.
__device__ __forceinline__ u32 copy(const EmbeddingForwardParams& p) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const u32 threads = static_cast<u32>(block_threads()), own = static_cast<u32>(thread_index()), size = kForwardVectors * threads;
  const i64 row_vectors = p.row_bytes / 16;
  u32 errors = 0;
#pragma unroll 1
  for (i64 first = block_index() * size; first < p.vectors; first += grid_blocks() * size) {
    const u32 left = static_cast<u32>(min_of<i64>(p.vectors - first, size));
    // `place` counts vectors from the begin of the row in which the stretch begins, `step` the rows from there. At most one row longer than a
    // stretch ends in a stretch; of such a row the last p.period vectors alone are counted, so that 32 bits suffice.
    const i64 row = static_cast<i64>(static_cast<u64>(first) / static_cast<u64>(row_vectors)), skipped = first - row * row_vectors;
    const u32 place = own + p.period - static_cast<u32>(min_of<i64>(row_vectors - skipped, p.period));
    const auto step = [&](u32 k) { return (place + k * threads) * p.inverse_period >> kForwardInverseBits; };
    ADJ_I index[kForwardVectors];
#pragma unroll
    for (u32 k = 0; k < kForwardVectors; ++k) index[k] = own + k * threads < left ? indices[row + step(k)] : ADJ_I{0};
    Words4 words[kForwardVectors];
    u32 outside = 0;  // bit k: the index of vector k is outside the rows
    const u64 from = reinterpret_cast<u64>(p.weight) + (skipped + own) * 16;
#pragma unroll
    for (u32 k = 0; k < kForwardVectors; ++k) {
      words[k] = {0, 0, 0, 0};
      if (own + k * threads >= left) break;
      u32 error = 0;
      const i64 source = row_of(p, index[k], error);
      outside |= error << k;
      if (source >= 0) words[k] = load_words(reinterpret_cast<const Words4*>(from + k * threads * 16 + (source - step(k)) * p.row_bytes));
    }
    Words4* const to = static_cast<Words4*>(p.out) + first + own;
#pragma unroll
    for (u32 k = 0; k < kForwardVectors; ++k)
      if (own + k * threads < left) store_streaming(to + k * threads, words[k]);
    // The thread with the first vector of a row counts its error.
#pragma unroll 1
    for (; outside; outside &= outside - 1) {
      const u32 k = static_cast<u32>(lowest_bit(outside));
      errors += skipped + own + k * threads == step(k) * row_vectors;
    }
  }
  return errors;
}

#else

// A group of threads copies a row element by element. The group has a thread for every element, but at least a warp and at most the block.
__device__ __forceinline__ u32 copy(const EmbeddingForwardParams& p) {
  const ADJ_I* indices = static_cast<const ADJ_I*>(p.indices);
  const i64 columns = p.row_bytes / static_cast<i64>(sizeof(ADJ_T));
  int group = kWarp;
  while (group < block_threads() && group < columns) group *= 2;
  const int lane = thread_index() & (group - 1);
  const i64 rows_per_block = block_threads() / group;
  u32 errors = 0;
#pragma unroll 1
  for (i64 n = block_index() * rows_per_block + thread_index() / group; n < p.num_indices; n += grid_blocks() * rows_per_block) {
    u32 outside = 0;
    const i64 source = row_of(p, indices[n], outside);
    if (lane == 0) errors += outside;
    const ADJ_T* from = static_cast<const ADJ_T*>(p.weight) + (source < 0 ? 0 : source) * columns;
    ADJ_T* to = static_cast<ADJ_T*>(p.out) + n * columns;
    for (i64 i = lane; i < columns; i += group) to[i] = source < 0 ? ADJ_T{} : from[i];
  }
  return errors;
}

#endif

constexpr int kResident = 5;  // blocks of a multiprocessor: with more, registers would not hold the vectors in flight

extern "C" __global__ void __launch_bounds__(kForwardBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingForwardParams p) {
  const u32 errors = copy(p);
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}

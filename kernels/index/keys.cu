// Computes: one key for each position of an index tensor, the number of the row of the gradient that it names; positions with an index
// outside its axis get the key `none` and are counted.
// Work split: a thread a position, grid stride.
// Memory: depth indices read and 8 bytes written a position.
// Limits: rank and depth up to 8; keys below 2^63 (the descriptor's check).
//
// Macro: ADJ_I index type.
#include "index/params.h"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ IndexKeysParams p) {
  i64 errors = 0;
#pragma unroll 1
  for (i64 n = global_thread(); n < p.count; n += global_threads()) {
    const ADJ_I* const index = static_cast<const ADJ_I*>(p.indices) + n * p.depth;
    i64 key = 0, left = n;
#pragma unroll 1
    for (int k = p.rank - 1; k > 0; --k) {
      const u64 extent = static_cast<u64>(p.extents[k]);
      // Most tensors have fewer than 2^32 positions: a division of 32 bits is several times as fast.
      const u64 above = static_cast<u64>(left) >> 32 | extent >> 32 ? static_cast<u64>(left) / extent
                                                                    : static_cast<u32>(left) / static_cast<u32>(extent);
      key += (left - static_cast<i64>(above * extent)) * p.strides[k];
      left = static_cast<i64>(above);
    }
    key += left * p.strides[0];
    bool inside = true;
#pragma unroll 1
    for (int j = 0; j < p.depth; ++j) {
      i64 i = index[j];
      const i64 extent = p.index_extents[j];
      if (i < 0) i += extent;
      inside &= i >= 0 && i < extent;
      key += i * p.index_strides[j];
    }
    p.keys[n] = inside ? key : p.none;
    errors += !inside;
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, errors);
}

// The key of a position of an index tensor: the number of the row of the gradient that it names.
#pragma once

#include "segment_sum/keys.h"
#include "prelude/types.cuh"

// Returns the key of position n, p.none where an index lies outside its axis.
template <class I> __device__ __forceinline__ i64 key_of_position(const IndexKeysParams& p, i64 n) {
  const I* const index = static_cast<const I*>(p.indices) + n * p.depth;
  i64 key = 0, left = n;
#pragma unroll 1
  for (int k = p.rank - 1; k > 0; --k) {
    const u64 extent = static_cast<u64>(p.extents[k]);
    // Most tensors have fewer than 2^32 positions: a division of 32 bits is several times as fast.
    const u64 above = static_cast<u64>(left) >> 32 | extent >> 32 ? static_cast<u64>(left) / extent : static_cast<u32>(left) / static_cast<u32>(extent);
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
  return inside ? key : p.none;
}

// Sums over the threads of a block that share a row, for norms in the forward direction.
#pragma once

#include "prelude/reduce.cuh"

// Makes a and b their sums over `lanes` neighbouring lanes, a power of two up to a warp, or over the block where it is more. `scratch` has room for two
// numbers of each warp.
template <class A> __device__ __forceinline__ void sums_of_lanes_or_block(A& a, A& b, int lanes, A* scratch) {
  if (lanes <= kWarp) {
#pragma unroll 1
    for (u32 mask = static_cast<u32>(lanes) >> 1; mask > 0; mask >>= 1) {
      a += shuffle_xor(a, static_cast<int>(mask));
      b += shuffle_xor(b, static_cast<int>(mask));
    }
    return;
  }
  a = warp_sum(a);
  b = warp_sum(opaque(b));
  const int warps = block_warps();
  if (lane_index() == 0) {
    scratch[warp_index()] = a;
    scratch[warps + warp_index()] = b;
  }
  block_barrier();
  a = sum_in_order<A>(warps, [&](int w) { return scratch[w]; });
  b = sum_in_order<A>(warps, [&](int w) { return scratch[warps + w]; });
}

// Reductions with a fixed tree: the order of additions depends on the block size alone.
#pragma once

#include "prelude/thread.cuh"

template <class T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  return v;
}
template <class T> __device__ __forceinline__ T warp_max(T v) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v = max_of(v, shuffle_xor(v, mask));
  return v;
}

// Every thread gets the result. `scratch` holds one T per warp and may be reused after the next block barrier.
template <class T> __device__ __forceinline__ T block_sum(T v, T* scratch) {
  v = warp_sum(v);
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  T total = scratch[0];
  for (int w = 1; w < block_warps(); ++w) total += scratch[w];
  return total;
}

// Adds a term to a sum and keeps in `lost` what the additions rounded off: the exact error of an addition is itself a number.
template <class A> __device__ __forceinline__ void add_compensated(A& sum, A& lost, A term) {
  const A next = sum + term;
  const A taken = next - sum;
  lost += (sum - (next - taken)) + (term - taken);
  sum = next;
}
// What was lost is not a number once the sum is infinite.
template <class A> __device__ __forceinline__ A compensated(A sum, A lost) { return lost == lost ? sum + lost : sum; }

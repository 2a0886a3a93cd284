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

// part(0) + part(1) + ... one after the other, four of them on their way at a time.
template <class T, class Part> __device__ __forceinline__ T sum_in_order(int count, Part part) {
  T total = 0;
#pragma unroll 1
  for (int first = 0; first < count; first += 4)
#pragma unroll
    for (int i = first; i < first + 4; ++i) total += i < count ? part(i) : T(0);
  return total;
}
// Over the warps of the block, each of whose lanes has the same v. Every thread gets the result. `scratch` holds one T per warp and
// may be reused after the next block barrier.
template <class T> __device__ __forceinline__ T sum_of_warps(T v, T* scratch) {
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  return sum_in_order<T>(block_warps(), [&](int w) { return scratch[w]; });
}
// Over the threads of the block; as above.
template <class T> __device__ __forceinline__ T block_sum(T v, T* scratch) { return sum_of_warps(warp_sum(v), scratch); }

// Adds a term to a sum and keeps in `lost` what the additions rounded off: the exact error of an addition is itself a number.
template <class A> __device__ __forceinline__ void add_compensated(A& sum, A& lost, A term) {
  const A next = sum + term;
  const A taken = next - sum;
  lost += (sum - (next - taken)) + (term - taken);
  sum = next;
}
// What was lost is not a number once the sum is infinite.
template <class A> __device__ __forceinline__ A compensated(A sum, A lost) { return lost == lost ? sum + lost : sum; }

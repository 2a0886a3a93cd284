// Largest values and sums over the threads that share a row.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"

// Returns the largest value or the sum over the group. `scratch` has a number for each warp; the caller passes a barrier before it uses `scratch` again.
template <bool largest, class A> __device__ __forceinline__ A over_group(A v, const RowGroup& g, A* scratch) {
  auto join = [](A a, A b) { return largest ? max_number(a, b) : a + b; };
#pragma unroll 1
  for (int left = g.lanes;; left = 0) {
#pragma unroll 1
    for (int mask = g.run / 2; mask > 0; mask /= 2) v = join(v, shuffle_xor(v, mask));
    if (left <= kWarp) return v;
    if (lane_index() == 0) scratch[warp_index()] = v;
    block_barrier();
    v = lane_index() < block_warps() ? scratch[lane_index()] : largest ? Limits<A>::lowest() : A(0);
  }
}

// Replaces the numbers x by their exponentials relative to `top`. Returns the sum of these.
template <class A, int N> __device__ __forceinline__ A exponentials(A (&x)[N], A top) {
  A e[N];
#pragma unroll
  for (int j = 0; j < N; ++j) e[j] = x[j] = called_exp(x[j] - top);
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) e[j] += e[j + width];
  return e[0];
}

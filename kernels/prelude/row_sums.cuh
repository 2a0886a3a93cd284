// Sums of rows of dout that sorted lists of positions name.
#pragma once

#include "params/embedding_sum.h"
#include "prelude/rows.cuh"

// First place in [low, high) whose row is at least `row`, `high` when there is none; found by a whole warp.
__device__ __forceinline__ u32 lower_bound(const u32* rows, u32 low, u32 high, u32 row) {
#pragma unroll 1
  while (low < high) {
    const u32 step = (high - low + kWarp - 1) / kWarp, at = low + static_cast<u32>(lane_index()) * step;
    const u32 below = static_cast<u32>(popcount(ballot(at < high && rows[at] < row)));
    high = min_of(high, low + below * step);
    if (below) low += (below - 1) * step + 1;
  }
  return low;
}

// Adds the columns [begin, end) of the rows of dout that list[0, count) names, in order: `pieces` neighbouring stretches of 16
// bytes per lane, `depth` rows in flight.
template <class T, bool vectors, int pieces, int depth>
__device__ __forceinline__ void add_rows(const T* dout, i64 columns, const u32* list, u32 count, i64 begin, i64 end, int lane, int lanes,
                                         Acc<T> (&sum)[pieces][kVec16<T>]) {
  constexpr int N = kVec16<T>;
  u32 source[depth];
#pragma unroll
  for (int j = 0; j < depth; ++j) source[j] = static_cast<u32>(j) < count ? list[j] : 0;
#pragma unroll 1
  for (u32 i = 0; i < count; i += depth) {
    Words4 words[depth][pieces];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const T* from = dout + source[j] * columns;
      const i64 stop = i + j < count ? end : 0;
#pragma unroll
      for (int u = 0; u < pieces; ++u) words[j][u] = load_piece<T, vectors>(from, begin + u * (lanes * N), stop, lane, lanes);
    }
    // The next positions arrive while these rows do.
#pragma unroll
    for (int j = 0; j < depth; ++j) source[j] = i + depth + j < count ? list[i + depth + j] : 0;
#pragma unroll
    for (int j = 0; j < depth; ++j)
#pragma unroll
      for (int u = 0; u < pieces; ++u) {
        Acc<T> x[N];
        widen<T>(words[j][u], x);
#pragma unroll
        for (int k = 0; k < N; ++k) sum[u][k] += x[k];
      }
  }
}

// sum / count, rounded once, given the rounded reciprocal of the count: the remainder of the rounded product is exact.
template <class A> __device__ __forceinline__ A quotient(A sum, A count, A reciprocal) {
  const A near = sum * reciprocal;
  const A exact = fused_multiply_add(fused_multiply_add(-near, count, sum), reciprocal, near);
  return exact == exact ? exact : near;  // infinite sums have no remainder
}

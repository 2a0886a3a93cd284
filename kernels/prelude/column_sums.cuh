// Sums of the columns of a matrix of partial sums [splits, pitch].
//
// A block of kWarp x kColumnLanes threads has kWarp columns. Warp w adds splits w, w + kColumnLanes, ... in f64, then the first warp adds the
// sums of the warps. The order of additions depends on the number of splits alone.
#pragma once

#include "prelude/column_sums.h"
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"

static_assert(kColumnsAcross == kWarp);

// Returns the sum of `column`, in the first warp only. Called by the whole block; a lane has the same column in every warp. inside false: the
// lane has no column. `shared` holds kColumnThreads numbers.
template <class A> __device__ __forceinline__ f64 column_sum(const A* partials, i64 splits, i64 pitch, i64 column, bool inside, f64* shared) {
  constexpr int kAtOnce = 17;  // loads in flight: enough for 264 splits, two for each multiprocessor of an H200
  f64 sum = 0;
  if (inside) {
    const A* at = partials + column;
#pragma unroll 1
    for (i64 first = warp_index(); first < splits; first += kAtOnce * kColumnLanes) {
      A v[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const i64 s = first + i * kColumnLanes;
        v[i] = s < splits ? at[s * pitch] : A(0);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) sum += v[i];
    }
  }
  shared[thread_index()] = sum;
  block_barrier();
  sum = 0;
  if (warp_index() == 0)
#pragma unroll 4
    for (int w = 0; w < kColumnLanes; ++w) sum += shared[w * kWarp + lane_index()];
  block_barrier();
  return sum;
}

// Shared by the programs of tiles: rows in shared memory as accumulators, and what a warp computes of them. A block of four warps has kTile rows of one side,
// and takes kAttentionLanes rows of the other side in a step, of which a lane has one.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "attention/pieces.cuh"

constexpr int kTileWarps = kAttentionThreads / kWarp, kColumns = kAttentionDim / kWarp;  // columns of a row that a lane has, at most
template <class T> constexpr int kTileRows = sizeof(Acc<T>) == 8 ? int{kAttentionRowsF64} : int{kAttentionRows};  // rows of a warp
template <class T> constexpr int kTile = kTileWarps * kTileRows<T>;

// Copies `count` rows of a tensor into shared memory, and zeros behind them up to `room` rows.
template <class T>
__device__ __forceinline__ void load_rows(Acc<T>* to, const AttentionParams& p, const void* tensor, i64 at, i64 stride, int count, int room) {
#pragma unroll 1
  for (int r = warp_index(); r < room; r += kTileWarps) {
    const T* const from = static_cast<const T*>(tensor) + at + r * stride;
#pragma unroll 1
    for (int c = lane_index(); c < p.dim; c += kWarp) to[r * p.pitch + c] = r < count ? to_acc(from[c]) : Acc<T>(0);
  }
}

// Products of the warp's rows with the lane's row of the other side.
template <class T>
__device__ __forceinline__ void multiply_rows(Acc<T> (&product)[kTileRows<T>], const AttentionParams& p, const Acc<T>* own, const Acc<T>* other) {
  const Acc<T>* const mine = own + warp_index() * kTileRows<T> * p.pitch;
  const Acc<T>* const theirs = other + lane_index() * p.pitch;
#pragma unroll
  for (int r = 0; r < kTileRows<T>; ++r) product[r] = 0;
#pragma unroll 1
  for (int c = 0; c < p.dim; ++c) {
    const Acc<T> x = theirs[c];
#pragma unroll
    for (int r = 0; r < kTileRows<T>; ++r) product[r] = fused_multiply_add(mine[r * p.pitch + c], x, product[r]);
  }
}

// sum[r] += weight[r] of each lane times the lane's row. A lane has every 32nd column.
template <class T>
__device__ __forceinline__ void add_rows(Acc<T> (&sum)[kTileRows<T>][kColumns], const AttentionParams& p, const Acc<T> (&weight)[kTileRows<T>],
                                         const Acc<T>* other) {
#pragma unroll 1
  for (int j = 0; j < kAttentionLanes; ++j) {
    Acc<T> w[kTileRows<T>];
#pragma unroll
    for (int r = 0; r < kTileRows<T>; ++r) w[r] = shuffle(weight[r], j);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const int column = lane_index() + c * kWarp;
      if (column >= p.dim) continue;
      const Acc<T> x = other[j * p.pitch + column];
#pragma unroll
      for (int r = 0; r < kTileRows<T>; ++r) sum[r][c] = fused_multiply_add(w[r], x, sum[r][c]);
    }
  }
}

template <class T> __device__ __forceinline__ void clear_sums(Acc<T> (&sum)[kTileRows<T>][kColumns]) {
#pragma unroll
  for (int r = 0; r < kTileRows<T>; ++r)
#pragma unroll
    for (int c = 0; c < kColumns; ++c) sum[r][c] = 0;
}

// Writes a row of sums times a factor.
template <class T>
__device__ __forceinline__ void store_row(const AttentionParams& p, void* tensor, i64 at, const Acc<T> (&sum)[kColumns], const Acc<T>& factor) {
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int column = lane_index() + c * kWarp;
    if (column < p.dim) static_cast<T*>(tensor)[at + column] = from_acc<T>(sum[c] * factor);
  }
}

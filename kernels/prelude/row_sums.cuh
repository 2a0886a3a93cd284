// Sums of rows of dout that sorted lists of positions name.
#pragma once

#include "params/embedding_sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

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

// What a lane moves of a row at once: 16 bytes where rows are aligned, else one element.
template <class T, int width> struct PieceOf { typedef Words4 type; };
template <class T> struct PieceOf<T, 1> { typedef T type; };
template <class T, int width> using Piece = typename PieceOf<T, width>::type;
template <class T, int width> __device__ __forceinline__ Piece<T, width> load_columns(const T* from, bool inside) {
  if constexpr (width == 1) return inside ? *from : T{};
  else return inside ? load_words(reinterpret_cast<const Words4*>(from)) : Words4{0, 0, 0, 0};
}
template <class T, int width> __device__ __forceinline__ void store_columns(T* to, const Acc<T> (&x)[width]) {
  if constexpr (width == 1) *to = from_acc<T>(x[0]);
  else store_streaming(reinterpret_cast<Words4*>(to), narrow<T>(x));
}
template <class T, int width> __device__ __forceinline__ void widen_columns(const Piece<T, width>& piece, Acc<T> (&x)[width]) {
  if constexpr (width == 1) x[0] = to_acc(piece);
  else widen<T>(piece, x);
}

// Adds the rows of dout that list[0, count) names, in order, `depth` of them in flight. `dout` is that of the lane's first column;
// it takes `pieces` pieces `step` columns apart, as far as they begin in the next `left` columns.
template <class T, int width, int pieces, int depth>
__device__ __forceinline__ void add_rows(const T* dout, i64 columns, const u32* list, u32 count, int left, int step,
                                         Acc<T> (&sum)[pieces][width]) {
  u32 source[depth];
#pragma unroll
  for (int j = 0; j < depth; ++j) source[j] = static_cast<u32>(j) < count ? list[j] : 0;
#pragma unroll 1
  for (u32 i = 0; i < count; i += depth) {
    Piece<T, width> piece[depth][pieces];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const T* from = dout + source[j] * columns;
#pragma unroll
      for (int u = 0; u < pieces; ++u) piece[j][u] = load_columns<T, width>(from + u * step, i + j < count && u * step < left);
    }
    // The next positions arrive while these rows do.
#pragma unroll
    for (int j = 0; j < depth; ++j) source[j] = i + depth + j < count ? list[i + depth + j] : 0;
#pragma unroll
    for (int j = 0; j < depth; ++j)
#pragma unroll
      for (int u = 0; u < pieces; ++u) {
        Acc<T> x[width];
        widen_columns<T, width>(piece[j][u], x);
#pragma unroll
        for (int k = 0; k < width; ++k) sum[u][k] += x[k];
      }
  }
}

// sum / count, rounded once, given the rounded reciprocal of the count: the remainder of the rounded product is exact.
template <class A> __device__ __forceinline__ A quotient(A sum, A count, A reciprocal) {
  const A near = sum * reciprocal;
  const A exact = fused_multiply_add(fused_multiply_add(-near, count, sum), reciprocal, near);
  return exact == exact ? exact : near;  // infinite sums have no remainder
}

// How the programs of a kernel divide rows, by macro ADJ_ROWS: 0 any, 1 narrow or 2 wide rows, the latter two 16-byte aligned.
#define ADJ_ROW_SHAPE                                                                                     \
  constexpr int kWidth = ADJ_ROWS == 0 ? 1 : kVec16<ADJ_T>;                                               \
  constexpr int kPieces = ADJ_ROWS == 0 ? kRowSumAnyPieces : ADJ_ROWS == 1 ? 1 : kRowSumPieces;           \
  constexpr int kDepth = ADJ_ROWS == 1 ? 4 : 2

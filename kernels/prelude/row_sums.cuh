// Sums of rows of dout that sorted occurrences name.
#pragma once

#include "params/embedding_sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// First place in [low, high) whose row is at least `row`, `high` when there is none, of several searches at once; by a whole warp.
// The result is in `low`.
template <int searches>
__device__ __forceinline__ void lower_bounds(const u32* rows, u32 (&low)[searches], u32 (&high)[searches], const u32 (&row)[searches]) {
  u32 left;
#pragma unroll 1
  do {
    left = 0;
    u32 step[searches];
    bool below[searches];
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      step[s] = (high[s] - low[s] + kWarp - 1) / kWarp;
      const u32 at = low[s] + static_cast<u32>(lane_index()) * step[s];
      below[s] = at < high[s] && rows[at] < row[s];
    }
#pragma unroll
    for (int s = 0; s < searches; ++s) {
      const u32 lanes = static_cast<u32>(popcount(ballot(below[s])));
      high[s] = min_of(high[s], low[s] + lanes * step[s]);
      if (lanes) low[s] += (lanes - 1) * step[s] + 1;
      left += high[s] - low[s];
    }
  } while (left > 0);
}

// What a lane moves of a row at once: 16 bytes where rows are aligned, else one element.
template <class E, int width> struct PieceOf { typedef Words4 type; };
template <class E> struct PieceOf<E, 1> { typedef E type; };
template <class E, int width> __device__ __forceinline__ typename PieceOf<E, width>::type load_columns(const E* from, bool inside) {
  if constexpr (width == 1) return inside ? *from : E{};
  else return inside ? load_words(reinterpret_cast<const Words4*>(from)) : Words4{0, 0, 0, 0};
}
template <class E, int width> __device__ __forceinline__ void store_columns(E* to, const Acc<E> (&x)[width]) {
  if constexpr (width == 1) *to = from_acc<E>(x[0]);
  else store_streaming(reinterpret_cast<Words4*>(to), narrow<E>(x));
}
template <class E, int width> __device__ __forceinline__ void widen_columns(const typename PieceOf<E, width>::type& piece, Acc<E> (&x)[width]) {
  if constexpr (width == 1) x[0] = to_acc(piece);
  else widen<E>(piece, x);
}

// T: element type. shape: how rows are divided, see params/embedding_sum.h. gather: 1 when the occurrences are those of `outer`
// matrices, 0 of one. bag: what an occurrence adds: 0 the row of dout at its position; 1 that of its bag, times its weight; 2 those
// elements of its bag's row whose maximum stood at the position, zeros for the others. deep: more rows in flight, for few warps.
template <class T, int shape, int gather, int bag, bool deep = false> struct RowSums {
  typedef Acc<T> A;
  static constexpr bool kElements = shape == kRowsAny || shape == kRowsTiny;
  static constexpr bool kAcross = row_sum_across(shape);
  static constexpr int kWidth = kElements ? 1 : kVec16<T>;  // elements of a piece
  static constexpr int kPieces = row_sum_pieces(shape);
  // Rows in flight.
  static constexpr int kDepth = (shape == kRowsNarrow ? 4 : shape == kRowsAcross ? 1 : 2) / (bag == 2 ? 2 : 1) *
                                (deep && shape == kRowsWide && sizeof(T) == 2 ? 2 : 1);
  static constexpr i64 kMatrices = kAcross ? kPieces : 1;   // whose rows are summed together
  // Blocks of a multiprocessor at a time.
  static constexpr int kResident = kAcross || (kElements && sizeof(T) == 8) ? 2 : kElements || gather || bag ? 3 : kRowSumBlocks;
  static constexpr int kWarps = kRowSumBlock / kWarp;
  typedef typename PieceOf<T, kWidth>::type Piece;

  static __device__ __forceinline__ int lanes_of_row(const EmbeddingSumParams& p) { return shape == kRowsWide ? kWarp : p.row_lanes; }

  // A block's share of the columns and of the matrices.
  struct Part {
    i64 begin, end, outer, outer_end;
  };
  static __device__ __forceinline__ Part part_at(const EmbeddingSumParams& p, u32 item) {
    const u32 share = gather ? item / p.stretches : 0;
    const i64 begin = (item - share * p.stretches) * p.stretch, outer = gather ? share * p.outer_step : 0;
    return {begin, min_of(p.embedding_dim, begin + p.stretch), outer, gather ? min_of(p.outer, outer + p.outer_step) : 1};
  }

  // A lane's pieces: the first begins at `column` of matrix `outer`, `count` of them lie inside.
  struct Pieces {
    i64 outer, column;
    int count, step;  // step: columns from one to the next, a power of two
  };
  static __device__ __forceinline__ Pieces pieces_at(const Part& part, i64 outer, i64 begin, int lane, int lanes) {
    const int left = static_cast<int>(part.end - begin) - lane * kWidth, step = kAcross ? 0 : lanes * kWidth;
    int count;
    if (kAcross) count = left > 0 ? static_cast<int>(min_of<i64>(kPieces, part.outer_end - outer)) : 0;
    else if (kPieces == 1) count = left > 0;
    else count = left > 0 ? ((left - 1) >> lowest_bit(static_cast<u32>(step))) + 1 : 0;
    return {outer, begin + lane * kWidth, count, step};
  }
  static __device__ __forceinline__ i64 dout_step(const EmbeddingSumParams& p, const Pieces& pieces) { return kAcross ? p.dout_matrix : pieces.step; }
  static __device__ __forceinline__ i64 dweight_step(const EmbeddingSumParams& p, const Pieces& pieces) {
    return kAcross ? p.dweight_matrix : pieces.step;
  }

  struct Source {
    u32 row;  // of dout
    u32 position;
    A weight;
  };
  // Of occurrence i, before `end`.
  static __device__ __forceinline__ Source source_at(const EmbeddingSumParams& p, u32 i, u32 end) {
    if (i >= end) return {0, 0, 0};
    if (bag == 0) return {p.order[i], 0, 1};
    return {p.sources[i], bag == 2 ? p.order[i] : 0, bag == 1 && p.weights ? static_cast<const A*>(p.weights)[i] : A{1}};
  }

  // The positions of the maxima beside a piece.
  static constexpr int kMaximaPart = kWidth < 4 ? kWidth : 4;
  struct Maxima {
    Packed<i32, kMaximaPart> part[kWidth / kMaximaPart];
  };
  static __device__ __forceinline__ Maxima load_maxima(const i32* from, bool inside) {
    Maxima m = {};
#pragma unroll
    for (int i = 0; i < kWidth / kMaximaPart; ++i)
      if (inside) m.part[i] = load_words(reinterpret_cast<const Packed<i32, kMaximaPart>*>(from + i * kMaximaPart));
    return m;
  }
  static __device__ __forceinline__ void select_maxima(const Maxima& m, u32 position, A (&x)[kWidth]) {
#pragma unroll
    for (int i = 0; i < kWidth / kMaximaPart; ++i) {
      const Vec<i32, kMaximaPart> at = unpack_vector<i32, kMaximaPart>(m.part[i]);
#pragma unroll
      for (int k = 0; k < kMaximaPart; ++k)
        if (at.at[k] != static_cast<i32>(position)) x[i * kMaximaPart + k] = 0;
    }
  }

  // Adds what the occurrences [begin, end) add to a lane's pieces, in order.
  static __device__ __forceinline__ void add_rows(const EmbeddingSumParams& p, u32 begin, u32 end, const Pieces& pieces,
                                           A (&sum)[kPieces][kWidth]) {
    const T* dout = static_cast<const T*>(p.dout) + (gather ? pieces.outer * p.dout_matrix : 0) + pieces.column;
    const i64 step = dout_step(p, pieces);
    Source source[kDepth];
#pragma unroll
    for (int j = 0; j < kDepth; ++j) source[j] = source_at(p, begin + j, end);
#pragma unroll 1
    for (u32 i = begin; i < end; i += kDepth) {
      Piece piece[kDepth][kPieces];
      Source own[kDepth];
      Maxima maxima[kDepth][kPieces];
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        own[j] = source[j];
        const T* from = dout + own[j].row * p.embedding_dim;
#pragma unroll
        for (int u = 0; u < kPieces; ++u) {
          const bool inside = i + j < end && u < pieces.count;
          piece[j][u] = load_columns<T, kWidth>(from + u * step, inside);
          if (bag == 2)
            maxima[j][u] = load_maxima(p.max_positions + own[j].row * p.embedding_dim + pieces.column + u * step, inside);
        }
      }
      // The next occurrences arrive while these rows do.
#pragma unroll
      for (int j = 0; j < kDepth; ++j) source[j] = source_at(p, i + kDepth + j, end);
#pragma unroll
      for (int j = 0; j < kDepth; ++j)
#pragma unroll
        for (int u = 0; u < kPieces; ++u) {
          A x[kWidth];
          widen_columns<T, kWidth>(piece[j][u], x);
          if (bag == 2) select_maxima(maxima[j][u], own[j].position, x);
#pragma unroll
          for (int k = 0; k < kWidth; ++k) sum[u][k] = bag == 1 ? fused_multiply_add(own[j].weight, x[k], sum[u][k]) : sum[u][k] + x[k];
        }
    }
  }
};

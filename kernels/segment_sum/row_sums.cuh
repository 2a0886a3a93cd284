// Sums of the rows of dout that sorted occurrences name: what segment_sum/sum.cu and segment_sum/heavy.cu share. README.md defines
// the words.
#pragma once

#include "segment_sum/sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// The type of a piece: 16 bytes where rows are aligned, else one element.
template <class E, int width> struct PieceOf {
  typedef Words4 type;
};
template <class E> struct PieceOf<E, 1> {
  typedef E type;
};
// once: nothing reads the piece again. Lines that a sort has fetched ahead then stay in the level-2 cache.
template <class E, int width, bool once = false> __device__ __forceinline__ typename PieceOf<E, width>::type load_columns(const E* from) {
  if constexpr (width == 1) return *from;
  else if constexpr (once) return load_once(reinterpret_cast<const Words4*>(from));
  else return load_words(reinterpret_cast<const Words4*>(from));
}
template <class E, int width> __device__ __forceinline__ void store_columns(E* to, const Acc<E> (&x)[width]) {
  if constexpr (width == 1) *to = from_acc<E>(x[0]);
  else store_streaming(reinterpret_cast<Words4*>(to), narrow<E>(x));
}
template <class E, int width> __device__ __forceinline__ void widen_columns(const typename PieceOf<E, width>::type& piece, Acc<E> (&x)[width]) {
  if constexpr (width == 1) x[0] = to_acc(piece);
  else widen<E>(piece, x);
}

// Returns sum / count rounded once, given the rounded reciprocal of count. The remainder of the first product is exact, so one correction
// suffices.
template <class A> __device__ __forceinline__ A quotient(A sum, A count, A reciprocal) {
  const A near = sum * reciprocal;
  const A exact = fused_multiply_add(fused_multiply_add(-near, count, sum), reciprocal, near);
  return exact == exact ? exact : near;  // the remainder of an infinite sum is NaN
}

template <class A, int width> __device__ __forceinline__ void divide(A (&sum)[width], A count) {
  const A reciprocal = A{1} / count;
#pragma unroll
  for (int k = 0; k < width; ++k) sum[k] = quotient(sum[k], count, reciprocal);
}

// Parameters of the template, in the order of the macros ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG, ADJ_CLOSES:
//   T       element type
//   shape   how rows are divided into pieces, see segment_sum/sum.h
//   gather  1: several matrices share the occurrences, 0: one matrix
//   bag     the addend of an occurrence. 0: the row of dout at its position. 1: the row of its bag, times its weight. 2: the elements of the
//           row of its bag whose maximum stood at the position, zeros for the rest
//   closes  true: a closing entry adds the row of dweight to its sum, or divides the sum by the count
template <class T, int shape, int gather, int bag, bool closes = false> struct RowSums {
  typedef Acc<T> A;
  static constexpr bool kElements = shape == kRowsAny;
  static constexpr bool kAcross = row_sum_across(shape);
  static constexpr int kWidth = kElements ? 1 : kVec16<T>;  // elements of a piece
  static constexpr int kPieces = row_sum_pieces(shape);
  static constexpr i64 kMatrices = kAcross ? kPieces : 1;   // matrices whose rows a lane sums together
  static constexpr int kWarps = kRowSumBlock / kWarp;
  // Resident blocks of a multiprocessor.
  static constexpr int kResident = kAcross || (kElements && sizeof(T) == 8)                                ? 2
                                   : kElements || (shape == kRowsWide && (gather || (closes && bag == 1))) ? 3
                                   : shape == kRowsNarrow && !gather && bag != 2 && !(closes && bag == 1)  ? 5
                                                                                                           : kRowSumBlocks;
  typedef typename PieceOf<T, kWidth>::type Piece;
  static constexpr bool kOnce = gather && bag == 0;  // each row of dout is read once, beside few rows of dweight

  // An item: columns [begin, end) of the matrices [outer, outer_end).
  struct Part {
    i64 begin, end, outer, outer_end;
  };
  static __device__ __forceinline__ Part part_at(const EmbeddingSumParams& p, u32 item) {
    const u32 share = gather ? item / p.stretches : 0;
    const i64 begin = (item - share * p.stretches) * p.stretch, outer = gather ? share * p.outer_step : 0;
    return {begin, min_of(p.embedding_dim, begin + p.stretch), outer, gather ? min_of(p.outer, outer + p.outer_step) : 1};
  }

  // The pieces of a lane: the first begins at `column` of matrix `outer`, `count` of them lie inside.
  struct Pieces {
    i64 outer, column;
    int count, step;  // step: columns between neighbouring pieces, a power of two; 0 where pieces lie in different matrices
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
  static __device__ __forceinline__ i64 dweight_step(const EmbeddingSumParams& p, const Pieces& pieces) { return kAcross ? p.dweight_matrix : pieces.step; }
  static __device__ __forceinline__ T* dweight_at(const EmbeddingSumParams& p, const Pieces& pieces, u32 row) {
    return static_cast<T*>(p.dweight) + (gather ? pieces.outer * p.dweight_matrix : 0) + row * p.embedding_dim + pieces.column;
  }

  // The list of a warp: an entry for every row of dout to add and, with `closes`, a closing entry behind those of a row of dweight. What
  // an entry needs beside its source is here, by the kind of addend.
  template <int most> struct Addends {
    u32 position[bag == 2 ? most : 1];
    A weight[bag == 1 ? most : 1];
  };
  struct alignas(8) Entry {
    u32 source;
    u32 row;  // row of dweight that is complete with this entry; kNone: none is
  };
  struct Entries : Addends<kRowSumEntries> {
    Entry entry[kRowSumEntries];
  };
  struct ShareEntries : Addends<kRowSumShareEntries> {  // of a share, so of one row
    u32 source[kRowSumShareEntries];
  };
  struct Source {
    u32 row, position;
    A weight;
  };
  // Returns the source of sorted occurrence i < N. A caller's order may hold anything: it is clamped.
  static __device__ __forceinline__ Source source_at(const EmbeddingSumParams& p, u32 i) {
    const u32 position = bag == 1 ? 0 : min_of(p.order[i], p.num_indices - 1);
    if (bag == 0) return {position, 0, 1};
    return {p.sources[i], position, bag == 1 && p.weights ? static_cast<const A*>(p.weights)[i] : A{1}};
  }
  template <class List> static __device__ __forceinline__ void put_addend(List& list, u32 at, const Source& source) {
    if (bag == 1) list.weight[at] = source.weight;
    if (bag == 2) list.position[at] = source.position;
  }

  // An entry as a lane loads it: its pieces and, with bag 2, the positions of their maxima.
  static constexpr int kMaximaPart = kWidth < 4 ? kWidth : 4, kMaximaParts = bag == 2 ? kWidth / kMaximaPart : 0;
  typedef Packed<i32, kMaximaPart> MaximaPart;
  struct Arrival {
    Piece piece[kPieces];
    MaximaPart maxima[bag == 2 ? kPieces * kMaximaParts : 1];
  };
  // True where pieces outside the row load the first piece instead, without a branch: with up to two pieces that is cheaper.
  static constexpr bool kLoadsAll = !kElements && kPieces <= 2;
  // Begins to load pieces of a row of dout with its maxima, or of dweight. asks: pieces outside are skipped, not replaced.
  static __device__ __forceinline__ void load(const T* from, const i32* maxima, i64 step, const Pieces& pieces, bool asks, Arrival& own) {
#pragma unroll
    for (int u = 0; u < kPieces; ++u) {
      if (asks && u >= pieces.count) break;
      const i64 at = u < pieces.count ? u * step : 0;
      own.piece[u] = load_columns<T, kWidth, kOnce>(from + at);
      if (!maxima) continue;
#pragma unroll
      for (int m = 0; m < kMaximaParts; ++m) own.maxima[u * kMaximaParts + m] = load_words(reinterpret_cast<const MaximaPart*>(maxima + at) + m);
    }
  }
  static __device__ __forceinline__ void select_maxima(const MaximaPart* parts, u32 position, A (&x)[kWidth]) {
#pragma unroll
    for (int m = 0; m < kMaximaParts; ++m) {
      const Vec<i32, kMaximaPart> at = unpack_vector<i32, kMaximaPart>(parts[m]);
#pragma unroll
      for (int k = 0; k < kMaximaPart; ++k)
        if (at.at[k] != static_cast<i32>(position)) x[m * kMaximaPart + k] = 0;
    }
  }

  // Adds a loaded entry to the sums. old: the entry is a row of dweight, a closing entry.
  template <class List>
  static __device__ __forceinline__ void add(const List& list, int e, bool old, const Arrival& own, A (&sum)[kPieces][kWidth]) {
    const A weight = bag == 1 ? list.weight[e] : A{1};
#pragma unroll
    for (int u = 0; u < kPieces; ++u) {
      A x[kWidth];
      widen_columns<T, kWidth>(own.piece[u], x);
      if (bag == 2 && !old) select_maxima(own.maxima + u * kMaximaParts, list.position[e], x);
#pragma unroll
      for (int k = 0; k < kWidth; ++k) sum[u][k] = bag == 1 ? fused_multiply_add(weight, x[k], sum[u][k]) : sum[u][k] + x[k];
    }
  }

  // Adds entries [begin, end) in order, kTogether of them in flight, and writes each row with its last entry. pieces.column must lie inside
  // the row even if no piece does.
  static __device__ __forceinline__ void write_rows(const EmbeddingSumParams& p, const Entries& list, int begin, int end, Pieces pieces) {
    constexpr int kTogether = kElements && bag == 2 ? 1 : 2;
    pieces.count = opaque(pieces.count);  // else the compiler computes it again for every row
    const T* const dout = static_cast<const T*>(p.dout) + (gather ? pieces.outer * p.dout_matrix : 0) + pieces.column;
    const i32* const maxima = p.max_positions + pieces.column;
    A sum[kPieces][kWidth] = {};
    u32 count = 0;  // occurrences of the current row so far
#pragma unroll 1
    for (int first = begin; first < end; first += kTogether) {
      Arrival own[kTogether];
      Entry entry[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        if (!kLoadsAll || bag != 0) own[k] = {};
        entry[k] = list.entry[min_of(first + k, end - 1)];
        const u32 source = entry[k].source;
        const bool old = closes && entry[k].row != kNone;
        if (bag != 0 && !old && source == kNoSource) continue;
        const i64 at = source * p.embedding_dim;
        load(old ? dweight_at(p, pieces, source) : dout + at, bag == 2 && !old ? maxima + at : nullptr, old ? dweight_step(p, pieces) : dout_step(p, pieces),
             pieces, old || !kLoadsAll, own[k]);
      }
      // A loop of one entry each, so that there is less code.
      const int together = min_of(kTogether, end - first);
#pragma unroll 1
      for (int k = 0; k < together; ++k) {
        const u32 row = entry[0].row;
        const bool complete = row != kNone, old = closes && complete, absent = bag != 0 && !old && entry[0].source == kNoSource;
        if (!gather && old && p.scale_by_count) {
#pragma unroll
          for (int u = 0; u < kPieces; ++u) divide(sum[u], static_cast<A>(count));
        }
        if (closes) ++count;
        if (!absent && (!old || p.accumulate)) add(list, first + k, old, own[0], sum);
        if (complete) {
          T* const to = dweight_at(p, pieces, row);
          const i64 step = dweight_step(p, pieces);
#pragma unroll
          for (int u = 0; u < kPieces; ++u)
            if (u < pieces.count) store_columns<T, kWidth>(to + u * step, sum[u]);
#pragma unroll
          for (int u = 0; u < kPieces; ++u)
#pragma unroll
            for (int i = 0; i < kWidth; ++i) sum[u][i] = 0;
          count = 0;
        }
        own[0] = own[kTogether - 1];
        entry[0] = entry[kTogether - 1];
      }
    }
  }

  // Adds entries [begin, end) of one row to `sum` in order, kTogether of them in flight.
  static __device__ __forceinline__ void add_entries(const EmbeddingSumParams& p, const ShareEntries& list, int begin, int end, const Pieces& pieces,
                                                     A (&sum)[kPieces][kWidth]) {
    constexpr int kVectors = kElements ? kPieces / 2 : kPieces * (1 + kMaximaParts), kTogether = kVectors < 8 ? 8 / kVectors : 1;
    const T* const dout = static_cast<const T*>(p.dout) + (gather ? pieces.outer * p.dout_matrix : 0) + pieces.column;
    const i32* const maxima = p.max_positions + pieces.column;
    const i64 step = dout_step(p, pieces);
#pragma unroll 1
    for (int first = begin; first < end; first += kTogether) {
      Arrival own[kTogether] = {};
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        const u32 source = first + k < end ? list.source[first + k] : kNoSource;
        const i64 at = source * p.embedding_dim;
#pragma unroll
        for (int u = 0; u < kPieces; ++u) {
          if (source == kNoSource || u >= pieces.count) continue;
          own[k].piece[u] = load_columns<T, kWidth, kOnce>(dout + at + u * step);
#pragma unroll
          for (int m = 0; m < kMaximaParts; ++m)
            own[k].maxima[u * kMaximaParts + m] = load_words(reinterpret_cast<const MaximaPart*>(maxima + at + u * step) + m);
        }
      }
#pragma unroll
      for (int k = 0; k < kTogether; ++k)
        if (bag == 0 || (first + k < end && list.source[first + k] != kNoSource)) add(list, first + k, false, own[k], sum);
    }
  }
};

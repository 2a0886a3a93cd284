// Gradients of row lookups by atomic additions in memory. README.md defines the words.
//
// Computes: dweight[r, :] += the addend of every n with indices[n] == r. The plan clears dweight first unless it accumulates.
// Work split: a lane group takes a row of dout; a thread has the same columns of kDepth rows in flight.
// Memory: dout is read once; every element is one addition in memory, 16 bytes of them at once with ADJ_ALIGNED=1 from sm_90 on.
// Order of additions: that of arrival, so results are not deterministic.
// Limits: up to 2^16 additions to an element, for the stated error bound; the plan checks it.
//
// Macros: ADJ_T element type, f32 or f64; ADJ_I index type; ADJ_ALIGNED 1 for aligned rows;
// ADJ_GATHER 1 for several matrices, where a negative index counts from the end; ADJ_BAG, the addend of position n:
//   0  dout[n, :]
//   1  sum or mean of bags: dout[bag(n), :] times the weight of the position or the bag share
//   2  maximum of bags, ADJ_ALIGNED=0 only: dout[b, c] is added to the row of the index at max_positions[b, c], if that position is in bag b
#include "segment_sum/params.h"
#include "segment_sum/atomic.h"
#include "segment_sum/bag_of.cuh"
#include "segment_sum/lookup.cuh"
#include "prelude/memory_add.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
constexpr int N = ADJ_ALIGNED ? kVec16<T> : 1;  // columns of a lane
constexpr int kDepth = ADJ_BAG == 1 || ADJ_GATHER ? 2 : 4;  // rows of dout that a thread has in flight

__device__ __forceinline__ i64 row_of(const EmbeddingBackwardParams& p, I index, u32& errors) {
  return row_of_index<ADJ_GATHER>(static_cast<i64>(index), p.num_embeddings, p.padding_row, errors);
}

// The part of a thread: rows `first`, `first + step`, ... of dout, below `rows`, and in each row the pieces at `column`,
// `column + column_step`, ...
struct Part {
  i64 first, step, rows;
  i64 column, column_step;
};

#if ADJ_BAG == 2

__device__ __forceinline__ void add_part(const EmbeddingAtomicParams& p, const Part& part, u32&) {
  const EmbeddingBackwardParams& l = p.lookup;
#pragma unroll 1
  for (i64 begin = part.first; begin < part.rows; begin += kDepth * part.step)
#pragma unroll 1
    for (i64 column = part.column; column < l.embedding_dim; column += part.column_step) {
      T x[kDepth] = {};
      u32 position[kDepth], row[kDepth];
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        const i64 bag = begin + j * part.step, at = bag * l.embedding_dim + column;
        position[j] = ~0u;
        if (bag >= part.rows) continue;
        x[j] = static_cast<const T*>(l.dout)[at];
        position[j] = static_cast<u32>(l.max_positions[at]);
      }
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        row[j] = kNoRow;
        const u32 bag = static_cast<u32>(begin + j * part.step);
        u32 ignored = 0;
        if (position[j] < l.num_indices && bag_of_position(l.bag_of, l.bag_length, position[j]) == bag)
          row[j] = static_cast<u32>(row_of(l, static_cast<const I*>(l.indices)[position[j]], ignored));
      }
#pragma unroll
      for (int j = 0; j < kDepth; ++j)
        if (row[j] != kNoRow) add_to_memory(static_cast<T*>(l.dweight) + row[j] * l.embedding_dim + column, x[j]);
    }
}

// Number of indices outside the rows, over the positions of all bags, whether a maximum stands there or not.
__device__ __forceinline__ u32 count_errors(const EmbeddingBackwardParams& p) {
  u32 errors = 0;
#pragma unroll 1
  for (i64 n = global_thread(); n < p.num_indices; n += global_threads())
    if (bag_of_position(p.bag_of, p.bag_length, static_cast<u32>(n)) != kNoBag) row_of(p, static_cast<const I*>(p.indices)[n], errors);
  return errors;
}

#else

// One addend: `weight` times row `source` of dout, added to row `row` of dweight; row -1: no addend.
struct Addend {
  i64 row;
  u32 source;
  T weight;
};
__device__ __forceinline__ Addend addend_at(const EmbeddingBackwardParams& p, i64 n, u32& errors) {
  Addend a{-1, static_cast<u32>(n), 1};
  if (n >= p.num_indices) return a;
  if (ADJ_BAG) {
    a.source = bag_of_position(p.bag_of, p.bag_length, static_cast<u32>(n));
    if (a.source == kNoBag) return a;
    if (p.shares) a.weight = static_cast<const T*>(p.shares)[a.source];
    else if (p.sample_weights) a.weight = static_cast<const T*>(p.sample_weights)[n];
  }
  a.row = row_of(p, static_cast<const I*>(p.indices)[n], errors);
  return a;
}

template <int n> __device__ __forceinline__ void load_piece(const T* from, T (&x)[n]) {
  if constexpr (n == 1) x[0] = *from;
  else widen<T>(load_words(reinterpret_cast<const Words4*>(from)), x);
}
template <int n> __device__ __forceinline__ void add_piece(T* to, const T (&x)[n]) {
  if constexpr (n == 1) add_to_memory(to, x[0]);
  else add_to_memory(to, x);
}

__device__ __forceinline__ void add_part(const EmbeddingAtomicParams& p, const Part& part, u32& errors) {
  const EmbeddingBackwardParams& l = p.lookup;
  const i64 sets = ADJ_GATHER ? static_cast<u32>(grid_blocks_y()) / p.stretch_blocks : 1;
  const i64 first = ADJ_GATHER ? static_cast<u32>(block_index_y()) / p.stretch_blocks : 0, outer = ADJ_GATHER ? p.outer : 1;
#pragma unroll 1
  for (i64 begin = part.first; begin < part.rows; begin += kDepth * part.step) {
    Addend addend[kDepth];
    u32 found = 0;
#pragma unroll
    for (int j = 0; j < kDepth; ++j) addend[j] = addend_at(l, begin + j * part.step, found);
    if (part.column == 0 && first == 0) errors += found;
#pragma unroll 1
    for (i64 o = first; o < outer; o += sets) {
      const T* dout = static_cast<const T*>(l.dout) + o * l.dout_rows * l.embedding_dim;
      T* dweight = static_cast<T*>(l.dweight) + o * l.num_embeddings * l.embedding_dim;
#pragma unroll 1
      for (i64 column = part.column; column < l.embedding_dim; column += part.column_step) {
        T x[kDepth][N] = {};
#pragma unroll
        for (int j = 0; j < kDepth; ++j)
          if (addend[j].row >= 0) load_piece(dout + addend[j].source * l.embedding_dim + column, x[j]);
#pragma unroll
        for (int j = 0; j < kDepth; ++j) {
          if (addend[j].row < 0) continue;
          if (ADJ_BAG) {
#pragma unroll
            for (int k = 0; k < N; ++k) x[j][k] *= addend[j].weight;
          }
          add_piece(dweight + addend[j].row * l.embedding_dim + column, x[j]);
        }
      }
    }
  }
}

#endif

constexpr int kResident = ADJ_BAG == 2 ? kAtomicMaxBlocks : kAtomicBlocks;

extern "C" __global__ void __launch_bounds__(kAtomicBlock, kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingAtomicParams p) {
  const EmbeddingBackwardParams& l = p.lookup;
  constexpr int kWarpLog2 = 5, kColumnsLog2 = N == 4 ? 2 : N == 2 ? 1 : 0;
  const int lanes_log2 = min_of(p.columns_log2 - kColumnsLog2, kWarpLog2), lane = thread_index() & ((1 << lanes_log2) - 1);
  const u32 own = static_cast<u32>(block_index_y());
  const i64 stretch = own % p.stretch_blocks;
  const Part part{global_thread() >> lanes_log2, global_threads() >> lanes_log2, ADJ_BAG == 2 ? l.dout_rows : l.num_indices,
                  ((stretch << lanes_log2) + lane) * N, (static_cast<i64>(p.stretch_blocks) << lanes_log2) * N};
  u32 errors = 0;
  add_part(p, part, errors);
#if ADJ_BAG == 2
  if (l.error_flag && own == 0) errors = count_errors(l);
#endif
  if (errors && l.error_flag) atomic_add(l.error_flag, static_cast<i64>(errors));
}

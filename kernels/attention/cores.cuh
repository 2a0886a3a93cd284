// Shared by the programs on tensor cores: tiles in shared memory, and products of them by a warp. README.md defines the words.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/matrix.cuh"
#include "prelude/reduce.cuh"
#include "prelude/vectors.cuh"
#include "attention/pieces.cuh"

constexpr f32 kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

// Weights are at most 1. Those of f16 are multiplied by 2^kLift before they are rounded: f16 has no full precision below 2^-14, and nothing below 2^-25.
// The power of two leaves again, exactly, with the factor of a stored row.
template <class T> constexpr f32 kLift = kSameType<T, f16> ? 15.0f : 0.0f;
template <class T> constexpr f32 kUnlift = kSameType<T, f16> ? 0x1p-15f : 1.0f;

// Results of a warp: M times N matrices of 16 rows and 8 columns. A lane has rows lane / 4 and 8 below, and columns lane % 4 * 2 and the next.
template <int M, int N> struct Sums {
  f32 at[M][N][4];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int n = 0; n < N; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) at[m][n][e] = 0;
  }
};
// Row of element e of matrix m among the rows of the warp, and column of element e of matrix n.
__device__ __forceinline__ int sums_row(int m, int e, int lane) { return m * 16 + e / 2 * 8 + lane / 4; }
__device__ __forceinline__ int sums_column(int n, int e, int lane) { return n * 8 + lane % 4 * 2 + e % 2; }

// Columns [first, end) of a step, which a row meets.
struct Span {
  int first, end;
  __device__ __forceinline__ bool has(int column) const { return static_cast<u32>(column - first) < static_cast<u32>(end - first); }
};
// Where the rows of a warp lie beside a step of the other side. A row meets the columns [row + from, row + to) among the first `left`.
struct Band {
  int from, to, left;
  // kKeys: rows are queries and columns keys; else rows are keys. distance: number of the first row minus that of the first column.
  template <bool kKeys> static __device__ __forceinline__ Band of(const AttentionParams& p, i64 distance, int left) {
    constexpr i64 kFar = 1 << 30;  // beyond all rows and columns
    const i64 before = kKeys ? (p.window < 0 ? -kFar : distance - p.window) : (p.causal ? distance : -kFar);
    const i64 behind = kKeys ? (p.causal ? distance + 1 : kFar) : (p.window < 0 ? kFar : distance + p.window + 1);
    return {static_cast<int>(max_of(min_of(before, kFar), -kFar)), static_cast<int>(max_of(min_of(behind, kFar), -kFar)), left};
  }
  // True when none of `rows` rows meets one of `columns` columns, and when one does not meet all.
  __device__ __forceinline__ bool apart(int rows, int columns) const { return from >= columns || rows - 1 + to <= 0; }
  __device__ __forceinline__ bool cuts(int rows, int columns) const { return left < columns || rows - 1 + from > 0 || to < columns; }
  __device__ __forceinline__ Span span(int row, int columns) const {
    const int first = max_of(min_of(row + from, columns), 0);
    return {first, max_of(min_of(row + to, min_of(columns, left)), first)};
  }
};

// Calls use(m, n, e, met) for each element of a warp's scores; met: its row meets its column.
template <int M, int N, class Use> __device__ __forceinline__ void for_scores(const Band& band, int columns, int lane, Use use) {
#pragma unroll
  for (int m = 0; m < M; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Span span = band.span(sums_row(m, half * 2, lane), columns);
#pragma unroll
      for (int n = 0; n < N; ++n)
#pragma unroll
        for (int e = half * 2; e < half * 2 + 2; ++e) use(m, n, e, span.has(sums_column(n, e, lane)));
    }
}

// Tiles of kDim columns, at least head_dim, of elements of type T. kAligned: every row begins at a multiple of 16 bytes and has whole vectors.
template <class T, int kDim, bool kAligned> struct Cores {
  static constexpr int kVector = 8, kVectors = kDim / kVector;  // elements of a vector, vectors of a row

  // Place of a vector in a tile. The eight rows of a matrix lie in different banks.
  static __device__ __forceinline__ int vector_at(int row, int vector) { return row * kVectors + (vector ^ (row & 7)); }

  // Begins to copy `count` rows of a tensor, and zeros behind them up to `rows` rows. A thread has one vector of a row in kRows.
  template <int rows>
  static __device__ __forceinline__ void copy_tile(Words4* to, const AttentionParams& p, const void* tensor, i64 at, i64 stride, int count) {
    constexpr int kRows = kAttentionThreads / kVectors;
    static_assert(kRows % 8 == 0 && rows % kRows == 0);
    const int thread = opaque(thread_index());  // places are computed again for each step, since registers are few
    const int first = thread / kVectors, vector = thread % kVectors, columns = p.dim - vector * kVector;
    const T* const from = static_cast<const T*>(tensor) + at + first * stride + vector * kVector;
    Words4* const place = to + vector_at(first, vector);
    if constexpr (kAligned) {
      const int left = columns > 0 ? count - first : 0;
#pragma unroll
      for (int row = 0; row < rows; row += kRows) copy16_to_shared(place + row * kVectors, reinterpret_cast<const Words4*>(from + row * stride), row < left);
    } else {
#pragma unroll 1
      for (int row = 0; row < rows; row += kRows)
        place[row * kVectors] =
            first + row < count && columns > 0 ? gather_elements<T>(from + row * stride, min_of(columns, int{kVector})) : Words4{0, 0, 0, 0};
    }
  }

  // Begins to copy a step of keys, and of values behind them.
  template <int rows, class Walk> static __device__ __forceinline__ void copy_keys(Words4* to, const AttentionParams& p, const Walk& walk, int key) {
    const int left = walk.piece.length - key;
    copy_tile<rows>(to, p, p.k, walk.piece.at(p.k_strides, walk.kv_head) + key * p.k_strides.token, p.k_strides.token, left);
    copy_tile<rows>(to + rows * kVectors, p, p.v, walk.piece.at(p.v_strides, walk.kv_head) + key * p.v_strides.token, p.v_strides.token, left);
  }

  // Sixteen columns from k * 16 on of the warp's rows of a tile, from `row` on.
  template <int M> static __device__ __forceinline__ void load_rows(u32 (&a)[M][4], const Words4* tile, int row, int k, int lane) {
    const Words4* const from = tile + (vector_at(row + lane % 16, lane / 16) ^ k * 2);
#pragma unroll
    for (int m = 0; m < M; ++m) load_matrices(a[m], from + m * 16 * kVectors);
  }

  // product += the warp's rows of `own`, from `row` on, times the rows of `other`, along head_dim.
  template <int M, int N> static __device__ __forceinline__ void multiply_tiles(Sums<M, N>& product, const Words4* own, int row, const Words4* other) {
    const int lane = opaque(lane_index()), other_at = vector_at(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    constexpr int kTurns = kDim == 64 ? 4 : 2;  // with more at 128 columns, registers go to local memory
#pragma unroll kTurns
    for (int k = 0; k < kDim / 16; ++k) {
      u32 a[M][4];
      load_rows(a, own, row, k, lane);
#pragma unroll
      for (int n = 0; n < N; n += 2) {
        u32 b[4];
        load_matrices(b, other + (other_at ^ k * 2) + n * 8 * kVectors);
#pragma unroll
        for (int m = 0; m < M; ++m) {
          multiply_add_matrices<T>(product.at[m][n], a[m], b[0], b[1]);
          multiply_add_matrices<T>(product.at[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  // sum += weights, rounded to T, times the rows of `other`: a column of weights meets a row.
  template <int M, int N>
  static __device__ __forceinline__ void add_products(Sums<M, kDim / 8>& sum, const Sums<M, N>& weights, const Words4* other) {
    const int lane = opaque(lane_index()), other_at = vector_at(lane % 16, lane / 16);
#pragma unroll
    for (int k = 0; k < N / 2; ++k) {
      u32 a[M][4];
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          const f32(&pair)[4] = weights.at[m][k * 2 + w / 2];
          a[m][w] = Convert<T>::pair(pair[w % 2 * 2], pair[w % 2 * 2 + 1]);
        }
#pragma unroll
      for (int n = 0; n < kDim / 8; n += 2) {
        u32 b[4];
        load_transposed_matrices(b, other + (other_at ^ n) + k * 16 * kVectors);
#pragma unroll
        for (int m = 0; m < M; ++m) {
          multiply_add_matrices<T>(sum.at[m][n], a[m], b[0], b[1]);
          multiply_add_matrices<T>(sum.at[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  // Writes the first `count` of the warp's rows. Element e of matrix m is multiplied by factor[m][e / 2]. They go through shared memory, of which the warp has
  // its own rows from `row` on.
  template <int M>
  static __device__ __forceinline__ void store_tile(void* tensor, const AttentionParams& p, i64 at, i64 stride, int count, Words4* tile, int row,
                                                    const Sums<M, kDim / 8>& sum, const f32 (&factor)[M][2]) {
    const int lane = opaque(lane_index());
    warp_barrier();
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int e = 0; e < 4; e += 2)
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n)
          reinterpret_cast<u32*>(tile + vector_at(row + sums_row(m, e, lane), n))[lane % 4] =
              Convert<T>::pair(sum.at[m][n][e] * factor[m][e / 2], sum.at[m][n][e + 1] * factor[m][e / 2]);
    warp_barrier();
#pragma unroll 1
    for (int index = lane; index < 16 * M * kVectors; index += kWarp) {
      const int own = index / kVectors, vector = index % kVectors;
      if (own >= count || vector * kVector >= p.dim) continue;
      store_vector<T>(tensor, at + own * stride + vector * kVector, tile[vector_at(row + own, vector)], min_of(p.dim - vector * kVector, int{kVector}),
                      kAligned);
    }
  }
};

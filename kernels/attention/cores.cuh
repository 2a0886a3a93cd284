// Shared by the programs on tensor cores: tiles in shared memory, and products of them by a warp. README.md defines the words.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/matrix.cuh"
#include "prelude/reduce.cuh"
#include "prelude/vectors.cuh"
#include "attention/pieces.cuh"

constexpr f32 kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

// Results of a warp: N matrices of 16 rows and 8 columns. A lane has rows lane / 4 and 8 below, and columns lane % 4 * 2 and the next.
template <int N> struct Sums {
  f32 at[N][4];
  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int n = 0; n < N; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) at[n][e] = 0;
  }
};

// Tiles of kDim columns, at least head_dim, of elements of type T. kAligned: every row begins at a multiple of 16 bytes and has whole vectors.
template <class T, int kDim, bool kAligned> struct Cores {
  static constexpr int kVector = 8, kVectors = kDim / kVector;  // elements of a vector, vectors of a row

  // Place of a vector in a tile. The eight rows of a matrix lie in different banks.
  static __device__ __forceinline__ int vector_at(int row, int vector) { return row * kVectors + (vector ^ (row & 7)); }

  // Begins to copy `count` rows of a tensor, and zeros behind them up to `rows` rows. The block's threads share the vectors.
  template <int rows>
  static __device__ __forceinline__ void copy_tile(Words4* to, const AttentionParams& p, const void* tensor, i64 at, i64 stride, int count) {
    static_assert(rows * kVectors % kAttentionThreads == 0);
    const int thread = opaque(thread_index());  // places are computed again for each step, since registers are few
#pragma unroll 1
    for (int k = 0; k < rows * kVectors / kAttentionThreads; ++k) {
      const int index = k * kAttentionThreads + thread, row = index / kVectors, vector = index % kVectors;
      const bool inside = row < count && vector * kVector < p.dim;
      const T* const from = static_cast<const T*>(tensor) + (inside ? at + row * stride + vector * kVector : 0);
      Words4* const place = to + vector_at(row, vector);
      if constexpr (kAligned) copy16_to_shared(place, reinterpret_cast<const Words4*>(from), inside);
      else *place = inside ? gather_elements<T>(from, min_of(p.dim - vector * kVector, int{kVector})) : Words4{0, 0, 0, 0};
    }
  }

  // product = sixteen rows of `own` from `row` on times the rows of `other`, along head_dim.
  template <int N> static __device__ __forceinline__ void multiply_tiles(Sums<N>& product, const Words4* own, int row, const Words4* other) {
    const int lane = opaque(lane_index()), low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    // The first places; further ones have other bits of the vector, or a row by multiples of 16.
    const int own_at = vector_at(row + second * 8 + low, third), other_at = vector_at(third * 8 + low, second);
    product.clear();
#pragma unroll 2
    for (int k = 0; k < kDim / 16; ++k) {
      u32 a[4];
      load_matrices(a, own + (own_at ^ k * 2));
#pragma unroll
      for (int n = 0; n < N; n += 2) {
        u32 b[4];
        load_matrices(b, other + (other_at ^ k * 2) + n * 8 * kVectors);
        multiply_add_matrices<T>(product.at[n], a, b[0], b[1]);
        multiply_add_matrices<T>(product.at[n + 1], a, b[2], b[3]);
      }
    }
  }

  // sum += weights, rounded to T, times the rows of `other`: a column of weights meets a row.
  template <int N> static __device__ __forceinline__ void add_products(Sums<kDim / 8>& sum, const Sums<N>& weights, const Words4* other) {
    const int lane = opaque(lane_index()), other_at = vector_at(lane / 8 % 2 * 8 + lane % 8, lane / 16);
#pragma unroll
    for (int k = 0; k < N / 2; ++k) {
      u32 a[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) a[w] = Convert<T>::pair(weights.at[k * 2 + w / 2][w % 2 * 2], weights.at[k * 2 + w / 2][w % 2 * 2 + 1]);
#pragma unroll
      for (int n = 0; n < kDim / 8; n += 2) {
        u32 b[4];
        load_transposed_matrices(b, other + (other_at ^ n) + k * 16 * kVectors);
        multiply_add_matrices<T>(sum.at[n], a, b[0], b[1]);
        multiply_add_matrices<T>(sum.at[n + 1], a, b[2], b[3]);
      }
    }
  }

  // Writes the first `count` of the warp's sixteen rows; the rows lane / 4 and 8 below are multiplied by factor[0] and factor[1]. They go through shared
  // memory, of which the warp has its own rows from `row` on.
  static __device__ __forceinline__ void store_tile(void* tensor, const AttentionParams& p, i64 at, i64 stride, int count, Words4* tile, int row,
                                                    const Sums<kDim / 8>& sum, const f32 (&factor)[2]) {
    warp_barrier();
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n)
        reinterpret_cast<u32*>(tile + vector_at(row + half * 8 + lane_index() / 4, n))[lane_index() % 4] =
            Convert<T>::pair(sum.at[n][half * 2] * factor[half], sum.at[n][half * 2 + 1] * factor[half]);
    warp_barrier();
#pragma unroll 1
    for (int index = lane_index(); index < 16 * kVectors; index += kWarp) {
      const int own = index / kVectors, vector = index % kVectors;
      if (own >= count || vector * kVector >= p.dim) continue;
      store_vector<T>(tensor, at + own * stride + vector * kVector, tile[vector_at(row + own, vector)], min_of(p.dim - vector * kVector, int{kVector}),
                      kAligned);
    }
  }
};

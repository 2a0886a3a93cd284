// Computes: out[b, c, r] = in[b, r, c], bit by bit.
// Work split: a block takes a square tile of kTile rows and columns, a grid apart.
// Memory: each element is read and written once, 16 bytes at a time, by way of shared memory. Its rows have another word of 4 bytes, so that neighbouring
//   rows begin in neighbouring banks.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T unsigned type of the elements' size.
#include "prelude/multi_tensor.h"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"
#include "shape/params.h"

typedef ADJ_T T;
constexpr int kVector = kVec16<T>;
constexpr int kTile = sizeof(T) == 8 ? 32 : 64;
constexpr int kPitch = kTile + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
constexpr int kVectors = kTile / kVector;  // of a row of the tile

extern "C" __global__ void __launch_bounds__(kTransposeBlock) ADJ_ENTRY(const __grid_constant__ TransposeParams p) {
  ADJ_SHARED(T, tile, kTile * kPitch);
  const i64 down = (p.rows + kTile - 1) / kTile, across = (p.columns + kTile - 1) / kTile;
  const bool aligned_in = aligned16(p.in) && p.columns % kVector == 0, aligned_out = aligned16(p.out) && p.rows % kVector == 0;
#pragma unroll 1
  for (i64 block = block_index(); block < p.batch * down * across; block += grid_blocks()) {
    const i64 matrix = block / (down * across), place = block - matrix * (down * across), tile_row = place / across;
    const i64 row = tile_row * kTile, column = (place - tile_row * across) * kTile;
    const i64 base = matrix * p.rows * p.columns;
    const int rows = static_cast<int>(min_of<i64>(kTile, p.rows - row)), columns = static_cast<int>(min_of<i64>(kTile, p.columns - column));
#pragma unroll 1
    for (int i = thread_index(); i < kTile * kVectors; i += kTransposeBlock) {
      const int r = i / kVectors, c = i % kVectors * kVector, count = min_of(kVector, columns - c);
      if (r >= rows || count <= 0) continue;
      const Vec<T, kVector> v = unpack<T>(load_vector<T>(p.in, base + (row + r) * p.columns + column + c, count, aligned_in));
#pragma unroll
      for (int j = 0; j < kVector; ++j) tile[r * kPitch + c + j] = v.at[j];
    }
    block_barrier();
#pragma unroll 1
    for (int i = thread_index(); i < kTile * kVectors; i += kTransposeBlock) {
      const int c = i / kVectors, r = i % kVectors * kVector, count = min_of(kVector, rows - r);
      if (c >= columns || count <= 0) continue;
      Vec<T, kVector> v;
#pragma unroll
      for (int j = 0; j < kVector; ++j) v.at[j] = j < count ? tile[(r + j) * kPitch + c] : T(0);
      store_vector<T>(p.out, base + (column + c) * p.rows + row + r, pack<T>(v), count, aligned_out);
    }
    block_barrier();
  }
}

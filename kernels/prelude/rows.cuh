// Stretches of a row of columns that the lanes of a group share, 16 bytes each: neighbours where rows are 16-byte aligned,
// else interleaved among the lanes.
#pragma once

#include "prelude/memory.cuh"

// Column k of a lane's piece of the stretch that starts at `begin`.
template <class T, bool vectors> __device__ __forceinline__ i64 column_of(i64 begin, int lane, int lanes, int k) {
  return vectors ? begin + lane * kVec16<T> + k : begin + k * lanes + lane;
}

enum class Reuse { no, yes };

// Zeros from column `end` on. Packed until it is used, a piece takes four registers.
template <class T, bool vectors, Reuse reuse>
__device__ __forceinline__ Words4 load_piece(const T* row, i64 begin, i64 end, int lane, int lanes) {
  if constexpr (vectors) {
    const i64 column = column_of<T, true>(begin, lane, lanes, 0);
    const Words4* from = reinterpret_cast<const Words4*>(row + column);
    if (column >= end) return {0, 0, 0, 0};
    return reuse == Reuse::yes ? load_cached(from) : load_streaming(from);
  } else {
    Vec<T, kVec16<T>> v;
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k) {
      const i64 column = column_of<T, false>(begin, lane, lanes, k);
      v.at[k] = column < end ? row[column] : T{};
    }
    return pack<T>(v);
  }
}

template <class T, bool vectors>
__device__ __forceinline__ void store_piece(T* row, i64 begin, i64 end, int lane, int lanes, const Vec<T, kVec16<T>>& v) {
  if constexpr (vectors) {
    const i64 column = column_of<T, true>(begin, lane, lanes, 0);
    if (column < end) store_streaming(reinterpret_cast<Words4*>(row + column), pack<T>(v));
  } else {
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k) {
      const i64 column = column_of<T, false>(begin, lane, lanes, k);
      if (column < end) row[column] = v.at[k];
    }
  }
}

// Stretches of a row of columns that the lanes of a group share, 16 bytes each: neighbours where rows are 16-byte aligned,
// else interleaved among the lanes.
#pragma once

#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

// Column k of a lane's piece of the stretch that starts at `begin`.
template <class T, bool vectors> __device__ __forceinline__ i64 column_of(i64 begin, int lane, int lanes, int k) {
  return vectors ? begin + lane * kVec16<T> + k : begin + k * lanes + lane;
}

// From the first interleaved column of a lane to `end`, as far as the stretch reaches.
template <class T> __device__ __forceinline__ int columns_left(i64 begin, i64 end, int lane) {
  return static_cast<int>(max_of<i64>(0, min_of<i64>(end - begin - lane, kVec16<T> * kWarp)));
}

// Zeros from column `end` on. Packed until it is used, a piece takes four registers.
template <class T, bool vectors>
__device__ __forceinline__ Words4 load_piece(const T* row, i64 begin, i64 end, int lane, int lanes) {
  if constexpr (vectors) {
    const i64 column = column_of<T, true>(begin, lane, lanes, 0);
    const Words4* from = reinterpret_cast<const Words4*>(row + column);
    if (column >= end) return {0, 0, 0, 0};
    return load_words(from);
  } else {
    Vec<T, kVec16<T>> v;
    const T* from = row + begin + lane;
    const int left = columns_left<T>(begin, end, lane);
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k) v.at[k] = k * lanes < left ? from[k * lanes] : T{};
    return pack<T>(v);
  }
}

template <class T, bool vectors>
__device__ __forceinline__ void store_piece(T* row, i64 begin, i64 end, int lane, int lanes, const Vec<T, kVec16<T>>& v) {
  if constexpr (vectors) {
    const i64 column = column_of<T, true>(begin, lane, lanes, 0);
    if (column < end) store_streaming(reinterpret_cast<Words4*>(row + column), pack<T>(v));
  } else {
    T* to = row + begin + lane;
    const int left = columns_left<T>(begin, end, lane);
#pragma unroll
    for (int k = 0; k < kVec16<T>; ++k)
      if (k * lanes < left) to[k * lanes] = v.at[k];
  }
}

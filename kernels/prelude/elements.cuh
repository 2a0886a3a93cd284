// Vectors of 16 bytes at addresses or of lengths that no vector access takes: read and written element by element.
#pragma once

#include "prelude/memory.cuh"

// Returns 16 bytes: the `count` elements at `from`, then zeros. All loads are in flight together. Not inlined, so that the code is there once.
template <class T> __device__ __noinline__ Words4 gather_elements(const T* from, int count) {
  Vec<T, kVec16<T>> v{};
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j < count) v.at[j] = from[j];
  return pack<T>(v);
}
// Writes elements [first, end) of 16 bytes that belong at `to`.
template <class T> __device__ __noinline__ void scatter_elements(T* to, Words4 words, int first, int end) {
  const Vec<T, kVec16<T>> v = unpack<T>(words);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j >= first && j < end) to[j] = v.at[j];
}

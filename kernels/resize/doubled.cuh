// Functions for resizes to twice the rows and columns.
#pragma once

#include "prelude/divide.cuh"
#include "prelude/units.cuh"
#include "resize/params.h"

// Weights of the farther and the nearer of two elements.
template <class A> constexpr A kFar = static_cast<A>(0.25);
template <class A> constexpr A kNear = static_cast<A>(0.75);

// Returns the index of an axis that is nearest to `index`.
template <class I> __device__ __forceinline__ i64 inside(I index, I extent) { return index < 0 ? 0 : index < extent ? index : extent - 1; }

// Number of elements in 8 bytes; loading them, and widening them to numbers.
template <class T> constexpr int kHalf = kVec16<T> / 2;
template <class T> __device__ __forceinline__ Words2 load_half(const T* from, bool aligned) {
  if (aligned) return load_words(reinterpret_cast<const Words2*>(from));
  const Words4 words = gather_unit<T>(from, kHalf<T>);
  return {words.x, words.y};
}
template <class T> __device__ __forceinline__ void widen_half(Words2 words, Acc<T> (&x)[kHalf<T>]) {
  Acc<T> all[kVec16<T>];
  widen<T>(Words4{words.x, words.y, 0, 0}, all);
#pragma unroll
  for (int v = 0; v < kHalf<T>; ++v) x[v] = all[v];
}
// Stores N numbers as 8 or 16 bytes of elements.
template <class T, int N> __device__ __forceinline__ void put(T* to, const Acc<T> (&x)[N], bool aligned) {
  Acc<T> all[kVec16<T>]{};
#pragma unroll
  for (int v = 0; v < N; ++v) all[v] = x[v];
  const Words4 words = narrow<T>(all);
  if (!aligned) scatter_unit<T>(to, words, N);
  else if constexpr (N == kVec16<T>) store_words(reinterpret_cast<Words4*>(to), words);
  else store_words(reinterpret_cast<Words2*>(to), Words2{words.x, words.y});
}

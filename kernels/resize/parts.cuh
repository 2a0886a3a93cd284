// Vectors of 16 bytes, halves and quarters of them, at any address.
#pragma once

#include "prelude/vectors.cuh"

// Loads N elements: 4, 8 or 16 bytes. aligned: they lie at a multiple of their size.
template <class T, int N> __device__ __forceinline__ Packed<T, N> load_part(const T* from, bool aligned) {
  if (aligned) return load_words(reinterpret_cast<const Packed<T, N>*>(from));
  const Words4 words = gather_elements<T>(from, N);
  Packed<T, N> part;
  memcpy(&part, &words, sizeof part);
  return part;
}
template <class T, int N> __device__ __forceinline__ void widen_part(const Packed<T, N>& part, Acc<T> (&x)[N]) {
  Words4 words{0, 0, 0, 0};
  memcpy(&words, &part, sizeof part);
  Acc<T> all[kVec16<T>];
  widen<T>(words, all);
#pragma unroll
  for (int v = 0; v < N; ++v) x[v] = all[v];
}
// Stores N numbers as elements.
template <class T, int N> __device__ __forceinline__ void store_part(T* to, const Acc<T> (&x)[N], bool aligned) {
  Acc<T> all[kVec16<T>]{};
#pragma unroll
  for (int v = 0; v < N; ++v) all[v] = x[v];
  const Words4 words = narrow<T>(all);
  Packed<T, N> part;
  memcpy(&part, &words, sizeof part);
  if (aligned) store_words(reinterpret_cast<Packed<T, N>*>(to), part);
  else scatter_elements<T>(to, words, 0, N);
}

// Vectors of 16 bytes of an array that may begin anywhere and end inside a vector.
#pragma once

#include "prelude/elements.cuh"

// Loads elements [at, at + count) of an array, or stores them: none where count is below 0, a vector of them where it is above. aligned: element `at` lies at a
// multiple of 16 bytes. Counts are not to be cut to 0 and a vector before: ptxas of CUDA 13.0 makes one instruction of both (VIMNMX.RELU) and takes its flag
// for a whole vector, which it also is where the count was below 0.
template <class T> __device__ __forceinline__ Words4 load_vector(const void* array, i64 at, int count, bool aligned) {
  const T* const p = static_cast<const T*>(array) + at;
  if (aligned && count >= kVec16<T>) return load_words(reinterpret_cast<const Words4*>(p));
  return gather_elements(p, count);
}
template <class T> __device__ __forceinline__ void store_vector(void* array, i64 at, Words4 v, int count, bool aligned) {
  T* const p = static_cast<T*>(array) + at;
  if (aligned && count >= kVec16<T>) store_words(reinterpret_cast<Words4*>(p), v);
  else scatter_elements(p, v, 0, count);
}

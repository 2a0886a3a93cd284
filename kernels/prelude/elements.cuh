// Vectors of 16 bytes at addresses or of lengths that no vector access takes: read and written one element after the other.
#pragma once

#include "prelude/memory.cuh"

// Returns 16 bytes: the `count` elements at `from`, then zeros. Begins with the last element; each next one moves those before it up, so that
// the code is there once and no register is indexed.
template <class T> __device__ __noinline__ Words4 gather_elements(const T* from, int count) {
  Words4 v{0, 0, 0, 0};
#pragma unroll 1
  for (int k = count - 1; k >= 0; --k) {
    const T element = from[k];
    if constexpr (sizeof(T) == 1) {
      v = {v.x << 8, v.y << 8 | v.x >> 24, v.z << 8 | v.y >> 24, v.w << 8 | v.z >> 24};
      v.x |= static_cast<u8>(element);
    } else if constexpr (sizeof(T) == 2) {
      u16 bits;
      memcpy(&bits, &element, 2);
      v = {v.x << 16 | bits, v.y << 16 | v.x >> 16, v.z << 16 | v.y >> 16, v.w << 16 | v.z >> 16};
    } else if constexpr (sizeof(T) == 4) {
      v = {0, v.x, v.y, v.z};
      memcpy(&v.x, &element, 4);
    } else {
      v = {0, 0, v.x, v.y};
      memcpy(&v, &element, 8);
    }
  }
  return v;
}
// Writes elements [first, end) of 16 bytes that belong at `to`.
template <class T> __device__ __noinline__ void scatter_elements(T* to, Words4 v, int first, int end) {
#pragma unroll 1
  for (int k = 0; k < end; ++k) {
    T element;
    memcpy(&element, &v, sizeof(T));
    if constexpr (sizeof(T) == 1) v = {v.x >> 8 | v.y << 24, v.y >> 8 | v.z << 24, v.z >> 8 | v.w << 24, v.w >> 8};
    else if constexpr (sizeof(T) == 2) v = {v.x >> 16 | v.y << 16, v.y >> 16 | v.z << 16, v.z >> 16 | v.w << 16, v.w >> 16};
    else if constexpr (sizeof(T) == 4) v = {v.y, v.z, v.w, 0};
    else v = {v.z, v.w, 0, 0};
    if (k >= first) to[k] = element;
  }
}

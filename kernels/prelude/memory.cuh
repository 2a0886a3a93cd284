// Vector accesses and cache hints.
#pragma once

#include "prelude/types.cuh"

// N elements moved together; 16 bytes is the widest access of a thread.
template <class T, int N> struct alignas(sizeof(T) * N) Vec {
  T at[N];
};
template <class T> constexpr int kVec16 = 16 / sizeof(T);

struct alignas(16) Words4 { u32 x, y, z, w; };

__device__ __forceinline__ bool aligned16(const void* p) { return (reinterpret_cast<u64>(p) & 15) == 0; }

// Read once: first to leave L1 and L2.
__device__ __forceinline__ Words4 load_streaming(const Words4* p) {
  Words4 v;
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
__device__ __forceinline__ Words4 load_cached(const Words4* p) {
  Words4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}
// Written once and not read again soon.
__device__ __forceinline__ void store_streaming(Words4* p, Words4 v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ __forceinline__ void store_cached(Words4* p, Words4 v) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// Reinterprets 16 bytes as elements and back.
template <class T> __device__ __forceinline__ Vec<T, kVec16<T>> unpack(Words4 w) {
  Vec<T, kVec16<T>> v;
  memcpy(&v, &w, 16);
  return v;
}
template <class T> __device__ __forceinline__ Words4 pack(const Vec<T, kVec16<T>>& v) {
  Words4 w;
  memcpy(&w, &v, 16);
  return w;
}

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

#if defined(ADJ_SIMT)
// The caches do not exist on the CPU; the alignment that the hardware demands does.
template <class T> inline T simt_load(const T* p) {
  simt::check_aligned(p, sizeof(T));
  return *p;
}
template <class T> inline void simt_store(T* p, T v) {
  simt::check_aligned(p, sizeof(T));
  *p = v;
}
#endif

// Read once: do not keep in L1, first to leave L2.
__device__ __forceinline__ Words4 load_streaming(const Words4* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words4 v;
  asm volatile("ld.global.L1::no_allocate.L2::evict_first.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
#endif
}
__device__ __forceinline__ Words4 load_cached(const Words4* p) {
#if defined(ADJ_SIMT)
  return simt_load(p);
#else
  Words4 v;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
#endif
}
// Written once and not read again soon.
__device__ __forceinline__ void store_streaming(Words4* p, Words4 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#endif
}
__device__ __forceinline__ void store_cached(Words4* p, Words4 v) {
#if defined(ADJ_SIMT)
  simt_store(p, v);
#else
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
#endif
}

// Reinterprets 16 bytes as elements and back.
template <class T> __device__ __forceinline__ Vec<T, kVec16<T>> unpack(Words4 w) {
  Vec<T, kVec16<T>> v;
  __builtin_memcpy(&v, &w, 16);
  return v;
}
template <class T> __device__ __forceinline__ Words4 pack(const Vec<T, kVec16<T>>& v) {
  Words4 w;
  __builtin_memcpy(&w, &v, 16);
  return w;
}

// add_values of online.cuh for 16 bytes at a time. Maxima of 16-bit elements are taken two at a time.
#pragma once

#include "prelude/memory.cuh"
#include "prelude/online.cuh"

// Returns the larger elements of two pairs; of a NaN and a number, the number.
__device__ __forceinline__ u32 max_of_pairs(bf16, const u32& a, const u32& b) {
#if defined(ADJ_SIMT)
  return Convert<bf16>::pair(max_number(low_f32(bf16{}, a), low_f32(bf16{}, b)), max_number(high_f32(bf16{}, a), high_f32(bf16{}, b)));
#else
  u32 r;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
#endif
}
__device__ __forceinline__ u32 max_of_pairs(f16, const u32& a, const u32& b) {
#if defined(ADJ_SIMT)
  return Convert<f16>::pair(max_number(low_f32(f16{}, a), low_f32(f16{}, b)), max_number(high_f32(f16{}, a), high_f32(f16{}, b)));
#else
  u32 r;
  asm("max.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
#endif
}

// Returns the largest element of w; x has the same elements as numbers.
template <class T> __device__ __forceinline__ Acc<T> top_of_words(const Words4& w, const Acc<T> (&x)[kVec16<T>]) {
  if constexpr (sizeof(T) == 2) {
    const u32 pairs = max_of_pairs(T{}, max_of_pairs(T{}, w.x, w.y), max_of_pairs(T{}, w.z, w.w));
    return max_number(low_f32(T{}, pairs), high_f32(T{}, pairs));
  } else {
    Acc<T> top = x[0];
#pragma unroll
    for (int j = 1; j < kVec16<T>; ++j) top = max_number(top, x[j]);
    return top;
  }
}

// Adds the elements of w to s.
template <class T> __device__ __forceinline__ void add_words(RunningSum<Acc<T>>& s, const Words4& w) {
  Acc<T> x[kVec16<T>];
  widen<T>(w, x);
  raise_top(s, top_of_words<T>(w, x));
  add_exponentials(s, x);
}

// Exponentials and logarithms. In f32, exp is the hardware's base-2 approximation: its relative error is up to 2^-22 * (1 + |argument|), and
// results below 2^-126 are 0. All f64 functions, and the functions used once per row, are those of CUDA's mathematical library.
//
// Macro: ADJ_IEEE 1 takes all f32 functions from prelude/ieee.cuh, which has no approximate instructions.
#pragma once

#include "prelude/types.cuh"
#if defined(ADJ_IEEE) && ADJ_IEEE
#include "prelude/ieee.cuh"
#endif

__device__ __forceinline__ f32 exp2_approximate(f32 v) {
#if defined(ADJ_SIMT)
  const f32 r = exp2f(v);
  return r < 1.1754943508222875e-38f ? 0.0f : r;
#else
  f32 r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
#endif
}
#if defined(ADJ_IEEE) && ADJ_IEEE
__device__ __forceinline__ f32 fast_exp(f32 v) { return ieee_exp(v); }
__device__ __forceinline__ f32 exact_expm1(f32 v) { return ieee_expm1(v); }
__device__ __forceinline__ f32 exact_log(f32 v) { return ieee_log(v); }
#else
__device__ __forceinline__ f32 fast_exp(f32 v) { return exp2_approximate(v * 1.4426950408889634f); }
__device__ __forceinline__ f32 exact_expm1(f32 v) { return expm1f(v); }
__device__ __forceinline__ f32 exact_log(f32 v) { return logf(v); }
#endif
__device__ __forceinline__ f64 fast_exp(f64 v) { return exp(v); }

// fast_exp, called in f64, where each inlined use would be a hundred instructions.
__device__ __forceinline__ f32 called_exp(f32 v) { return fast_exp(v); }
template <class A> __device__ __attribute__((noinline)) A called_exp(A v) { return fast_exp(v); }

__device__ __forceinline__ f64 exact_expm1(f64 v) { return expm1(v); }
__device__ __forceinline__ f64 exact_log(f64 v) { return log(v); }

// Returns the larger number; of a NaN and a number, the number.
__device__ __forceinline__ f32 max_number(const f32& a, const f32& b) {
#if defined(ADJ_SIMT)
  return fmaxf(a, b);
#else
  f32 r;
  asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#endif
}
__device__ __forceinline__ f64 max_number(f64 a, f64 b) { return fmax(a, b); }

template <class A> struct Limits;
template <> struct Limits<f32> {
  static __device__ __forceinline__ f32 lowest() { return -3.4028234663852886e38f; }
  static __device__ __forceinline__ f32 infinity() { return from_bits(0x7f800000u); }
  static __device__ __forceinline__ f32 nan() { return from_bits(0x7fc00000u); }
};
template <> struct Limits<f64> {
  static __device__ __forceinline__ f64 lowest() { return -1.7976931348623157e308; }
  static __device__ __forceinline__ f64 infinity() { return Limits<f32>::infinity(); }
  static __device__ __forceinline__ f64 nan() { return Limits<f32>::nan(); }
};
template <class A> __device__ __forceinline__ bool is_finite(const A& v) { return v - v == A(0); }

// Returns what the argument of an exponential is multiplied by before the exponential meets `factor`: 1, unless `factor` is infinite. The exponential of a
// finite number is above 0, so its product with infinity is infinite; where it rounds to 0 the product would be NaN. The result brings all finite arguments
// to -64 or above, and keeps -infinity.
__device__ __forceinline__ f32 exponent_beside(f32 factor) { return is_finite(factor) ? 1.0f : 0x1p-122f; }
__device__ __forceinline__ f64 exponent_beside(f64 factor) { return is_finite(factor) ? 1.0 : 0x1p-1018; }

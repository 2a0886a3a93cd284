// Reductions with a fixed tree, whose order of additions depends on the block size alone; compensated sums; division by whole numbers.
#pragma once

#include "prelude/thread.cuh"

template <class T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  return v;
}
// Returns the sum over the lanes that share a row, a power of two up to a warp.
template <class A> __device__ __forceinline__ A sum_of_lanes(A v, int lanes) {
  if (lanes >= kWarp) return warp_sum(v);
#pragma unroll 1
  for (u32 mask = static_cast<u32>(lanes) >> 1; mask > 0; mask >>= 1) v += shuffle_xor(v, static_cast<int>(mask));
  return v;
}

// Returns part(0) + part(1) + ... + part(count - 1), added in this order, four loads in flight.
template <class T, class Part> __device__ __forceinline__ T sum_in_order(int count, Part part) {
  T total = 0;
#pragma unroll 1
  for (int first = 0; first < count; first += 4)
#pragma unroll
    for (int i = first; i < first + 4; ++i) total += i < count ? part(i) : T(0);
  return total;
}
// Returns the sum of v over the warps of the block, in every thread; all lanes of a warp pass the same v. `scratch` holds one T per warp and may
// be reused after the next block barrier.
template <class T> __device__ __forceinline__ T sum_of_warps(T v, T* scratch) {
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  return sum_in_order<T>(block_warps(), [&](int w) { return scratch[w]; });
}
// Returns the sum of v over the threads of the block, in every thread; `scratch` as above.
template <class T> __device__ __forceinline__ T block_sum(T v, T* scratch) { return sum_of_warps(warp_sum(v), scratch); }

// Adds a term to a sum and the rounding error of this addition, which is exact, to `lost`.
template <class A> __device__ __forceinline__ void add_compensated(A& sum, A& lost, A term) {
  const A next = sum + term;
  const A taken = next - sum;
  lost += (sum - (next - taken)) + (term - taken);
  sum = next;
}
// Returns the compensated sum; the sum itself where it is infinite, since `lost` is NaN then.
template <class A> __device__ __forceinline__ A compensated(A sum, A lost) { return lost == lost ? sum + lost : sum; }

// Returns 1 / v with a relative error up to 2^-22, for v of at least 2^-126.
__device__ __forceinline__ f32 approximate_reciprocal(f32 v) {
#if defined(ADJ_SIMT)
  return 1.0f / v;
#else
  f32 r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
#endif
}

// Division of many numbers by one whole number of up to 32 bits, in f32 rounded to f32 first. Quotients are correctly rounded.
template <class A> struct Divisor;
// Divides in f64 and rounds to f32. A quotient of two f32 numbers that f64 cannot represent lies further from the middle between two f32
// numbers than the estimate's error; the residual makes representable ones exact.
template <> struct Divisor<f32> {
  f64 value, reciprocal;

  __device__ __forceinline__ explicit Divisor(u32 n) : value(static_cast<f32>(n)), reciprocal(approximate_reciprocal(static_cast<f32>(n))) {
#pragma unroll
    for (int i = 0; i < 2; ++i) reciprocal = __fma_rn(__fma_rn(-value, reciprocal, 1.0), reciprocal, reciprocal);
  }
  __device__ __forceinline__ f32 divide(f32 a) const {
    const f64 wide = a, estimate = wide * reciprocal;
    const f32 quotient = static_cast<f32>(__fma_rn(__fma_rn(-estimate, value, wide), reciprocal, estimate));
    return a - a == 0.0f && a != 0.0f ? quotient : a;  // keeps the sign of 0
  }
};
// Tiny numerators are scaled up, so that remainders are exact. Scaling back rounds the quotient a second time; where that meets the middle
// between two numbers, the remainder decides.
template <> struct Divisor<f64> {
  f64 value, reciprocal;

  __device__ __forceinline__ explicit Divisor(u32 n) : value(n), reciprocal(approximate_reciprocal(static_cast<f32>(n))) {
#pragma unroll
    for (int i = 0; i < 3; ++i) reciprocal = __fma_rn(__fma_rn(-value, reciprocal, 1.0), reciprocal, reciprocal);
  }
  __device__ __noinline__ f64 divide(f64 a) const {
    const bool tiny = a < 0x1p-900 && a > -0x1p-900;
    const f64 scaled = tiny ? a * 0x1p128 : a;
    f64 quotient = scaled * reciprocal;
    f64 rest = __fma_rn(-quotient, value, scaled);
    if (rest < 0 || rest > 0) quotient = __fma_rn(rest, reciprocal, quotient);  // false for a NaN rest
    if (!tiny) return quotient;
    const f64 rounded = quotient * 0x1p-128, cut = quotient - rounded * 0x1p128;
    rest = __fma_rn(-quotient, value, scaled);
    if (cut == 0x1p-947 && rest > 0) return rounded + 0x1p-1074;
    if (cut == -0x1p-947 && rest < 0) return rounded - 0x1p-1074;
    return rounded;
  }
};

// Reductions with a fixed tree: the order of additions depends on the block size alone.
#pragma once

#include "prelude/thread.cuh"

template <class T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int mask = kWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  return v;
}

// part(0) + part(1) + ... one after the other, four of them on their way at a time.
template <class T, class Part> __device__ __forceinline__ T sum_in_order(int count, Part part) {
  T total = 0;
#pragma unroll 1
  for (int first = 0; first < count; first += 4)
#pragma unroll
    for (int i = first; i < first + 4; ++i) total += i < count ? part(i) : T(0);
  return total;
}
// Over the warps of the block, each of whose lanes has the same v. Every thread gets the result. `scratch` holds one T per warp and
// may be reused after the next block barrier.
template <class T> __device__ __forceinline__ T sum_of_warps(T v, T* scratch) {
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  return sum_in_order<T>(block_warps(), [&](int w) { return scratch[w]; });
}
// Over the threads of the block; as above.
template <class T> __device__ __forceinline__ T block_sum(T v, T* scratch) { return sum_of_warps(warp_sum(v), scratch); }

// Adds a term to a sum and keeps in `lost` what the additions rounded off: the exact error of an addition is itself a number.
template <class A> __device__ __forceinline__ void add_compensated(A& sum, A& lost, A term) {
  const A next = sum + term;
  const A taken = next - sum;
  lost += (sum - (next - taken)) + (term - taken);
  sum = next;
}
// What was lost is not a number once the sum is infinite.
template <class A> __device__ __forceinline__ A compensated(A sum, A lost) { return lost == lost ? sum + lost : sum; }

// Within 2^-22, for numbers from 2^-126 on.
__device__ __forceinline__ f32 approximate_reciprocal(f32 v) {
#if defined(ADJ_SIMT)
  return 1.0f / v;
#else
  f32 r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
#endif
}

// Division of many numbers by one that is a whole number of up to 32 bits; the quotients are correctly rounded.
template <class A> struct Divisor;
// In f64, where a quotient of numbers of f32 that is no number of f64 stays further from the middle between two of f32 than the
// estimate's error; the residual settles those that are.
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
// Numerators next to the smallest numbers are scaled, so that remainders are exact; of the quotient, rounded once more as it is scaled
// back, what lies in the middle between two numbers is settled by the remainder.
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
    if (rest < 0 || rest > 0) quotient = __fma_rn(rest, reciprocal, quotient);  // not where it is no number
    if (!tiny) return quotient;
    const f64 rounded = quotient * 0x1p-128, cut = quotient - rounded * 0x1p128;
    rest = __fma_rn(-quotient, value, scaled);
    if (cut == 0x1p-947 && rest > 0) return rounded + 0x1p-1074;
    if (cut == -0x1p-947 && rest < 0) return rounded - 0x1p-1074;
    return rounded;
  }
};

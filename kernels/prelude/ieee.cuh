// Exponentials and logarithms in f32 without approximate instructions: additions, products and fused multiply-adds only, so every architecture and
// the CPU give the same bits. Subnormal numbers are kept. Programs with ADJ_IEEE use them (prelude/exp.cuh).
//
// Errors are in units in the last place of the exact value; tests/simt/ieee_test.cpp holds them.
#pragma once

#include "prelude/types.cuh"

// An argument x = n * log(2) + r with |r| <= log(2) / 2, and s = exp(r) - 1. `shifted` has n in its low bits.
struct ReducedExponent {
  f32 n, s;
  u32 shifted;
};
__device__ __forceinline__ u32 to_bits(const f32& v) {
  u32 bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}
__device__ __forceinline__ ReducedExponent reduced_exponent(const f32& x) {
  const f32 shifted = fused_multiply_add(x, 1.44269502f, 0x1.8p23f), n = shifted - 0x1.8p23f;
  f32 r = fused_multiply_add(n, -0.693147182f, x);  // exact
  r = fused_multiply_add(n, 1.90465421e-9f, r);
  f32 q = 1.98911031e-4f;
  q = fused_multiply_add(q, r, 1.39337510e-3f);
  q = fused_multiply_add(q, r, 8.33331048e-3f);
  q = fused_multiply_add(q, r, 4.16664630e-2f);
  q = fused_multiply_add(q, r, 1.66666672e-1f);
  q = fused_multiply_add(q, r, 0.5f);
  return {n, fused_multiply_add(r * r, q, r), to_bits(shifted)};
}
// Returns 2^n, n from -126 to 127.
__device__ __forceinline__ f32 power_of_two(int n) { return from_bits(static_cast<u32>(n + 127) << 23); }

// Error up to 1 unit.
__device__ __forceinline__ f32 ieee_exp(const f32& v) {
  const f32 x = v > 90.0f ? 90.0f : v < -110.0f ? -110.0f : v;  // the results are infinity and 0; NaN stays NaN
  const ReducedExponent e = reduced_exponent(x);
  const int n = static_cast<int>(e.shifted - 0x4b400000u), half = x == x ? n >> 1 : 0;
  // In two steps: 2^n alone may be no normal number. Only the second one rounds.
  return (1.0f + e.s) * power_of_two(half) * power_of_two(x == x ? n - half : 0);
}
// exp(x) - 1; error up to 1.5 units.
__device__ __forceinline__ f32 ieee_expm1(const f32& v) {
  const f32 x = v < -20.0f ? -20.0f : v > 20.0f ? 20.0f : v;
  const ReducedExponent e = reduced_exponent(x);
  const f32 scale = power_of_two(x == x ? static_cast<int>(e.shifted - 0x4b400000u) : 0);
  const f32 near = e.n == 0.0f ? e.s : fused_multiply_add(e.s, scale, scale - 1.0f);
  return v > 20.0f ? ieee_exp(v) : v == 0.0f ? v : near;
}
// Natural logarithm; error up to 0.9 units. -infinity at 0, NaN below.
__device__ __forceinline__ f32 ieee_log(const f32& v) {
  const bool small = v < 0x1p-126f;
  const u32 bits = to_bits(small ? v * 0x1p23f : v);
  const u32 exponent = (bits - 0x3f2aaaabu) & 0xff800000u;  // the rest is a number from 2/3 to 4/3
  const f32 e = static_cast<f32>(static_cast<int>(exponent) >> 23) - (small ? 23.0f : 0.0f), f = from_bits(bits - exponent) - 1.0f;
  f32 q = 1.16139427e-1f;
  q = fused_multiply_add(q, f, -1.27282083e-1f);
  q = fused_multiply_add(q, f, 1.08529434e-1f);
  q = fused_multiply_add(q, f, -1.22209869e-1f);
  q = fused_multiply_add(q, f, 1.42961994e-1f);
  q = fused_multiply_add(q, f, -1.66779955e-1f);
  q = fused_multiply_add(q, f, 1.99998528e-1f);
  q = fused_multiply_add(q, f, -2.49998406e-1f);
  q = fused_multiply_add(q, f, 3.33333343e-1f);
  q = fused_multiply_add(q, f, -0.5f);
  // The sum of e * log(2), whose first part is exact, f, and small terms; `lost` is the rounding error of the first addition.
  const f32 whole = fused_multiply_add(e, 0.693145752f, f), lost = fused_multiply_add(e, 0.693145752f, -whole) + f;
  const f32 near = whole + (lost + fused_multiply_add(f * f, q, e * 1.42860677e-6f));
  if (!(v > 0.0f)) return v == 0.0f ? from_bits(0xff800000u) : from_bits(0x7fc00000u);
  return v - v == 0.0f ? near : v;
}

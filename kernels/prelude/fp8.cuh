// Numbers of eight bits: their types and conversions. Programs with these conversions need sm_89.
#pragma once

#include "prelude/types.cuh"

struct f8_e4m3 {
  u8 bits;
};
struct f8_e5m2 {
  u8 bits;
};

// Two numbers rounded to codes, to nearest even; the first is in the low byte. Beyond the largest code, and for infinities, it is that code; a NaN is 0x7f.
__device__ __forceinline__ u32 f8_pair(f8_e4m3, f32 low, f32 high) {
#if defined(ADJ_SIMT)
  return static_cast<u32>(simt::f32_to_f8(low, false)) | static_cast<u32>(simt::f32_to_f8(high, false)) << 8;
#else
  u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}
__device__ __forceinline__ u32 f8_pair(f8_e5m2, f32 low, f32 high) {
#if defined(ADJ_SIMT)
  return static_cast<u32>(simt::f32_to_f8(low, true)) | static_cast<u32>(simt::f32_to_f8(high, true)) << 8;
#else
  u16 pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}

// The numbers of two codes that share 16 bits, as two f16 in a word; exact.
template <class C> __device__ __forceinline__ u32 f8_halves(C, u32 pair) {
#if defined(ADJ_SIMT)
  constexpr bool wide = kSameType<C, f8_e5m2>;
  return Convert<f16>::pair(simt::f8_to_f32(static_cast<u8>(pair), wide), simt::f8_to_f32(static_cast<u8>(pair >> 8), wide));
#else
  u32 halves;
  if constexpr (kSameType<C, f8_e5m2>) asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(static_cast<u16>(pair)));
  else asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<u16>(pair)));
  return halves;
#endif
}
// The same numbers as f32.
template <class C> __device__ __forceinline__ void f8_numbers(C code, u32 pair, f32& low, f32& high) {
  const u32 halves = f8_halves(code, pair);
  low = low_f32(f16{}, halves);
  high = high_f32(f16{}, halves);
}

// Bits, fraction and least exponent of a format, and its largest number.
template <class C> constexpr int kF8Mantissa = kSameType<C, f8_e5m2> ? 2 : 3;
template <class C> constexpr int kF8LeastExponent = kSameType<C, f8_e5m2> ? -14 : -6;
template <class C> constexpr u32 kF8Largest = kSameType<C, f8_e5m2> ? 0x7b : 0x7e;
template <class C> constexpr u32 kF8Infinity = kSameType<C, f8_e5m2> ? 0x7c : 0x7f;

// Four of the eight bytes of two words; digit i of the selector names byte i, and the bytes of `low` are 0 to 3.
__device__ __forceinline__ u32 take_bytes(u32 low, u32 high, u32 selector) {
#if defined(ADJ_SIMT)
  const u64 both = static_cast<u64>(high) << 32 | low;
  u32 taken = 0;
  for (int i = 0; i < 4; ++i) taken |= static_cast<u32>(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return taken;
#else
  u32 taken;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(taken) : "r"(low), "r"(high), "r"(selector));
  return taken;
#endif
}

// Scalar types, conversions and arithmetic. Only prelude/ has intrinsics and PTX. Kernels include no toolkit header, so they compile
// wherever NVRTC does.
//
// A function that touches no memory costs NVRTC 0.2 ms besides its code, since NVRTC optimises it by itself until the end; an intrinsic is
// two such functions. So small functions here take references, which are memory, and functions of hot loops are one instruction of PTX.
#pragma once

#if defined(ADJ_SIMT)
#include "device.hpp"  // in tests/simt: intrinsics for execution on the CPU; each PTX instruction has a branch for the CPU beside it
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

struct alignas(2) f16 {
  u16 bits;
};
struct alignas(2) bf16 {
  u16 bits;
};
struct none {};  // stands for the element type of an array that a signature leaves out

template <class A, class B> constexpr bool kSameType = false;
template <class A> constexpr bool kSameType<A, A> = true;

// ---- 16-bit formats, rounded to nearest even

__device__ __forceinline__ f32 to_f32(const f16& h) {
#if defined(ADJ_SIMT)
  return simt::f16_to_f32(h.bits);
#else
  f32 v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h.bits));
  return v;
#endif
}
__device__ __forceinline__ f32 from_bits(const u32& bits) {
  f32 v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
__device__ __forceinline__ f32 to_f32(const bf16& b) { return from_bits(static_cast<u32>(b.bits) << 16); }
__device__ __forceinline__ f32 to_f32(f32 v) { return v; }

// The elements of a pair, two that share a word; the first is in its low half.
__device__ __forceinline__ f32 low_f32(bf16, const u32& pair) { return from_bits(pair << 16); }
__device__ __forceinline__ f32 high_f32(bf16, const u32& pair) { return from_bits(pair & 0xffff0000u); }
__device__ __forceinline__ f32 low_f32(f16, const u32& pair) { return to_f32(f16{static_cast<u16>(pair)}); }
__device__ __forceinline__ f32 high_f32(f16, const u32& pair) { return to_f32(f16{static_cast<u16>(pair >> 16)}); }

template <class T> struct Convert;
template <> struct Convert<f16> {
  static __device__ __forceinline__ f16 from(const f32& v) {
#if defined(ADJ_SIMT)
    return {simt::f64_to_f16(v)};
#else
    f16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(v));
    return h;
#endif
  }
  static __device__ __forceinline__ f16 from(const f64& v) {
#if defined(ADJ_SIMT)
    return {simt::f64_to_f16(v)};
#else
    f16 h;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h.bits) : "d"(v));
    return h;
#endif
  }
  static __device__ __forceinline__ u32 pair(f32 low, f32 high) {
#if defined(ADJ_SIMT)
    return static_cast<u32>(from(low).bits) | static_cast<u32>(from(high).bits) << 16;
#else
    u32 words;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(words) : "f"(high), "f"(low));
    return words;
#endif
  }
};
template <> struct Convert<bf16> {
  static __device__ __forceinline__ bf16 from(const f32& v) {
#if defined(ADJ_SIMT)
    return {simt::f32_to_bf16(v)};
#else
    bf16 b;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b.bits) : "f"(v));
    return b;
#endif
  }
  static __device__ __forceinline__ u32 pair(f32 low, f32 high) {
#if defined(ADJ_SIMT)
    return static_cast<u32>(from(low).bits) | static_cast<u32>(from(high).bits) << 16;
#else
    u32 words;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(words) : "f"(high), "f"(low));
    return words;
#endif
  }
};
template <> struct Convert<f32> {
  static __device__ __forceinline__ f32 from(const f32& v) { return v; }
  static __device__ __forceinline__ f32 from(const f64& v) { return static_cast<f32>(v); }
};
template <> struct Convert<none> {  // for code that is compiled but never executed
  static __device__ __forceinline__ none from(f32) { return {}; }
  static __device__ __forceinline__ none from(f64) { return {}; }
};
template <> struct Convert<f64> {
  static __device__ __forceinline__ f64 from(const f32& v) { return v; }
  static __device__ __forceinline__ f64 from(const f64& v) { return v; }
};

// ---- accumulation type: f64 for f64, f32 for all other types; f64 for all types in programs with the macro ADJ_ACC_F64 1

// Type of numbers that lie in memory beside elements of type T, such as logarithms of sums: f64 for f64, f32 for all other types.
template <class T> struct BesideOf {
  typedef f32 type;
};
template <> struct BesideOf<f64> {
  typedef f64 type;
};
template <class T> using Beside = typename BesideOf<T>::type;

#if defined(ADJ_ACC_F64) && ADJ_ACC_F64
template <class T> struct WideAccOf {
  typedef f64 type;
};  // another name than AccOf, as functions of both kinds of programs share a library in tests/simt
template <class T> using Acc = typename WideAccOf<T>::type;
#else
template <class T> struct AccOf : BesideOf<T> {};
template <class T> using Acc = typename AccOf<T>::type;
#endif
template <class T> constexpr bool kWideAcc = sizeof(Acc<T>) > sizeof(Beside<T>);  // true: wider than usual, so fewer fit the registers

__device__ __forceinline__ f32 to_acc(const f16& v) { return to_f32(v); }
__device__ __forceinline__ f32 to_acc(const bf16& v) { return to_f32(v); }
__device__ __forceinline__ f32 to_acc(const f32& v) { return v; }
__device__ __forceinline__ f64 to_acc(const f64& v) { return v; }
__device__ __forceinline__ f32 to_acc(none) { return 0; }
template <class T, class A> __device__ __forceinline__ T from_acc(const A& v) { return Convert<T>::from(v); }

template <class T> __device__ __forceinline__ T min_of(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __device__ __forceinline__ T max_of(const T& a, const T& b) { return a < b ? b : a; }

// Operations with one rounding. fused_multiply_add stands where results must not depend on how the compiler contracts a * b + c.
__device__ __forceinline__ f32 fused_multiply_add(const f32& a, const f32& b, const f32& c) {
#if defined(ADJ_SIMT)
  return __fmaf_rn(a, b, c);
#else
  f32 r;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
  return r;
#endif
}
__device__ __forceinline__ f64 fused_multiply_add(const f64& a, const f64& b, const f64& c) {
#if defined(ADJ_SIMT)
  return __fma_rn(a, b, c);
#else
  f64 r;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(r) : "d"(a), "d"(b), "d"(c));
  return r;
#endif
}
// A product that the compiler does not make part of a fused multiply-add.
__device__ __forceinline__ f32 rounded_product(const f32& a, const f32& b) {
#if defined(ADJ_SIMT)
  return a * b;
#else
  f32 r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#endif
}
__device__ __forceinline__ f64 rounded_product(const f64& a, const f64& b) {
#if defined(ADJ_SIMT)
  return a * b;
#else
  f64 r;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
#endif
}
__device__ __forceinline__ f32 square_root(const f32& v) {
#if defined(ADJ_SIMT)
  return __fsqrt_rn(v);
#else
  f32 r;
  asm("sqrt.rn.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
#endif
}
__device__ __forceinline__ f64 square_root(f64 v) { return __dsqrt_rn(v); }

// Correctly rounded quotient and root for a divisor or a radicand between 2^-512 and 2^512, so that intermediate values stay normal numbers.
// Their code is a tenth of that of the general operators.
__device__ __forceinline__ f64 divide_by_normal(f64 n, f64 d) {
#if defined(ADJ_SIMT)
  return n / d;
#else
  f64 r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));  // relative error up to 2^-20
  f64 e = __fma_rn(-d, r, 1.0);
  r = __fma_rn(r, __fma_rn(e, e, e), r);
  r = __fma_rn(r, __fma_rn(-d, r, 1.0), r);
  const f64 q = n * r, rest = __fma_rn(-d, q, n);
  return rest == rest ? __fma_rn(rest, r, q) : q;  // the rest is NaN where the quotient is infinite
#endif
}
__device__ __forceinline__ f64 square_root_of_normal(f64 v) {
#if defined(ADJ_SIMT)
  return square_root(v);
#else
  f64 y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(v));
  const f64 e = __fma_rn(-v, y * y, 1.0);
  y = __fma_rn(__fma_rn(e, 0.375, 0.5), e * y, y);
  const f64 root = v * y;
  return __fma_rn(__fma_rn(-root, root, v), 0.5 * y, root);
#endif
}

// Returns v and hides from the compiler where it comes from: v is neither computed again at each use, nor made the condition of two versions
// of a loop, and results computed from v are computed again rather than kept in registers.
#if defined(ADJ_SIMT)
template <class T> inline T opaque(T v) { return v; }
#else
__device__ __forceinline__ int opaque(int v) {
  asm volatile("" : "+r"(v));
  return v;
}
__device__ __forceinline__ i64 opaque(i64 v) {
  asm volatile("" : "+l"(v));
  return v;
}
__device__ __forceinline__ f32 opaque(f32 v) {
  asm volatile("" : "+f"(v));
  return v;
}
__device__ __forceinline__ f64 opaque(f64 v) {
  asm volatile("" : "+d"(v));
  return v;
}
#endif

// The architecture, such as 90, where it decides about launch bounds alone: how many registers ptxas needs differs between sm_80 to sm_89, sm_90, sm_100 to
// sm_110, and sm_120 and later. Launch bounds mean nothing on the CPU, which has one version of such a kernel.
#ifdef __CUDA_ARCH__
#define ADJ_BOUNDS_ARCH (__CUDA_ARCH__ / 10)
#else
#define ADJ_BOUNDS_ARCH 90
#endif

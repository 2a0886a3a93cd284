// Bits of the elements that dropout keeps: drawn from the random numbers, or read from a mask. The bits of consecutive elements are handled
// together; bit 0 belongs to the first element.
#pragma once

#include "prelude/divide.h"
#include "prelude/memory.cuh"
#include "prelude/philox.cuh"
#include "prelude/scalar.cuh"
#include "dropout/params.h"

// Values that all elements of a call share.
template <class A> struct Dropout {
  RandomState random;
  u32 limit;   // an element is kept if its random word is below
  bool draws;  // false: every word keeps its element
  bool all;    // the ratio is 0
  bool none;   // the ratio is 1: nothing is kept, and a mask is not read
  A scale;
};

template <class A> __device__ __forceinline__ Dropout<A> read_dropout(const DropoutRule& rule) {
  Dropout<A> d{{}, 0, false, true, false, A(1)};
  if (!rule.training) return d;
  d.random = read_random(rule.random);
  const f64 ratio = read_scalar(rule.ratio), kept = 1.0 - ratio;
  d.all = ratio == 0;
  d.none = ratio == 1;
  if (!(ratio >= 0 && kept >= 0)) {
    d.scale = static_cast<A>(from_bits(0x7fc00000u));
    return d;
  }
  const u64 limit = static_cast<u64>(kept * 0x1p32 + 0.5);
  d.limit = static_cast<u32>(limit);
  d.draws = limit >> 32 == 0;
  d.scale = d.none ? A(0) : static_cast<A>(divide_by_normal(1.0, kept));
  return d;
}

// Returns the bits of 4 * blocks elements; `first`, the number of the first one, is a multiple of 4.
template <int blocks, class A> __device__ __forceinline__ u32 draw_bits(const Dropout<A>& d, i64 first) {
  u32 words[4 * blocks];
  draw_blocks<blocks>(d.random, d.random.block + (static_cast<u64>(first) >> 2), words);
  u32 bits = 0;
#pragma unroll
  for (int i = 0; i < 4 * blocks; ++i) bits |= static_cast<u32>(words[i] < d.limit) << i;
  return d.draws ? bits : 0xffffffffu;
}

// Computes x = word < limit ? x * scale : 0, and adds `bit` to `bits` if x is kept: one comparison, one selection and one addition.
__device__ __forceinline__ void drop_by_word(f32& x, u32& bits, u32 word, u32 limit, f32 scale, u32 bit) {
  x *= scale;
#if defined(ADJ_SIMT)
  x = word < limit ? x : 0;
  bits += word < limit ? bit : 0;
#else
  asm("{ .reg .pred p; setp.lt.u32 p, %2, %3; selp.f32 %0, %0, 0f00000000, p; @p add.u32 %1, %1, %4; }"
      : "+f"(x), "+r"(bits)
      : "r"(word), "r"(limit), "r"(bit));
#endif
}
__device__ __forceinline__ void drop_by_word(f64& x, u32& bits, u32 word, u32 limit, f64 scale, u32 bit) {
  x = word < limit ? x * scale : 0;
  bits += word < limit ? bit : 0;
}
// Applies drop_by_word to N consecutive elements. Returns their bits.
template <int N, class A> __device__ __forceinline__ u32 drop_by_words(const Dropout<A>& d, const u32* words, A (&x)[N]) {
  u32 bits = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) drop_by_word(x[j], bits, words[j], d.limit, d.scale, 1u << j);
  return bits;
}

// Converts four bytes to four bits, and back. Any byte but 0 counts as 1.
__device__ __forceinline__ u32 bits_of_bytes(u32 bytes) {
  bytes |= bytes >> 4;
  bytes |= bytes >> 2;
  bytes |= bytes >> 1;
  return (bytes & 0x01010101u) * 0x01020408u >> 24 & 15;
}
__device__ __forceinline__ u32 bytes_of_bits(u32 bits) { return (bits & 15) * 0x00204081u & 0x01010101u; }

// Loads the bits of N (2, 4 or 8) elements from bytes, or stores them; p is a multiple of N bytes.
template <int N> __device__ __forceinline__ u32 load_bools(const u8* p) {
  if constexpr (N == 8) {
    const Words2 w = load_words(reinterpret_cast<const Words2*>(p));
    return bits_of_bytes(w.x) | bits_of_bytes(w.y) << 4;
  } else if constexpr (N == 4) {
    return bits_of_bytes(load_words(reinterpret_cast<const Words1*>(p)).x);
  } else {
    return bits_of_bytes(*reinterpret_cast<const u16*>(p));
  }
}
template <int N> __device__ __forceinline__ void store_bools(u8* p, u32 bits) {
  if constexpr (N == 8) store_words(reinterpret_cast<Words2*>(p), Words2{bytes_of_bits(bits), bytes_of_bits(bits >> 4)});
  else if constexpr (N == 4) store_words(reinterpret_cast<Words1*>(p), Words1{bytes_of_bits(bits)});
  else *reinterpret_cast<u16*>(p) = static_cast<u16>(bytes_of_bits(bits & 3));
}

// ---- bits of `count` (0 to N) elements from element e on, for a vector of N elements that begins anywhere

template <int N, class A> __device__ __forceinline__ u32 draw_bits_at(const Dropout<A>& d, i64 e, int count) {
  constexpr int kBlocks = N == 8 ? 2 : 1;
  const int skew = static_cast<int>(e & 3);
  u32 bits = 0;
#pragma unroll 1
  for (int i = 0; i < count + skew; i += 4 * kBlocks) bits |= draw_bits<kBlocks>(d, e - skew + i) << i;
  return bits >> skew;
}
__device__ __noinline__ u32 load_bools_one_by_one(const u8* p, int count) {
  u32 bits = 0;
#pragma unroll 1
  for (int j = 0; j < count; ++j) bits |= static_cast<u32>(p[j] != 0) << j;
  return bits;
}
template <int N> __device__ __forceinline__ u32 load_bools_at(const u8* p, int count) {
  if (count == N && reinterpret_cast<u64>(p) % N == 0) return load_bools<N>(p);
  return load_bools_one_by_one(p, count);
}
template <int N> __device__ __forceinline__ void store_bools_at(u8* p, u32 bits, int count) {
  if (count == N && reinterpret_cast<u64>(p) % N == 0) return store_bools<N>(p, bits);
#pragma unroll 1
  for (int j = 0; j < count; ++j) p[j] = static_cast<u8>(bits >> j & 1);
}
__device__ __forceinline__ u32 load_bits_at(const u8* mask, i64 e, int count) {
  if (count == 0) return 0;
  const int skew = static_cast<int>(e & 7);
  const u8* const p = mask + (e >> 3);
  return (p[0] | (skew + count > 8 ? static_cast<u32>(p[1]) << 8 : 0u)) >> skew;
}

// Scales and codes, as include/adjoint/ops/fp8.h defines them.
//
// Macros: ADJ_STOCHASTIC 1: codes are rounded at random.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/fp8.cuh"
#include "prelude/philox.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"
#include "fp8/params.h"

__device__ __forceinline__ u32 bits_of(const f32& v) {
  u32 bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}
__device__ __forceinline__ f32 magnitude(const f32& v) { return from_bits(bits_of(v) & 0x7fffffffu); }
// The larger of a maximum and |v|; a NaN in v counts as 0.
__device__ __forceinline__ f32 larger(const f32& amax, const f32& v) { return max_number(amax, magnitude(v)); }
__device__ __forceinline__ f32 quotient_of(const f32& a, const f32& b) { return __fdiv_rn(a, b); }

struct ScalePair {
  f32 multiplier, inverse;
};

constexpr u32 kLeastScale = 0x00800000u, kMostScale = 0x7e800000u;  // 2^-126 and 2^126
__device__ __forceinline__ f32 bounded_scale(const f32& v) {
  return v < from_bits(kLeastScale) ? from_bits(kLeastScale) : v > from_bits(kMostScale) ? from_bits(kMostScale) : v;
}

// Scale of a group whose largest magnitude is amax.
__device__ __noinline__ ScalePair scale_of(f32 amax, Fp8Rule rule) {
  if (!(amax > 0) || bits_of(amax) >= 0x7f800000u) return {1.0f, 1.0f};
  f32 a = amax < rule.eps ? rule.eps : amax;
  if (rule.pow2) {
    int exponent = 0;
    if (a < 0x1p-126f) a *= 0x1p24f, exponent = 24;
    const int f = static_cast<int>(bits_of(rule.largest) >> 23), of_a = static_cast<int>(bits_of(a) >> 23);
    int k = f - of_a + exponent - ((bits_of(rule.largest) & 0x7fffffu) < (bits_of(a) & 0x7fffffu) ? 1 : 0);
    k = k < -126 ? -126 : k > 126 ? 126 : k;
    return {from_bits(static_cast<u32>(127 + k) << 23), from_bits(static_cast<u32>(127 - k) << 23)};
  }
  if (rule.quotient) {
    const f32 r = bounded_scale(quotient_of(a, rule.largest));
    return {quotient_of(1.0f, r), r};
  }
  const f32 s = bounded_scale(quotient_of(rule.largest, a));
  return {s, quotient_of(1.0f, s)};
}

// 16 random bits for each of eight elements from `first` on, in order.
__device__ __forceinline__ Words4 random_of_eight(RandomState state, u64 first) {
  u32 words[8];
  count_blocks<2>(state.block + (first >> 3), words);
  turn_blocks<2>(state.key_low, state.key_high, words);
#pragma unroll 1
  for (int skip = static_cast<int>(first & 7); skip > 0; --skip) {
#pragma unroll
    for (int i = 0; i < 7; ++i) words[i] = words[i] >> 16 | words[i + 1] << 16;
    words[7] >>= 16;
  }
  return {words[0], words[1], words[2], words[3]};
}

// One of the two neighbours of v among the numbers of C; it may lie beyond the largest.
template <class C> __device__ __forceinline__ f32 round_at_random(const f32& v, u32 random) {
  const int least = 127 + kF8LeastExponent<C>;
  int exponent = static_cast<int>(bits_of(v) >> 23 & 0xff);
  exponent = (exponent < least ? least : exponent) - kF8Mantissa<C>;
  const f32 unit = from_bits(static_cast<u32>(exponent) << 23), inverse = from_bits(static_cast<u32>(254 - exponent) << 23);
  const f32 steps = magnitude(v) * inverse, whole = floorf(steps);
  const u32 distance = static_cast<u32>((steps - whole) * 0x1p16f);
  const f32 size = (whole + (random < distance ? 1.0f : 0.0f)) * unit;
  return from_bits(bits_of(size) | (bits_of(v) & 0x80000000u));
}

// The code of a product v = x * scale that is not finite.
template <class C> __device__ __forceinline__ u32 special_code(const f32& x, const f32& v, int saturate) {
  if (!(v == v)) return 0x7f | (bits_of(x) >> 31) << 7;
  return (saturate ? kF8Largest<C> : kF8Infinity<C>) | (bits_of(v) >> 31) << 7;
}
template <class C> __device__ __noinline__ u32 repaired_codes(u32 codes, f32 x0, f32 x1, f32 x2, f32 x3, f32 scale, int saturate) {
  const f32 x[4] = {x0, x1, x2, x3};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const f32 v = x[j] * scale;
    if (!is_finite(v)) codes = (codes & ~(0xffu << 8 * j)) | special_code<C>(x[j], v, saturate) << 8 * j;
  }
  return codes;
}

#if !defined(ADJ_STOCHASTIC)
#define ADJ_STOCHASTIC 0
#endif

// Codes of four neighbours in a word. random: 16 bits for each, read with ADJ_STOCHASTIC.
template <class C> __device__ __forceinline__ u32 four_codes(const f32 (&x)[4], const f32& scale, const QuantizeParams& p, const u32 (&random)[2]) {
  f32 v[4];
  bool finite = true;
#pragma unroll
  for (int j = 0; j < 4; ++j) v[j] = x[j] * scale, finite = finite && is_finite(v[j]);
  if constexpr (ADJ_STOCHASTIC)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (is_finite(v[j])) v[j] = round_at_random<C>(v[j], random[j / 2] >> (j & 1) * 16 & 0xffff);
  const u32 codes = f8_pair(C{}, v[0], v[1]) | f8_pair(C{}, v[2], v[3]) << 16;
  return finite ? codes : repaired_codes<C>(codes, x[0], x[1], x[2], x[3], scale, p.saturate);
}

// kFp8Piece neighbours of a row, as they lie in memory. Those behind the end are 0.
template <class T> struct FloatPiece {
  static constexpr int kWords = kFp8Piece / kVec16<T>;
  Words4 words[kWords];

  __device__ __forceinline__ void load(const void* x, i64 at, int count, bool aligned) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = load_vector<T>(x, at + i * kVec16<T>, count - i * kVec16<T>, aligned);
  }
  // Number j of them, which is known when the program is compiled.
  __device__ __forceinline__ f32 number(int j) const {
    const Words4& own = words[j / kVec16<T>];
    const int word = j % kVec16<T> * static_cast<int>(sizeof(T)) / 4;
    const u32 bits = word == 0 ? own.x : word == 1 ? own.y : word == 2 ? own.z : own.w;
    if constexpr (sizeof(T) == 4) return from_bits(bits);
    else return j & 1 ? high_f32(T{}, bits) : low_f32(T{}, bits);
  }
  __device__ __forceinline__ void get(f32 (&x)[kFp8Piece]) const {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      f32 own[kVec16<T>];
      widen<T>(words[i], own);
#pragma unroll
      for (int j = 0; j < kVec16<T>; ++j) x[i * kVec16<T> + j] = own[j];
    }
  }
};

// Codes of a piece whose first element is number `element` of the matrix.
template <class C> __device__ __forceinline__ Words4 codes_of(const f32 (&x)[kFp8Piece], const f32& scale, const QuantizeParams& p, i64 element) {
  u32 codes[4], random[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  if constexpr (ADJ_STOCHASTIC) {
    const RandomState state = read_random(p.random);
    const Words4 first = random_of_eight(state, static_cast<u64>(element)), second = random_of_eight(state, static_cast<u64>(element) + 8);
    random[0] = first.x, random[1] = first.y, random[2] = first.z, random[3] = first.w;
    random[4] = second.x, random[5] = second.y, random[6] = second.z, random[7] = second.w;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const f32 four[4] = {x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]};
    const u32 bits[2] = {random[2 * i], random[2 * i + 1]};
    codes[i] = four_codes<C>(four, scale, p, bits);
  }
  return {codes[0], codes[1], codes[2], codes[3]};
}

// The largest magnitude of a piece, and how many of its elements are NaN or infinite.
__device__ __forceinline__ f32 amax_of(const f32 (&x)[kFp8Piece]) {
  f32 amax = 0;
#pragma unroll
  for (int j = 0; j < kFp8Piece; ++j) amax = larger(amax, x[j]);
  return amax;
}
__device__ __forceinline__ u32 wrong_of(const f32 (&x)[kFp8Piece]) {
  u32 wrong = 0;
#pragma unroll
  for (int j = 0; j < kFp8Piece; ++j) wrong += is_finite(x[j]) ? 0 : 1;
  return wrong;
}

// The largest v of the lanes of a warp whose numbers differ in the bits from `from` up to below `to`.
__device__ __forceinline__ f32 max_of_lanes(f32 v, int from, int to) {
#pragma unroll
  for (int mask = from; mask < to; mask *= 2) v = max_number(v, shuffle_xor(v, mask));
  return v;
}
// The largest v of the block, in every thread; `scratch` has a number for each warp, and may be reused after the next barrier.
__device__ __forceinline__ f32 max_of_block(f32 v, f32* scratch) {
  v = max_of_lanes(v, 1, kWarp);
  if (lane_index() == 0) scratch[warp_index()] = v;
  block_barrier();
  f32 most = 0;
#pragma unroll 1
  for (int w = 0; w < block_warps(); ++w) most = max_number(most, scratch[w]);
  return most;
}
// Raises the maximum at `to`. Bits of numbers that are not negative compare as integers.
__device__ __forceinline__ void raise(f32* to, f32 amax) { atomic_max(reinterpret_cast<i32*>(to), static_cast<i32>(bits_of(amax))); }

// What a block has found beside its codes, added to the outputs that are wanted. All threads of the block call this.
__device__ __forceinline__ void add_findings(const QuantizeParams& p, f32 amax, u32 wrong, f32* scratch) {
  if (p.amax_out) {
    block_barrier();
    amax = max_of_block(amax, scratch);
    if (thread_index() == 0) raise(p.amax_out, amax);
  }
  if (p.error_flag) {
    const u32 all = warp_add(wrong);
    if (lane_index() == 0 && all) atomic_add(p.error_flag, static_cast<i64>(all));
  }
}

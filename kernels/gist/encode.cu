// Compression of activations: an octet, eight elements, becomes one, eight or sixteen bytes.
//
// Computes: the formats of include/adjoint/ops/gist.h.
// Work split: a thread takes an octet, a grid apart.
// Memory: every byte once; whole octets of aligned arrays 8 or 16 bytes at a time, all other octets element by element.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type (bool is u8), ADJ_FORMAT name of the format.
#include "gist/octet.cuh"

typedef ADJ_T T;

constexpr int kFormat = ADJ_FORMAT_NAMED(ADJ_FORMAT);
constexpr int kBlock = 256;

// A bool is the number 0 or 1.
__device__ __forceinline__ f32 number_of(const u8& v) { return v ? 1.0f : 0.0f; }
template <class E> __device__ __forceinline__ Acc<E> number_of(const E& v) { return to_acc(v); }

// Rounds a number to FP8 E5M2, to nearest even.
__device__ __forceinline__ u8 to_e5m2(const f32& v, bool saturate) {
  const u32 bits = bits_of(v), size = bits & 0x7fffffffu, sign = bits >> 24 & 0x80;
  // Normal numbers, from 2^-14 on. From 61440 on, halfway between the largest number and 2^16, the largest number or infinity.
  u32 code = min_of((size - (112u << 23) + 0xfffffu + (size >> 21 & 1)) >> 21, saturate ? 0x7bu : 0x7cu);
  if (size < 0x38800000u) code = bits_of(from_bits(size) * 65536.0f + 8388608.0f) & 7;  // subnormal: the addition rounds to multiples of 2^-16
  if (size >= 0x7f800000u) code = size > 0x7f800000u ? 0x7f : 0x7c;
  return static_cast<u8>(sign | code);
}

// The byte that ONNX Runtime writes. For f32 it has sign, exponent and fraction; for f16 ONNX Runtime uses the masks of another format, so that
// the sign alone is left.
__device__ __forceinline__ u8 to_reference(const f32& v, bool half) {
  if (v == 0) return 0;
  const u32 bits = bits_of(v);
  if (half) return static_cast<u8>(bits >> 31 << 7);
  const u32 exponent = (bits >> 23 & 255) - 127, fraction = bits & 0x7fffffu;
  u32 high = exponent >> 3, low = fraction >> 21;
  if (fraction & 0x80000u) {
    high += low == 3;
    low = low == 3 ? 0 : low + 1;
  }
  if (high >= 31) high = 0;
  return static_cast<u8>(bits >> 31 << 7 | high << 2 | low);
}

// Bit 7 of byte j is bit j of the exponent that the octet shares; bit 6 is the sign, bits 0 to 5 are the magnitude.
__device__ __forceinline__ Octet<u8> to_msfp15(const Octet<T>& x) {
  u32 bits[kOctet], shared = 0;
#pragma unroll
  for (int j = 0; j < kOctet; ++j) {
    bits[j] = bits_of(static_cast<f32>(number_of(x.at[j])));
    shared = max_of(shared, bits[j] >> 23 & 255);
  }
  Octet<u8> v;
#pragma unroll
  for (int j = 0; j < kOctet; ++j) {
    const u32 exponent = bits[j] >> 23 & 255, apart = min_of(shared - exponent + 17, 31u);
    const u32 doubled = min_of(((bits[j] & 0x7fffffu) | 0x800000u) >> apart, 126u) + 1;  // twice the magnitude, plus 1, so that halving it rounds
    const u32 own = exponent == 0 ? 0 : bits[j] >> 31 << 6 | doubled >> 1;
    v.at[j] = static_cast<u8>(shared == 255 ? 0 : (shared >> j & 1) << 7 | own);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ GistParams p) {
  const i64 octets = p.outer * p.octets;
  const bool aligned = begins_aligned(p.from) && p.outer == 1, aligned_out = begins_aligned(p.to);
#pragma unroll 1
  for (i64 octet = global_thread(); octet < octets; octet += global_threads()) {
    const Place place = place_of(p, octet);
    const Octet<T> x = load_octet<T>(p.from, place.at, place.count, aligned);
    if constexpr (kFormat == format_pack1) {
      u32 bits = 0;
#pragma unroll
      for (int j = 0; j < kOctet; ++j) bits = bits << 1 | (number_of(x.at[j]) > 0 ? 1 : 0);
      static_cast<u8*>(p.to)[octet] = static_cast<u8>(bits);
    } else if constexpr (kFormat == format_msfp15) {
      store_octet<u8>(p.to, octet * kOctet, to_msfp15(x), kOctet, aligned_out);
    } else if constexpr (kFormat == format_pack16 || kFormat == format_pack16_bf16) {
      constexpr bool kHalf = kFormat == format_pack16;
      Octet<u16> v;
#pragma unroll
      for (int j = 0; j < kOctet; ++j) {
        const f32 e = static_cast<f32>(number_of(x.at[j]));
        const u16 number = kHalf ? from_acc<f16>(e).bits : from_acc<bf16>(e).bits;
        v.at[j] = e == e ? number : static_cast<u16>(bits_of(e) >> 31 << 15 | (kHalf ? 0x7e00 : 0x7fc0));
      }
      store_octet<u16>(p.to, place.at, v, place.count, aligned_out);
    } else {
      Octet<u8> v;
#pragma unroll
      for (int j = 0; j < kOctet; ++j) {
        if constexpr (kFormat == format_binarize) v.at[j] = number_of(x.at[j]) > 0 ? 1 : 0;
        else if constexpr (kFormat == format_pack8) v.at[j] = to_e5m2(static_cast<f32>(number_of(x.at[j])), p.saturate);
        else v.at[j] = to_reference(static_cast<f32>(number_of(x.at[j])), kSameType<T, f16>);
      }
      store_octet<u8>(p.to, place.at, v, place.count, aligned_out);
    }
  }
}

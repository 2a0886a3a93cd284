// Decompression of activations: one, eight or sixteen bytes become an octet, eight elements.
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

template <class E> struct Element {
  static __device__ __forceinline__ E of(f32 v) { return from_acc<E>(v); }
};
template <> struct Element<u8> {
  static __device__ __forceinline__ u8 of(f32 v) { return v != 0 ? 1 : 0; }
};
template <class E> __device__ __forceinline__ E quiet_nan(u32 sign) {
  E v{};
  const u32 bits = sign << 31 | 0x7fc00000u;
  if constexpr (kSameType<E, f32>) memcpy(&v, &bits, 4);
  else if constexpr (kSameType<E, f16>) v.bits = static_cast<u16>(sign << 15 | 0x7e00);
  else if constexpr (kSameType<E, bf16>) v.bits = static_cast<u16>(bits >> 16);
  return v;
}

template <class E> __device__ __forceinline__ E from_e5m2(const u8& code) {
  const f16 half{static_cast<u16>(code << 8)};
  if constexpr (kSameType<E, f16>) return half;
  else return (code & 0x7f) > 0x7c ? quiet_nan<E>(code >> 7) : Element<E>::of(to_f32(half));
}
template <class E> __device__ __forceinline__ E from_reference(const u8& code) {
  const u32 high = code >> 2 & 31, low = code & 3, sign = static_cast<u32>(code >> 7) << 31;
  if constexpr (kSameType<E, f16>) return f16{static_cast<u16>(code == 0x80 ? 0x8000 : 0)};
  else if (code == 0 || high > 17 || (high == 17 && low > 0)) return Element<E>::of(0);
  else return Element<E>::of(from_bits(sign | ((high << 26) + 127) | low << 21));
}
// Bit 7 of byte j is bit j of the exponent that the octet shares; bit 6 is the sign, bits 0 to 5 are the magnitude.
__device__ __forceinline__ Octet<T> from_msfp15(const Octet<u8>& v) {
  u32 shared = 0;
#pragma unroll
  for (int j = 0; j < kOctet; ++j) shared |= static_cast<u32>(v.at[j] >> 7) << j;
  const f32 scale = shared == 255 ? from_bits(0x7f800000u) : from_bits(shared >= 6 ? (shared - 5) << 23 : 1u << (shared + 17));  // 2^(shared - 132)
  Octet<T> x;
#pragma unroll
  for (int j = 0; j < kOctet; ++j) {
    const u32 size = v.at[j] & 63;
    const f32 number = static_cast<f32>(size) * scale;
    x.at[j] = Element<T>::of(size == 0 ? 0.0f : v.at[j] & 64 ? -number : number);
  }
  return x;
}

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ GistParams p) {
  const i64 octets = p.outer * p.octets;
  const bool aligned = begins_aligned(p.from), aligned_out = begins_aligned(p.to) && p.outer == 1;
#pragma unroll 1
  for (i64 octet = global_thread(); octet < octets; octet += global_threads()) {
    const Place place = place_of(p, octet);
    Octet<T> x;
    if constexpr (kFormat == format_pack1) {
      const u32 bits = static_cast<const u8*>(p.from)[octet];
#pragma unroll
      for (int j = 0; j < kOctet; ++j) x.at[j] = Element<T>::of(static_cast<f32>(bits >> (7 - j) & 1));
    } else if constexpr (kFormat == format_msfp15) {
      x = from_msfp15(load_octet<u8>(p.from, octet * kOctet, kOctet, aligned));
    } else if constexpr (kFormat == format_pack16 || kFormat == format_pack16_bf16) {
      const Octet<u16> v = load_octet<u16>(p.from, place.at, place.count, aligned);
#pragma unroll
      for (int j = 0; j < kOctet; ++j) {
        const f32 number = kFormat == format_pack16 ? to_f32(f16{v.at[j]}) : to_f32(bf16{v.at[j]});
        x.at[j] = number == number ? Element<T>::of(number) : quiet_nan<T>(v.at[j] >> 15);
      }
    } else {
      const Octet<u8> v = load_octet<u8>(p.from, place.at, place.count, aligned);
#pragma unroll
      for (int j = 0; j < kOctet; ++j) {
        if constexpr (kFormat == format_binarize) x.at[j] = Element<T>::of(v.at[j] ? 1.0f : 0.0f);
        else if constexpr (kFormat == format_pack8) x.at[j] = from_e5m2<T>(v.at[j]);
        else x.at[j] = from_reference<T>(v.at[j]);
      }
    }
    const bool together = aligned_out && (octet - lane_index() + kWarp) * kOctet <= p.inner;
    if (together) store_octets<T>(p.to, place.at, x);
    else store_octet<T>(p.to, place.at, x, place.count, aligned_out);
  }
}

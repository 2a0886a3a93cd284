// Octets: eight neighbouring elements, which every format packs together.
#pragma once

#include "gist/params.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

enum Format { format_binarize, format_pack1, format_pack8, format_pack8_reference, format_pack16, format_pack16_bf16, format_msfp15 };
#define ADJ_JOIN_NAMES(a, b) a##b
#define ADJ_FORMAT_NAMED(name) ADJ_JOIN_NAMES(format_, name)

constexpr int kOctet = 8;
template <class T> using Octet = Vec<T, kOctet>;

// Loads the octet that begins at element `at`; elements beyond `count` are 0. aligned: octets begin a multiple of 8 elements behind a 16-byte
// boundary.
template <class T> __device__ __forceinline__ Octet<T> load_octet(const void* array, i64 at, int count, bool aligned) {
  const T* const p = static_cast<const T*>(array) + at;
  Octet<T> v{};
  if (aligned && count == kOctet) {
    if constexpr (sizeof(T) == 1) {
      const Words2 w = load_words(reinterpret_cast<const Words2*>(p));
      memcpy(&v, &w, sizeof v);
    } else {
      Words4 w[sizeof(T) / 2];
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof(T)) / 2; ++i) w[i] = load_words(reinterpret_cast<const Words4*>(p) + i);
      memcpy(&v, w, sizeof v);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kOctet; ++j)
      if (j < count) v.at[j] = p[j];
  }
  return v;
}
template <class T> __device__ __forceinline__ void store_octet(void* array, i64 at, const Octet<T>& v, int count, bool aligned) {
  T* const p = static_cast<T*>(array) + at;
  if (aligned && count == kOctet) {
    if constexpr (sizeof(T) == 1) {
      Words2 w;
      memcpy(&w, &v, sizeof v);
      store_words(reinterpret_cast<Words2*>(p), w);
    } else {
      Words4 w[sizeof(T) / 2];
      memcpy(w, &v, sizeof v);
#pragma unroll
      for (int i = 0; i < static_cast<int>(sizeof(T)) / 2; ++i) store_words(reinterpret_cast<Words4*>(p) + i, w[i]);
    }
  } else {
#pragma unroll
    for (int j = 0; j < kOctet; ++j)
      if (j < count) p[j] = v.at[j];
  }
}
// Stores the neighbouring octets of a warp to an aligned array. With 4-byte elements neighbouring lanes exchange halves of their octets, so that
// one store of the warp writes whole sectors of 32 bytes.
template <class T> __device__ __forceinline__ void store_octets(void* array, i64 at, const Octet<T>& v) {
  if constexpr (sizeof(T) == 4) {
    Words4 w[2];
    memcpy(w, &v, sizeof v);
    const bool odd = lane_index() & 1;
    Words4 other = odd ? w[0] : w[1];
    other = {shuffle_xor(other.x, 1), shuffle_xor(other.y, 1), shuffle_xor(other.z, 1), shuffle_xor(other.w, 1)};
    Words4* const pair = reinterpret_cast<Words4*>(static_cast<T*>(array) + at) - (odd ? 1 : 0);
    store_words(pair, odd ? other : w[0]);
    store_words(pair + 2, odd ? w[1] : other);
  } else {
    store_octet<T>(array, at, v, kOctet, true);
  }
}
__device__ __forceinline__ bool begins_aligned(const void* array) { return (reinterpret_cast<u64>(array) & 15) == 0; }

// Place of an octet: its first element, and its number of elements.
struct Place {
  i64 at;
  int count;
};
__device__ __forceinline__ Place place_of(const GistParams& p, i64 octet) {
  i64 row = 0, own = octet;
  if (p.outer > 1) {
    row = octet / p.octets;
    own = octet - row * p.octets;
  }
  return {row * p.inner + own * kOctet, static_cast<int>(min_of<i64>(kOctet, p.inner - own * kOctet))};
}

__device__ __forceinline__ u32 bits_of(const f32& v) {
  u32 bits;
  memcpy(&bits, &v, sizeof v);
  return bits;
}

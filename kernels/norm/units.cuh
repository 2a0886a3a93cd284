// Units of a row, whatever its element types: kN elements next to each other, 16 bytes of the narrowest type.
#pragma once

#include "norm/params.h"
#include "prelude/cut.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"

template <class T, class... Rest> constexpr int kNarrowest = kNarrowest<T> < kNarrowest<Rest...> ? kNarrowest<T> : kNarrowest<Rest...>;
template <class T> constexpr int kNarrowest<T> = static_cast<int>(sizeof(T));

// Piece `piece` (16 bytes) of a row of `count` elements that begins anywhere; zeros beyond its end. Nothing outside the row is read.
template <class T> __device__ __forceinline__ Words4 read_piece(const T* row, int count, int piece) {
  constexpr int kOwn = kVec16<T>;
  const int skew = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const Words4* at = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(row) - skew) + piece;
  const int first = skew ? 1 : 0;
  const i64 last = (static_cast<i64>(count) * static_cast<i64>(sizeof(T)) + skew) / 16 - first;
  if (piece >= first && piece < last) {
    const Words4 low = load_words(at);
    if (skew == 0) return low;
    return cut16<sizeof(T)>(low, load_words(at + 1), skew);
  }
  Vec<T, kOwn> v{};
#pragma unroll 1
  for (int j = kOwn - 1; j >= 0; --j) {
    // From the last on; each moves the others up.
#pragma unroll
    for (int i = kOwn - 1; i > 0; --i) v.at[i] = v.at[i - 1];
    v.at[0] = piece * kOwn + j < count ? row[piece * kOwn + j] : T{};
  }
  return pack<T>(v);
}
template <class T, int N> __device__ __forceinline__ void read_unit(Unit<T, N>& unit, const T* row, int count, int u) {
#pragma unroll
  for (int i = 0; i < Unit<T, N>::kPieces; ++i) unit.words[i] = read_piece(row, count, u * Unit<T, N>::kPieces + i);
}
// Element by element.
template <class T, int N, class A> __device__ __forceinline__ void write_unit(const A (&x)[N], T* row, int count, int u) {
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (u * N + j < count) row[u * N + j] = from_acc<T>(x[j]);
}

// The sums of two numbers over the lanes of a row, a power of two up to a warp.
template <class A> __device__ __forceinline__ void sum_of_lanes(A& a, A& b, int lanes) {
#pragma unroll 1
  for (int mask = min_of(lanes, kWarp) / 2; mask > 0; mask /= 2) {
    a += shuffle_xor(a, mask);
    b += shuffle_xor(b, mask);
  }
}
// Over the warps of the block, in the order of the warps. `scratch` holds two numbers for each warp.
template <class A> __device__ __forceinline__ void sum_of_block(A& a, A& b, A* scratch) {
  if (lane_index() == 0) {
    scratch[2 * warp_index()] = a;
    scratch[2 * warp_index() + 1] = b;
  }
  block_barrier();
  a = b = 0;
#pragma unroll 4
  for (int w = 0; w < block_warps(); ++w) {
    a += scratch[2 * w];
    b += scratch[2 * w + 1];
  }
}

// N numbers in pieces of 16 bytes of shared memory, `step` pieces apart.
template <class A, int N> constexpr int kNumberPieces = N * static_cast<int>(sizeof(A)) / 16;
template <class A, int N> __device__ __forceinline__ void get_numbers(const Words4* from, int step, A (&x)[N]) {
  constexpr int kOwn = N / kNumberPieces<A, N>;
#pragma unroll
  for (int i = 0; i < kNumberPieces<A, N>; ++i) {
    const auto v = *reinterpret_cast<const Vec<A, kOwn>*>(from + i * step);
#pragma unroll
    for (int j = 0; j < kOwn; ++j) x[i * kOwn + j] = v.at[j];
  }
}
template <class A, int N> __device__ __forceinline__ void put_numbers(Words4* to, int step, const A (&x)[N]) {
  constexpr int kOwn = N / kNumberPieces<A, N>;
#pragma unroll
  for (int i = 0; i < kNumberPieces<A, N>; ++i) {
    Vec<A, kOwn> v;
#pragma unroll
    for (int j = 0; j < kOwn; ++j) v.at[j] = x[i * kOwn + j];
    *reinterpret_cast<Vec<A, kOwn>*>(to + i * step) = v;
  }
}

// Copies into shared memory in the order of their groups: all that a thread has sent for since the last one make a group.
__device__ __forceinline__ void close_copies() {
#if !defined(ADJ_SIMT)
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}
// Until all groups but the last `open`, or the last three, are there.
__device__ __forceinline__ void wait_copies_but(int open) {
#if !defined(ADJ_SIMT)
  if (open <= 0) asm volatile("cp.async.wait_group 0;" : : : "memory");
  else if (open == 1) asm volatile("cp.async.wait_group 1;" : : : "memory");
  else if (open == 2) asm volatile("cp.async.wait_group 2;" : : : "memory");
  else asm volatile("cp.async.wait_group 3;" : : : "memory");
#else
  static_cast<void>(open);
#endif
}

// Elements [first, first + N) of gamma or beta, all on their way at once: `without` where there is no tensor, 0 beyond `columns`.
template <class A, int N> __device__ __forceinline__ void load_weights(A (&x)[N], const void* tensor, int first, int columns, int type, A without) {
  const int inside = columns - first;
#pragma unroll
  for (int j = 0; j < N; ++j) x[j] = j < inside ? without : A(0);
  if (!tensor) return;
  if constexpr (sizeof(A) == 8) {
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (j < inside) x[j] = static_cast<const f64*>(tensor)[first + j];
  } else if (type == kDtypeF32) {
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (j < inside) x[j] = static_cast<const f32*>(tensor)[first + j];
  } else {
    u16 bits[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      bits[j] = 0;
      if (j < inside) bits[j] = static_cast<const u16*>(tensor)[first + j];
    }
#pragma unroll
    for (int j = 0; j < N; ++j) x[j] = type == kDtypeF16 ? to_f32(f16{bits[j]}) : to_f32(bf16{bits[j]});
  }
}

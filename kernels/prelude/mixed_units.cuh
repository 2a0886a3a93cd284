// Units of a row whose tensors may have different types: kN neighbouring elements, which are 16 bytes of the narrowest type.
#pragma once

#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"
#include "prelude/scalar.cuh"

template <class T, class... Rest> constexpr int kNarrowest = kNarrowest<T> < kNarrowest<Rest...> ? kNarrowest<T> : kNarrowest<Rest...>;
template <class T> constexpr int kNarrowest<T> = static_cast<int>(sizeof(T));

// Loads units lane + k * lanes of a row of `count` elements that begins anywhere; zeros beyond it. Piece i of every unit before piece i + 1 of one.
template <class T, int N, int K> __device__ __forceinline__ void read_units(Unit<T, N> (&units)[K], const T* row, int count, int lane, int lanes) {
  constexpr int kPieces = Unit<T, N>::kPieces;
#pragma unroll
  for (int i = 0; i < kPieces; ++i) {
    Words4 x[K];
    read_row_vectors<false>(x, row, count, lane * kPieces + i, lanes * kPieces);
#pragma unroll
    for (int k = 0; k < K; ++k) units[k].words[i] = x[k];
  }
}

constexpr int kHalfWarp = kWarp / 2;
// Sums a and b over each group of `threads` threads, whole warps, of a block of at most kHalfWarp warps. One half of a warp's lanes adds a, the other
// half b. scratch: kHalfWarp numbers for a, then as many for b.
template <class A> __device__ __forceinline__ void sums_of_group(A& a, A& b, A* scratch, int group, int threads) {
  const bool upper = (lane_index() & kHalfWarp) != 0;
  A v = (upper ? b : a) + shuffle_xor(upper ? a : b, kHalfWarp);
#pragma unroll
  for (int mask = kHalfWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  if ((lane_index() & (kHalfWarp - 1)) == 0) scratch[(lane_index() & kHalfWarp) + warp_index()] = v;
  group_barrier(group, threads);
  const int warps = threads / kWarp;
  v = (lane_index() & (kHalfWarp - 1)) < warps ? scratch[group * warps + lane_index()] : A(0);
#pragma unroll
  for (int mask = kHalfWarp / 2; mask > 0; mask /= 2) v += shuffle_xor(v, mask);
  a = shuffle(v, 0);
  b = shuffle(v, kHalfWarp);
}
template <class A> __device__ __forceinline__ void sums_of_block(A& a, A& b, A* scratch) { sums_of_group(a, b, scratch, 0, block_threads()); }

// Loads or stores N numbers as 16-byte pieces of shared memory, `step` pieces apart. With step = kWarp the pieces of a warp lie next to each other,
// and those of a thread at constant distances, which cost no arithmetic.
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

// Waits until all groups of copies have arrived, except the last `open`, at most three.
__device__ __forceinline__ void wait_copies_but(int open) {
  if (open <= 0) wait_copies_but<0>();
  else if (open == 1) wait_copies_but<1>();
  else if (open == 2) wait_copies_but<2>();
  else wait_copies_but<3>();
}

// Returns a weight of 16 bits.
__device__ __forceinline__ f32 weight_of(u16 bits, int type) { return type == kDtypeF16 ? to_f32(f16{bits}) : to_f32(bf16{bits}); }
// Loads elements [first, first + N) of gamma or beta. Gives `without` if there is no tensor, and 0 beyond `columns`. whole: no element lies beyond, and
// the tensor begins on a 16-byte boundary.
template <class A, int N> __device__ __forceinline__ void load_weights(A (&x)[N], const void* tensor, int first, int columns, int type, A without, bool whole) {
  const bool wide = sizeof(A) == 8 || type == kDtypeF32;
#pragma unroll
  for (int j = 0; j < N; ++j) x[j] = whole ? without : A(0);
  if (whole) {
    if (!tensor) return;
    if (wide) {
      Unit<A, N> unit;
      unit.load(static_cast<const A*>(tensor) + first);
      unit.get(x);
    } else if constexpr (sizeof(A) == 4) {
      const auto words = load_words(reinterpret_cast<const typename PackedOf<u16, N>::type*>(static_cast<const u16*>(tensor) + first));
      u16 bits[N];
      memcpy(bits, &words, sizeof bits);
#pragma unroll
      for (int j = 0; j < N; ++j) x[j] = weight_of(bits[j], type);
    }
    return;
  }
  const int count = min_of(N, columns - first);
  if (count <= 0) return;
  if (!tensor) {
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (j < count) x[j] = without;
  } else if (wide) {
    constexpr int kOwn = kVec16<A>;
    Unit<A, N> unit;
#pragma unroll
    for (int i = 0; i < N / kOwn; ++i) unit.words[i] = gather_elements(static_cast<const A*>(tensor) + (first + i * kOwn), min_of(count - i * kOwn, kOwn));
    unit.get(x);
  } else if constexpr (sizeof(A) == 4) {
    const Words4 words = gather_elements(static_cast<const u16*>(tensor) + first, count);
    u16 bits[8];
    memcpy(bits, &words, sizeof bits);
#pragma unroll
    for (int j = 0; j < N; ++j) x[j] = j < count ? weight_of(bits[j], type) : A(0);
  }
}

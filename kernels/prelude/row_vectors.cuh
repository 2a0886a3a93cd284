// Rows of elements as vectors of 16 bytes.
//
// Vector u of a row is its elements [u * kVector, u * kVector + kVector), wherever the row begins in memory, so the lane that has an element depends on
// the column alone. A word is 16 bytes at a 16-byte boundary.
#pragma once

#include "prelude/cut.cuh"
#include "prelude/elements.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"

// Does nothing, but hides that from the compiler: it unpacks w again at the next use. Keeping unpacked 16-bit elements would take twice the
// registers.
__device__ __forceinline__ void forget_unpacked(Words4& w) {
#if !defined(ADJ_SIMT)
  asm volatile("" : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w));
#else
  static_cast<void>(w);
#endif
}

// Loads `count` elements, at most a vector, one by one; zeros behind them.
template <class T> __device__ __forceinline__ Words4 read_elements(const T* p, int count) {
  Vec<T, kVec16<T>> v{};
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j < count) v.at[j] = p[j];
  return pack<T>(v);
}
// Stores elements [first, end) of a vector that begins at p, one by one.
template <class T> __device__ __forceinline__ void write_elements(T* p, Words4 words, int first, int end) {
  const Vec<T, kVec16<T>> v = unpack<T>(words);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if (j >= first && j < end) p[j] = v.at[j];
}

// Loads vector u of a row of `count` elements, zeros behind its end. aligned: the row is aligned. A vector that
// straddles two words is cut out of them if both lie inside the row, else loaded one by one: nothing outside the row is read.
template <bool aligned, class T> __device__ __forceinline__ Words4 read_row_vector(const T* row, int count, int u) {
  constexpr int kVector = kVec16<T>;
  if constexpr (aligned) {
    if (u * kVector < count) return load_words(reinterpret_cast<const Words4*>(row) + u);
    return Words4{};
  } else {
    const int skew = static_cast<int>(reinterpret_cast<u64>(row) & 15);
    const int first = skew ? 1 : 0, last = static_cast<int>((static_cast<u32>(count) * sizeof(T) + skew) / 16) - first;
    if (u < first || u >= last) return gather_elements(row + u * kVector, min_of(count - u * kVector, kVector));
    const Words4* const piece = reinterpret_cast<const Words4*>(reinterpret_cast<const u8*>(row) - skew) + u;
    const Words4 low = load_words(piece);
    return skew ? cut16<sizeof(T)>(low, load_words(piece + 1), skew) : low;
  }
}

// Loads vectors lane + k * lanes of a row, as read_row_vector does. All loads of whole words are sent before one is waited for; the vectors at the two
// ends of an unaligned row follow.
template <bool aligned, class T, int N> __device__ __forceinline__ void read_row_vectors(Words4 (&x)[N], const T* row, int count, int lane, int lanes) {
  if constexpr (aligned) {
#pragma unroll
    for (int k = 0; k < N; ++k) x[k] = read_row_vector<true>(row, count, lane + k * lanes);
  } else {
    const int skew = static_cast<int>(reinterpret_cast<u64>(row) & 15);
    const int first = skew ? 1 : 0, last = static_cast<int>((static_cast<u32>(count) * sizeof(T) + skew) / 16) - first;
    const Words4* const words = reinterpret_cast<const Words4*>(reinterpret_cast<const u8*>(row) - skew);
    Words4 high[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const int u = lane + k * lanes;
      x[k] = high[k] = {};
      if (u >= first && u < last) {
        x[k] = load_words(words + u);
        if (skew) high[k] = load_words(words + u + 1);
      }
    }
#pragma unroll
    for (int k = 0; k < N; ++k) x[k] = cut16<sizeof(T)>(x[k], high[k], skew);
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const int u = lane + k * lanes, left = count - u * kVec16<T>;
      if (left > 0 && (u < first || u >= last)) x[k] = gather_elements(row + u * kVec16<T>, min_of(left, kVec16<T>));
    }
  }
}

// Stores vectors [u * N, u * N + N) of a row of `count` elements that is not aligned. Every lane of the warp takes part; a lane without a row passes
// count 0. `run` neighbouring lanes, a power of two up to a warp, have neighbouring u: a word that has parts of two vectors is stored by the lane of
// the second.
template <class T, int N> __device__ __forceinline__ void write_row_unit(const Words4 (&v)[N], T* row, int count, int u, int run) {
  constexpr int kVector = kVec16<T>;
  Words4 before{shuffle_up(v[N - 1].x, 1), shuffle_up(v[N - 1].y, 1), shuffle_up(v[N - 1].z, 1), shuffle_up(v[N - 1].w, 1)};
  const int offset = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const int head = (16 - offset) / static_cast<int>(sizeof(T));  // elements of a vector in the word where it begins
  auto is_piece = [&](int at) { return (offset == 0 || (at & (run * N - 1)) != 0) && at * kVector + head <= count; };
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const int at = u * N + i, inside = min_of(count - at * kVector, kVector);
    if (inside <= 0) return;
    const bool piece = is_piece(at);
    T* const to = row + at * kVector;
    if (piece) store_words(reinterpret_cast<Words4*>(reinterpret_cast<u8*>(to) - offset), cut16<sizeof(T)>(offset ? before : v[i], v[i], (16 - offset) & 15));
    const int begin = piece ? head : 0;
    const int end = is_piece(at + 1) ? min_of(inside, head) : inside;
    if (begin < end) scatter_elements(to, v[i], begin, end);
    before = v[i];
  }
}
// Stores vector u of a row; the lanes are those of write_row_unit.
template <bool aligned, class T> __device__ __forceinline__ void write_row_vector(Words4 v, T* row, int count, int u, int run) {
  if constexpr (aligned) {
    if (u * kVec16<T> < count) store_words(reinterpret_cast<Words4*>(row) + u, v);
  } else {
    const Words4 unit[1] = {v};
    write_row_unit(unit, row, count, u, run);
  }
}

// How the threads of a block share rows: a group of `lanes` threads, a power of two up to a warp or the whole block, takes a row.
struct RowGroup {
  int lanes, lane;
  int own, side_by_side;  // number of this thread's row among the rows of the block; number of these rows
  int run;                // neighbouring lanes of a warp that have the same row
  __device__ __forceinline__ explicit RowGroup(int group) : lanes(group), lane(thread_index()), own(0), side_by_side(1), run(kWarp) {
    if (group > kWarp) return;
    const int log2 = lowest_bit(static_cast<u32>(group));
    lane = thread_index() & (group - 1);
    own = thread_index() >> log2;
    side_by_side = block_threads() >> log2;
    run = group;
  }
  // Barrier of the threads that share a row, and at least of the warp.
  __device__ __forceinline__ void barrier() const {
    if (lanes > kWarp) block_barrier();
    else warp_barrier();
  }
};

// Widens a vector; elements behind the end of the row become `other`. left: elements of the row from the vector's begin on.
template <bool aligned, class T> __device__ __forceinline__ void widen_row_vector(Words4 w, int left, Acc<T> other, Acc<T> (&x)[kVec16<T>]) {
  widen<T>(w, x);
  if (left >= kVec16<T>) return;
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j)
    if ((aligned && left <= 0) || (!aligned && j >= left)) x[j] = other;
}

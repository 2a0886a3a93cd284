// Elementwise work on chunks of lists. A group is kVector neighbouring elements, or one; a thread works on a group in registers.
//
// An operation has these members; N is kVector for aligned groups and 1 for single elements:
//   static constexpr int kVector;
//   template <int N> struct Group;
//   template <int N> void load(Group<N>&, int first) const;
//   template <int N> void finish(Group<N>&, int first) const;   computes and stores; first: element of the range
// Both widths do the same arithmetic, so a result does not depend on chunks, alignment or the order of the list.
#pragma once

#include "prelude/multi_tensor.cuh"

// N elements in registers, as they lie in memory.
template <class T, int N> struct Piece {
  static constexpr int kBytes = static_cast<int>(sizeof(T)) * N;
  static constexpr int kWords = kBytes > 16 ? kBytes / 16 : 1;
  Packed<T, N / kWords> words[kWords];
  __device__ __forceinline__ void load(const T* p) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = load_words(reinterpret_cast<const Packed<T, N / kWords>*>(p) + i);
  }
  __device__ __forceinline__ void store(T* p) const {
#pragma unroll
    for (int i = 0; i < kWords; ++i) store_words(reinterpret_cast<Packed<T, N / kWords>*>(p) + i, words[i]);
  }
  template <class A> __device__ __forceinline__ void get(A (&x)[N]) const {
    if constexpr (sizeof(T) == 2) {
      u32 pairs[N / 2];
      memcpy(pairs, words, sizeof pairs);
#pragma unroll
      for (int i = 0; i < N / 2; ++i) x[2 * i] = low_f32(T{}, pairs[i]), x[2 * i + 1] = high_f32(T{}, pairs[i]);
    } else {
      T own[N];
      memcpy(own, words, sizeof own);
#pragma unroll
      for (int i = 0; i < N; ++i) x[i] = to_acc(own[i]);
    }
  }
  template <class A> __device__ __forceinline__ void set(const A (&x)[N]) {
    if constexpr (sizeof(T) == 2) {
      u32 pairs[N / 2];
#pragma unroll
      for (int i = 0; i < N / 2; ++i) pairs[i] = Convert<T>::pair(x[2 * i], x[2 * i + 1]);
      memcpy(words, pairs, sizeof pairs);
    } else {
      T own[N];
#pragma unroll
      for (int i = 0; i < N; ++i) own[i] = from_acc<T>(x[i]);
      memcpy(words, own, sizeof own);
    }
  }
};
template <class T> struct Piece<T, 1> {
  T own;
  __device__ __forceinline__ void load(const T* p) { own = *p; }
  __device__ __forceinline__ void store(T* p) const { *p = own; }
  template <class A> __device__ __forceinline__ void get(A (&x)[1]) const { x[0] = to_acc(own); }
  template <class A> __device__ __forceinline__ void set(const A (&x)[1]) { own = from_acc<T>(x[0]); }
};

// Applies op to `count` groups of N elements. element_of(i): first element of group i. A thread loads kTogether groups before it works on the first.
template <int N, int kTogether, class Op, class ElementOf>
__device__ __forceinline__ void apply_groups(const Op& op, int count, ElementOf element_of) {
#pragma unroll 1
  for (int first = thread_index(); first < count; first += kTogether * kMultiTensorThreads) {
    typename Op::template Group<N> groups[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k)
      if (const int i = first + k * kMultiTensorThreads; i < count) op.template load<N>(groups[k], element_of(i));
#pragma unroll
    for (int k = 0; k < kTogether; ++k)
      if (const int i = first + k * kMultiTensorThreads; i < count) op.template finish<N>(groups[k], element_of(i));
  }
}

// Applies op to a range: vectors first, then single elements. These are heads, tails, and whole tensors whose arrays cannot be aligned together.
template <int kTogether, class Op> __device__ __forceinline__ void stream_range(const Op& op, const ChunkRange& range) {
  constexpr int V = Op::kVector;
  const int head = range.head, vectors = range.vectors;
  apply_groups<V, kTogether>(op, vectors, [&](int i) { return head + i * V; });
  apply_groups<1, 2>(op, head + range.tail, [&](int i) { return i < head ? i : i + vectors * V; });
}

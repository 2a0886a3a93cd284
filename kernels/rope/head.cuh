// Heads of a token in units, and the angles of its position.
//
// Unit u of the rotated part is kN pairs, for which two parts of kN neighbouring elements are moved; behind the rotated part a unit is up to two parts.
// A part is 16 bytes, or one element where heads are not whole aligned units.
#pragma once

#include "prelude/divide.cuh"
#include "rope/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"
#include "prelude/turns.cuh"

// Where the two parts of a unit begin in their head.
struct Place {
  int first, second;
  bool rotated, both;  // both: the second part exists
};

template <class T, bool any> struct HeadPartOf {
  typedef Words4 type;
};
template <class T> struct HeadPartOf<T, true> {
  typedef Vec<T, 1> type;
};

// Units of heads of element type T. any: parts are single elements; interleaved: neighbours are a pair.
template <class T, bool any, bool interleaved> struct Heads {
  typedef Acc<T> A;
  typedef typename HeadPartOf<T, any>::type Part;
  static constexpr int kN = any ? 1 : kVec16<T>;

  static __device__ __forceinline__ Part load(const T* p) {
    if constexpr (any) return {{*p}};
    else return load_words(reinterpret_cast<const Words4*>(p));
  }
  static __device__ __forceinline__ void numbers_of(const Part& part, A (&x)[kN]) {
    if constexpr (any) x[0] = to_acc(part.at[0]);
    else widen<T>(part, x);
  }
  static __device__ __forceinline__ void store(T* p, const A (&x)[kN]) {
    if constexpr (any) *p = from_acc<T>(x[0]);
    else store_words(reinterpret_cast<Words4*>(p), narrow<T>(x));
  }
  // Reads kN numbers of shared memory.
  static __device__ __forceinline__ void get(const A* from, A (&x)[kN]) {
    constexpr int kOwn = kN < kVec16<A> ? kN : kVec16<A>;
#pragma unroll
    for (int i = 0; i < kN; i += kOwn) {
      const auto v = *reinterpret_cast<const Vec<A, kOwn>*>(from + i);
#pragma unroll
      for (int j = 0; j < kOwn; ++j) x[i + j] = v.at[j];
    }
  }

  // Number of units of a head, and of its rotated part.
  static __device__ __forceinline__ int rotary_units(const RopeParams& p) { return static_cast<int>(static_cast<u32>(p.pairs) / kN); }
  static __device__ __forceinline__ int units(const RopeParams& p) {
    return rotary_units(p) + static_cast<int>(static_cast<u32>(p.head_dim - 2 * p.pairs + 2 * kN - 1) / (2 * kN));
  }
  static __device__ __forceinline__ Place place_of(const RopeParams& p, int u) {
    if (u >= rotary_units(p)) {
      const int first = 2 * (p.pairs + (u - rotary_units(p)) * kN);
      return {first, first + kN, false, first + kN < p.head_dim};
    }
    if (interleaved) return {2 * u * kN, 2 * u * kN + kN, true, true};
    return {u * kN, p.pairs + u * kN, true, true};
  }

  // Rotates a pair. Each rounding is written out, so that all programs have the same bits.
  static __device__ __forceinline__ void rotate_pair(A& a, A& b, const A& cosine, const A& sine) {
    const A first = fused_multiply_add(a, cosine, -rounded_product(b, sine));
    b = fused_multiply_add(b, cosine, rounded_product(a, sine));
    a = first;
  }
  // Rotates the pairs of a unit, whose parts are a and b.
  static __device__ __forceinline__ void rotate(A (&a)[kN], A (&b)[kN], const A (&cosine)[kN], const A (&sine)[kN]) {
    if constexpr (interleaved && !any) {
#pragma unroll
      for (int j = 0; j < kN / 2; ++j) {
        rotate_pair(a[2 * j], a[2 * j + 1], cosine[j], sine[j]);
        rotate_pair(b[2 * j], b[2 * j + 1], cosine[kN / 2 + j], sine[kN / 2 + j]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < kN; ++j) rotate_pair(a[j], b[j], cosine[j], sine[j]);
    }
  }
};

// Returns the position of a token, -1 where it is out of range.
__device__ __forceinline__ i64 position_of(const RopeParams& p, i64 token) {
  i64 position;
  if (p.position_type == kDtypeI32) position = static_cast<const i32*>(p.positions)[token];
  else if (p.position_type == kDtypeI64) position = static_cast<const i64*>(p.positions)[token];
  else position = token - divide(token, p.by_tokens) * p.tokens;
  return position >= 0 && position < p.positions_end ? position : -1;
}
// Writes cosines and sines [tokens_of_block, pairs] of the tokens from `first` on; counts positions out of range where `counts` is set. Called by the
// whole block.
template <class A> __device__ __forceinline__ void write_angles(const RopeParams& p, i64 first, A* cosines, A* sines, bool counts) {
#pragma unroll 1
  for (int i = thread_index(); i < p.tokens_of_block * p.pairs; i += block_threads()) {
    const int t = divide(i, p.by_pairs), j = i - t * p.pairs;
    A cosine = 0, sine = 0;
    if (first + t < p.all_tokens) {
      const i64 position = position_of(p, first + t);
      if (position < 0) {
        if (counts && j == 0 && p.error_flag) atomic_add(p.error_flag, i64{1});
      } else if (p.cos) {
        cosine = static_cast<const A*>(p.cos)[position * p.pairs + j];
        sine = static_cast<const A*>(p.sin)[position * p.pairs + j];
      } else {
        sine_cosine_of_turns(static_cast<f64>(position) * p.rates[j], sine, cosine);
      }
    }
    cosines[i] = cosine;
    sines[i] = p.back ? -sine : sine;
  }
}
// Writes the weights of queries, and behind them those of keys. Called by the whole block.
template <class A> __device__ __forceinline__ void write_weights(const RopeParams& p, A* weights) {
#pragma unroll 1
  for (int i = thread_index(); i < 2 * p.head_dim; i += block_threads()) {
    const bool keys = i >= p.head_dim;
    const void* const own = keys ? p.k_weight : p.q_weight;
    weights[i] = own ? static_cast<A>(load_as_f64(own, keys ? i - p.head_dim : i, p.weight_type)) : A(0);
  }
}

// Place of a thread in its block.
struct Seat {
  int lane, group;   // group: number of the lanes that share a head
  int token, head;  // among those that the block takes at a time
  __device__ __forceinline__ explicit Seat(const RopeParams& p) {
    lane = thread_index() & (p.lanes - 1);
    group = thread_index() >> lowest_bit(static_cast<u32>(p.lanes));
    token = static_cast<int>(static_cast<u32>(group) / static_cast<u32>(p.heads_at_once));
    head = group - token * p.heads_at_once;
  }
};
// Offset of a token.
__device__ __forceinline__ i64 token_offset(const RopeParams& p, i64 token, const long long (&strides)[3]) {
  const i64 sequence = divide(token, p.by_tokens);
  return sequence * strides[0] + (token - sequence * p.tokens) * strides[1];
}

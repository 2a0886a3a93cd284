// What the kinds of reductions do: a thread takes elements into a state, states become totals, totals are combined in a fixed tree.
//
// A reducer has
//   typedef Total;                        what threads exchange
//   static A identity();                  stands for a missing element
//   template <int N> void take(A (&x)[N]);
//   Total total() const;  static Total combine(a, b), the same for (b, a);  static A value(Total);
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.h"
#include "prelude/memory.cuh"

// i32 wraps around.
__device__ __forceinline__ i32 plus(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b)); }
__device__ __forceinline__ i32 times(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b)); }
template <class A> __device__ __forceinline__ A plus(A a, A b) { return a + b; }
template <class A> __device__ __forceinline__ A times(A a, A b) { return a * b; }
// Turns the order of numbers around, and back.
__device__ __forceinline__ i32 negated(i32 v) { return ~v; }
template <class A> __device__ __forceinline__ A negated(A v) { return -v; }

template <class T> struct Wide { typedef Acc<T> type; };
template <> struct Wide<i32> { typedef i32 type; };
__device__ __forceinline__ i32 to_acc(const i32& v) { return v; }

template <class A, int N, class Combine> __device__ __forceinline__ A tree(A (&x)[N], Combine combine) {
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) x[j] = combine(x[j], x[j + width]);
  return x[0];
}

// The running sum keeps what its additions round off.
template <class A> struct sum_terms {
  typedef A Total;
  A sum = 0, lost = 0;
  static __device__ __forceinline__ A identity() { return 0; }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) {
    const A term = tree(x, [](A a, A b) { return plus(a, b); });
    if constexpr (kSameType<A, i32>) sum = plus(sum, term);
    else add_compensated(sum, lost, term);
  }
  __device__ __forceinline__ Total total() const {
    if constexpr (kSameType<A, i32>) return sum;
    else return compensated(sum, lost);
  }
  static __device__ __forceinline__ Total combine(Total a, Total b) { return plus(a, b); }
  static __device__ __forceinline__ A value(Total t) { return t; }
};

template <class A> struct max_terms {
  typedef A Total;
  A top = identity();
  static __device__ __forceinline__ A identity() {
    if constexpr (kSameType<A, i32>) return -2147483647 - 1;
    else return -Limits<A>::infinity();
  }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) { top = combine(top, tree(x, combine)); }
  __device__ __forceinline__ Total total() const { return top; }
  // NaN wins.
  static __device__ __forceinline__ Total combine(Total a, Total b) { return b > a || b != b ? b : a; }
  static __device__ __forceinline__ A value(Total t) { return t; }
};

template <class A> struct prod_terms {
  typedef A Total;
  A product = 1;
  static __device__ __forceinline__ A identity() { return 1; }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) { product = times(product, tree(x, combine)); }
  __device__ __forceinline__ Total total() const { return product; }
  static __device__ __forceinline__ Total combine(Total a, Total b) { return times(a, b); }
  static __device__ __forceinline__ A value(Total t) { return t; }
};

// The sum of e^(x - pivot); the pivot is the reference, or 0 once that is infinite: then the sum is infinity or NaN, as it should.
template <class A> struct RelativeSum {
  A top, sum;
  __device__ __forceinline__ A pivot() const { return top > Limits<A>::lowest() && !is_finite(top) ? A(0) : top; }
};
template <class A> struct logsumexp_terms {
  typedef RelativeSum<A> Total;
  Total state{Limits<A>::lowest(), A(0)};
  static __device__ __forceinline__ A identity() { return -Limits<A>::infinity(); }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) {
    A top = x[0];
#pragma unroll
    for (int j = 1; j < N; ++j) top = max_number(top, x[j]);
    // The reference moves only when it is passed by more than 1, so that values that creep upwards do not round the sum at every step.
    if (top > state.top + A(1)) {
      const A before = state.pivot();
      state.top = top;
      state.sum *= called_exp(before - state.pivot());
    }
    const A pivot = state.pivot();
#pragma unroll
    for (int j = 0; j < N; ++j) x[j] = called_exp(x[j] - pivot);
    state.sum += tree(x, [](A a, A b) { return a + b; });
  }
  __device__ __forceinline__ Total total() const { return state; }
  static __device__ __forceinline__ Total combine(Total a, Total b) {
    const bool a_first = a.top >= b.top;
    const Total high = a_first ? a : b, low = a_first ? b : a;
    return {high.top, fused_multiply_add(low.sum, called_exp(low.pivot() - high.pivot()), high.sum)};
  }
  static __device__ __forceinline__ A value(Total t) { return t.pivot() + exact_log(t.sum); }
};

template <class A> __device__ __forceinline__ A exchange(A v, int mask) { return shuffle_xor(v, mask); }
template <class A> __device__ __forceinline__ RelativeSum<A> exchange(RelativeSum<A> v, int mask) {
  return {shuffle_xor(v.top, mask), shuffle_xor(v.sum, mask)};
}

// `valid` elements from `p` on and the rest filled, whatever their alignment.
template <class T> __device__ __noinline__ Words4 load_some(const T* p, int valid, T fill) {
  Vec<T, kVec16<T>> v;
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) v.at[j] = j < valid ? p[j] : fill;
  return pack<T>(v);
}
// A unit of 16 bytes, of which `valid` elements exist, possibly none.
template <class T> __device__ __forceinline__ Words4 load_unit(const T* p, int valid, const T& fill, const Words4& all_filled) {
  if (valid <= 0) return all_filled;
  if (valid >= kVec16<T> && aligned16(p)) return load_words(reinterpret_cast<const Words4*>(p));
  return load_some(p, valid, fill);
}
template <class T, class A> __device__ __forceinline__ void widen_unit(const Words4& w, A (&x)[kVec16<T>]) {
  if constexpr (kSameType<T, i32>) memcpy(x, &w, sizeof w);
  else widen<T>(w, x);
}
template <class A, int N> __device__ __forceinline__ void prepare(A (&x)[N], bool square, bool negate) {
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (square) x[j] = times(x[j], x[j]);
    if (negate) x[j] = negated(x[j]);
  }
}

// An element that counts for nothing, as it lies in memory: before squares are formed and signs changed.
template <class T, class A> __device__ __forceinline__ T filling(A identity, bool negate) {
  const A v = negate ? negated(identity) : identity;
  if constexpr (kSameType<T, i32>) return v;
  else return from_acc<T>(v);
}
template <class T> __device__ __forceinline__ Words4 filled(const T& fill) {
  Vec<T, kVec16<T>> v;
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) v.at[j] = fill;
  return pack<T>(v);
}

// Of element i of a kept or reduced range, in elements.
__device__ __forceinline__ i64 offset_of(const ReduceDims& dims, i64 i) {
  i64 offset = 0;
#pragma unroll 1
  for (int d = dims.count - 1; d > 0; --d) {
    const i64 next = i / dims.size[d];
    offset += (i - next * dims.size[d]) * dims.stride[d];
    i = next;
  }
  return dims.count > 0 ? offset + i * dims.stride[0] : 0;
}

__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, i32 v) {
  static_cast<i32*>(p.out)[i] = p.finally == kReduceNegated ? negated(v) : v;
}
__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, f64 v) {
  if (p.finally == kReduceNegated) v = -v;
  if (p.finally == kReduceMean) v = v / p.count;
  if (p.finally == kReduceRoot) v = square_root(v);
  static_cast<f64*>(p.out)[i] = v;
}
__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, f32 v) {
  if (p.finally == kReduceNegated) v = -v;
  if (p.finally == kReduceMean) v = v / static_cast<f32>(p.count);
  if (p.finally == kReduceRoot) v = square_root(v);
  if (p.out_dtype == kDtypeF16) static_cast<f16*>(p.out)[i] = from_acc<f16>(v);
  else if (p.out_dtype == kDtypeBf16) static_cast<bf16*>(p.out)[i] = from_acc<bf16>(v);
  else static_cast<f32*>(p.out)[i] = v;
}

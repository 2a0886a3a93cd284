// Reducers, one for each kind of reduction. A thread takes elements into a state, a state becomes a total, and a fixed tree combines totals.
//
// A reducer has
//   static constexpr bool kSquares, kNegates;   true if elements may have to be squared or negated first
//   typedef Total;                        type that threads exchange
//   static A identity();                  stands for a missing element
//   template <int N> void take(A (&x)[N]);
//   Total total() const;  static Total combine(a, b), the same for (b, a);  static A value(Total);
#pragma once

#include "prelude/exp.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.h"
#include "prelude/memory.cuh"

// Sums and products of i32 wrap around.
__device__ __forceinline__ i32 plus(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b)); }
__device__ __forceinline__ i32 times(i32 a, i32 b) { return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b)); }
template <class A> __device__ __forceinline__ A plus(A a, A b) { return a + b; }
template <class A> __device__ __forceinline__ A times(A a, A b) { return a * b; }
// Reverses the order of numbers; a second call restores them.
__device__ __forceinline__ i32 negated(i32 v) { return ~v; }
template <class A> __device__ __forceinline__ A negated(A v) { return -v; }

template <class T> struct Wide {
  typedef Acc<T> type;
};
template <> struct Wide<i32> {
  typedef i32 type;
};
__device__ __forceinline__ i32 to_acc(const i32& v) { return v; }

template <class A, int N, class Combine> __device__ __forceinline__ A tree(A (&x)[N], Combine combine) {
#pragma unroll
  for (int width = N / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) x[j] = combine(x[j], x[j + width]);
  return x[0];
}

// Sum, compensated: `lost` keeps what the additions round off.
template <class A> struct sum_terms {
  static constexpr bool kSquares = true, kNegates = false;
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
  static constexpr bool kSquares = false, kNegates = true;
  typedef A Total;
  A top = identity();
  static __device__ __forceinline__ A identity() {
    if constexpr (kSameType<A, i32>) return -2147483647 - 1;
    else return -Limits<A>::infinity();
  }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) { top = combine(top, tree(x, combine)); }
  __device__ __forceinline__ Total total() const { return top; }
  // Returns the larger; NaN if either is NaN.
  static __device__ __forceinline__ Total combine(Total a, Total b) { return b > a || b != b ? b : a; }
  static __device__ __forceinline__ A value(Total t) { return t; }
};

template <class A> struct prod_terms {
  static constexpr bool kSquares = false, kNegates = false;
  typedef A Total;
  A product = 1;
  static __device__ __forceinline__ A identity() { return 1; }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) { product = times(product, tree(x, combine)); }
  __device__ __forceinline__ Total total() const { return product; }
  static __device__ __forceinline__ Total combine(Total a, Total b) { return times(a, b); }
  static __device__ __forceinline__ A value(Total t) { return t; }
};

// Sum of e^(x - pivot). The pivot is the reference `top`, or 0 if the reference is infinite; the sum then becomes infinity or NaN, as it has to.
template <class A> struct RelativeSum {
  A top, sum;
  __device__ __forceinline__ A pivot() const { return top > Limits<A>::lowest() && !is_finite(top) ? A(0) : top; }
};
template <class A, int N> __device__ __forceinline__ RelativeSum<A> taken(RelativeSum<A> s, Vec<A, N> x) {
  A top = x.at[0];
#pragma unroll
  for (int j = 1; j < N; ++j) top = max_number(top, x.at[j]);
  // The reference moves only if a value exceeds it by more than 1: slowly rising values would otherwise round the sum at every step.
  if (top > s.top + A(1)) {
    const A before = s.pivot();
    s.top = top;
    s.sum *= fast_exp(before - s.pivot());
  }
  const A pivot = s.pivot();
  if constexpr (sizeof(A) == 8) {
    // Takes the number at the front and moves the rest up, so that there is one copy of the exponential.
#pragma unroll 1
    for (int left = N; left > 0; --left) {
      s.sum += fast_exp(x.at[0] - pivot);
#pragma unroll
      for (int j = 0; j + 1 < N; ++j) x.at[j] = x.at[j + 1];
    }
  } else {
#pragma unroll
    for (int j = 0; j < N; ++j) x.at[j] = called_exp(x.at[j] - pivot);
    s.sum += tree(x.at, [](A a, A b) { return a + b; });
  }
  return s;
}
// Not inlined for f32: a copy for every column of a vector would be most of the program.
template <int N> __device__ __noinline__ RelativeSum<f32> called_taken(RelativeSum<f32> s, Vec<f32, N> x) { return taken(s, x); }
template <int N> __device__ __forceinline__ RelativeSum<f64> called_taken(RelativeSum<f64> s, Vec<f64, N> x) { return taken(s, x); }
template <class A> struct logsumexp_terms {
  static constexpr bool kSquares = false, kNegates = false;
  typedef RelativeSum<A> Total;
  Total state{Limits<A>::lowest(), A(0)};
  static __device__ __forceinline__ A identity() { return -Limits<A>::infinity(); }
  template <int N> __device__ __forceinline__ void take(A (&x)[N]) {
    Vec<A, N> own;
#pragma unroll
    for (int j = 0; j < N; ++j) own.at[j] = x[j];
    state = called_taken(state, own);
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

// Loads `valid` elements from `p` on, at any alignment; `fill` in place of the rest.
template <class T> __device__ __noinline__ Words4 load_some(const T* p, int valid, T fill) {
  Vec<T, kVec16<T>> v;
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) v.at[j] = j < valid ? p[j] : fill;
  return pack<T>(v);
}
template <class T, class A> __device__ __forceinline__ void widen_vector(const Words4& w, A (&x)[kVec16<T>]) {
  if constexpr (kSameType<T, i32>) memcpy(x, &w, sizeof w);
  else widen<T>(w, x);
}
// Squares or negates elements. Branches, since predicated instructions take time even where nothing is squared.
template <class Reducer, class A, int N> __device__ __forceinline__ void prepare(A (&x)[N], bool square, bool negate) {
  if (Reducer::kSquares && square)
#pragma unroll
    for (int j = 0; j < N; ++j) x[j] = times(x[j], x[j]);
  if (Reducer::kNegates && negate)
#pragma unroll
    for (int j = 0; j < N; ++j) x[j] = negated(x[j]);
}

// Returns an element that does not change a result, as it would lie in memory, before elements are squared or negated.
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

// Returns the offset of element i of a kept or reduced range, in elements.
__device__ __noinline__ i64 far_offset(const ReduceDims& dims, i64 i) {
  i64 offset = 0;
#pragma unroll 1
  for (int d = dims.count - 1; d > 0; --d) {
    const i64 next = i / dims.size[d];
    offset += (i - next * dims.size[d]) * dims.stride[d];
    i = next;
  }
  return offset + i * dims.stride[0];
}
__device__ __forceinline__ i64 offset_of(const ReduceDims& dims, i64 i) {
  return dims.count <= 1 ? i * dims.stride[0] : far_offset(dims, i);  // without dimensions, stride[0] is 0
}
// Division of numbers that are not negative. Mostly b is 1, or a is less than b.
__device__ __noinline__ i64 quotient(i64 a, i64 b) { return a / b; }
__device__ __forceinline__ i64 divided(i64 a, i64 b) { return b == 1 ? a : a < b ? 0 : quotient(a, b); }

// Stores result v with the last operation of p.finally. count: all elements that are reduced into v.
__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, i32 v, f64) {
  static_cast<i32*>(p.out)[i] = p.finally == kReduceNegated ? negated(v) : v;
}
__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, f64 v, f64 count) {
  if (p.finally == kReduceNegated) v = -v;
  if (p.finally == kReduceMean) v = v / count;
  if (p.finally == kReduceRoot) v = square_root(v);
  if (p.finally == kReduceAdded) v += static_cast<const f64*>(p.out)[i];
  static_cast<f64*>(p.out)[i] = v;
}
__device__ __forceinline__ void store_result(const ReduceParams& p, i64 i, f32 v, f64 count) {
  if (p.finally == kReduceNegated) v = -v;
  if (p.finally == kReduceMean) v = v / static_cast<f32>(count);
  if (p.finally == kReduceRoot) v = square_root(v);
  if (p.finally == kReduceAdded) {
    if (p.out_dtype == kDtypeF16) v += to_f32(static_cast<const f16*>(p.out)[i]);
    else if (p.out_dtype == kDtypeBf16) v += to_f32(static_cast<const bf16*>(p.out)[i]);
    else v += static_cast<const f32*>(p.out)[i];
  }
  if (p.out_dtype == kDtypeF16) static_cast<f16*>(p.out)[i] = from_acc<f16>(v);
  else if (p.out_dtype == kDtypeBf16) static_cast<bf16*>(p.out)[i] = from_acc<bf16>(v);
  else static_cast<f32*>(p.out)[i] = v;
}

// Range of a segment on its axis; empty if its offsets are bad.
struct Segment {
  i64 begin, end;
  bool bad;
};
__device__ __forceinline__ Segment segment_of(const ReduceParams& p, i64 s) {
  i64 begin, end;
  if (p.wide_offsets) {
    begin = static_cast<const i64*>(p.offsets)[s];
    end = static_cast<const i64*>(p.offsets)[s + 1];
  } else {
    begin = static_cast<const i32*>(p.offsets)[s];
    end = static_cast<const i32*>(p.offsets)[s + 1];
  }
  // As an unsigned number, a negative offset is larger than any valid one.
  const bool bad = static_cast<u64>(begin) > static_cast<u64>(end) || static_cast<u64>(end) > static_cast<u64>(p.outer);
  return {bad ? 0 : begin, bad ? 0 : end, bad};
}

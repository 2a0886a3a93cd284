// Units of tensors whose element types are known at run time only.
//
// A unit is 8 elements, or 2 of f64. With `words` it is read and written at once, else element by element. Its elements are added in the same order
// either way.
#pragma once

#include "norm/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"

template <class A> constexpr int kAnyUnit = sizeof(A) == 8 ? 2 : 8;
template <class A, bool words> constexpr int kAnyAtOnce = words ? kAnyUnit<A> : 1;

// Loads n elements from element `at` on. n is 1, or a unit in words.
template <class A, int n> __device__ __forceinline__ void load_any(A (&x)[n], const void* tensor, i64 at, int type) {
  if constexpr (n == 1) {
    x[0] = static_cast<A>(load_as_f64(tensor, at, type));
  } else if constexpr (sizeof(A) == 8) {
    widen<f64>(load_words(reinterpret_cast<const Words4*>(static_cast<const f64*>(tensor) + at)), x);
  } else if (type == kDtypeF32) {
    Unit<f32, n> unit;
    unit.load(static_cast<const f32*>(tensor) + at);
    unit.get(x);
  } else {
    const Words4 w = load_words(reinterpret_cast<const Words4*>(static_cast<const u16*>(tensor) + at));
    if (type == kDtypeF16) widen<f16>(w, x);
    else widen<bf16>(w, x);
  }
}
template <class A, int n> __device__ __forceinline__ void store_any(const A (&x)[n], void* tensor, i64 at, int type) {
  if constexpr (n == 1) {
    if constexpr (sizeof(A) == 8) static_cast<f64*>(tensor)[at] = x[0];
    else if (type == kDtypeF32) static_cast<f32*>(tensor)[at] = x[0];
    else if (type == kDtypeF16) static_cast<f16*>(tensor)[at] = from_acc<f16>(x[0]);
    else static_cast<bf16*>(tensor)[at] = from_acc<bf16>(x[0]);
  } else if constexpr (sizeof(A) == 8) {
    store_words(reinterpret_cast<Words4*>(static_cast<f64*>(tensor) + at), narrow<f64>(x));
  } else if (type == kDtypeF32) {
    Unit<f32, n> unit;
    unit.set(x);
    unit.store(static_cast<f32*>(tensor) + at);
  } else {
    store_words(reinterpret_cast<Words4*>(static_cast<u16*>(tensor) + at), type == kDtypeF16 ? narrow<f16>(x) : narrow<bf16>(x));
  }
}
// Returns v rounded to the type of a tensor that it is stored in.
template <class X> __device__ __forceinline__ X rounded(X v, int type) {
  if constexpr (sizeof(X) == 4) {
    if (type == kDtypeF16) return to_acc(from_acc<f16>(v));
    if (type == kDtypeBf16) return to_acc(from_acc<bf16>(v));
  }
  return v;
}

// Elements of a gradient: dy, g = dy * gamma, the normalised input h, and product = g * h. If p.inverted, product is dy * (y - beta) instead, which
// is the same number but is not NaN where gamma is 0.
template <class A, bool words> struct NormUnit {
  static constexpr int kAtOnce = kAnyAtOnce<A, words>;
  A dy[kAtOnce], g[kAtOnce], h[kAtOnce], product[kAtOnce];

  __device__ __forceinline__ void read(const NormBackwardParams& p, i64 row, i64 column, A mean, A scale) {
    A gamma[kAtOnce], beta[kAtOnce];
    load_any(dy, p.dout, row * p.columns + column, p.output_type);
    load_any(h, p.saved, row * p.columns + column, p.saved_type);
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) gamma[j] = 1, beta[j] = 0;
    // A loop, so that there is one copy of the code.
#pragma unroll 1
    for (int i = 0; i < 2; ++i) {
      const void* const tensor = i ? p.beta : p.gamma;
      if (!tensor) continue;
      A v[kAtOnce];
      load_any(v, tensor, column, p.weight_type);
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) (i ? beta[j] : gamma[j]) = v[j];
    }
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      g[j] = rounded_product(dy[j], gamma[j]);
      const A centred = h[j] - (p.inverted ? beta[j] : mean);
      h[j] = centred * (p.inverted ? A(1) / gamma[j] : scale);
      product[j] = p.inverted ? rounded_product(dy[j], centred) : rounded_product(g[j], h[j]);
    }
  }
};

// Units of tensors whose element types are known at run time only.
#pragma once

#include "norm/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "prelude/scalar.cuh"

// Elements of a unit in arithmetic of type A: 16 bytes of 16-bit types, 32 of f32; 16 of f64.
template <class A> constexpr int kAnyUnit = sizeof(A) == 8 ? 2 : 8;

// Whether units of a tensor with rows of `columns` elements can be read as words.
template <class A> __device__ __forceinline__ bool in_words(const void* tensor, i64 columns) {
  return columns % kAnyUnit<A> == 0 && aligned16(tensor);
}

// Elements [at, at + count) of a tensor and zeros behind them; `words` only where count is a whole unit.
template <class A> __device__ __forceinline__ void load_any(A (&x)[kAnyUnit<A>], const void* tensor, i64 at, int count, int type, bool words) {
  if (words) {
    if constexpr (sizeof(A) == 8) {
      widen<f64>(load_words(reinterpret_cast<const Words4*>(static_cast<const f64*>(tensor) + at)), x);
    } else if (type == kDtypeF32) {
      Unit<f32, 8> unit;
      unit.load(static_cast<const f32*>(tensor) + at);
      unit.get(x);
    } else {
      const Words4 w = load_words(reinterpret_cast<const Words4*>(static_cast<const u16*>(tensor) + at));
      if (type == kDtypeF16) widen<f16>(w, x);
      else widen<bf16>(w, x);
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < kAnyUnit<A>; ++j) x[j] = j < count ? static_cast<A>(load_as_f64(tensor, at + j, type)) : A(0);
}
template <class A> __device__ __forceinline__ void store_any(const A (&x)[kAnyUnit<A>], void* tensor, i64 at, int count, int type, bool words) {
  if (words) {
    if constexpr (sizeof(A) == 8) {
      store_words(reinterpret_cast<Words4*>(static_cast<f64*>(tensor) + at), narrow<f64>(x));
    } else if (type == kDtypeF32) {
      Unit<f32, 8> unit;
      unit.set(x);
      unit.store(static_cast<f32*>(tensor) + at);
    } else {
      store_words(reinterpret_cast<Words4*>(static_cast<u16*>(tensor) + at), type == kDtypeF16 ? narrow<f16>(x) : narrow<bf16>(x));
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < kAnyUnit<A>; ++j) {
    if (j >= count) continue;
    if constexpr (sizeof(A) == 8) {
      static_cast<f64*>(tensor)[at + j] = x[j];
    } else {
      if (type == kDtypeF32) static_cast<f32*>(tensor)[at + j] = x[j];
      else if (type == kDtypeF16) static_cast<f16*>(tensor)[at + j] = from_acc<f16>(x[j]);
      else static_cast<bf16*>(tensor)[at + j] = from_acc<bf16>(x[j]);
    }
  }
}

// A unit of dy * gamma and of the normalised input; zeros beyond the row. `centred` is what gamma times the latter comes from where the
// layer is inverted, in which case `h` is not a number where gamma is 0.
template <class A> struct NormUnit {
  A dy[kAnyUnit<A>], g[kAnyUnit<A>], h[kAnyUnit<A>], product[kAnyUnit<A>];  // product: g * h

  __device__ __forceinline__ void read(const NormBackwardParams& p, i64 row, i64 column, int count, A mean, A scale, bool words, bool weight_words) {
    load_any(dy, p.dout, row * p.columns + column, count, p.output_type, words);
    load_any(h, p.saved, row * p.columns + column, count, p.saved_type, words);
    A gamma[kAnyUnit<A>];
#pragma unroll
    for (int j = 0; j < kAnyUnit<A>; ++j) gamma[j] = 1;
    if (p.gamma) load_any(gamma, p.gamma, column, count, p.weight_type, weight_words);
#pragma unroll
    for (int j = 0; j < kAnyUnit<A>; ++j) g[j] = dy[j] * gamma[j];
    if (p.inverted) {
      A beta[kAnyUnit<A>];
#pragma unroll
      for (int j = 0; j < kAnyUnit<A>; ++j) beta[j] = 0;
      if (p.beta) load_any(beta, p.beta, column, count, p.weight_type, weight_words);
#pragma unroll
      for (int j = 0; j < kAnyUnit<A>; ++j) {
        const A centred = h[j] - beta[j];
        product[j] = dy[j] * centred;
        h[j] = centred * (A(1) / gamma[j]);
      }
    } else {
#pragma unroll
      for (int j = 0; j < kAnyUnit<A>; ++j) {
        h[j] = (h[j] - mean) * scale;
        product[j] = g[j] * h[j];
      }
    }
#pragma unroll
    for (int j = 0; j < kAnyUnit<A>; ++j)
      if (j >= count) dy[j] = g[j] = h[j] = product[j] = 0;
  }
};
template <class A> __device__ __forceinline__ bool weights_in_words(const NormBackwardParams& p) {
  return (!p.gamma || in_words<A>(p.gamma, p.columns)) && (!p.beta || in_words<A>(p.beta, p.columns));
}

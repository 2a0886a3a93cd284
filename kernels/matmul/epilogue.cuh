// From the sum of a product to an element of the result.
#pragma once

#include "prelude/divide.cuh"
#include "prelude/activations.cuh"
#include "prelude/tensor_map.h"
#include "matmul/params.h"

// gelu_tanh and its slope. Beyond 16-bit elements both are constant to the last bit, or 0, outside of [-32, 32].
template <class T> __device__ __forceinline__ Curve<Acc<T>> gelu_tanh(const Acc<T>& z) {
  typedef Acc<T> A;
  if constexpr (sizeof(T) == 2) return curve_from_tail<function_gelu_tanh>(z);
  constexpr A kScale = A(1.59576912160573071176), kCube = A(0.044715), kFar = A(32);
  const A c = z > kFar ? kFar : z < -kFar ? -kFar : z, square = c * c;
  const Sigma<A> s = Sigma<A>::template of<T>(kScale * c * fused_multiply_add(kCube, square, A(1)));
  return {s.at == 0 ? A(0) : z * s.at, fused_multiply_add(s.product * c, kScale * fused_multiply_add(3 * kCube, square, A(1)), s.at)};
}

// An element of a result of type T. `other` and `bias` are 0 where there are none.
template <class T> struct Element {
  Acc<T> z, out;

  __device__ __forceinline__ Element(int epilogue, Acc<T> scaled_sum, Acc<T> beta, Acc<T> other, Acc<T> bias) {
    const bool is_gradient = epilogue == kMatmulGeluGradient;
    z = is_gradient ? scaled_sum : fused_multiply_add(beta, other, scaled_sum) + bias;
    out = z;
    if (epilogue == kMatmulPlain) return;
    const Curve<Acc<T>> curve = gelu_tanh<T>(Acc<T>(is_gradient ? other : z));
    // The slope is 0 at -infinity alone. Where it rounds to 0 it is below 0, and its product with infinity is no NaN.
    const bool rounded = curve.slope == 0 && other >= Limits<Acc<T>>::lowest() && !is_finite(z);
    out = is_gradient ? z * (rounded ? Acc<T>(-1) : curve.slope) : curve.value;
  }
};

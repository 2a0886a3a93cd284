// Terms and gradients of softmax, for elements and for vectors. README.md defines the words.
//
// In all row programs vector u of a row belongs to lane u modulo the lanes, wherever the row begins in memory, so that sums depend on the
// contents alone.
#pragma once

#include "prelude/exp.cuh"
#include "prelude/row_vectors.cuh"

// ---- arithmetic

// Adds the term of an element: dout * out for softmax, dout for log-softmax.
template <bool log, class A> __device__ __forceinline__ A add_term(A sum, A dout, A out) { return log ? sum + dout : fused_multiply_add(dout, out, sum); }
__device__ __forceinline__ f32 probability(f32 log_probability) { return fast_exp(log_probability); }
// Not inlined, since copies of the long function for each element would be most of a kernel.
__device__ __noinline__ f64 probability(f64 log_probability) { return fast_exp(log_probability); }
template <bool log, class A> __device__ __forceinline__ A softmax_gradient(A dout, A out, A sum) {
  if constexpr (log) return fused_multiply_add(-probability(out * exponent_beside(sum)), sum, dout);
  else return out * (dout - sum);
}
template <bool log, class T> __device__ __forceinline__ Acc<T> add_vector(Acc<T> sum, Words4 dout, Words4 out) {
  Acc<T> d[kVec16<T>], y[kVec16<T>];
  widen<T>(dout, d);
  widen<T>(out, y);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) sum = add_term<log>(sum, d[j], y[j]);
  return sum;
}
template <bool log, class T> __device__ __forceinline__ Words4 gradient_vector(Words4 dout, Words4 out, Acc<T> sum) {
  Acc<T> d[kVec16<T>], y[kVec16<T>];
  widen<T>(dout, d);
  widen<T>(out, y);
#pragma unroll
  for (int j = 0; j < kVec16<T>; ++j) d[j] = softmax_gradient<log>(d[j], y[j], sum);
  return narrow<T>(d);
}

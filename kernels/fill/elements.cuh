// Stores of kFillTogether elements that a thread has as f64 or f32 numbers.
#pragma once

#include "prelude/philox.cuh"
#include "prelude/scalar.cuh"
#include "prelude/vectors.cuh"
#include "fill/params.h"
#include "prelude/thread.cuh"

// Rounds to f32 so that another rounding, to a narrower type, gives the bits of one rounding: what is not exact has an odd last bit.
__device__ __forceinline__ f32 rounded_to_odd(f64 v) {
  const f32 near = static_cast<f32>(v);
  u32 bits;
  memcpy(&bits, &near, sizeof bits);
  const f64 back = near;
  if (!(back - v < 0 || back - v > 0) || bits & 1) return near;
  const f64 size = v < 0 ? -v : v;
  bits += (back < 0 ? -back : back) > size ? ~0u : 1u;
  return from_bits(bits);
}
// Rounds once.
template <class T> __device__ __forceinline__ T rounded_once(const f64& v) {
  if constexpr (kSameType<T, bf16>) return from_acc<T>(rounded_to_odd(v));
  else return Convert<T>::from(v);
}

// Stores elements [at, at + kFillTogether) of an array of `count` elements; get(j) gives element j as T. aligned: the array begins on a 16-byte boundary.
template <class T> __device__ __forceinline__ void store_together(void* out, i64 at, i64 count, const T (&x)[kFillTogether], bool aligned) {
  constexpr int kVector = kVec16<T>;
#pragma unroll
  for (int i = 0; i < kFillTogether; i += kVector) {
    Vec<T, kVector> v;
#pragma unroll
    for (int j = 0; j < kVector; ++j) v.at[j] = x[i + j];
    const int left = static_cast<int>(min_of<i64>(kVector, count - at - i));
    if (left > 0) store_vector<T>(out, at + i, pack<T>(v), left, aligned);
  }
}

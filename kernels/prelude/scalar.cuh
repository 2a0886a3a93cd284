// Scalars that are a host value or a device element; the layout is that of adj_scalar.
#pragma once

#include "prelude/scalar.h"
#include "prelude/types.cuh"

// Returns element i of an array whose floating-point type is known at run time only; dtype: a code of adj_dtype.
__device__ __forceinline__ f64 load_as_f64(const void* p, i64 i, int dtype) {
  if (dtype == kDtypeF64) return static_cast<const f64*>(p)[i];
  f32 v;
  if (dtype == kDtypeF32) {
    v = static_cast<const f32*>(p)[i];
  } else {
    const u16 bits = static_cast<const u16*>(p)[i];
    v = dtype == kDtypeF16 ? to_f32(f16{bits}) : to_f32(bf16{bits});
  }
  return v;
}
// Writes element i of such an array. An f64 rounds once to f32 and f16; to bf16 it rounds by way of f32.
__device__ __forceinline__ void store_as(void* p, i64 i, f64 v, int dtype) {
  if (dtype == kDtypeF64) static_cast<f64*>(p)[i] = v;
  else if (dtype == kDtypeF32) static_cast<f32*>(p)[i] = from_acc<f32>(v);
  else if (dtype == kDtypeF16) static_cast<f16*>(p)[i] = from_acc<f16>(v);
  else static_cast<bf16*>(p)[i] = from_acc<bf16>(static_cast<f32>(v));
}
// Returns the value of a scalar whose device element is of a floating-point type.
__device__ __forceinline__ f64 read_scalar(const ScalarParam& s) { return s.device ? load_as_f64(s.device, 0, s.dtype) : s.value; }
// Returns the value of a scalar whose device element is of type bool.
__device__ __forceinline__ bool read_flag(const ScalarParam& s) { return s.device ? *static_cast<const u8*>(s.device) != 0 : s.value != 0; }

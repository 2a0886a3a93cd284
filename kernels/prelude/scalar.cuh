// Scalars that are a host value or a device element; the layout is that of adj_scalar.
#pragma once

#include "prelude/scalar.h"
#include "prelude/types.cuh"

// Element i of an array of a floating-point type known at run time only (codes are those of adj_dtype).
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
// Writes element i of such an array, rounded once.
__device__ __forceinline__ void store_as(void* p, i64 i, f64 v, int dtype) {
  if (dtype == kDtypeF64) static_cast<f64*>(p)[i] = v;
  else if (dtype == kDtypeF32) static_cast<f32*>(p)[i] = from_acc<f32>(v);
  else if (dtype == kDtypeF16) static_cast<f16*>(p)[i] = from_acc<f16>(v);
  else static_cast<bf16*>(p)[i] = from_acc<bf16>(static_cast<f32>(v));
}
// Of a floating-point type on the device.
__device__ __forceinline__ f64 read_scalar(const ScalarParam& s) { return s.device ? load_as_f64(s.device, 0, s.dtype) : s.value; }
// Of type bool on the device.
__device__ __forceinline__ bool read_flag(const ScalarParam& s) { return s.device ? *static_cast<const u8*>(s.device) != 0 : s.value != 0; }

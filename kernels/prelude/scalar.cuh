// Scalars that are a host value or a device element; the layout is that of adj_scalar.
#pragma once

#include "params/common.h"
#include "prelude/types.cuh"

// Element i of an array whose type is known at run time only (codes are those of adj_dtype).
__device__ __forceinline__ f64 load_as_f64(const void* p, i64 i, int dtype) {
  switch (dtype) {
    case kDtypeF32: return static_cast<const f32*>(p)[i];
    case kDtypeF64: return static_cast<const f64*>(p)[i];
    case kDtypeF16: return to_f32(static_cast<const f16*>(p)[i]);
    case kDtypeBf16: return to_f32(static_cast<const bf16*>(p)[i]);
    case kDtypeI32: return static_cast<const i32*>(p)[i];
    case kDtypeI64: return static_cast<f64>(static_cast<const i64*>(p)[i]);
    default: return 0;
  }
}
// Of type f32 or f64 on the device.
__device__ __forceinline__ f64 read_scalar(const ScalarParam& s) {
  if (!s.device) return s.value;
  return s.dtype == kDtypeF64 ? *static_cast<const f64*>(s.device) : *static_cast<const f32*>(s.device);
}

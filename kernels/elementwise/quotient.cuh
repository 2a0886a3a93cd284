// Correctly rounded quotients. The f64 one is not inlined, since its code is long.
#pragma once

#include "prelude/types.cuh"

__device__ __forceinline__ f32 quotient(const f32& a, const f32& b) { return __fdiv_rn(a, b); }
__device__ __noinline__ f64 called_quotient(f64 a, f64 b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ f64 quotient(const f64& a, const f64& b) { return called_quotient(a, b); }

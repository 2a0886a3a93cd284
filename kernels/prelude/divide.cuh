// Division of indices by a number that the plan knows; divide.h has the divisors and their ranges.
#pragma once

#include "prelude/divide.h"
#include "prelude/types.cuh"

__device__ __forceinline__ int divide(int n, const NarrowDivisor& by) {
  return static_cast<int>(__umulhi(static_cast<u32>(n) << 1, by.multiplier) >> by.shift);
}
__device__ __forceinline__ i64 divide(i64 n, const WideDivisor& by) {
  return static_cast<i64>(__umul64hi(static_cast<u64>(n) << 4, by.multiplier) >> by.shift);
}

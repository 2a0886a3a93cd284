// Computes: out[i] = value, rounded once.
// Work split: a thread takes kFillTogether neighbouring elements, a grid apart.
// Memory: each element is written once, 16 bytes at a time.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "fill/elements.cuh"

typedef ADJ_T T;

extern "C" __global__ void __launch_bounds__(kFillBlock) ADJ_ENTRY(const __grid_constant__ FillParams p) {
  const T value = rounded_once<T>(read_scalar(p.value));
  T x[kFillTogether];
#pragma unroll
  for (int j = 0; j < kFillTogether; ++j) x[j] = value;
  const bool aligned = aligned16(p.out);
#pragma unroll 1
  for (i64 at = global_thread() * kFillTogether; at < p.count; at += global_threads() * kFillTogether) store_together<T>(p.out, at, p.count, x, aligned);
}

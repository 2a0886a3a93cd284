// The largest magnitude of a tensor.
//
// Computes: amax = max of |x|, NaN left out; the plan clears amax before.
// Work split: a thread takes vectors of 16 bytes, four of them in flight, a grid apart.
// Memory: each element once.
// Order of additions: none. Maxima do not depend on order; blocks join theirs by an atomic maximum of integers.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "fp8/codes.cuh"

typedef ADJ_T T;

extern "C" __global__ void __launch_bounds__(kFp8Block) ADJ_ENTRY(const __grid_constant__ LargestParams p) {
  ADJ_SHARED(f32, scratch, kFp8Block / kWarp);
  constexpr int kAhead = 4, kVector = kVec16<T>;
  const bool aligned = aligned16(p.x);
  f32 amax = 0;
#pragma unroll 1
  for (i64 at = global_thread() * kVector; at < p.count; at += global_threads() * kVector * kAhead) {
    Words4 words[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const i64 own = at + k * global_threads() * kVector;
      words[k] = load_vector<T>(p.x, own, static_cast<int>(min_of<i64>(kVector, p.count - own)), aligned);
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      f32 x[kVector];
      widen<T>(words[k], x);
#pragma unroll
      for (int j = 0; j < kVector; ++j) amax = larger(amax, x[j]);
    }
  }
  amax = max_of_block(amax, scratch);
  if (thread_index() == 0) raise(p.amax, amax);
}

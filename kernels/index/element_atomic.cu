// Computes: dinput[key(n)] += dout[n] for every position n, by atomic additions in memory; README.md says what a key is.
// Work split: a thread takes a position, a grid apart.
// Memory: for each position an index and an element are read, and one element is added to.
// Order of additions: that of arrival, so results are not deterministic.
// Limits: rank up to 8, checked by the plan.
//
// Macros: ADJ_T element type, f32 or f64; ADJ_I index type.
#include "segment_sum/keys.cuh"
#include "index/params.h"
#include "prelude/memory_add.cuh"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ IndexElementAtomicParams p) {
  const ADJ_T* const dout = static_cast<const ADJ_T*>(p.dout);
  ADJ_T* const dinput = static_cast<ADJ_T*>(p.dinput);
  i64 errors = 0;
#pragma unroll 1
  for (i64 n = global_thread(); n < p.keys.count; n += global_threads()) {
    const ADJ_T value = dout[n];
    const i64 key = key_of_position<ADJ_I>(p.keys, n);
    if (key == p.keys.none) ++errors;
    else add_to_memory(dinput + key, value);
  }
  if (errors && p.keys.error_flag) atomic_add(p.keys.error_flag, errors);
}

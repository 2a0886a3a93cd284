// Computes: the key of each position of an index tensor, the number of the row of the gradient that it names. A position with an index
// outside its axis gets the key p.none and counts as an error.
// Work split: a thread takes a position, a grid apart.
// Memory: `depth` indices are read and 8 bytes written for each position.
// Order of additions: none.
// Limits: rank and depth up to 8, keys below 2^63; the check of the descriptor sees to them.
//
// Macros: ADJ_I index type.
#include "segment_sum/keys.cuh"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ IndexKeysParams p) {
  i64 errors = 0;
#pragma unroll 1
  for (i64 n = global_thread(); n < p.count; n += global_threads()) {
    const i64 key = key_of_position<ADJ_I>(p, n);
    p.keys[n] = key;
    errors += key == p.none;
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, errors);
}

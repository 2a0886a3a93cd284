// Computes: map[r] = the largest position i with indices[i] == r. Rows that no index names keep the -1 that the plan's memset has written.
// Indices outside [0, rows) count as errors.
// Work split: a thread takes an index, a grid apart.
// Memory: the indices are read once; for each a word of the map is written atomically.
// Order of additions: none; a maximum of integers does not depend on the order.
// Limits: positions below 2^31, checked by the plan.
//
// Macro: ADJ_I index type.
#include "segment_sum/keys.h"
#include "index/params.h"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

extern "C" __global__ void __launch_bounds__(kIndexBlock) ADJ_ENTRY(const __grid_constant__ IndexPadMapParams p) {
  i64 errors = 0;
#pragma unroll 1
  for (i64 n = global_thread(); n < p.count; n += global_threads()) {
    const i64 row = static_cast<const ADJ_I*>(p.indices)[n];
    if (row >= 0 && row < p.rows) atomic_max(p.map + row, static_cast<int>(n));
    else ++errors;
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, errors);
}

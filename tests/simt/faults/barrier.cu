// Reverses the elements of each block through shared memory.
//
// Macros: ADJ_FAULT 0 none, 1 no barrier between writing and reading, 2 a barrier that the threads beyond the end skip,
// 3 shared memory written again without a barrier after reading, 4 an index one past the shared array, 5 a read of shared
// memory that no thread has written, 6 threads beyond the end leave before the barrier.
#include "faults/params.h"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(128) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  ADJ_SHARED(float, tile, 128);
  const int t = thread_index();
  const i64 base = block_index() * block_threads();
  const bool inside = base + t < p.n;
  if (ADJ_FAULT == 6 && !inside) return;
  if (ADJ_FAULT != 5 || t != 77) tile[t + (ADJ_FAULT == 4)] = inside ? p.in[base + t] : 0.0f;
  if (ADJ_FAULT == 2) {
    if (inside) block_barrier();
  } else if (ADJ_FAULT != 1) {
    block_barrier();
  }
  const float mirrored = tile[block_threads() - 1 - t];
  if (ADJ_FAULT == 3) {
    tile[t] = mirrored;
  } else {
    block_barrier();
    tile[t] = mirrored;
  }
  if (inside) p.out[base + t] = tile[t];
}

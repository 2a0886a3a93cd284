// One sum over all blocks: each writes a partial sum, and the block that is counted last adds them up.
//
// Macros: ADJ_FAULT 0 none, 1 no fence before the count, 2 no fence after it, 3 a count that is not atomic, 4 waits
// for a block that never comes, 5 one thread leaves before the last sum.
#include "faults/params.h"
#include "prelude/reduce.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(64) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  ADJ_SHARED(float, scratch, 2);
  ADJ_SHARED(bool, last, 1);
  const i64 i = global_thread();
  const float sum = block_sum(i < p.n ? p.in[i] : 0.0f, scratch);
  if (thread_index() == 0) {
    p.partial[block_index()] = sum;
    if (ADJ_FAULT != 1) device_fence();
    u32 before;
    if (ADJ_FAULT == 3) before = (*p.counter)++;
    else before = atomic_add(p.counter, 1u);
    last[0] = before == static_cast<u32>(grid_blocks() - 1);
    if (ADJ_FAULT != 2) device_fence();
    if (ADJ_FAULT == 4)
      while (atomic_add(p.counter, 0u) <= static_cast<u32>(grid_blocks())) {}
  }
  block_barrier();
  if (!last[0]) return;
  float total = 0;
  for (i64 b = thread_index(); b < grid_blocks(); b += block_threads()) total += p.partial[b];
  if (ADJ_FAULT == 5 && thread_index() == 9) return;
  total = block_sum(total, scratch);
  if (thread_index() == 0) {
    p.out[0] = total;
    *p.counter = 0;
  }
}

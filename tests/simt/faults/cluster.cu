// Each block of a cluster sums the first elements that the others keep in shared memory.
//
// Macros: ADJ_FAULT 0 none, 1 no cluster barrier before reading, 2 no cluster barrier before leaving, 3 a block beyond the
// cluster, 4 dynamic shared memory beyond its end, 5 a cluster barrier before writing, and none before reading.
#include "faults/params.h"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(32) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  ADJ_DYNAMIC_SHARED(bytes);
  float* mine = reinterpret_cast<float*>(bytes);
  if (ADJ_FAULT == 5) simt::cluster_barrier();
  mine[thread_index() + (ADJ_FAULT == 4)] = p.in[global_thread()];
  if (ADJ_FAULT != 1 && ADJ_FAULT != 5) simt::cluster_barrier();
  float sum = 0;
  const unsigned blocks = simt::cluster_blocks();
  for (unsigned r = 0; r < blocks + (ADJ_FAULT == 3); ++r) sum += static_cast<float*>(simt::map_shared(mine, r))[thread_index()];
  if (ADJ_FAULT != 2) simt::cluster_barrier();
  p.out[global_thread()] = sum;
}

// Sums the elements of each warp into one output.
//
// Macros: ADJ_FAULT 0 none, 1 half of the warp shuffles with the mask of all, 2 a mask that leaves out half of its
// callers, 3 a lane of another half is read under a mask of one half, 4 lanes exchange through shared memory with only a
// shuffle in between, 5 one lane waits at the block barrier instead.
#include "faults/params.h"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(128) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  ADJ_SHARED(float, slots, 128);
  const i64 i = global_thread();
  float v = i < p.n ? p.in[i] : 0.0f;
  if (ADJ_FAULT == 5 && thread_index() == 7) block_barrier();
  const u32 lanes = ADJ_FAULT == 2 ? 0xffffu : ADJ_FAULT == 3 ? (lane_index() < 16 ? 0xffffu : 0xffff0000u) : kAllLanes;
  for (int mask = kWarp / 2; mask > 0; mask /= 2)
    if (ADJ_FAULT != 1 || lane_index() < 16 || mask != 8) v += __shfl_xor_sync(lanes, v, mask);
  slots[thread_index()] = v;
  if (ADJ_FAULT == 4) v = shuffle_xor(v, 1);
  else warp_barrier();
  const float neighbour = slots[thread_index() ^ 1];
  if (lane_index() == 0) p.out[i / kWarp] = 0.5f * (v + neighbour);
}

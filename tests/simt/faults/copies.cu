// Tiles of 512 elements, each reversed, through two stages of shared memory: the next tile is copied while a thread reads this one.
//
// Macros: ADJ_FAULT 0 none, 1 the wait is left out, 2 it leaves one group too many in flight, 3 it comes behind the barrier, 4 the barrier before a stage
// is filled again is left out, 5 the other stage is read, 6 a group is closed before its copies begin, 7 a stage is written while it is filled.
#include "faults/params.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(128) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  constexpr int kBlock = 128;
  ADJ_SHARED(Words4, stages, 2 * kBlock);
  const int thread = thread_index(), tiles = static_cast<int>(p.n / (4 * kBlock)), step = static_cast<int>(grid_blocks());
  const Words4* const in = reinterpret_cast<const Words4*>(p.in);
  const auto send = [&](int tile, int stage) {
    if (ADJ_FAULT == 6) close_copies();
    if (tile < tiles) copy16_to_shared(stages + stage * kBlock + thread, in + tile * kBlock + thread);
    if (ADJ_FAULT != 6) close_copies();
  };
  int stage = 0;
  send(static_cast<int>(block_index()), stage);
  for (int tile = static_cast<int>(block_index()); tile < tiles; tile += step) {
    if (ADJ_FAULT != 4) block_barrier();
    send(tile + step, 1 - stage);
    if (ADJ_FAULT == 7 && tile + step < tiles) stages[(1 - stage) * kBlock + thread] = Words4{0, 0, 0, 0};
    if (ADJ_FAULT == 2) wait_copies_but<2>();
    else if (ADJ_FAULT != 1 && ADJ_FAULT != 3) wait_copies_but<1>();
    block_barrier();
    if (ADJ_FAULT == 3) wait_copies_but<1>();
    const Words4 reversed = stages[(ADJ_FAULT == 5 ? 1 - stage : stage) * kBlock + kBlock - 1 - thread];
    reinterpret_cast<Words4*>(p.out)[tile * kBlock + thread] = Words4{reversed.w, reversed.z, reversed.y, reversed.x};
    stage = 1 - stage;
  }
  wait_copies_but<0>();
}

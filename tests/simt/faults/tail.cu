// Copies n elements, four at a time where the bases allow it.
//
// Macros: ADJ_FAULT 0 none, 1 an element too many, 2 vectors without a check of the alignment, 3 a write into the input,
// 4 an address far from any buffer, 5 two threads store the same element, 6 some threads end without waiting for earlier grids, 7 an element is
// read before waiting, 8 all threads begin beside earlier grids and none waits. For two launches, of which the second begins beside the first:
// 9 the second stores all elements again, 10 also, but the first has stored them before it lets the second begin: no fault.
#include "faults/params.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

extern "C" __global__ void __launch_bounds__(128) ADJ_ENTRY(const __grid_constant__ FaultParams p) {
  if (ADJ_FAULT == 7 && global_thread() == 5) p.out[5] = p.in[5];
  if (ADJ_FAULT >= 8) begin_beside_last_grids();
  else if (ADJ_FAULT != 6 || thread_index() < 64) wait_for_earlier_grids();
  if (ADJ_FAULT == 6 && thread_index() >= 64) return;
  const bool vectors = ADJ_FAULT == 2 || (aligned16(p.in) && aligned16(p.out));
  const i64 units = vectors ? p.n / 4 : 0;
  for (i64 i = global_thread(); i < units; i += global_threads())
    store_streaming(reinterpret_cast<Words4*>(p.out) + i, load_words(reinterpret_cast<const Words4*>(p.in) + i));
  const i64 end = p.n + (ADJ_FAULT == 1);
  for (i64 i = units * 4 + global_thread(); i < end; i += global_threads()) p.out[i] = p.in[i];
  if (ADJ_FAULT == 3 && global_thread() == 5) const_cast<float*>(p.in)[3] = 1;
  if (ADJ_FAULT == 4 && global_thread() == 5) p.out[1ll << 40] = 1;
  if (ADJ_FAULT == 5 && global_thread() == 5) p.out[units * 4 - 1] = p.in[units * 4 - 1];
  if (ADJ_FAULT == 9) let_next_grid_begin();
  if (ADJ_FAULT == 10) let_next_grid_read();
  if (ADJ_FAULT > 8) wait_for_earlier_grids();
}

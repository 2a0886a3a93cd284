// Computes: out[i] = (accumulating: out[i] +) sum over the slots of partials[slot, i].
// Work split: a thread per element, striding over the grid.
// Memory: every partial sum is read once.
// Order of additions: by slot, four on their way at a time, what out held last.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "prelude/divide.h"
#include "prelude/reduce.cuh"
#include "conv/params.h"

typedef Acc<ADJ_T> A;

extern "C" __global__ void __launch_bounds__(kConvThreads) ADJ_ENTRY(const __grid_constant__ ConvFinishParams p) {
  ADJ_T* const out = static_cast<ADJ_T*>(p.out);
#pragma unroll 1
  for (i64 i = global_thread(); i < p.count; i += global_threads()) {
    const A* const partials = static_cast<const A*>(p.partials) + i;
    A sum = sum_in_order<A>(p.slots, [&](int slot) { return partials[slot * p.count]; });
    if (p.accumulate) sum += to_acc(out[i]);
    out[i] = from_acc<ADJ_T>(sum);
  }
}

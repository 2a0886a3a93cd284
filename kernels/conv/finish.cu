// Computes: out[i] (=|+=) sum over the splits of partials[split, i]. With p.taps, i is an element of padded rows, and goes to its place in out
// or, if it is padding, nowhere.
// Work split: a thread takes an element of a split, a grid apart.
// Memory: every partial sum is read once, four loads of a thread in flight; out is written once.
// Order of additions: split by split, then what out held.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "prelude/divide.cuh"
#include "prelude/reduce.cuh"
#include "gemm/params.h"
#include "conv/params.h"

typedef Acc<ADJ_T> A;

extern "C" __global__ void __launch_bounds__(kGemmThreads) ADJ_ENTRY(const __grid_constant__ ConvFinishParams p) {
  ADJ_T* const out = static_cast<ADJ_T*>(p.out);
#pragma unroll 1
  for (i64 i = global_thread(); i < p.count; i += global_threads()) {
    i64 to = i;
    if (p.taps > 0) {
      const i64 tap_row = divide(i, p.by_padded), row = divide(tap_row, p.by_taps);
      const int channel = static_cast<int>(i - tap_row * p.padded), tap = static_cast<int>(tap_row - row * p.taps);
      if (channel >= p.channels) continue;
      to = row * p.row_pitch + static_cast<i64>(tap) * p.tap_pitch + static_cast<i64>(channel) * p.channel_pitch;
    }
    const A* const partials = static_cast<const A*>(p.partials) + i;
    A sum = sum_in_order<A>(p.splits, [&](int split) { return partials[split * p.count]; });
    if (p.accumulate) sum += to_acc(out[to]);
    out[to] = from_acc<ADJ_T>(sum);
  }
}

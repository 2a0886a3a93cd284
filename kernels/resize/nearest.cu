// Computes: a resize by nearest neighbours for a layout without channels: out[plane, d, h, w] = input[plane, at_d(d), at_h(h), at_w(w)] by the tables.
// Work split: a thread takes 16 bytes of a row of the result in a strip of rows. It gathers them once for all neighbouring rows that are equal.
// Memory: reads a row of the input once for each strip, one element after the other, through the level-1 cache, and the next row while the last is stored;
// writes the result once.
// Order of additions: none.
// Limits: rows of the result are whole vectors of 16 bytes at aligned addresses, rows of the input have less than 2^32 elements; the plan checks.
//
// Macros: ADJ_T unsigned type of an element's size.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"

typedef ADJ_T T;
constexpr int kVector = kVec16<T>;
// Blocks of a multiprocessor: as many as spill no registers.
constexpr int kResident = ADJ_BOUNDS_ARCH > 90 ? 4 : 5;

extern "C" __global__ void __launch_bounds__(kResizeBlock, kResident) ADJ_ENTRY(const __grid_constant__ ResizeStripParams p) {
  wait_for_earlier_grids();
  const ResizeTarget* const depths = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[0]);
  const ResizeTarget* const rows = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1]);
  const ResizeTarget* const places = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2]);
#pragma unroll 1
  for (i64 item = global_thread(); item < p.items; item += global_threads()) {
    const i64 rest = divide(item, p.by_groups), group = item - rest * p.groups;
    const i64 slab = divide(rest, p.by_strips), strip = rest - slab * p.strips, plane = divide(slab, p.by_depth);
    const int begin = static_cast<int>(strip * p.strip), end = static_cast<int>(min_of<i64>(begin + p.strip, p.target_extent[1]));
    const T* const source =
        static_cast<const T*>(p.source) + (plane * p.source_extent[0] + depths[slab - plane * p.target_extent[0]].first) * p.source_extent[1] * p.source_row;
    u32 at[kVector];
#pragma unroll
    for (int v = 0; v < kVector; ++v) at[v] = static_cast<u32>(places[group * kVector + v].first);
    Vec<T, kVector> ahead;
    auto gather = [&](int row) {
      const T* const from = source + row * p.source_row;
#pragma unroll
      for (int v = 0; v < kVector; ++v) ahead.at[v] = from[at[v]];
    };
    Words4* to = reinterpret_cast<Words4*>(static_cast<T*>(p.target) + (slab * p.target_extent[1] + begin) * p.target_row) + group;
    int from = rows[begin].first;
    gather(from);
#pragma unroll 1
    for (int row = begin; row < end;) {
      const Words4 words = pack<T>(ahead);
      // equal: first row behind those that are equal
      int equal = row + 1, next = from;
      while (equal < end && (next = rows[equal].first) == from) ++equal;
      if (equal < end) gather(from = next);
#pragma unroll 1
      for (; row < equal; ++row, to += p.groups) store_words(to, words);
    }
  }
}

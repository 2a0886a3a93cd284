// Computes     one number of each row: of the elements of some segments, each of them contiguous; or partial results of it.
// Work split   an item (an output, or one of the splits that share it) has a group of threads; lanes of the group share a part (a piece of a
//              segment), groups of lanes take parts in turn. Four units of 16 bytes of a thread in flight.
// Memory       reads each element once. Units that are not at a multiple of 16 bytes, and the last of a part, are read element by element.
// Order        unit u of a part belongs to lane u mod lanes; then a tree over lanes, then warps in order: by the plan alone, whatever the
//              addresses are.
// Limits       none; a group of more than a warp has the same number of items as the rest of its block.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/terms.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int V = kVec16<ADJ_T>;

// The elements of one item that belong to this thread.
__device__ __forceinline__ Reducer::Total take_item(const ReduceParams& p, i64 item) {
  const int lane = thread_index() & (p.lanes - 1), group_lane = (thread_index() & (p.group - 1)) / p.lanes, groups = p.group / p.lanes;
  const i64 output = divided(item, p.splits), split = item - output * p.splits;
  const ADJ_T* from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output);
  const i64 end = min_of(p.outer, (split + 1) * p.of_split);
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
  const Words4 none_there = filled(fill);
  Reducer reducer;
#pragma unroll 1
  for (i64 part = split * p.of_split + group_lane; part < end; part += groups) {
    const i64 segment = divided(part, p.pieces), begin = (part - segment * p.pieces) * p.piece;
    const ADJ_T* at = from + offset_of(p.reduced, segment) + begin;
    const i64 length = min_of(p.piece, p.inner - begin);
    const i64 step = static_cast<i64>(p.lanes) * V;
#pragma unroll 1
    for (i64 first = static_cast<i64>(lane) * V; first < length; first += kReduceTogether * step) {
      Words4 units[kReduceTogether];
#pragma unroll
      for (int k = 0; k < kReduceTogether; ++k) {
        const i64 unit = first + k * step;
        units[k] = load_unit(at + unit, static_cast<int>(min_of<i64>(length - unit, V)), fill, none_there);
      }
      // The unit at the front is taken and the others move up: the code is there once.
#pragma unroll 1
      for (i64 left = length - first, k = 0; k < kReduceTogether && left > 0; left -= step, ++k) {
        A x[V];
        widen_unit<ADJ_T>(units[0], x);
#pragma unroll
        for (int i = 0; i + 1 < kReduceTogether; ++i) units[i] = units[i + 1];
        prepare<Reducer>(x, p.square, p.negate);
        reducer.take(x);
      }
    }
  }
  return reducer.total();
}

extern "C" __global__ void __launch_bounds__(kReduceThreads) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  ADJ_SHARED(Reducer::Total, scratch, kReduceThreads / kWarp);
  const int items_of_block = block_threads() / p.group, own = thread_index() / p.group;
  const int width = min_of(p.group, kWarp);
#pragma unroll 1
  for (i64 base = block_index() * items_of_block; base < p.items; base += grid_blocks() * items_of_block) {
    const i64 item = base + own;
    Reducer nothing;
    Reducer::Total total = nothing.total();
    if (item < p.items) total = take_item(p, item);
#pragma unroll 1
    for (int mask = width / 2; mask > 0; mask /= 2) total = Reducer::combine(total, exchange(total, mask));
    if (p.group > kWarp) {
      if (lane_index() == 0) scratch[warp_index()] = total;
      block_barrier();
      const int first = own * (p.group / kWarp);
      total = scratch[first];
#pragma unroll 1
      for (int w = 1; w < p.group / kWarp; ++w) total = Reducer::combine(total, scratch[first + w]);
      block_barrier();
    }
    if (item < p.items && (thread_index() & (p.group - 1)) == 0) store_result(p, item, Reducer::value(total));
  }
}

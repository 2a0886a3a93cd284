// Computes: a number for each output from its runs, or partial results.
// Work split: a group of threads takes an item (an output, or a split of one). Lanes of the group share a part; groups of lanes take parts in turn. A
//     thread has eight vectors of 16 bytes in flight.
// Memory: reads each element once. If a part does not begin on a 16-byte boundary, vectors are cut out of two words (one of them comes from the cache),
//     and its first and last vectors are read element by element.
// Order of additions: vector u of a part belongs to lane u mod lanes; then a tree adds the lanes, then one adds the warps. Depends on the plan alone,
//     not on addresses.
// Limits: parts of at most 2^30 elements; the plan cuts longer ones. All groups of a block take the same number of turns, since they share barriers.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/part.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
// Blocks of a multiprocessor: as many as spill no registers in any variant.
constexpr int kResident = sizeof(A) == 8 ? 2 : sizeof(Reducer::Total) > sizeof(A) || kSameType<A, i32> || ADJ_BOUNDS_ARCH < 90 ? 3 : 4;

// Returns the total of this thread's elements of an item.
__device__ __forceinline__ Reducer::Total take_item(const ReduceParams& p, i64 item) {
  const int lane = thread_index() & (p.lanes - 1), lanes_log2 = lowest_bit(p.lanes);
  const int group_lane = (thread_index() & (p.group - 1)) >> lanes_log2, groups = p.group >> lanes_log2;
  const i64 output = divided(item, p.splits), split = item - output * p.splits;
  const ADJ_T* from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output);
  const i64 end = min_of(p.outer, (split + 1) * p.of_split);
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
  Reducer reducer;
  wait_for_earlier_grids();  // here, since addresses need nothing that earlier grids write
#pragma unroll 1
  for (i64 part = split * p.of_split + group_lane; part < end; part += groups) {
    const i64 run = divided(part, p.pieces), begin = (part - run * p.pieces) * p.piece;
    take_part(reducer, from + offset_of(p.reduced, run) + begin, static_cast<int>(min_of(p.piece, p.inner - begin)), lane, p.lanes, p, fill);
  }
  return reducer.total();
}

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  let_next_grid_begin();
  ADJ_SHARED(Reducer::Total, scratch, kReduceThreads / kWarp);
  const int group_log2 = lowest_bit(p.group), items_of_block = block_threads() >> group_log2, own = thread_index() >> group_log2;
#pragma unroll 1
  for (i64 base = block_index() * items_of_block; base < p.items; base += grid_blocks() * items_of_block) {
    const i64 item = base + own;
    Reducer nothing;
    Reducer::Total total = nothing.total();
    if (item < p.items) total = take_item(p, item);
    else wait_for_earlier_grids();
    // Combines the lanes of a warp, then the warps of a group.
    int width = min_of(p.group, kWarp);
#pragma unroll 1
    for (bool warps = false;; warps = true) {
#pragma unroll 1
      for (int mask = width / 2; mask > 0; mask /= 2) total = Reducer::combine(total, exchange(total, mask));
      if (warps || p.group <= kWarp) break;
      if (lane_index() == 0) scratch[warp_index()] = total;
      block_barrier();
      width = p.group / kWarp;
      total = scratch[own * width + (lane_index() & (width - 1))];
      block_barrier();
    }
    if (item < p.items && (thread_index() & (p.group - 1)) == 0) store_result(p, item, Reducer::value(total), p.count);
  }
}

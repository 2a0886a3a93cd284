// Computes: a number for each segment of an axis whose elements are contiguous.
// Work split: a warp takes a segment of up to kReduceShortBytes. Then the whole block takes the longer segments of its warps, one after the other. A
//     thread has eight vectors of 16 bytes in flight.
// Memory: reads each element once, as part.cuh does.
// Order of additions: vector u of a segment belongs to lane u mod 32, or to thread u mod the block; then a tree adds a warp, then the warps are added
//     in order. Depends on the length of the segment alone.
// Limits: none; the offsets are checked here.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/part.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int kWarps = kReduceThreads / kWarp;
constexpr i64 kShort = kReduceShortBytes / sizeof(ADJ_T);
constexpr i64 kMostOfPart = i64{1} << 30;
// Blocks of a multiprocessor: as many as spill no registers in any variant.
constexpr int kResident = sizeof(A) == 8 ? 2 : 3;

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  ADJ_SHARED(Reducer::Total, scratch, kWarps);
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
#pragma unroll 1
  for (i64 base = block_index() * kWarps; base < p.items; base += grid_blocks() * kWarps) {
    // Turn -1: each warp takes its own segment if it is short. Turns 0 and later: all warps take the long segments together, one a turn.
#pragma unroll 1
    for (int turn = -1; turn < kWarps; ++turn) {
      const bool together = turn >= 0;
      const i64 item = base + (together ? turn : warp_index());
      if (item >= p.items) continue;
      const i64 output = divided(item, p.splits);
      const Segment segment = segment_of(p, item - output * p.splits);
      const i64 count = segment.end - segment.begin;
      if ((count > kShort) != together) continue;
      const int lane = together ? thread_index() : lane_index();
      if (segment.bad && output == 0 && lane == 0 && p.error_flag) atomic_add(p.error_flag, i64{1});
      const ADJ_T* const from = static_cast<const ADJ_T*>(p.in) + offset_of(p.kept, output);
      Reducer reducer;
#pragma unroll 1
      for (i64 begin = segment.begin; begin < segment.end; begin += kMostOfPart)
        take_part(reducer, from + begin, static_cast<int>(min_of(segment.end - begin, kMostOfPart)), lane, together ? kReduceThreads : kWarp, p, fill);
      Reducer::Total total = reducer.total();
#pragma unroll 1
      for (int mask = kWarp / 2; mask > 0; mask /= 2) total = Reducer::combine(total, exchange(total, mask));
      if (together) {
        if (lane_index() == 0) scratch[warp_index()] = total;
        block_barrier();
        total = scratch[0];
#pragma unroll 1
        for (int w = 1; w < kWarps; ++w) total = Reducer::combine(total, scratch[w]);
        block_barrier();
      }
      if (lane == 0) store_result(p, item, Reducer::value(total), static_cast<f64>(count));
    }
  }
}

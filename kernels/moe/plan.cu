// The plan of a mixture of experts: a counting sort of pairs by expert.
//
// Computes: include/adjoint/ops/moe.h. ADJ_STAGE:
//   0  counts  how many pairs of each block have each expert
//   1  places  the first row of each expert, and the row of each pair
// Work split: a block takes p.pairs_of_block consecutive pairs, a warp a consecutive part of these, 32 at a time. Each block of stage 1 adds up all counts
// itself; with one block there is no stage 0.
// Memory: each pair is read once by stage 0 and twice by stage 1; order is written row by row where pairs of an expert lie apart.
// Order of additions: none in floating point; one result for any grid.
// Limits: pairs and rows below 2^31, kMoeMostExperts experts, kMoePlanBlocks blocks; the plan checks them.
//
// Macros besides ADJ_STAGE: ADJ_I type of experts.
#include "moe/params.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

constexpr int kThreads = kMoePlanBlock, kWarps = kThreads / kWarp;
constexpr u32 kNoExpert = 0xffffffffu;

// Returns the expert of a pair, kNoExpert for one that is left out. Experts outside, but for -1, are errors.
__device__ __forceinline__ u32 expert_of(const MoePlanParams& p, u32 pair, u32& errors) {
  const i64 expert = static_cast<const ADJ_I*>(p.experts)[pair];
  if (expert >= 0 && expert < p.num_experts) return static_cast<u32>(expert);
  errors += expert != -1;
  return kNoExpert;
}

#if ADJ_STAGE == 0

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ MoePlanParams p) {
  ADJ_SHARED(u32, counts, kMoeMostExperts);
  let_next_grid_begin();
  wait_for_earlier_grids();
#pragma unroll 1
  for (int e = thread_index(); e < p.num_experts; e += kThreads) counts[e] = 0;
  block_barrier();
  const u32 begin = static_cast<u32>(block_index()) * p.pairs_of_block, end = min_of(begin + p.pairs_of_block, p.pairs);
  u32 errors = 0;
#pragma unroll 4
  for (u32 n = begin + static_cast<u32>(thread_index()); n < end; n += kThreads) {
    const u32 expert = expert_of(p, n, errors);
    if (expert != kNoExpert) atomic_add(counts + expert, 1u);
  }
  block_barrier();
#pragma unroll 1
  for (int e = thread_index(); e < p.num_experts; e += kThreads) p.counts[block_index() * p.num_experts + e] = counts[e];
}

#else

// Sets first[e] to the sum of numbers[0, e) for every expert and returns the sum of all, by the whole block. All lie in shared memory; numbers are ready
// for the thread that wrote them. Another barrier must follow before `first` is read.
__device__ __forceinline__ u32 sum_smaller_experts(u32* first, const u32* numbers, u32* warp_totals, int experts) {
  constexpr int kOwn = kMoeMostExperts / kThreads;
  block_barrier();
  const int begin = thread_index() * kOwn;
  u32 own[kOwn], total = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    own[i] = begin + i < experts ? numbers[begin + i] : 0;
    total += own[i];
  }
  u32 sum = total;
#pragma unroll 1
  for (int delta = 1; delta < kWarp; delta *= 2) {
    const u32 other = shuffle_up(sum, delta);
    if (lane_index() >= delta) sum += other;
  }
  if (lane_index() == kWarp - 1) warp_totals[warp_index()] = sum;
  block_barrier();
  const u32 of_warp = lane_index() < kWarps ? warp_totals[lane_index()] : 0;
  const u32 all = warp_add(of_warp);
  sum += warp_add(lane_index() < warp_index() ? of_warp : 0) - total;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    if (begin + i < experts) first[begin + i] = sum;
    sum += own[i];
  }
  return all;
}

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ MoePlanParams p) {
  ADJ_SHARED(u32, warp_totals, kWarp);
  ADJ_DYNAMIC_SHARED(memory);
  const int experts = p.num_experts;
  u32* const places = reinterpret_cast<u32*>(memory);  // [kWarps, experts] pairs of a warp with an expert, then the place of the next one in its group
  u32* const kept = places + kWarps * experts;         // [experts] pairs of all blocks that have a row
  u32* const padded = kept + experts;                  // [experts] rows of the group
  u32* const first = padded + experts;                 // [experts] first row of the group
  let_next_grid_begin();
  wait_for_earlier_grids();
#pragma unroll 1
  for (int i = thread_index(); i < kWarps * experts; i += kThreads) places[i] = 0;
  block_barrier();

  u32* const own = places + warp_index() * experts;
  const u32 part = p.pairs_of_block / kWarps, begin = static_cast<u32>(block_index()) * p.pairs_of_block + static_cast<u32>(warp_index()) * part;
  const u32 end = min_of(begin + part, p.pairs);
  u32 errors = 0;
#pragma unroll 4
  for (u32 n = begin + static_cast<u32>(lane_index()); n < end; n += kWarp) {
    const u32 expert = expert_of(p, n, errors);
    if (expert != kNoExpert) atomic_add(own + expert, 1u);
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
  block_barrier();

  const u32 blocks = static_cast<u32>(grid_blocks());
#pragma unroll 1
  for (int e = thread_index(); e < experts; e += kThreads) {
    u32 before = 0, total = 0;
    if (blocks > 1) {
#pragma unroll 8
      for (u32 b = 0; b < blocks; ++b) {
        const u32 count = p.counts[b * static_cast<u32>(experts) + static_cast<u32>(e)];
        before += b < block_index() ? count : 0;
        total += count;
      }
    }
    u32 place = before;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const u32 count = places[w * experts + e];
      places[w * experts + e] = place;
      place += count;
    }
    if (blocks == 1) total = place;
    kept[e] = p.capacity ? min_of(total, p.capacity) : total;
    padded[e] = (kept[e] + p.align - 1) / p.align * p.align;
  }
  const u32 all = sum_smaller_experts(first, padded, warp_totals, experts);
  block_barrier();
  if (block_index() == 0) {
#pragma unroll 1
    for (int e = thread_index(); e < experts; e += kThreads) p.offsets[e] = static_cast<i32>(first[e]);
    if (thread_index() == 0) p.offsets[experts] = static_cast<i32>(all);
  }
  // Rows without a pair.
#pragma unroll 1
  for (u32 e = static_cast<u32>(block_index()); e < static_cast<u32>(experts); e += blocks)
#pragma unroll 1
    for (u32 row = kept[e] + static_cast<u32>(thread_index()); row < padded[e]; row += kThreads) p.order[first[e] + row] = -1;
#pragma unroll 1
  for (i64 row = all + global_thread(); row < p.rows; row += global_threads()) p.order[row] = -1;

#pragma unroll 1
  for (u32 base = begin; base < end; base += kWarp) {
    const u32 pair = base + static_cast<u32>(lane_index());
    u32 none = 0;
    const u32 expert = pair < end ? expert_of(p, pair, none) : kNoExpert;
    const u32 peers = match_bits(expert, p.bits) & ballot(expert != kNoExpert);
    const u32 place = expert == kNoExpert ? 0 : own[expert];
    warp_barrier();
    if (expert != kNoExpert && lane_index() == lowest_bit(peers)) own[expert] = place + static_cast<u32>(popcount(peers));
    warp_barrier();
    const u32 rank = place + static_cast<u32>(popcount(peers & lanes_below()));
    const bool has_row = expert != kNoExpert && (p.capacity == 0 || rank < p.capacity);
    if (pair < end) p.inverse[pair] = has_row ? static_cast<i32>(first[expert] + rank) : -1;
    if (has_row) p.order[first[expert] + rank] = static_cast<i32>(pair);
  }
}

#endif

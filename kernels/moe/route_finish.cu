// Sums over the blocks of the router: the tokens of each expert, and the loss.
//
// Computes: counts, counted and loss of moe_route (include/adjoint/ops/moe.h).
// Work split: one block. Threads that are a power of two of experts apart add up parts of the blocks for the same expert.
// Memory: what route.cu has left is read once.
// Order of additions: over the blocks of a part, over parts, then over experts by a tree. It follows from the shape.
// Limits: kMoeMostExperts. No macros.
#include "moe/params.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

constexpr int kThreads = kMoeRouteFinishBlock;

extern "C" __global__ void __launch_bounds__(kThreads) ADJ_ENTRY(const __grid_constant__ MoeRouteParams p) {
  ADJ_SHARED(f32, sums, kThreads);
  ADJ_SHARED(u32, counts, kThreads);
  ADJ_SHARED(f32, scratch, kThreads / kWarp);
  ADJ_SHARED(u32, integer_scratch, kThreads / kWarp);
  let_next_grid_begin();
  wait_for_earlier_grids();
  int width = 1;
  while (width < p.num_experts) width *= 2;
  const int parts = kThreads / width, part = thread_index() / width, expert = thread_index() % width;
  const int blocks_of_part = (p.blocks + parts - 1) / parts, end = min_of((part + 1) * blocks_of_part, p.blocks);
  f32 sum = 0;
  u32 count = 0;
  if (expert < p.num_experts) {
#pragma unroll 8
    for (int b = part * blocks_of_part; b < end; ++b) {
      count += p.block_counts[b * p.num_experts + expert];
      if (p.has_losses) sum += p.sums[b * p.num_experts + expert];
    }
  }
  sums[thread_index()] = sum;
  counts[thread_index()] = count;
  block_barrier();
  f32 term = 0;
  if (part == 0 && expert < p.num_experts) {
    count = sum_in_order<u32>(parts, [&](int i) { return counts[i * width + expert]; });
    p.counts[expert] = static_cast<i32>(count);
    if (p.has_losses) term = static_cast<f32>(count) * sum_in_order<f32>(parts, [&](int i) { return sums[i * width + expert]; });
  }
  if (!p.has_losses) return;
  f32 squares = 0;
  u32 counted = 0;
#pragma unroll 1
  for (int b = thread_index(); b < p.blocks; b += kThreads) {
    squares += p.squares[b];
    counted += p.block_counted[b];
  }
  term = block_sum(term, scratch);
  block_barrier();
  squares = block_sum(squares, scratch);
  counted = block_sum(counted, integer_scratch);
  if (thread_index() > 0) return;
  *p.counted = counted;
  const f32 tokens = static_cast<f32>(counted);
  f32 loss = 0;
  if (counted > 0) {
    if (p.balance != 0) loss += p.balance / tokens * (term / tokens);
    if (p.z_loss != 0) loss += p.z_loss / tokens * squares;
  }
  *p.loss = loss;
}

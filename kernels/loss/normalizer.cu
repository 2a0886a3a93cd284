// Factor 1 / Z of the gradient of a mean loss.
//
// Computes: Z = sum of the weights of the samples that count; a grid of one block writes 1 / Z, or 0 for Z = 0.
// Work split: a block takes p.chunk labels. With several blocks, a second launch adds their sums (p.partials).
// Memory: labels and their weights are read once.
// Order of additions: f64; depends on the number of samples alone.
// Limits: none.
//
// Macros: ADJ_L type of labels.
#include "loss/labels.cuh"
#include "prelude/reduce.cuh"

constexpr int kBlock = 1024;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossNormalizerParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  // The second launch waits for the first alone, which has begun after the grids before it ended. So what follows may load its inputs beside both.
  if (p.partials) let_next_grid_begin();
  wait_for_earlier_grids();
  let_next_grid_begin();
  const i64 first = block_index() * p.chunk;
  const i64 end = min_of(p.count, first + p.chunk);
  f64 sum = 0;
  if (p.partials) {
#pragma unroll 1
    for (i64 i = first + thread_index(); i < end; i += kBlock) sum += p.partials[i];
  } else {
#pragma unroll 4
    for (i64 i = first + thread_index(); i < end; i += kBlock) {
      const Label label = read_label<ADJ_L>(p.label, i);
      if (label.target >= 0) sum += label_weight(p.label, label, i);
    }
  }
  sum = block_sum(sum, scratch);
  if (thread_index() != 0) return;
  p.sums[block_index()] = grid_blocks() > 1 ? sum : inverse_of_sum(sum);
}

// Reduced softmax cross-entropy loss.
//
// Computes: sum of the losses, or sum of the losses / sum of the weights.
// Work split: a block takes p.chunk pairs (weighted loss, weight). With several blocks, a second launch adds their pairs (p.partials).
// Memory: pairs are read once.
// Order of additions: f64; depends on the number of pairs alone.
// Limits: none.
//
// Macros: ADJ_O type of the loss.
#include "prelude/divide.h"
#include "loss/params.h"
#include "prelude/exp.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

constexpr int kBlock = 1024;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossTotalParams p) {
  ADJ_SHARED(f64, scratch, 2 * kBlock / kWarp);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const i64 first = block_index() * p.chunk;
  const i64 end = min_of(p.count, first + p.chunk);
  f64 loss = 0, weight = 0;
#pragma unroll 8
  for (i64 i = first + thread_index(); i < end; i += kBlock) {
    const Vec<f64, 2> pair = unpack<f64>(load_words(reinterpret_cast<const Words4*>(p.totals) + i));
    loss += pair.at[0];
    weight += pair.at[1];
  }
  loss = block_sum(loss, scratch);
  weight = block_sum(weight, scratch + kBlock / kWarp);
  if (thread_index() != 0) return;
  if (p.partials) {
    p.partials[2 * block_index()] = loss;
    p.partials[2 * block_index() + 1] = weight;
    return;
  }
  if (p.mean) loss = weight != 0 ? loss / weight : p.nan_when_empty ? Limits<f64>::nan() : 0.0;
  *static_cast<ADJ_O*>(p.loss) = from_acc<ADJ_O>(static_cast<Acc<ADJ_O>>(loss));
}

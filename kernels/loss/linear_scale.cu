// Computes: the factor of the gradient of a linear cross-entropy, dloss / Z for a mean and dloss otherwise, and 1 / Z.
// Work split: one block.
// Memory: labels and their weights are read once, for a mean.
// Order of additions: f64; depends on the number of samples alone.
// Limits: none.
//
// Macros: ADJ_L type of labels.
#include "loss/labels.cuh"
#include "loss/linear.h"
#include "prelude/reduce.cuh"

constexpr int kBlock = 1024;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LinearLossParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  f64 inverse = 1;
  if (p.mean) {
    f64 sum = 0;
#pragma unroll 4
    for (i64 i = thread_index(); i < p.samples; i += kBlock) {
      const Label label = read_label<ADJ_L>(p.label, i);
      if (label.target >= 0) sum += label_weight(p.label, label, i);
    }
    inverse = inverse_of_sum(block_sum(sum, scratch));
  }
  if (thread_index() != 0) return;
  *p.scale = from_acc<f32>(static_cast<f32>(read_scalar(p.dloss) * inverse));
  *p.inverse = inverse;
}

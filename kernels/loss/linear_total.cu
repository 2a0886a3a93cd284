// Computes: the reduced loss of a linear cross-entropy from the losses of its samples.
// Work split: one block.
// Memory: the losses are read once.
// Order of additions: f64; depends on the number of samples alone.
// Limits: none.
//
// Macros: none.
#include "prelude/divide.h"
#include "prelude/scalar.h"
#include "loss/params.h"
#include "loss/linear.h"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

constexpr int kBlock = 1024;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LinearLossParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  f64 sum = 0;
#pragma unroll 4
  for (i64 i = thread_index(); i < p.samples; i += kBlock) sum += p.losses[i];
  sum = block_sum(sum, scratch);
  // A mean over nothing is 0, and a NaN stays one.
  if (thread_index() == 0) *p.loss = from_acc<f32>(static_cast<f32>(sum * *p.inverse));
}

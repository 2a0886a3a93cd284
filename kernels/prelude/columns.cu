// The second stage of sums of columns: adds the partial sums that a first stage has left for each split of rows.
//
// Computes: results[i][column] = sum over splits of partials[i][split][column], plus what it holds with p.accumulate.
// Work split: a block has 32 columns of one result, with 16 threads for each column; grid y is the result.
// Memory: the partial sums are read once, 128 or 256 contiguous bytes at a time.
// Order of additions: in f64, a thread every 16th split in order, then the 16 threads in order, then what the result holds; the number of splits
//   alone decides.
// Limits: as many columns as a grid of 2^31 blocks has; the plan checks.
//
// Macros: ADJ_A type of the partial sums (f32 or f64), ADJ_T element type of the results.
#include "prelude/columns.h"
#include "prelude/reduce.cuh"

constexpr int kDepth = kColumnSumThreads / kColumnSumAcross;
constexpr int kTogether = 4;  // loads of a thread in flight

extern "C" __global__ void __launch_bounds__(kColumnSumThreads) ADJ_ENTRY(const __grid_constant__ ColumnSumParams p) {
  ADJ_SHARED(f64, parts, kColumnSumThreads);
  const i64 result = block_index_y();
  const int x = thread_index() % kColumnSumAcross, y = thread_index() / kColumnSumAcross;
  const i64 column = block_index() * kColumnSumAcross + x;
  f64 sum = 0;
  wait_for_earlier_grids();
  if (column < p.columns) {
    const ADJ_A* const own = static_cast<const ADJ_A*>(p.partials) + result * p.splits * p.columns + column;
#pragma unroll 1
    for (i64 split = y; split < p.splits; split += kTogether * kDepth) {
      ADJ_A v[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) v[k] = split + k * kDepth < p.splits ? own[(split + k * kDepth) * p.columns] : ADJ_A(0);
#pragma unroll
      for (int k = 0; k < kTogether; ++k) sum += v[k];
    }
  }
  parts[thread_index()] = sum;
  block_barrier();
  void* const out = result == 0 ? p.results[0] : p.results[1];
  if (y > 0 || column >= p.columns) return;
  sum = sum_in_order<f64>(kDepth, [&](int d) { return parts[d * kColumnSumAcross + x]; });
  if (p.accumulate) sum += to_acc(static_cast<const ADJ_T*>(out)[column]);
  static_cast<ADJ_T*>(out)[column] = from_acc<ADJ_T>(static_cast<ADJ_A>(sum));
}

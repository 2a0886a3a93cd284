// Computes: the gradients of gamma and beta: column sums of two matrices of partial sums, which overwrite the result or are added to it.
// Work split: the second index of a block names the matrix. 2^p.lanes_log2 neighbouring threads share the columns of a block, 16 bytes each; the
//     threads behind them take the same columns of other splits.
// Memory: reads the partial sums once.
// Order of additions: f64. A thread adds its splits in order, then a tree adds the threads of a warp, then the warps are added in order. Depends on
//     the numbers of columns and splits alone.
// Limits: none.
//
// Macros: ADJ_A type of the partial sums.
#include "norm/params.h"
#include "prelude/column_sums.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

constexpr int kOwn = 16 / static_cast<int>(sizeof(ADJ_A));
constexpr int kWarps = kNormFinishBlock / kWarp;
constexpr int kAtOnce = 5;

extern "C" __global__ void __launch_bounds__(kNormFinishBlock, 2) ADJ_ENTRY(const __grid_constant__ NormFinishParams p) {
  ADJ_SHARED(f64, shared, kWarps * kWarp * kOwn);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const int which = static_cast<int>(block_index_y());
  void* const out = which ? p.second : p.first;
  if (!out) return;
  const int lanes = 1 << p.lanes_log2, lane = lane_index() & (lanes - 1), split = thread_index() >> p.lanes_log2, step = kNormFinishBlock >> p.lanes_log2;
#pragma unroll 1
  for (i64 first = block_index() * lanes * kOwn; first < p.columns; first += grid_blocks() * lanes * kOwn) {
    f64 sum[kOwn]{};
    const i64 column = first + lane * kOwn;
    if (column < p.columns) {
      const int splits = static_cast<int>(p.splits);
      const i64 stride = step * p.pitch;
      i64 at = (which * p.splits + split) * p.pitch + column;
#pragma unroll 1
      for (int s = split; s < splits; s += kAtOnce * step) {
        Words4 words[kAtOnce]{};
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i, at += stride)
          if (s + i * step < splits) words[i] = load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_A*>(p.partials) + at));
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          const auto v = unpack<ADJ_A>(words[i]);
#pragma unroll
          for (int j = 0; j < kOwn; ++j) sum[j] += v.at[j];
        }
      }
    }
#pragma unroll 1
    for (int mask = lanes; mask < kWarp; mask *= 2)
#pragma unroll
      for (int j = 0; j < kOwn; ++j) sum[j] += shuffle_xor(sum[j], mask);
    if (lane_index() < lanes)
#pragma unroll
      for (int j = 0; j < kOwn; ++j) shared[(warp_index() * lanes + lane) * kOwn + j] = sum[j];
    block_barrier();
    const i64 own = first + thread_index();
    if (thread_index() < lanes * kOwn && own < p.columns) {
      f64 total = sum_in_order<f64>(kWarps, [&](int w) { return shared[w * lanes * kOwn + thread_index()]; });
      if (p.accumulate) total += load_as_f64(out, own, p.type);
      store_as(out, own, total, p.type);
    }
    block_barrier();
  }
}

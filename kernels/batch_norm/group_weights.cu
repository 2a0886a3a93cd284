// Computes: the gradients of scale and bias of group norm, from the partial sums [2, splits * outer, channels] that sums.cu leaves.
// Work split: a block takes 32 channels of one of the two, which the second index of the grid names; a grid apart.
// Memory: the partial sums are read once.
// Order of additions: that of prelude/column_sums.cuh, in f64.
// Limits: none.
//
// Macros: ADJ_A type of the partial sums.
#include "batch_norm/params.h"
#include "prelude/column_sums.cuh"

extern "C" __global__ void __launch_bounds__(kColumnThreads) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(f64, shared, kColumnThreads);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const i64 which = block_index_y(), splits = p.splits * p.outer;
  void* const to = which ? p.dscale : p.dbias;
  if (!to) return;
#pragma unroll 1
  for (i64 first = block_index() * kWarp; first < p.channels; first += grid_blocks() * kWarp) {
    const i64 c = first + lane_index();
    const bool inside = c < p.channels;
    const f64 sum = column_sum(static_cast<const ADJ_A*>(p.partials) + which * splits * p.channels, splits, p.channels, c, inside, shared);
    if (warp_index() == 0 && inside) store_as(to, c, sum, p.weight_type);
  }
}

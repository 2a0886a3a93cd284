// Computes: the gradients of gamma and beta, the column sums of two matrices of partial sums; overwritten or added to.
// Work split: a block has 32 columns of the matrix that its second index names.
// Memory: the partial sums are read once.
// Order of additions: that of prelude/column_sums.cuh, in f64.
//
// Macros: ADJ_A type of the partial sums.
#include "norm/params.h"
#include "prelude/column_sums.cuh"

extern "C" __global__ void __launch_bounds__(kColumnThreads, 2) ADJ_ENTRY(const __grid_constant__ NormFinishParams p) {
  ADJ_SHARED(f64, shared, kColumnThreads);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const int which = static_cast<int>(block_index_y());
  void* const out = which ? p.second : p.first;
  if (!out) return;
  for (i64 first = block_index() * kWarp; first < p.columns; first += grid_blocks() * kWarp) {
    const i64 column = first + lane_index();
    const ADJ_A* partials = static_cast<const ADJ_A*>(p.partials) + which * p.slices * p.pitch;
    f64 sum = column_sum(partials, p.slices, p.pitch, column, column < p.columns, shared);
    if (warp_index() == 0 && column < p.columns) {
      if (p.accumulate) sum += load_as_f64(out, column, p.type);
      store_f64(out, column, p.type, sum);
    }
  }
}

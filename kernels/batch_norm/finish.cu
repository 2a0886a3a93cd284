// Computes: from the partial sums the statistics of each channel (backward: the gradients of scale and bias) and the coefficients for apply.cu.
//     Forward with running statistics there are no partial sums, and only coefficients are made.
// Work split: a block takes 32 channels, a grid apart.
// Memory: the partial sums are read once; a few numbers are read and written for each channel.
// Order of additions: that of prelude/column_sums.cuh, in f64.
// Limits: none.
//
// Macros: ADJ_A type of the arithmetic, ADJ_BACKWARD.
#include "batch_norm/finish.cuh"

#if ADJ_BACKWARD
typedef ADJ_A Partial;
#else
typedef f64 Partial;
#endif

extern "C" __global__ void __launch_bounds__(kColumnThreads, 1) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(f64, shared, kColumnThreads);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const Partial* const partials = static_cast<const Partial*>(p.partials);
  ADJ_A* const coefficients = static_cast<ADJ_A*>(p.coefficients);
  for (i64 first = block_index() * kWarp; first < p.channels; first += grid_blocks() * kWarp) {
    const i64 c = first + lane_index();
    const bool inside = c < p.channels;
    f64 a = 0, b = 0;
#pragma unroll 1
    for (int which = 0; which < 2; ++which) {
      const f64 sum = column_sum(partials + which * p.splits * p.channels, p.splits, p.channels, c, inside, shared);
      (which ? b : a) = sum;
    }
    if (warp_index() != 0 || !inside) continue;
    f64 k[4];
    finish_channel<ADJ_BACKWARD != 0>(p, c, a, b, ADJ_BACKWARD || p.frozen ? 0.0 : load_as_f64(p.input, c * p.inner, p.element_type), true, k);
#pragma unroll 1
    for (int i = 0; i < 4; ++i) coefficients[4 * c + i] = static_cast<ADJ_A>(i == 0 ? k[0] : i == 1 ? k[1] : i == 2 ? k[2] : k[3]);
  }
}

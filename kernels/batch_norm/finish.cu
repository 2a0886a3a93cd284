// Computes: from the partial sums the statistics of each channel (backward: the gradients of scale and bias) and the coefficients for apply.cu.
//     Forward with running statistics there are no partial sums, and only coefficients are made.
// Work split: a block takes 32 channels, a grid apart.
// Memory: the partial sums are read once; a few numbers are read and written for each channel.
// Order of additions: that of prelude/column_sums.cuh, in f64.
// Limits: none.
//
#include "batch_norm/finish.cuh"

extern "C" __global__ void __launch_bounds__(kColumnThreads, 1) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  ADJ_SHARED(f64, shared, kColumnThreads);
  let_next_grid_begin();
  wait_for_earlier_grids();
  const bool wide = p.element_type == kDtypeF64;  // the arithmetic is f64
  for (i64 first = block_index() * kWarp; first < p.channels; first += grid_blocks() * kWarp) {
    const i64 c = first + lane_index();
    const bool inside = c < p.channels;
    f64 a = 0, b = 0;
#pragma unroll 1
    for (int which = 0; which < 2; ++which) {
      const i64 at = which * p.splits * p.channels;
      const f64 sum = wide || !p.backward ? column_sum(static_cast<const f64*>(p.partials) + at, p.splits, p.channels, c, inside, shared)
                                          : column_sum(static_cast<const f32*>(p.partials) + at, p.splits, p.channels, c, inside, shared);
      (which ? b : a) = sum;
    }
    if (warp_index() != 0 || !inside) continue;
    f64 k[4];
    if (p.backward) finish_channel<true>(p, c, a, b, 0.0, true, k);
    else finish_channel<false>(p, c, a, b, p.frozen ? 0.0 : load_as_f64(p.input, c * p.inner, p.element_type), true, k);
#pragma unroll 1
    for (int i = 0; i < 4; ++i) store_as(p.coefficients, 4 * c + i, i == 0 ? k[0] : i == 1 ? k[1] : i == 2 ? k[2] : k[3], wide ? kDtypeF64 : kDtypeF32);
  }
}

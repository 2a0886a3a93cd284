// Computes: from the partial sums the statistics of each channel (backward: the gradients of scale and bias) and the coefficients for apply.cu.
//     Forward with running statistics there are no partial sums, and only coefficients are made.
// Work split: a block takes 32 channels, a grid apart.
// Memory: the partial sums are read once; a few numbers are read and written for each channel.
// Order of additions: that of prelude/column_sums.cuh, in f64.
// Limits: none.
//
// Macros: ADJ_A type of the arithmetic, ADJ_BACKWARD.
#include "batch_norm/params.h"
#include "prelude/column_sums.cuh"

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
    const f64 scale = p.scale ? load_as_f64(p.scale, c, p.weight_type) : 1;
    f64 k0, k1, k3, radicand = 0, inv_std = 1;
#if ADJ_BACKWARD
#pragma unroll 1
    for (int i = 0; i < 2; ++i)
      if (void* const to = i ? p.dscale : p.dbias) store_f64(to, c, p.weight_type, i ? b : a);
    k0 = load_as_f64(p.mean, c, p.stats_type);
    inv_std = load_as_f64(p.deviation, c, p.stats_type);
    if (p.frozen) inv_std = divide_by_normal(1, square_root_of_normal(inv_std + p.epsilon));
    k1 = b * p.inverse_count * inv_std;
    k3 = a * p.inverse_count;
#else
    f64 old[2];
    old[0] = old[1] = 0;
#pragma unroll 1
    for (int i = 0; i < 2; ++i)
      if (const void* const from = i ? p.deviation : p.mean) (i ? old[1] : old[0]) = load_as_f64(from, c, p.stats_type);
    k3 = p.bias ? load_as_f64(p.bias, c, p.weight_type) : 0;
    f64 variance = old[1];
    k0 = old[0];
    k1 = 0;
    if (!p.frozen) {
      k0 = load_as_f64(p.input, c * p.inner, p.element_type);
      k1 = a * p.inverse_count;
      const f64 squares = b - a * k1;
      variance = (squares < 0 ? 0 : squares) * p.inverse_count;
    }
    radicand = variance + p.epsilon;
    const bool finite = radicand - radicand == 0;
    inv_std = finite ? divide_by_normal(1, square_root_of_normal(radicand)) : radicand - radicand;
    if (!p.frozen) {
      // The mean is NaN where an element is NaN or infinite.
      const f64 mean = finite ? k0 + k1 : radicand - radicand;
      if (!finite) k1 = mean, variance = mean;
#pragma unroll 1
      for (int i = 0; i < 4; ++i) {
        void* const to = i == 0 ? p.saved_mean : i == 1 ? p.saved_inv_std : i == 2 ? p.next_mean : p.next_variance;
        const f64 own = i == 0 || i == 2 ? mean : i == 1 ? inv_std : variance * p.unbiased;
        if (to) store_f64(to, c, p.stats_type, i < 2 ? own : p.momentum * (i == 2 ? old[0] : old[1]) + (1 - p.momentum) * own);
      }
    }
#endif
    const f64 k2 = scale * inv_std;
#pragma unroll 1
    for (int i = 0; i < 4; ++i) coefficients[4 * c + i] = static_cast<ADJ_A>(i == 0 ? k0 : i == 1 ? k1 : i == 2 ? k2 : k3);
  }
}

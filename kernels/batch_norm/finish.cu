// Computes: statistics of each channel (backward: the gradients of scale and bias) from the partial sums, and the coefficients that
//     batch_norm/apply.cu takes. Without partial sums (forward, running statistics) the coefficients alone.
// Work split: a block has 32 channels.
// Order of additions: that of prelude/column_sums.cuh, in f64.
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
  const f64 count = static_cast<f64>(p.outer) * static_cast<f64>(p.inner);
  for (i64 first = block_index() * kWarp; first < p.channels; first += grid_blocks() * kWarp) {
    const i64 c = first + lane_index();
    const bool inside = c < p.channels;
    const f64 a = column_sum(partials, p.slots, p.channels, c, inside, shared);
    const f64 b = column_sum(partials + p.slots * p.channels, p.slots, p.channels, c, inside, shared);
    if (warp_index() != 0 || !inside) continue;
    const f64 scale = p.scale ? load_as_f64(p.scale, c, p.weight_type) : 1;
    f64 k0, k1, k2, k3;
#if ADJ_BACKWARD
    f64 inv_std = load_as_f64(p.deviation, c, p.stats_type);
    if (p.frozen) inv_std = 1 / square_root(inv_std + p.epsilon);
    if (p.dbias) store_f64(p.dbias, c, p.weight_type, a);
    if (p.dscale) store_f64(p.dscale, c, p.weight_type, b);
    k0 = load_as_f64(p.mean, c, p.stats_type);
    k1 = b / count * inv_std;
    k3 = a / count;
#else
    f64 inv_std;
    k3 = p.bias ? load_as_f64(p.bias, c, p.weight_type) : 0;
    if (p.frozen) {
      k0 = load_as_f64(p.mean, c, p.stats_type);
      k1 = 0;
      inv_std = 1 / square_root(load_as_f64(p.deviation, c, p.stats_type) + p.epsilon);
    } else {
      k0 = load_as_f64(p.input, c * p.inner, p.element_type);
      k1 = a / count;
      const f64 squares = b - a * k1, variance = (squares < 0 ? 0 : squares) / count;
      inv_std = 1 / square_root(variance + p.epsilon);
      const f64 mean = squares - squares == 0 ? k0 + k1 : squares - squares;  // not a number where an element is none or infinite
      if (p.saved_mean) store_f64(p.saved_mean, c, p.stats_type, mean);
      if (p.saved_inv_std) store_f64(p.saved_inv_std, c, p.stats_type, inv_std);
      if (p.next_mean) store_f64(p.next_mean, c, p.stats_type, p.momentum * load_as_f64(p.mean, c, p.stats_type) + (1 - p.momentum) * mean);
      if (p.next_variance) {
        const f64 unbiased = count > 1 ? variance * (count / (count - 1)) : variance;
        store_f64(p.next_variance, c, p.stats_type, p.momentum * load_as_f64(p.deviation, c, p.stats_type) + (1 - p.momentum) * unbiased);
      }
    }
#endif
    k2 = scale * inv_std;
    const f64 k[4] = {k0, k1, k2, k3};
#pragma unroll
    for (int i = 0; i < 4; ++i) coefficients[i * p.channels + c] = static_cast<ADJ_A>(k[i]);
  }
}

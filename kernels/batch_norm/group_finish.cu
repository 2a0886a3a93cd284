// Computes: for group norm, from the partial sums of rows the statistics of each group (forward) or the means that its gradient needs (backward), and
//     the coefficients of each channel of each sample for apply.cu.
// Work split: a warp takes a group of a sample, a grid apart.
// Memory: the partial sums are read once, backward a second time by group_weights.cu; four coefficients are written for each channel of each sample.
// Order of additions: f64; a lane every 32nd partial sum of the group in order, splits first, then a tree. Depends on the shape alone.
// Limits: none.
//
// Macros: ADJ_A type of the arithmetic, ADJ_BACKWARD.
#include "batch_norm/terms.cuh"
#include "prelude/reduce.cuh"

typedef PartialOf<ADJ_A, ADJ_BACKWARD>::type Partial;
constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ BatchNormParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  // Here p.outer and p.channels are those of the caller.
  const i64 own = p.channels / p.groups, rows = p.outer * p.groups, of_split = ADJ_BACKWARD ? p.outer * p.channels : rows;
  const int few = static_cast<int>(min_of<i64>(own, 2 * kWarp));  // a step of a warp is the same for more channels
  const Partial* const partials = static_cast<const Partial*>(p.partials);
#pragma unroll 1
  for (i64 row = block_index() * (kBlock / kWarp) + warp_index(); row < rows; row += grid_blocks() * (kBlock / kWarp)) {
    const i64 first_channel = row % p.groups * own;  // of the sample
    f64 a = 0, b = 0;
    i64 channel = ADJ_BACKWARD ? lane_index() % few : 0, split = ADJ_BACKWARD ? lane_index() / few : lane_index();
#pragma unroll 1
    while (split < p.splits) {
      const i64 at = split * of_split + (ADJ_BACKWARD ? row * own + channel : row);
      const f64 scale = ADJ_BACKWARD && p.scale ? load_as_f64(p.scale, first_channel + channel, p.weight_type) : 1;
      a += scale * partials[at];
      b += scale * partials[p.splits * of_split + at];
      split += ADJ_BACKWARD ? kWarp / few : kWarp;
      if (ADJ_BACKWARD) channel += kWarp % few;
      if (ADJ_BACKWARD && channel >= own) channel -= own, ++split;
    }
    a = warp_sum(a);
    b = warp_sum(b);
    f64 k0, k1, k3 = 0, inv_std;
    if (ADJ_BACKWARD) {
      k0 = static_cast<const ADJ_A*>(p.mean)[row];
      inv_std = static_cast<const ADJ_A*>(p.deviation)[row];
      k1 = b * p.inverse_count * inv_std * inv_std;
      k3 = a * p.inverse_count * inv_std;
    } else {
      k0 = load_as_f64(p.input, row * own * p.inner, p.element_type);
      k1 = a * p.inverse_count;
      const f64 squares = b - a * k1;
      const f64 radicand = (squares < 0 ? 0 : squares) * p.inverse_count + p.epsilon;
      const bool finite = radicand - radicand == 0;
      inv_std = finite ? divide_by_normal(1, square_root_of_normal(radicand)) : radicand - radicand;
      if (!finite) k1 = inv_std;  // a NaN
      if (lane_index() == 0) {
        if (p.saved_mean) static_cast<ADJ_A*>(p.saved_mean)[row] = from_acc<ADJ_A>(static_cast<ADJ_A>(k0 + k1));
        if (p.saved_inv_std) static_cast<ADJ_A*>(p.saved_inv_std)[row] = from_acc<ADJ_A>(static_cast<ADJ_A>(inv_std));
      }
    }
#pragma unroll 1
    for (i64 i = lane_index(); i < own; i += kWarp) {
      const i64 c = first_channel + i;
      const f64 scale = p.scale ? load_as_f64(p.scale, c, p.weight_type) : 1;
      ADJ_A* const k = static_cast<ADJ_A*>(p.coefficients) + 4 * (row * own + i);
      k[0] = static_cast<ADJ_A>(k0);
      k[1] = static_cast<ADJ_A>(k1);
      k[2] = static_cast<ADJ_A>(scale * inv_std);
      k[3] = static_cast<ADJ_A>(ADJ_BACKWARD ? k3 : p.bias ? load_as_f64(p.bias, c, p.weight_type) : 0);
    }
  }
}

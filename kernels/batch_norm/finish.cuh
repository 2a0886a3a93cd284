// What is stored for a channel whose sums are known, and the coefficients of its elements.
#pragma once

#include "batch_norm/params.h"
#include "prelude/column_sums.cuh"

// Finishes channel c. a, b: its sums, as Terms in terms.cuh defines them. first: first element of the channel; only forward, without running statistics.
// stores: statistics (backward: gradients of scale and bias) are stored. Sets k to the coefficients that result_of in terms.cuh takes.
template <bool backward> __device__ __forceinline__ void finish_channel(const BatchNormParams& p, i64 c, f64 a, f64 b, f64 first, bool stores, f64 (&k)[4]) {
  const f64 scale = p.scale ? load_as_f64(p.scale, c, p.weight_type) : 1;
  f64 inv_std = 1;
  if constexpr (backward) {
#pragma unroll 1
    for (int i = 0; i < 2; ++i)
      if (void* const to = i ? p.dscale : p.dbias; stores && to) store_as(to, c, i ? b : a, p.weight_type);
    k[0] = load_as_f64(p.mean, c, p.stats_type);
    inv_std = load_as_f64(p.deviation, c, p.stats_type);
    if (p.frozen) inv_std = divide_by_normal(1, square_root_of_normal(inv_std + p.epsilon));
    k[1] = b * p.inverse_count * inv_std;
    k[3] = a * p.inverse_count;
  } else {
    f64 old[2];
    old[0] = old[1] = 0;
    // Running statistics may be updated in place, so a thread that stores nothing does not read them.
#pragma unroll 1
    for (int i = 0; i < 2; ++i)
      if (const void* const from = i ? p.deviation : p.mean; from && stores) (i ? old[1] : old[0]) = load_as_f64(from, c, p.stats_type);
    k[3] = p.bias ? load_as_f64(p.bias, c, p.weight_type) : 0;
    f64 variance = old[1];
    k[0] = old[0];
    k[1] = 0;
    if (!p.frozen) {
      k[0] = first;
      k[1] = a * p.inverse_count;
      const f64 squares = b - a * k[1];
      variance = (squares < 0 ? 0 : squares) * p.inverse_count;
    }
    const f64 radicand = variance + p.epsilon;
    const bool finite = radicand - radicand == 0;
    inv_std = finite ? divide_by_normal(1, square_root_of_normal(radicand)) : radicand - radicand;
    if (!p.frozen) {
      // The mean is NaN where an element is NaN or infinite.
      const f64 mean = finite ? k[0] + k[1] : radicand - radicand;
      if (!finite) k[1] = mean, variance = mean;
#pragma unroll 1
      for (int i = 0; i < 4; ++i) {
        void* const to = i == 0 ? p.saved_mean : i == 1 ? p.saved_inv_std : i == 2 ? p.next_mean : p.next_variance;
        const f64 own = i == 0 || i == 2 ? mean : i == 1 ? inv_std : variance * p.unbiased;
        if (stores && to) store_as(to, c, i < 2 ? own : p.momentum * (i == 2 ? old[0] : old[1]) + (1 - p.momentum) * own, p.stats_type);
      }
    }
  }
  k[2] = scale * inv_std;
}

// The scales of delayed scaling.
//
// Computes: include/adjoint/ops/fp8.h, fp8_scale_update.
// Work split: a block takes 32 tensors, a lane each; its eight warps take eight rows of the history at a time.
// Memory: the history once, in place: the rows of a step are read before any of them is written.
// Order of additions: none. Maxima do not depend on order.
// Limits: none.
#include "fp8/codes.cuh"

extern "C" __global__ void __launch_bounds__(kFp8UpdateColumns* kFp8UpdateRows) ADJ_ENTRY(const __grid_constant__ Fp8UpdateParams p) {
  ADJ_SHARED(f32, most, kFp8UpdateRows * kFp8UpdateColumns);
  ADJ_SHARED(u32, infinite, kFp8UpdateRows);
  const int lane = lane_index(), warp = warp_index();
#pragma unroll 1
  for (i64 first = block_index() * kFp8UpdateColumns; first < p.tensors; first += grid_blocks() * kFp8UpdateColumns) {
    const i64 tensor = first + lane;
    const bool valid = tensor < p.tensors;
    f32 amax = 0, newest = 0;
    u32 wrong = 0;
#pragma unroll 1
    for (i64 begin = 0; begin < p.length; begin += kFp8UpdateRows) {
      const i64 row = begin + warp;
      const bool own = valid && row < p.length;
      const f32 v = own ? p.history[row * p.tensors + tensor] : 0;
      if (magnitude(v) == Limits<f32>::infinity()) wrong = 1;
      const bool counts = (row == 0 || !p.most_recent) && !(p.skip_nonfinite && !is_finite(v));
      if (counts) amax = larger(amax, v);
      if (row == 0) newest = v;
      block_barrier();
      if (own && row > 1) p.history[(row - 1) * p.tensors + tensor] = v;
    }
    most[warp * kFp8UpdateColumns + lane] = amax;
    const u32 lanes = ballot(wrong != 0);
    if (lane == 0) infinite[warp] = lanes;
    block_barrier();
    if (warp == 0) {
      u32 any = 0;
#pragma unroll
      for (int w = 0; w < kFp8UpdateRows; ++w) amax = max_number(amax, most[w * kFp8UpdateColumns + lane]), any |= infinite[w];
      if (valid) {
        f32 scale = p.scale[tensor];
        if (amax > 0 && is_finite(amax)) scale = bounded_scale(quotient_of(p.largest, amax));
        p.scale[tensor] = scale;
        if (p.inverse) p.inverse[tensor] = quotient_of(1.0f, scale);
        if (p.length > 1) p.history[(p.length - 1) * p.tensors + tensor] = newest;
        p.history[tensor] = 0;
      }
      if (lane == 0 && any && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(popcount(any)));
    }
    block_barrier();
  }
}

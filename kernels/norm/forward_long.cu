// Computes: layer norm and RMS norm as norm/forward_row.cu does, of rows of any length.
// Work split: a block takes one row at a time.
// Memory: reads a row three times (RMS norm: twice), the second and third time from a cache unless it is very long.
// Order of additions: depends on the length of a row alone. A unit is added in the accumulator type, the sums of units in f64.
// Limits: none.
//
// Macros: ADJ_A accumulator type, ADJ_WORDS 1 if units are read and written as vectors; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kUnit = kAnyUnit<A>, kAtOnce = kAnyAtOnce<A, ADJ_WORDS>;
constexpr int kBlock = 512;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormForwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
#pragma unroll 1
  for (i64 row = block_index(); row < p.rows; row += grid_blocks()) {
    const i64 begin = row * p.columns;
    A mean = 0, left = 0, scale = 0;  // as in forward_row.cu
    // Pass 0: the mean; 1: the sum of squares; 2: the result.
#pragma unroll 1
    for (int pass = p.centred ? 0 : 1; pass < 3; ++pass) {
      const bool first = pass == (p.centred ? 0 : 1);
      const bool adds = p.residual && (first || !p.sum), stores = adds && p.sum;
      const void* const from = first || !p.sum ? p.input : p.sum;  // each thread reads back what it has stored itself
      f64 total = 0, rest = 0;
#pragma unroll 1
      for (i64 unit = thread_index() * kUnit; unit < p.columns; unit += kBlock * kUnit) {
        A own = 0, own_rest = 0;
#pragma unroll 1
        for (i64 c = unit; c < min_of<i64>(unit + kUnit, p.columns); c += kAtOnce) {
          A v[kAtOnce];
#pragma unroll
          for (int j = 0; j < kAtOnce; ++j) v[j] = A(-0.0);  // what keeps the sign of any sum
          // A loop, so that there is one copy of the code.
#pragma unroll 1
          for (int i = 0; i < (adds ? 2 : 1); ++i) {
            A x[kAtOnce];
            load_any(x, i ? p.residual : from, begin + c, p.element_type);
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) v[j] += x[j];
          }
          if (stores) {
            store_any(v, p.sum, begin + c, p.element_type);
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) v[j] = rounded(v[j], p.element_type);
          }
#pragma unroll
          for (int j = 0; j < kAtOnce; ++j) v[j] -= mean;
          if (pass < 2) {
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) {
              own = fused_multiply_add(v[j], pass ? v[j] : static_cast<A>(p.inverse_columns), own);
              own_rest += v[j];
            }
            continue;
          }
          A weights[2][kAtOnce];
#pragma unroll
          for (int j = 0; j < kAtOnce; ++j) weights[0][j] = 1, weights[1][j] = 0;
#pragma unroll 1
          for (int i = 0; i < 2; ++i) {
            const void* const tensor = i ? p.beta : p.gamma;
            if (!tensor) continue;
            A w[kAtOnce];
            load_any(w, tensor, c, p.weight_type);
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) (i ? weights[1][j] : weights[0][j]) = w[j];
          }
#pragma unroll
          for (int j = 0; j < kAtOnce; ++j)
            v[j] = fused_multiply_add(fused_multiply_add(v[j], scale, -rounded_product(left, scale)), weights[0][j], weights[1][j]);
          store_any(v, p.out, begin + c, p.output_type);
        }
        total += own;
        rest += own_rest;
      }
      if (pass == 2) break;
      total = block_sum(total, scratch);
      block_barrier();
      if (pass == 0) {
        mean = static_cast<A>(total);
        continue;
      }
      f64 variance = total * p.inverse_columns;
      if (p.centred) {
        const f64 correction = block_sum(rest, scratch) * p.inverse_columns;
        block_barrier();
        left = static_cast<A>(correction);
        variance = max_of<f64>(fused_multiply_add(-correction, correction, variance), 0);
      }
      scale = A(1) / square_root(static_cast<A>(variance + p.epsilon));
    }
    if (thread_index() == 0) {
      if (p.mean) static_cast<A*>(p.mean)[row] = left == left ? mean + left : mean;
      if (p.inv_std) static_cast<A*>(p.inv_std)[row] = scale;
    }
    block_barrier();
  }
}

// Computes: the gradient of a norm, from the sums of norm/backward_sums.cu; partial sums of the gradients of gamma and beta.
// Work split: a block takes kBlock units of columns in the rows of a split; a thread takes a unit.
// Memory: reads dy and x once, writes dx once.
// Order of additions: the rows of a split in order; splits depend on the shape alone.
// Limits: none.
//
// Macros: ADJ_A accumulator type, ADJ_WORDS 1 if units are read and written as vectors; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kUnit = kAnyUnit<A>, kAtOnce = kAnyAtOnce<A, ADJ_WORDS>;
constexpr int kBlock = 128;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  const i64 split = block_index_y();
  const A factor = static_cast<A>(p.inverse_columns);
  const A* const sums = static_cast<const A*>(p.row_sums);
  // Without ADJ_WORDS a thread takes elements kBlock apart, so that neighbouring threads read neighbouring elements.
#pragma unroll 1
  for (int part = 0; part < kUnit; part += kAtOnce) {
    const i64 column = block_index() * kBlock * kUnit + part * kBlock + thread_index() * kAtOnce;
    if (column >= p.columns) return;
    A dgamma[kAtOnce], dbeta[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) dgamma[j] = dbeta[j] = 0;
#pragma unroll 1
    for (i64 row = split; row < p.rows; row += p.splits) {
      const A mean = p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = static_cast<const A*>(p.inv_std)[row];
      NormUnit<A, ADJ_WORDS> own;
      own.read(p, row, column, mean, scale);
      A c1 = 0, c2 = 0;
#pragma unroll 1
      for (int i = 0; i < p.pieces; ++i) {
        c1 += sums[row * p.pieces + i];
        c2 += sums[(p.rows + row) * p.pieces + i];
      }
      c1 = p.centred ? rounded_product(c1, factor) : A(0);
      c2 *= factor;
      A dx[kAtOnce];
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        dgamma[j] = fused_multiply_add(own.dy[j], own.h[j], dgamma[j]);
        dbeta[j] += own.dy[j];
        dx[j] = fused_multiply_add(-own.h[j], c2, own.g[j] - c1);
      }
      if (p.dresidual) {
        A more[kAtOnce];
        load_any(more, p.dresidual, row * p.columns + column, p.element_type);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) dx[j] = fused_multiply_add(scale, dx[j], more[j]);
      } else {
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) dx[j] = rounded_product(scale, dx[j]);
      }
      store_any(dx, p.dinput, row * p.columns + column, p.element_type);
    }
    if (!p.partials) continue;
    A* const partials = static_cast<A*>(p.partials) + split * p.pitch + column;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      partials[j] = dgamma[j];
      partials[p.splits * p.pitch + j] = dbeta[j];
    }
#if !ADJ_WORDS
    // finish.cu reads whole units: zeros fill the last one.
    if (column + kAtOnce == p.columns)
#pragma unroll 1
      for (int j = kAtOnce; column + j < p.pitch; ++j) partials[j] = partials[p.splits * p.pitch + j] = 0;
#endif
  }
}

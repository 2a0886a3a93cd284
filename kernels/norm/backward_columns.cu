// Computes: the gradient of a norm from the sums of norm/backward_sums.cu, and partial sums of the gradients of gamma and beta.
// Work split: a block has kBlock units of columns of the rows of a slice; a thread has a unit.
// Memory: dy and x are read, dx is written.
// Order of additions: of a column by slices, which depend on the shape.
//
// Macros: ADJ_A type of the arithmetic, ADJ_WORDS units in words; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kUnit = kAnyUnit<A>, kAtOnce = kAnyAtOnce<A, ADJ_WORDS>;
constexpr int kBlock = 128;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  const i64 slice = block_index_y();
  const A factor = static_cast<A>(p.inverse_columns);
  const A* const sums = static_cast<const A*>(p.row_sums);
  // Side by side, so that neighbours read neighbouring elements.
#pragma unroll 1
  for (int part = 0; part < kUnit; part += kAtOnce) {
    const i64 column = block_index() * kBlock * kUnit + part * kBlock + thread_index() * kAtOnce;
    if (column >= p.columns) return;
    A dgamma[kAtOnce], dbeta[kAtOnce];
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) dgamma[j] = dbeta[j] = 0;
#pragma unroll 1
    for (i64 row = slice; row < p.rows; row += p.slices) {
      const A mean = p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = static_cast<const A*>(p.inv_std)[row];
      NormUnit<A, ADJ_WORDS> own;
      own.read(p, row, column, mean, scale);
      A c1 = 0, c2 = 0;
#pragma unroll 1
      for (int i = 0; i < p.pieces; ++i) {
        c1 += sums[row * p.pieces + i];
        c2 += sums[(p.rows + row) * p.pieces + i];
      }
      c1 = p.centred ? c1 * factor : A(0);
      c2 *= factor;
      A dx[kAtOnce];
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        dgamma[j] = fused_multiply_add(own.dy[j], own.h[j], dgamma[j]);
        dbeta[j] += own.dy[j];
        dx[j] = scale * fused_multiply_add(-own.h[j], c2, own.g[j] - c1);
      }
      if (p.dresidual) {
        A more[kAtOnce];
        load_any(more, p.dresidual, row * p.columns + column, p.element_type);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) dx[j] += more[j];
      }
      store_any(dx, p.dinput, row * p.columns + column, p.element_type);
    }
    if (!p.partials) continue;
    A* const partials = static_cast<A*>(p.partials) + slice * p.pitch + column;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) {
      partials[j] = dgamma[j];
      partials[p.slices * p.pitch + j] = dbeta[j];
    }
#if !ADJ_WORDS
    // The finish reads whole units.
    if (column + kAtOnce == p.columns)
#pragma unroll 1
      for (int j = kAtOnce; column + j < p.pitch; ++j) partials[j] = partials[p.slices * p.pitch + j] = 0;
#endif
  }
}

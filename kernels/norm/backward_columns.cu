// Computes: the gradient of a norm from the sums of norm/backward_sums.cu, and partial sums of the gradients of gamma and beta.
// Work split: a block has kBlock units of columns of the rows of a slice; a thread has a unit.
// Memory: dy and x are read, dx is written.
// Order of additions: of a column by slices, which depend on the shape.
//
// Macros: ADJ_A type of the arithmetic; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kBlock = 128, kN = kAnyUnit<A>;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  const bool words = in_words<A>(p.dout, p.columns) && in_words<A>(p.saved, p.columns), weight_words = weights_in_words<A>(p);
  const bool own_words = in_words<A>(p.dinput, p.columns), added_words = in_words<A>(p.dresidual, p.columns);
  const i64 slice = block_index_y(), column = (block_index() * kBlock + thread_index()) * kN;
  if (column >= p.columns) return;
  const int count = static_cast<int>(min_of<i64>(p.columns - column, kN));
  const A factor = static_cast<A>(p.inverse_columns);
  const A* const sums = static_cast<const A*>(p.row_sums);
  A dgamma[kN], dbeta[kN];
#pragma unroll
  for (int j = 0; j < kN; ++j) dgamma[j] = dbeta[j] = 0;
#pragma unroll 1
  for (i64 row = slice; row < p.rows; row += p.slices) {
    const A mean = p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = static_cast<const A*>(p.inv_std)[row];
    NormUnit<A> unit;
    unit.read(p, row, column, count, mean, scale, words, weight_words);
    A c1 = 0, c2 = 0;
#pragma unroll 1
    for (int i = 0; i < p.pieces; ++i) {
      c1 += sums[row * p.pieces + i];
      c2 += sums[(p.rows + row) * p.pieces + i];
    }
    c1 = p.centred ? c1 * factor : A(0);
    c2 *= factor;
    A dx[kN];
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      dgamma[j] = fused_multiply_add(unit.dy[j], unit.h[j], dgamma[j]);
      dbeta[j] += unit.dy[j];
      dx[j] = scale * fused_multiply_add(-unit.h[j], c2, unit.g[j] - c1);
    }
    if (p.dresidual) {
      A more[kN];
      load_any(more, p.dresidual, row * p.columns + column, count, p.element_type, added_words);
#pragma unroll
      for (int j = 0; j < kN; ++j) dx[j] += more[j];
    }
    store_any(dx, p.dinput, row * p.columns + column, count, p.element_type, own_words);
  }
  if (!p.partials) return;
  A* const partials = static_cast<A*>(p.partials) + slice * p.pitch + column;
#pragma unroll
  for (int j = 0; j < kN; ++j) {
    partials[j] = dgamma[j];
    partials[p.slices * p.pitch + j] = dbeta[j];
  }
}

// Computes: the two sums of each row that the gradient of a norm needs, sum of g and sum of g * h (norm/backward_row.cu), for pieces of
//     kNormPiece columns.
// Work split: a block takes a piece of a row.
// Memory: reads dy and x once; norm/backward_columns.cu reads them again.
// Order of additions: depends on the length of a row alone.
// Limits: none.
//
// Macros: ADJ_A accumulator type, ADJ_WORDS 1 if units are read and written as vectors; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kUnit = kAnyUnit<A>, kAtOnce = kAnyAtOnce<A, ADJ_WORDS>;
constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  typedef A Parts[kBlock / kWarp];
  ADJ_SHARED(Parts, parts, 2);
  let_next_grid_begin();
#pragma unroll 1
  for (i64 i = block_index(); i < p.rows * p.pieces; i += grid_blocks()) {
    const i64 row = i / p.pieces, begin = (i - row * p.pieces) * kNormPiece, end = min_of<i64>(begin + kNormPiece, p.columns);
    const A mean = p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = static_cast<const A*>(p.inv_std)[row];
    A s1 = 0, s2 = 0;
#pragma unroll 1
    for (i64 unit = begin + thread_index() * kUnit; unit < end; unit += kBlock * kUnit)
#pragma unroll 1
      for (i64 c = unit; c < min_of<i64>(unit + kUnit, end); c += kAtOnce) {
        NormUnit<A, ADJ_WORDS> own;
        own.read(p, row, c, mean, scale);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) s1 += own.g[j], s2 += own.product[j];
      }
    s1 = block_sum(s1, parts[0]);
    s2 = block_sum(s2, parts[1]);
    if (thread_index() == 0) {
      static_cast<A*>(p.row_sums)[i] = s1;
      static_cast<A*>(p.row_sums)[p.rows * p.pieces + i] = s2;
    }
    block_barrier();
  }
}

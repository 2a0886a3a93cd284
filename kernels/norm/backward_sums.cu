// Computes: the two sums of each row that the gradient of a norm needs, sum of g and sum of g * h (norm/backward_row.cu), in pieces of
//     kNormPiece columns.
// Work split: a block has a piece of a row.
// Memory: dy and x are read once, here; norm/backward_columns.cu reads them again.
// Order of additions: by the length of a row.
//
// Macros: ADJ_A type of the arithmetic; element types are in the parameters.
#include "norm/any_type.cuh"

typedef ADJ_A A;
constexpr int kBlock = 256;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ NormBackwardParams p) {
  typedef A Parts[kBlock / kWarp];
  ADJ_SHARED(Parts, parts, 2);
  let_next_grid_begin();
  const bool words = in_words<A>(p.dout, p.columns) && in_words<A>(p.saved, p.columns), weight_words = weights_in_words<A>(p);
  for (i64 i = block_index(); i < p.rows * p.pieces; i += grid_blocks()) {
    const i64 row = i / p.pieces, begin = (i - row * p.pieces) * kNormPiece, end = min_of<i64>(begin + kNormPiece, p.columns);
    const A mean = p.mean ? static_cast<const A*>(p.mean)[row] : A(0), scale = static_cast<const A*>(p.inv_std)[row];
    A s1 = 0, s2 = 0;
#pragma unroll 1
    for (i64 c = begin + thread_index() * kAnyUnit<A>; c < end; c += kBlock * kAnyUnit<A>) {
      NormUnit<A> unit;
      unit.read(p, row, c, static_cast<int>(min_of<i64>(end - c, kAnyUnit<A>)), mean, scale, words, weight_words);
#pragma unroll
      for (int j = 0; j < kAnyUnit<A>; ++j) s1 += unit.g[j], s2 += unit.product[j];
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

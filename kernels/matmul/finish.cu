// Computes: elements of the result of the sums over the splits (MatmulResult in params.h).
// Work split: a thread takes an element, a grid apart.
// Memory: every partial sum and every operand is read once, four partial sums of a thread in flight; results are written once.
// Order of additions: split by split, then beta * other, then the bias.
// Limits: none.
//
// Macros: ADJ_T element type of everything but the partial sums.
#include "matmul/epilogue.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

extern "C" __global__ void __launch_bounds__(kMatmulFinishThreads) ADJ_ENTRY(const __grid_constant__ MatmulFinishParams p) {
  const MatmulResult& r = p.result;
  const auto at = [](const void* tensor, i64 i) { return tensor ? to_acc(static_cast<const T*>(tensor)[i]) : A(0); };
  const A alpha = static_cast<A>(r.alpha), beta = static_cast<A>(r.beta);
#pragma unroll 1
  for (i64 i = global_thread(); i < p.count; i += global_threads()) {
    const i64 row = divide(i, p.by_columns), column = i - row * p.columns, matrix = divide(row, p.by_rows);
    const i64 to = matrix * r.matrix + (row - matrix * p.rows) * r.row_pitch + column;
    const A* const partials = static_cast<const A*>(p.partials) + row * p.pitch + column;
    const A sum = sum_in_order<A>(p.splits, [&](int split) { return partials[split * p.split]; });
    const Element<T> e(r.epilogue, alpha * sum, beta, at(r.other, to), at(r.bias, column));
    if (r.preactivation) static_cast<T*>(r.preactivation)[to] = from_acc<T>(e.z);
    static_cast<T*>(r.out)[to] = from_acc<T>(e.out);
  }
}

// Computes: z = alpha * (sum over the splits of partials) + beta * c + bias; out (=|+=) z, gelu_tanh(z) or z * gelu_tanh'(saved); preactivation = z.
// Work split: a thread takes an element, a grid apart.
// Memory: every partial sum and every operand is read once, four partial sums of a thread in flight; results are written once.
// Order of additions: split by split, then beta * c, then the bias, then what out held.
// Limits: none.
//
// Macros: ADJ_T element type of everything but the partial sums.
#include "prelude/divide.cuh"
#include "prelude/activations.cuh"
#include "matmul/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

// gelu_tanh and its slope. Both are constant to the last bit, or 0, outside of [-32, 32].
__device__ __forceinline__ Curve<A> gelu_tanh(const A& z) {
  constexpr A kScale = A(1.59576912160573071176), kCube = A(0.044715), kFar = A(32);
  const A c = z > kFar ? kFar : z < -kFar ? -kFar : z, square = c * c;
  const Sigma<A> s = Sigma<A>::template of<T>(kScale * c * fused_multiply_add(kCube, square, A(1)));
  return {s.at == 0 ? A(0) : z * s.at, fused_multiply_add(s.product * c, kScale * fused_multiply_add(3 * kCube, square, A(1)), s.at)};
}

extern "C" __global__ void __launch_bounds__(kMatmulFinishThreads) ADJ_ENTRY(const __grid_constant__ MatmulFinishParams p) {
  const auto at = [](const void* tensor, i64 i) { return to_acc(static_cast<const T*>(tensor)[i]); };
  const A alpha = static_cast<A>(p.alpha), beta = static_cast<A>(p.beta);
  T* const out = static_cast<T*>(p.out);
#pragma unroll 1
  for (i64 i = global_thread(); i < p.count; i += global_threads()) {
    const i64 row = divide(i, p.by_columns), column = i - row * p.columns, matrix = divide(row, p.by_rows);
    const i64 to = matrix * p.out_matrix + (row - matrix * p.rows) * p.out_row + column;
    const A* const partials = static_cast<const A*>(p.partials) + row * p.pitch + column;
    A z = alpha * sum_in_order<A>(p.splits, [&](int split) { return partials[split * p.split]; });
    if (p.c) z = fused_multiply_add(beta, at(p.c, to), z);
    if (p.bias) z += at(p.bias, column);
    if (p.preactivation) static_cast<T*>(p.preactivation)[to] = from_acc<T>(z);
    if (p.epilogue == kMatmulGelu) z = gelu_tanh(z).value;
    if (p.epilogue == kMatmulGeluGradient) z *= gelu_tanh(at(p.saved, to)).slope;
    if (p.accumulate) z += to_acc(out[to]);
    out[to] = from_acc<T>(z);
  }
}

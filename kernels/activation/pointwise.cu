// Activation functions and their gradients, with an optional bias and the partial sums of its gradient.
//
// Computes: out = f(z), or dinput = dout * f'(z), z = input + bias; partials[slice, i] = sum over the rows of a slice of dinput[row, i].
// Work split: flat: a thread takes units of 16 bytes, a grid apart. In rows: a block has `width` units of a row and `depth` rows at a time
//   of one slice; a thread keeps its columns, so it loads the bias once and has their sums in registers.
// Memory: each operand once, 16 bytes at a time; the next unit is loaded while one is computed. Elsewhere than on whole aligned units,
//   elements one by one.
// Order of additions: a thread's rows one after the other, then the threads of a column in f64; slices follow from the shape alone.
// Limits: none of size; rows of a thread in a slice are few (src/ops/activation), since they are added in f32.
//
// Macros: ADJ_T element type, ADJ_FUNCTION its name, ADJ_BACKWARD 1 for the gradient.
#include "activation/params.h"
#include "activation/functions.cuh"
#include "prelude/thread.cuh"
#include "prelude/units.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kFunction = ADJ_FUNCTION_NAMED(ADJ_FUNCTION);
constexpr int kBlock = 256;
constexpr int kUnit = kVec16<T>;

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(T) == 8 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ ActivationParams p) {
#if ADJ_BACKWARD
  ADJ_SHARED(A, parts, kBlock * kUnit);
#endif
  const u64 bases = reinterpret_cast<u64>(p.input) | reinterpret_cast<u64>(p.out) | (ADJ_BACKWARD ? reinterpret_cast<u64>(p.dout) : 0);
  bool aligned = (bases & 15) == 0;
  i64 at, end, step, column = 0, slice = 0;
  int own = kUnit, x = 0;
  if (p.depth == 0) {
    at = global_thread() * kUnit;
    end = p.inner;
    step = global_threads() * kUnit;
  } else {
    const u32 width = static_cast<u32>(p.width), thread = static_cast<u32>(thread_index());
    const u32 y = thread / width;
    x = static_cast<int>(thread - y * width);
    const u32 block = static_cast<u32>(block_index()), tiles = static_cast<u32>(p.tiles);
    slice = block / tiles;
    column = (static_cast<i64>(block - static_cast<u32>(slice) * tiles) * p.width + x) * kUnit;
    own = static_cast<int>(min_of<i64>(kUnit, p.inner - column));
    aligned = aligned && p.inner % kUnit == 0;
    const i64 first = slice * p.rows_of_slice;
    at = (first + y) * p.inner + column;
    end = static_cast<int>(y) < p.depth && own > 0 ? min_of<i64>(p.outer, first + p.rows_of_slice) * p.inner : at;
    step = p.depth * p.inner;
  }
  const A alpha = static_cast<A>(p.alpha);
  Words4 bias{0, 0, 0, 0};
  if (p.bias && own > 0) bias = load_unit<T>(p.bias, column, own, (reinterpret_cast<u64>(p.bias) & 15) == 0);
#if ADJ_BACKWARD
  A sums[kUnit];
#pragma unroll
  for (int j = 0; j < kUnit; ++j) sums[j] = 0;
#endif

  Words4 next_input{0, 0, 0, 0}, next_dout{0, 0, 0, 0};
  auto load_next = [&] {
    if (at >= end) return;
    const int count = static_cast<int>(min_of<i64>(own, end - at));
    next_input = load_unit<T>(p.input, at, count, aligned);
    if (ADJ_BACKWARD) next_dout = load_unit<T>(p.dout, at, count, aligned);
  };
  load_next();
#pragma unroll 1
  while (at < end) {
    const i64 here = at;
    const Words4 input = next_input, dout = next_dout;
    at += step;
    load_next();
    A z[kUnit], b[kUnit];
    widen<T>(input, z);
    if (p.bias) {
      widen<T>(bias, b);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) z[j] += b[j];
    }
#if ADJ_BACKWARD
    A g[kUnit];
    widen<T>(dout, g);
#pragma unroll
    for (int j = 0; j < kUnit; ++j) {
      A slope;
      if constexpr (kSlopeOfValue<kFunction>) slope = p.from_output ? slope_of_value<kFunction>(z[j], alpha) : slope_of<kFunction, T>(z[j], alpha);
      else slope = slope_of<kFunction, T>(z[j], alpha);
      z[j] = gradient_of<kFunction>(g[j], z[j], slope);
      sums[j] += z[j];
    }
#else
#pragma unroll
    for (int j = 0; j < kUnit; ++j) z[j] = value_of<kFunction, T>(z[j], alpha);
#endif
    store_unit<T>(p.out, here, narrow<T>(z), static_cast<int>(min_of<i64>(own, end - here)), aligned);
  }

#if ADJ_BACKWARD
  if (!p.partials) return;
#pragma unroll
  for (int j = 0; j < kUnit; ++j) parts[j * kBlock + thread_index()] = sums[j];
  block_barrier();
  const i64 first_column = column - static_cast<i64>(x) * kUnit;
#pragma unroll 1
  for (int c = thread_index(); c < p.width * kUnit; c += block_threads()) {
    if (first_column + c >= p.inner) break;
    const A* const part = parts + c % kUnit * kBlock + c / kUnit;
    const f64 sum = sum_in_order<f64>(p.depth, [&](int d) { return static_cast<f64>(part[d * p.width]); });
    static_cast<A*>(p.partials)[slice * p.inner + first_column + c] = static_cast<A>(sum);
  }
#endif
}

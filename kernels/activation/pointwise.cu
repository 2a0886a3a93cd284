// Activation functions and their gradients, with an optional bias and the partial sums of its gradient.
//
// Computes: out = f(z), or dinput = dout * f'(z), z = input + bias; partials[split, i] = sum over the rows of a split of dinput[row, i].
// Work split: flat: a block takes kVectors vectors of 16 bytes for each of its threads, side by side. In rows: a block takes `width` vectors of a row, and
//   `depth` rows of one split at a time. A thread stays in its columns, so it loads the bias once and has their sums in registers.
// Memory: each operand once, 16 bytes at a time, kVectors vectors in flight. Vectors that are not whole and aligned are moved element by element.
// Order of additions: a thread's rows one after the other, then the threads of a column in f64; splits depend on the shape alone.
// Limits: none of size. The plan (src/ops/activation) gives a thread few rows of a split, since it adds them in f32.
//
// Macros: ADJ_T element type, ADJ_FUNCTION name of the activation, ADJ_BACKWARD 1 for the gradient, ADJ_IEEE 1 to take the functions in f64.
#include "activation/params.h"
#include "prelude/activations.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
typedef FunctionType<T> F;
typedef Acc<F> B;

constexpr int kFunction = ADJ_FUNCTION_NAMED(ADJ_FUNCTION);
constexpr int kBlock = 256;
constexpr int kVector = kVec16<T>;
// Vectors in flight. The functions of f64 are not inlined, and a call leaves no registers for more.
constexpr int kVectors = sizeof(F) == 8 ? 1 : ADJ_BACKWARD ? 2 : 4;

// Moves every vector to the place before its own.
__device__ __forceinline__ void shift_down(Words4 (&vectors)[kVectors]) {
#pragma unroll
  for (int k = 0; k + 1 < kVectors; ++k) vectors[k] = vectors[k + 1];
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(F) > sizeof(T)                                            ? 2
                                                     : sizeof(F) == 8                                                 ? 3
                                                     : kFromTail<kFunction> && !ADJ_BACKWARD && ADJ_BOUNDS_ARCH <= 90 ? 5
                                                                                                                      : 4)
    ADJ_ENTRY(const __grid_constant__ ActivationParams p) {
#if ADJ_BACKWARD
  let_next_grid_begin();
  ADJ_SHARED(A, parts, kBlock * kVector);
#endif
  const u64 bases = reinterpret_cast<u64>(p.input) | reinterpret_cast<u64>(p.out) | (ADJ_BACKWARD ? reinterpret_cast<u64>(p.dout) : 0);
  bool aligned = (bases & 15) == 0;
  i64 at, end, near, far, column = 0, split = 0;
  int own = kVector, x = 0;
  if (p.depth == 0) {
    at = (block_index() * kVectors * kBlock + thread_index()) * kVector;
    end = p.inner;
    near = kBlock * kVector;
    far = grid_blocks() * kVectors * near;
  } else {
    const u32 width = static_cast<u32>(p.width), thread = static_cast<u32>(thread_index());
    const u32 y = thread / width;
    x = static_cast<int>(thread - y * width);
    const u32 block = static_cast<u32>(block_index()), tiles = static_cast<u32>(p.tiles);
    split = block / tiles;
    column = (static_cast<i64>(block - static_cast<u32>(split) * tiles) * p.width + x) * kVector;
    own = static_cast<int>(min_of<i64>(kVector, p.inner - column));
    aligned = aligned && p.inner % kVector == 0;
    const i64 first = split * p.rows_of_split;
    at = (first + y) * p.inner + column;
    end = static_cast<int>(y) < p.depth && own > 0 ? min_of<i64>(p.outer, first + p.rows_of_split) * p.inner : at;
    near = p.depth * p.inner;
    far = kVectors * near;
  }
  const B alpha = static_cast<B>(p.alpha);
  Words4 bias{0, 0, 0, 0};
  if (p.bias && own > 0) bias = load_vector<T>(p.bias, column, own, (reinterpret_cast<u64>(p.bias) & 15) == 0);
#if ADJ_BACKWARD
  A sums[kVector];
#pragma unroll
  for (int j = 0; j < kVector; ++j) sums[j] = 0;
#endif

#pragma unroll 1
  for (; at < end; at += far) {
    // A turn has kVectors vectors, `near` elements apart; the first begins at `at`. whole: all of them exist and are aligned.
    const bool whole = aligned && at + (kVectors - 1) * near + kVector <= end;
    auto count_at = [&](i64 here) { return static_cast<int>(max_of<i64>(min_of<i64>(own, end - here), 0)); };
    Words4 input[kVectors], dout[kVectors];
    if (whole) {
#pragma unroll
      for (int k = 0; k < kVectors; ++k) {
        input[k] = load_words(reinterpret_cast<const Words4*>(static_cast<const T*>(p.input) + (at + k * near)));
        if (ADJ_BACKWARD) dout[k] = load_words(reinterpret_cast<const Words4*>(static_cast<const T*>(p.dout) + (at + k * near)));
      }
    } else {
      i64 here = at;
#pragma unroll 1
      for (int k = 0; k < kVectors; ++k, here += near) {
        shift_down(input);
        shift_down(dout);
        input[kVectors - 1] = load_vector<T>(p.input, here, count_at(here), aligned);
        if (ADJ_BACKWARD) dout[kVectors - 1] = load_vector<T>(p.dout, here, count_at(here), aligned);
      }
    }
    i64 here = at;
#pragma unroll 1
    for (int k = 0; k < kVectors; ++k, here += near) {
      A z[kVector], b[kVector];
      widen<T>(input[0], z);
      if (p.bias) {
        widen<T>(bias, b);
#pragma unroll
        for (int j = 0; j < kVector; ++j) z[j] += b[j];
      }
      const bool from_output = ADJ_BACKWARD && kSlopeOfValue<kFunction> && p.from_output;
      B distance = 0;
      if (kHasFar<kFunction, ADJ_BACKWARD>)
#pragma unroll
        for (int j = 0; j < kVector; ++j) distance = max_number(distance, distance_of<kFunction, ADJ_BACKWARD>(B(z[j]), alpha));
#if ADJ_BACKWARD
      A g[kVector];
      widen<T>(dout[0], g);
      if (from_output) {
        constexpr int kKnown = kSlopeOfValue<kFunction> ? kFunction : function_tanh;
#pragma unroll
        for (int j = 0; j < kVector; ++j) z[j] = static_cast<A>(gradient_of<kFunction>(B(g[j]), B(z[j]), slope_of_value<kKnown>(B(z[j]), alpha)));
      } else {
#pragma unroll
        for (int j = 0; j < kVector; ++j) z[j] = static_cast<A>(gradient_of<kFunction>(B(g[j]), B(z[j]), slope_of<kFunction, F>(B(z[j]), alpha)));
      }
      shift_down(dout);
#else
#pragma unroll
      for (int j = 0; j < kVector; ++j) z[j] = static_cast<A>(value_of<kFunction, F>(B(z[j]), alpha));
#endif
      if (kHasFar<kFunction, ADJ_BACKWARD> && distance > far_limit<kFunction>(alpha) && !from_output) {
        // Rare: reads the elements again, one by one.
        const int count = count_at(here);
#pragma unroll 1
        for (int j = 0; j < kVector; ++j, rotate(z)) {
          if (j >= count) continue;
          A x = to_acc(static_cast<const T*>(p.input)[here + j]);
          if (p.bias) x += to_acc(static_cast<const T*>(p.bias)[column + j]);
          if (!is_far<kFunction, ADJ_BACKWARD>(B(x), alpha)) continue;
          const B factor = ADJ_BACKWARD ? B(to_acc(static_cast<const T*>(p.dout)[here + j])) : B(1);
          z[0] = static_cast<A>(far_product<kFunction>(B(x), alpha, ADJ_BACKWARD, factor, B(1)));
        }
      }
#if ADJ_BACKWARD
      if (p.partials && here < end) {
#pragma unroll
        for (int j = 0; j < kVector; ++j) sums[j] += z[j];
      }
#endif
      const Words4 result = narrow<T>(z);
      if (whole) store_words(reinterpret_cast<Words4*>(static_cast<T*>(p.out) + here), result);
      else store_vector<T>(p.out, here, result, count_at(here), aligned);
      shift_down(input);
    }
  }

#if ADJ_BACKWARD
  if (!p.partials) return;
#pragma unroll
  for (int j = 0; j < kVector; ++j) parts[j * kBlock + thread_index()] = sums[j];
  block_barrier();
  const i64 first_column = column - static_cast<i64>(x) * kVector;
#pragma unroll 1
  for (int c = thread_index(); c < p.width * kVector; c += block_threads()) {
    if (first_column + c >= p.inner) break;
    const A* const part = parts + c % kVector * kBlock + c / kVector;
    const f64 sum = sum_in_order<f64>(p.depth, [&](int d) { return static_cast<f64>(part[d * p.width]); });
    static_cast<A*>(p.partials)[split * p.inner + first_column + c] = static_cast<A>(sum);
  }
#endif
}

// Gated activations and their gradients.
//
// Computes: out = f(gate) * linear, or dgate = dout * linear * f'(gate) and dlinear = dout * f(gate).
// Work split: a block takes `width` vectors of 16 bytes of a row, and `depth` rows of one split at a time. A thread stays in its columns.
// Memory: each operand once, 16 bytes at a time, kRows rows in flight. Vectors that are not whole and aligned are moved element by element. A thread
//   reads what it overwrites before it writes, so dinput may be the input.
// Order of additions: none.
// Limits: none; the plan bounds the grid.
//
// Macros: ADJ_T element type, ADJ_FUNCTION name of the gated activation, ADJ_BACKWARD 1 for the gradient, ADJ_IEEE 1 to take the functions in f64.
#include "activation/params.h"
#include "prelude/activations.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
typedef FunctionType<T> F;
typedef Acc<F> B;

constexpr int function_swiglu = function_silu, function_geglu = function_gelu, function_geglu_tanh = function_gelu_tanh, function_reglu = function_relu;
constexpr int kFunction = ADJ_FUNCTION_NAMED(ADJ_FUNCTION);
constexpr int kBlock = 256;
constexpr int kVector = kVec16<T>;
constexpr int kRows = sizeof(F) == 8 ? 1 : 2;  // rows in flight; the functions of f64 are not inlined, and a call leaves no registers for more
// Blocks of a multiprocessor: as many as spill no registers.
constexpr bool kMoreInF64 = kFunction == function_geglu ? ADJ_BOUNDS_ARCH > 80 : ADJ_BOUNDS_ARCH > 90 && ADJ_BOUNDS_ARCH < 120;
constexpr bool kManyRegisters = sizeof(F) > sizeof(T) || (ADJ_BACKWARD && sizeof(F) == 8 && kMoreInF64);
constexpr int kResident = kManyRegisters ? 2 : ADJ_BACKWARD || sizeof(F) == 8 ? 3 : 4;

// Splits two neighbouring vectors into elements with even and with odd numbers. join() is the reverse.
__device__ __forceinline__ void separate(A (&even)[kVector], A (&odd)[kVector]) {
  A low[kVector], high[kVector];
#pragma unroll
  for (int j = 0; j < kVector; ++j) low[j] = even[j], high[j] = odd[j];
#pragma unroll
  for (int j = 0; j < kVector; ++j) {
    even[j] = 2 * j < kVector ? low[2 * j % kVector] : high[2 * j % kVector];
    odd[j] = 2 * j < kVector ? low[2 * j % kVector + 1] : high[2 * j % kVector + 1];
  }
}
__device__ __forceinline__ void join(A (&low)[kVector], A (&high)[kVector]) {
  A even[kVector], odd[kVector];
#pragma unroll
  for (int j = 0; j < kVector; ++j) even[j] = low[j], odd[j] = high[j];
#pragma unroll
  for (int j = 0; j < kVector; ++j) {
    low[j] = j % 2 ? odd[j / 2] : even[j / 2];
    high[j] = j % 2 ? odd[(kVector + j) / 2] : even[(kVector + j) / 2];
  }
}
__device__ __forceinline__ void exchange(A (&a)[kVector], A (&b)[kVector]) {
#pragma unroll
  for (int j = 0; j < kVector; ++j) {
    const A was = a[j];
    a[j] = b[j];
    b[j] = was;
  }
}

// Moves every vector to the place before its own.
__device__ __forceinline__ void shift_down(Words4 (&vectors)[kRows]) {
#pragma unroll
  for (int k = 0; k + 1 < kRows; ++k) vectors[k] = vectors[k + 1];
}

extern "C" __global__ void __launch_bounds__(kBlock, kResident) ADJ_ENTRY(const __grid_constant__ GatedActivationParams p) {
  const u32 width = static_cast<u32>(p.width), thread = static_cast<u32>(thread_index());
  const u32 y = thread / width;
  const int x = static_cast<int>(thread - y * width);
  const u32 block = static_cast<u32>(block_index()), tiles = static_cast<u32>(p.tiles);
  const i64 split = block / tiles;
  const i64 column = (static_cast<i64>(block - static_cast<u32>(split) * tiles) * p.width + x) * kVector;
  if (static_cast<int>(y) >= p.depth || column >= p.inner) return;
  const int own = static_cast<int>(min_of<i64>(kVector, p.inner - column));
  const u64 bases = reinterpret_cast<u64>(p.input) | reinterpret_cast<u64>(p.out) | (ADJ_BACKWARD ? reinterpret_cast<u64>(p.dout) : 0);
  const bool aligned = (bases & 15) == 0 && p.inner % kVector == 0;
  // The two vectors of a row, low and high: gate and linear, or, if interleaved, the pairs of the first and of the second half of the columns.
  const int count_low = p.interleaved ? min_of(2 * own, kVector) : own, count_high = p.interleaved ? 2 * own - count_low : own;
  const bool crossed = !p.interleaved && p.gate_second;  // the gate is the second half of a row; `low` is the gate either way
  const i64 to_low = p.interleaved ? 2 * column : crossed ? p.inner + column : column;
  const i64 to_high = p.interleaved ? 2 * column + kVector : crossed ? column : p.inner + column;
  const i64 end = min_of<i64>(p.outer, (split + 1) * p.rows_of_split);
  const T* const input = static_cast<const T*>(p.input);
  const i64 near = p.depth * p.inner;  // elements of out, or half the elements of the input, from one row of this thread to the next
#pragma unroll 1
  for (i64 row = split * p.rows_of_split + y; row < end; row += kRows * p.depth) {
    i64 first = row * 2 * p.inner, at = row * p.inner + column;
    const bool whole = aligned && row + (kRows - 1) * p.depth < end;
    Words4 low[kRows], high[kRows], dout[kRows];
    if (whole) {
#pragma unroll
      for (int k = 0; k < kRows; ++k) {
        low[k] = load_words(reinterpret_cast<const Words4*>(input + (first + 2 * k * near + to_low)));
        high[k] = load_words(reinterpret_cast<const Words4*>(input + (first + 2 * k * near + to_high)));
        if (ADJ_BACKWARD) dout[k] = load_words(reinterpret_cast<const Words4*>(static_cast<const T*>(p.dout) + (at + k * near)));
      }
    }
#pragma unroll 1
    for (int k = 0; k < kRows; ++k, first += 2 * near, at += near) {
      if (!whole) {
        if (row + k * p.depth >= end) break;
        low[0] = load_vector<T>(p.input, first + to_low, count_low, aligned);
        high[0] = load_vector<T>(p.input, first + to_high, count_high, aligned);
        if (ADJ_BACKWARD) dout[0] = load_vector<T>(p.dout, at, own, aligned);
      }
      A gate[kVector], linear[kVector];
      widen<T>(low[0], gate);
      widen<T>(high[0], linear);
      if (p.interleaved) {
        opaque(0);  // forces a branch in place of a selection for each element
        separate(gate, linear);
        if (p.gate_second) exchange(gate, linear);
      }
      B distance = 0;
      if (kHasFar<kFunction, ADJ_BACKWARD>)
#pragma unroll
        for (int j = 0; j < kVector; ++j) distance = max_number(distance, distance_of<kFunction, ADJ_BACKWARD>(B(gate[j]), B(0)));
      // Reads element j of the gate or of the linear part again; rare.
      auto again = [&](int j, bool of_gate) {
        const i64 in_row = p.interleaved ? 2 * (column + j) + (of_gate == (p.gate_second != 0)) : (of_gate ? to_low : to_high) + j;
        return B(to_acc(input[first + in_row]));
      };
#if ADJ_BACKWARD
      A g[kVector];
      B largest = 0;
      widen<T>(dout[0], g);
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        const B z = gate[j];
        const Curve<B> curve = curve_of<kFunction, F>(z, B(0));
        const B result = gated_gradient_of<kFunction, F>(B(g[j]), B(linear[j]), z, curve.slope);
        // f16 has no finite products that overflow.
        if (kHasFar<kFunction, true> && !kSameType<T, f16>) largest = max_number(largest, absolute(result));
        gate[j] = static_cast<A>(result);
        linear[j] = static_cast<A>(B(g[j]) * curve.value);
      }
      if (kHasFar<kFunction, true> && (distance > far_limit<kFunction>(B(0)) || largest > -Limits<B>::lowest())) {
#pragma unroll 1
        for (int j = 0; j < kVector; ++j, rotate(gate), rotate(linear)) {
          if (j >= own) continue;
          const B z = again(j, true), factor = to_acc(static_cast<const T*>(p.dout)[at + j]);
          const bool far = is_far<kFunction, true>(z, B(0));
          if (!far && absolute(gate[0]) <= -Limits<A>::lowest()) continue;
          // The value, where z is far, then the slope. A loop, so that there is one copy of the code.
#pragma unroll 1
          for (int slope = far ? 0 : 1; slope < 2; ++slope) {
            const Scaled<B> s = far ? far_curve<kFunction>(z, B(0), slope != 0) : Scaled<B>{slope_of<kFunction, F>(z, B(0)), 0};
            const A result = static_cast<A>(product(s, factor, slope ? again(j, false) : B(1)));
            if (slope) gate[0] = result;
            else linear[0] = result;
          }
        }
      }
      if (p.interleaved) {
        opaque(0);
        if (p.gate_second) exchange(gate, linear);
        join(gate, linear);
      }
      store_vector<T>(p.out, first + to_low, narrow<T>(gate), count_low, aligned);
      store_vector<T>(p.out, first + to_high, narrow<T>(linear), count_high, aligned);
      shift_down(dout);
#else
#pragma unroll
      for (int j = 0; j < kVector; ++j) gate[j] = static_cast<A>(value_of<kFunction, F>(B(gate[j]), B(0)) * B(linear[j]));
      if (kHasFar<kFunction, false> && distance > far_limit<kFunction>(B(0))) {
#pragma unroll 1
        for (int j = 0; j < kVector; ++j, rotate(gate)) {
          if (j >= own) continue;
          const B z = again(j, true);
          if (is_far<kFunction, false>(z, B(0))) gate[0] = static_cast<A>(far_product<kFunction>(z, B(0), false, again(j, false), B(1)));
        }
      }
      store_vector<T>(p.out, at, narrow<T>(gate), own, aligned);
#endif
      shift_down(low);
      shift_down(high);
    }
  }
}

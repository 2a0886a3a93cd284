// One gradient of a / b where an operand repeats. README.md defines the words.
//
// Computes: out[o] = sum of dout / b, or of -(dout / b) * (a / b), over the addends of o.
// Work split: a block has `across` outputs of one split, grid y; kDivThreads / across threads share the addends of an output. Neighbouring
//   threads have neighbouring elements of memory.
// Memory: dout is read once, element by element; operands that repeat come from the cache. kTogether addends are loaded before one is added.
// Order of additions: in f64, each thread its addends in order, then the threads of an output, then the splits (prelude/columns.cu); all follow
//   from the shapes.
// Limits: at most eight dimensions, which shapes have anyway.
//
// Macros: ADJ_T element type.
#include "elementwise/params.h"
#include "elementwise/quotient.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kTogether = sizeof(T) == 8 ? 2 : 4;

struct Offsets {
  i64 dout, a, b;
};
// Returns `from` moved to element i of the dimensions of axes.
__device__ __forceinline__ Offsets moved(const Offsets& from, const DivAxes& axes, i64 i) {
  Offsets at = from;
#pragma unroll 1
  for (int k = axes.rank - 1; k > 0; --k) {
    const i64 next = i <= 0xffffffffll && axes.dims[k] <= 0xffffffffll ? static_cast<u32>(i) / static_cast<u32>(axes.dims[k]) : i / axes.dims[k];
    const i64 own = i - next * axes.dims[k];
    at.dout += own * axes.dout[k];
    at.a += own * axes.a[k];
    at.b += own * axes.b[k];
    i = next;
  }
  if (axes.rank > 0) {
    at.dout += i * axes.dout[0];
    at.a += i * axes.a[0];
    at.b += i * axes.b[0];
  }
  return at;
}

extern "C" __global__ void __launch_bounds__(kDivThreads) ADJ_ENTRY(const __grid_constant__ DivSumParams p) {
  ADJ_SHARED(f64, parts, kDivThreads);
  const int across = p.across, deep = kDivThreads / across;
  const int thread = thread_index();
  const int x = p.neighbours_add ? thread / deep : thread & (across - 1), y = p.neighbours_add ? thread - x * deep : thread / across;
  const i64 split = block_index_y(), first = split * p.addends_of_split, end = min_of<i64>(p.reduced_count, first + p.addends_of_split);
#pragma unroll 1
  for (i64 block = block_index() * across; block < p.output_count; block += grid_blocks() * across) {
    const i64 output = block + x;
    f64 sum = 0;
    if (output < p.output_count) {
      const Offsets base = moved({0, 0, 0}, p.outputs, output);
#pragma unroll 1
      for (i64 i = first + y; i < end; i += kTogether * deep) {
        A g[kTogether], a[kTogether], b[kTogether];
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
          g[k] = a[k] = 0;
          b[k] = 1;
          if (i + k * deep >= end) continue;
          const Offsets at = moved(base, p.reduced, i + k * deep);
          g[k] = to_acc(static_cast<const T*>(p.dout)[at.dout]);
          b[k] = to_acc(static_cast<const T*>(p.b)[at.b]);
          if (p.of_b) a[k] = to_acc(static_cast<const T*>(p.a)[at.a]);
        }
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
          g[k] = quotient(g[k], b[k]);
          if (p.of_b) g[k] = -g[k] * quotient(a[k], b[k]);
          sum += static_cast<f64>(g[k]);
        }
      }
    }
    if (deep > 1) {
      parts[thread] = sum;
      block_barrier();
      if (y == 0) sum = sum_in_order<f64>(deep, [&](int d) { return parts[p.neighbours_add ? x * deep + d : d * across + x]; });
      block_barrier();
    }
    if (y > 0 || output >= p.output_count) continue;
    if (p.partial) static_cast<A*>(p.out)[split * p.output_count + output] = static_cast<A>(sum);
    else static_cast<T*>(p.out)[output] = from_acc<T>(static_cast<A>(sum));
  }
}

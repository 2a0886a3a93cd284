// Gradient of softmax and log-softmax along any axis of any length, read twice: one to eight threads walk the elements of a
// group, neighbours take neighbouring groups.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "params/softmax.h"
#include "prelude/softmax.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;
constexpr int kTogether = 8;  // elements of a thread at a time

// A block takes p.group consecutive groups, side by side in memory except where the outer index changes.
extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(f64, parts, kBlock);
  const int width = p.group, depth = block_threads() / width;
  const int x = thread_index() & (width - 1), y = thread_index() / width;
  const i64 groups = p.outer * p.inner;
  const i64 tiles = (groups + width - 1) / width;
  for (i64 tile = block_index(); tile < tiles; tile += grid_blocks()) {
    const i64 group = tile * width + x;
    const bool live = group < groups;
    const i64 n = group / p.inner;
    const i64 base = n * p.extent * p.inner + (group - n * p.inner);
    const ADJ_T* dout = static_cast<const ADJ_T*>(p.dout) + base;
    const ADJ_T* out = static_cast<const ADJ_T*>(p.out) + base;
    ADJ_T* dinput = static_cast<ADJ_T*>(p.dinput) + base;
    const i64 first = static_cast<i64>(y) * kTogether, step = static_cast<i64>(depth) * kTogether;
    const i64 end = live ? p.extent : 0;
    auto read = [&](const ADJ_T* from, i64 begin, A (&v)[kTogether]) {
#pragma unroll
      for (int j = 0; j < kTogether; ++j) v[j] = begin + j < end ? to_acc(from[(begin + j) * p.inner]) : A(0);
    };
    // A thread may add up any number of elements, so every eight are added in f64.
    f64 partial = 0;
    for (i64 d = first; d < end; d += step) {
      A g[kTogether], o[kTogether] = {};
      read(dout, d, g);
      if (!ADJ_LOG) read(out, d, o);
      A sum = 0;
#pragma unroll
      for (int j = 0; j < kTogether; ++j) sum = add_term<ADJ_LOG>(sum, g[j], o[j]);
      partial += sum;
    }
    parts[thread_index()] = partial;
    block_barrier();
    f64 total = parts[x];
    for (int d = 1; d < depth; ++d) total += parts[d * width + x];
    const A sum = static_cast<A>(total);
    for (i64 d = first; d < end; d += step) {
      A g[kTogether], o[kTogether];
      read(dout, d, g);
      read(out, d, o);
#pragma unroll
      for (int j = 0; j < kTogether; ++j)
        if (d + j < end) dinput[(d + j) * p.inner] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(g[j], o[j], sum));
    }
    block_barrier();
  }
}

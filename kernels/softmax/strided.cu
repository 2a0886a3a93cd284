// Gradient of softmax and log-softmax along any axis of any length. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: a block takes p.group consecutive groups, side by side in memory except where the outer index changes. One to eight threads walk a
// group twice, eight elements at a time.
// Memory: both operands are read twice; dinput is written once.
// Order of additions: eight elements in the accumulator's type, a thread's eights in f64, then the threads in order; it depends on the extent
// alone.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_ACC_F64 1: sums in f64 for every type.
#include "softmax/params.h"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;
constexpr int kTogether = 8;  // elements of a thread at a time

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(f64, parts, kBlock);
  const int width = p.group, depth = block_threads() >> lowest_bit(width);
  const int x = thread_index() & (width - 1), y = thread_index() >> lowest_bit(width);
  const i64 groups = p.outer * p.inner;
  for (i64 first = block_index() * width; first < groups; first += grid_blocks() * width) {
    const i64 group = first + x;
    const i64 n = group / p.inner;
    const i64 base = n * p.extent * p.inner + (group - n * p.inner);
    const i64 end = group < groups ? p.extent : 0;
    // A thread may add any number of eights, so they are added in f64.
    f64 partial = 0;
    A sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 d = static_cast<i64>(y) * kTogether; d < end; d += static_cast<i64>(depth) * kTogether) {
        const int count = static_cast<int>(min_of<i64>(end - d, kTogether));
        const i64 begin = base + d * p.inner;
        const i64 inner = opaque(p.inner);
        A g[kTogether], o[kTogether];
        i64 at = begin;
#pragma unroll
        for (int j = 0; j < kTogether; ++j, at += inner) {
          g[j] = o[j] = 0;
          if (j >= count) continue;
          g[j] = to_acc(static_cast<const ADJ_T*>(p.dout)[at]);
          if (!ADJ_LOG || pass > 0) o[j] = to_acc(static_cast<const ADJ_T*>(p.out)[at]);
        }
        if (pass == 0) {
          A eight = 0;
#pragma unroll
          for (int j = 0; j < kTogether; ++j) eight = add_term<ADJ_LOG>(eight, g[j], o[j]);
          partial += eight;
        } else {
          at = begin;
#pragma unroll
          for (int j = 0; j < kTogether; ++j, at += inner)
            if (j < count) static_cast<ADJ_T*>(p.dinput)[at] = from_acc<ADJ_T>(softmax_gradient<ADJ_LOG>(g[j], o[j], sum));
        }
      }
      if (pass > 0) break;
      parts[thread_index()] = partial;
      block_barrier();
      f64 total = parts[x];
#pragma unroll 1
      for (int d = 1; d < depth; ++d) total += parts[d * width + x];
      sum = static_cast<A>(total);
    }
    block_barrier();
  }
}

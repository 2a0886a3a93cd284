// Computes: softmax or log-softmax along an axis that is not the last. README.md defines the words.
// Work split: a block takes p.group consecutive groups, side by side in memory except where the outer index changes. One to eight threads walk a
// group twice, eight elements at a time.
// Memory: the tensor is read twice, the second time from a cache where the axis is short, and written once.
// Order of additions: depends on the extent alone: eight elements in a tree, then a thread's eights in order, then the threads in order.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_ACC_F64 1: sums in f64 for every type.
#include "softmax/params.h"
#include "prelude/memory.cuh"
#include "prelude/online.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;
constexpr int kTogether = 8;  // elements of a thread at a time

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ SoftmaxForwardParams p) {
  ADJ_SHARED(TopSum<A>, parts, kBlock);
  const int width = p.group, depth = block_threads() >> lowest_bit(width);
  const int x = thread_index() & (width - 1), y = thread_index() >> lowest_bit(width);
  const i64 groups = p.outer * p.inner;
  for (i64 first = block_index() * width; first < groups; first += grid_blocks() * width) {
    const i64 group = first + x;
    const i64 n = group / p.inner;
    const i64 base = n * p.extent * p.inner + (group - n * p.inner);
    const i64 end = group < groups ? p.extent : 0;
    RunningSum<A> sum = empty_running_sum<A>();
    A last = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 d = static_cast<i64>(y) * kTogether; d < end; d += static_cast<i64>(depth) * kTogether) {
        const int count = static_cast<int>(min_of<i64>(end - d, kTogether));
        const i64 begin = base + d * p.inner;
        A v[kTogether];
        i64 at = begin;
#pragma unroll
        for (int j = 0; j < kTogether; ++j, at += p.inner) v[j] = j < count ? to_acc(static_cast<const ADJ_T*>(p.in)[at]) : -Limits<A>::infinity();
        if (pass == 0) {
          add_values(sum, v);
        } else {
          at = begin;
#pragma unroll
          for (int j = 0; j < kTogether; ++j) {
            if (j < count) static_cast<ADJ_T*>(p.out)[at] = from_acc<ADJ_T>(ADJ_LOG ? (v[j] - sum.top) - last : called_exp(v[j] - sum.top) * last);
            at = opaque(at + p.inner);  // one address at a time: all eight would take too many registers
          }
        }
      }
      if (pass > 0) break;
      parts[thread_index()] = settle(sum);
      block_barrier();
      TopSum<A> whole = parts[x];
#pragma unroll 1
      for (int d = 1; d < depth; ++d) whole = merge(whole, parts[d * width + x]);
      sum.top = whole.top;
      last = ADJ_LOG ? exact_log(whole.sum) : A(1) / whole.sum;
    }
    block_barrier();
  }
}

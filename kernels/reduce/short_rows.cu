// Computes: a number for each of many short runs that lie side by side.
// Work split: a block takes as many runs as it has groups of threads; p.group threads share a run.
// Memory: the block copies its runs into shared memory, 16 bytes at a time whatever their length; each element is read once.
// Order of additions: element e belongs to thread e mod p.group, which takes eight of its elements at a time; then a tree adds the threads. Depends on the
//     plan alone, not on addresses.
// Limits: runs of a block have at most kReduceShortRowsBytes bytes; a group is at most a warp; the plan checks.
//
// Macros: ADJ_T element type, ADJ_REDUCER template of terms.cuh.
#include "prelude/types.cuh"
#include "reduce/params.h"
#include "reduce/terms.cuh"

typedef Wide<ADJ_T>::type A;
typedef ADJ_REDUCER<A> Reducer;
constexpr int V = kVec16<ADJ_T>;
constexpr int kResident = sizeof(A) == 8 ? 3 : 5;  // blocks of a multiprocessor

extern "C" __global__ void __launch_bounds__(kReduceThreads, kResident) ADJ_ENTRY(const __grid_constant__ ReduceParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  const int group_log2 = lowest_bit(p.group), lane = thread_index() & (p.group - 1), own = thread_index() >> group_log2, inner = static_cast<int>(p.inner);
  const int runs_of_block = kReduceThreads >> group_log2;
  const ADJ_T fill = filling<ADJ_T>(Reducer::identity(), p.negate);
#pragma unroll 1
  for (i64 first = block_index() * runs_of_block; first < p.items; first += grid_blocks() * runs_of_block) {
    const int runs = static_cast<int>(min_of<i64>(runs_of_block, p.items - first));
    const ADJ_T* const from = static_cast<const ADJ_T*>(p.in) + first * inner;
    // Elements lie as far from a 16-byte boundary in shared memory as in the tensor.
    ADJ_T* const stage = reinterpret_cast<ADJ_T*>(memory) + skew_of(from);
    const Window<V> w(from, runs * inner);
#pragma unroll 1
    for (int u = thread_index(); u < w.vectors; u += kReduceThreads) copy16_to_shared(stage + w.vector(u), reinterpret_cast<const Words4*>(from + w.vector(u)));
    if (thread_index() < w.edges) stage[w.edge(thread_index())] = from[w.edge(thread_index())];
    wait_copies_to_shared();
    block_barrier();
    const int count = own < runs ? inner : 0;
    const ADJ_T* const run = stage + own * inner;
    Reducer reducer;
#pragma unroll 1
    for (int at = lane; at < count; at += kReduceTogether << group_log2) {
      A x[kReduceTogether];
      if (at + ((kReduceTogether - 1) << group_log2) < count) {
#pragma unroll
        for (int j = 0; j < kReduceTogether; ++j) x[j] = to_acc(run[at + (j << group_log2)]);
      } else {
#pragma unroll
        for (int j = 0; j < kReduceTogether; ++j) {
          const int e = at + (j << group_log2);
          const ADJ_T element = run[min_of(e, count - 1)];  // without a branch, so that all loads are in flight together
          x[j] = to_acc(e < count ? element : fill);
        }
      }
      prepare<Reducer>(x, p.square, p.negate);
      reducer.take(x);
    }
    Reducer::Total total = reducer.total();
#pragma unroll 1
    for (int mask = p.group / 2; mask > 0; mask /= 2) total = Reducer::combine(total, exchange(total, mask));
    if (own < runs && lane == 0) store_result(p, first + own, Reducer::value(total), p.count);
    block_barrier();
  }
}

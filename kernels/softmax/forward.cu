// Computes: softmax or log-softmax along rows. README.md defines the words.
// Work split: p.group threads share a row, each with four vectors at a time; vector u belongs to thread u modulo p.group.
// Memory: resident rows are read once, longer ones twice, the second time from a cache. The result is written once.
// Order of additions: depends on the extent alone.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: sums in f64 for every type.
#include "softmax/params.h"
#include "prelude/online.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // most threads of a block
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;  // elements of a vector; vectors of a thread at a time
constexpr bool kAligned = ADJ_ALIGNED;

// Returns what finishes an element: 1 / sum for softmax, log(sum) for log-softmax.
__device__ __forceinline__ A last_factor(const TopSum<A>& sum) { return ADJ_LOG ? exact_log(sum.sum) : A(1) / sum.sum; }
__device__ __forceinline__ A result_of(A x, A top, A last) { return ADJ_LOG ? (x - top) - last : called_exp(x - top) * last; }

// Processes a resident row, with the same operations in the same order as the loop of the kernel, and so the same bits.
__device__ __forceinline__ void resident_row(const SoftmaxForwardParams& p, const RowGroup& g, TopSum<A>* scratch, i64 begin, int count) {
  Words4 x[kVectors];
  read_row_vectors<kAligned>(x, static_cast<const ADJ_T*>(p.in) + begin, count, g.lane, g.lanes);
  RunningSum<A> running = empty_running_sum<A>();
  A v[kVector];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    widen_row_vector<kAligned, ADJ_T>(x[k], count - (g.lane + k * g.lanes) * kVector, -Limits<A>::infinity(), v);
    add_values(running, v);
  }
  const TopSum<A> sum = merge_group(settle(running), g.lanes, scratch);
  const A last = last_factor(sum);
  g.barrier();  // every thread has read `scratch`, so it may be reused
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    forget_unpacked(x[k]);
    widen<ADJ_T>(x[k], v);
#pragma unroll
    for (int j = 0; j < kVector; ++j) v[j] = result_of(v[j], sum.top, last);
    write_row_vector<kAligned>(narrow<ADJ_T>(v), static_cast<ADJ_T*>(p.out) + begin, count, g.lane + k * g.lanes, g.run);
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, kAligned && sizeof(ADJ_T) < 8 ? 2 : 1) ADJ_ENTRY(const __grid_constant__ SoftmaxForwardParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  const int stretch = g.lanes * kVectors * kVector;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.outer; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.outer;
    const i64 begin = (valid ? first + g.own : first) * p.extent;
    if (kAligned && p.resident) {
      resident_row(p, g, scratch, begin, valid ? static_cast<int>(p.extent) : 0);
      continue;
    }
    RunningSum<A> sum = empty_running_sum<A>();
    A last = 0;  // last_factor of the sum
    Words4 x[kVectors] = {};
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 c = 0; c < p.extent; c += stretch) {
        // A stretch is read as a row of its own, so that words shared with the next stretch are not read as a whole.
        const int count = valid ? static_cast<int>(min_of<i64>(p.extent - c, stretch)) : 0;
        if (pass == 0 || !p.resident) read_row_vectors<kAligned>(x, static_cast<const ADJ_T*>(p.in) + (begin + c), count, g.lane, g.lanes);
        // A lane reads words that hold parts of other lanes' vectors, so all lanes read before out, which may be in, is written. The barrier
        // also frees `scratch`.
        if (pass > 0) g.barrier();
#pragma unroll 1
        for (int k = 0; k < kVectors; ++k) {
          const int u = g.lane + k * g.lanes;
          A v[kVector];
          widen_row_vector<kAligned, ADJ_T>(x[0], count - u * kVector, -Limits<A>::infinity(), v);
          if (pass == 0) {
            add_values(sum, v);
          } else {
#pragma unroll
            for (int j = 0; j < kVector; ++j) v[j] = result_of(v[j], sum.top, last);
            write_row_vector<kAligned>(narrow<ADJ_T>(v), static_cast<ADJ_T*>(p.out) + (begin + c), count, u, g.run);
          }
          const Words4 own = x[0];
#pragma unroll
          for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1];
          x[kVectors - 1] = own;
        }
      }
      if (pass == 0) {
        const TopSum<A> whole = merge_group(settle(sum), g.lanes, scratch);
        sum.top = whole.top;
        last = last_factor(whole);
      }
    }
  }
}

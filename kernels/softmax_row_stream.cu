// Gradient of softmax and log-softmax along contiguous rows of any length: a block reads its row twice, to sum it up and to
// write the gradient.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "params/softmax.h"
#include "prelude/reduce.cuh"
#include "prelude/softmax.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;
constexpr int kUnits = 2;
constexpr int kChunk = kBlock * kUnits * kVec16<ADJ_T>;  // elements that the block reads at a time

template <bool whole> __device__ __forceinline__ void process(const SoftmaxBackwardParams& p, f64* scratch) {
  const int lane = thread_index();
  for (i64 row = block_index(); row < p.outer; row += grid_blocks()) {
    const ADJ_T* dout_row = static_cast<const ADJ_T*>(p.dout) + row * p.extent;
    const ADJ_T* out_row = static_cast<const ADJ_T*>(p.out) + row * p.extent;
    ADJ_T* dinput_row = static_cast<ADJ_T*>(p.dinput) + row * p.extent;
    // A thread may add up any number of units, so those are added in f64.
    f64 partial = 0;
    Words4 dout[kUnits], out[kUnits];
#pragma unroll 1
    for (i64 begin = 0; begin < p.extent; begin += kChunk) {
      const int count = static_cast<int>(min_of<i64>(kChunk, p.extent - begin));
      read_units<whole>(dout, dout_row + begin, count, lane, kBlock);
      if (!ADJ_LOG) read_units<whole>(out, out_row + begin, count, lane, kBlock);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) partial += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[k], ADJ_LOG ? Words4{} : out[k]);
    }
    const A sum = static_cast<A>(block_sum(partial, scratch));
#pragma unroll 1
    for (i64 begin = 0; begin < p.extent; begin += kChunk) {
      const int count = static_cast<int>(min_of<i64>(kChunk, p.extent - begin));
      read_units<whole>(dout, dout_row + begin, count, lane, kBlock);
      read_units<whole>(out, out_row + begin, count, lane, kBlock);
#pragma unroll
      for (int k = 0; k < kUnits; ++k) dout[k] = gradient_unit<ADJ_LOG, ADJ_T>(dout[k], out[k], sum);
      // Units of other threads are read in part: all of the chunk is read before dinput may overwrite it.
      if (!whole) block_barrier();
      write_units<whole>(dout, dinput_row + begin, count, lane, kBlock, kWarp);
    }
    block_barrier();
  }
}

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const bool whole = p.extent % kVec16<ADJ_T> == 0 && aligned16(p.dout) && aligned16(p.out) && aligned16(p.dinput);
  if (whole) process<true>(p, scratch);
  else process<false>(p, scratch);
}

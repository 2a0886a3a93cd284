// Gradient of softmax and log-softmax along contiguous rows that a cluster of blocks holds in registers: both operands are read
// once, unless rows do not begin on 16-byte boundaries. A cluster walks several rows; the next one is on its way into shared
// memory while it works on one.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax, ADJ_UNITS 16-byte units of a row per thread.
#include "params/softmax.h"
#include "prelude/cluster.cuh"
#include "prelude/reduce.cuh"
#include "prelude/softmax.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;
constexpr int kUnits = ADJ_UNITS, kUnit = kVec16<ADJ_T>;

// Every thread of the cluster gets the sum; `parts` holds one entry per warp and may be reused after the next cluster barrier.
__device__ __forceinline__ A cluster_sum(A v, A* parts) {
  v = warp_sum(v);
  if (lane_index() == 0) parts[warp_index()] = v;
  cluster_barrier();
  constexpr int kWarps = kBlock / kWarp;
  A total = 0;
  for (int i = lane_index(); i < kWarps * cluster_blocks(); i += kWarp) total += shared_of_block(parts, i / kWarps)[i % kWarps];
  return warp_sum(total);
}

struct Lanes {
  int lane, count;
};

__device__ __forceinline__ void process_whole(const SoftmaxBackwardParams& p, Lanes lanes, i64 first, i64 step, A (&parts)[2][kBlock / kWarp], Words4* ahead) {
  const int units = static_cast<int>(p.extent) / kUnit;
  // A thread reads back only what it has sent there itself.
  auto place = [&](int k) { return ahead + (k * kBlock + thread_index()); };
  auto send = [&](i64 row) {
    const Words4* dout = static_cast<const Words4*>(p.dout) + row * units;
    const Words4* out = static_cast<const Words4*>(p.out) + row * units;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int u = lanes.lane + k * lanes.count;
      if (u >= units) continue;
      copy16_to_shared(place(k), dout + u);
      copy16_to_shared(place(kUnits + k), out + u);
    }
  };
  if (first < p.outer) send(first);
  int turn = 0;
  for (i64 row = first; row < p.outer; row += step) {
    wait_copies_to_shared();
    Words4 dout[kUnits], out[kUnits];
    A sum = 0;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (lanes.lane + k * lanes.count >= units) continue;
      dout[k] = *place(k);
      out[k] = *place(kUnits + k);
      sum += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[k], out[k]);
    }
    if (row + step < p.outer) send(row + step);
    // One barrier for each row: who writes parts[turn] again has passed the one of the row between.
    sum = cluster_sum(sum, parts[turn]);
    turn ^= 1;
    Words4* dinput = static_cast<Words4*>(p.dinput) + row * units;
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      const int u = lanes.lane + k * lanes.count;
      if (u >= units) continue;
      forget_unpacked(dout[k]);
      forget_unpacked(out[k]);
      store_streaming(dinput + u, gradient_unit<ADJ_LOG, ADJ_T>(dout[k], out[k], sum));
    }
  }
  cluster_barrier();
}

__device__ __forceinline__ void process_any(const SoftmaxBackwardParams& p, Lanes lanes, i64 first, i64 step, A (&parts)[2][kBlock / kWarp]) {
  for (i64 row = first; row < p.outer; row += step) {
    const i64 begin = row * p.extent;
    gradient_of_any_row<ADJ_LOG, ADJ_T, kUnits, 1>(
        static_cast<const ADJ_T*>(p.dout) + begin, static_cast<const ADJ_T*>(p.out) + begin, static_cast<ADJ_T*>(p.dinput) + begin,
        static_cast<int>(p.extent), lanes.lane, lanes.count, kWarp, [&](A sum) { return cluster_sum(sum, parts[0]); }, [] { cluster_barrier(); });
    cluster_barrier();
  }
}

// Two blocks of a multiprocessor where the registers suffice.
extern "C" __global__ void __launch_bounds__(kBlock, ADJ_UNITS == 8 || sizeof(ADJ_T) == 8 ? 1 : 2)
    ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  typedef A Parts[kBlock / kWarp];
  ADJ_SHARED(Parts, parts, 2);
  ADJ_DYNAMIC_SHARED(memory);
  const Lanes lanes{cluster_rank() * kBlock + thread_index(), kBlock * cluster_blocks()};
  const i64 first = block_index() / cluster_blocks(), step = grid_blocks() / cluster_blocks();
  const bool whole = p.extent % kUnit == 0 && aligned16(p.dout) && aligned16(p.out) && aligned16(p.dinput);
  if (whole) process_whole(p, lanes, first, step, parts, reinterpret_cast<Words4*>(memory));
  else process_any(p, lanes, first, step, parts);
}

// Computes: partials[split, channel] = sum of dout over the places of a split.
// Work split: a block has a split of one channel, 256 places at a time, or, where channels are last, of 32 or of 32 vectors of channels, 8 places at a time.
// Memory: dout is read once; neighbouring lanes load neighbouring elements or vectors, four in flight.
// Order of additions: four places of a thread, these sums in f64, then lanes and warps in a fixed order.
// Limits: places of all images below 2^31, checked by the plan.
//
// Macros: ADJ_T element type.
#include "prelude/divide.cuh"
#include "prelude/reduce.cuh"
#include "prelude/vectors.cuh"
#include "gemm/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kTogether = 4, kVector = kVec16<T>;

// The sums of kEach neighbouring channels of a thread.
template <int kEach> __device__ __forceinline__ void sum_places(const GemmColumnSumsParams& p, f64* scratch) {
  const int width = 1 << p.width_log2, down = kGemmThreads >> p.width_log2;
  const int x = thread_index() & (width - 1), y = thread_index() >> p.width_log2;
  const i64 channel_blocks = (p.channels + width * kEach - 1) / (width * kEach);
  const i64 split = block_index() / channel_blocks;
  const i64 first = (block_index() - split * channel_blocks) * width * kEach, channel = first + x * kEach;
  const int count = static_cast<int>(min_of<i64>(p.channels - channel, kEach));
  const i64 begin = split * p.split_places, end = count > 0 ? min_of<i64>(begin + p.split_places, p.total) : begin;
  const bool aligned = aligned16(p.dout);
  f64 sum[kEach] = {};
#pragma unroll 1
  for (i64 place = begin + y; place < end; place += kTogether * down) {
    const auto offset = [&](i64 at) {
      const int image = divide(static_cast<int>(at), p.by_places);
      return image * p.batch + (at - static_cast<i64>(image) * p.places) * p.unit + channel * p.channel;
    };
    A part[kEach] = {};
    if constexpr (kEach == 1) {
#pragma unroll
      for (int k = 0; k < kTogether; ++k)
        if (place + k * down < end) part[0] += to_acc(static_cast<const T*>(p.dout)[offset(place + k * down)]);
    } else {
      Words4 words[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k)
        if (place + k * down < end) words[k] = load_vector<T>(p.dout, offset(place + k * down), count, aligned);
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        if (place + k * down >= end) continue;
        const auto v = unpack_vector<T, kEach>(words[k]);
#pragma unroll
        for (int e = 0; e < kEach; ++e) part[e] += to_acc(v.at[e]);
      }
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) sum[e] += part[e];
  }
  if (width == 1) sum[0] = warp_sum(sum[0]);
#pragma unroll
  for (int e = 0; e < kEach; ++e) scratch[thread_index() * kEach + e] = sum[e];
  block_barrier();
  const int own = thread_index();
  if (own >= width * kEach || first + own >= p.channels) return;
  f64 total = 0;
#pragma unroll 1
  for (int w = 0; w < kGemmThreads / kWarp; ++w) total += scratch[w * kWarp * kEach + own];
  static_cast<A*>(p.partials)[split * p.channels + first + own] = static_cast<A>(total);
}

extern "C" __global__ void __launch_bounds__(kGemmThreads) ADJ_ENTRY(const __grid_constant__ GemmColumnSumsParams p) {
  ADJ_SHARED(f64, scratch, kGemmThreads * kVector);
  if (p.each == 1) sum_places<1>(p, scratch);
  else sum_places<kVector>(p, scratch);
}

// Computes: partials[split, channel] = sum of dout over the places of a split.
// Work split: a block has a split of one channel, 256 places at a time, or of 32 channels, 8 places at a time, where channels are last.
// Memory: dout is read once; neighbouring lanes load neighbouring single elements.
// Order of additions: four places of a thread, these sums in f64, then lanes and warps in a fixed order.
// Limits: places of all images below 2^31, checked by the plan.
//
// Macros: ADJ_T element type.
#include "prelude/divide.cuh"
#include "prelude/reduce.cuh"
#include "conv/params.h"

typedef Acc<ADJ_T> A;

constexpr int kTogether = 4;

extern "C" __global__ void __launch_bounds__(kConvThreads) ADJ_ENTRY(const __grid_constant__ ConvBiasParams p) {
  ADJ_SHARED(f64, scratch, kConvThreads);
  const int width = 1 << p.width_log2, down = kConvThreads >> p.width_log2;
  const int x = thread_index() & (width - 1), y = thread_index() >> p.width_log2;
  const i64 channel_blocks = (p.channels + width - 1) >> p.width_log2;
  const i64 split = block_index() / channel_blocks;
  const int channel = static_cast<int>(block_index() - split * channel_blocks) * width + x;
  const ADJ_T* const from = static_cast<const ADJ_T*>(p.dout) + static_cast<i64>(channel) * p.channel;
  const i64 begin = split * p.split_places, end = channel < p.channels ? min_of<i64>(begin + p.split_places, p.total) : begin;
  f64 sum = 0;
#pragma unroll 1
  for (i64 place = begin + y; place < end; place += kTogether * down) {
    A part = 0;
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const i64 at = place + k * down;
      if (at >= end) continue;
      const int image = divide(static_cast<int>(at), p.by_places);
      part += to_acc(from[image * p.batch + (at - static_cast<i64>(image) * p.places) * p.unit]);
    }
    sum += part;
  }
  if (width == 1) sum = warp_sum(sum);
  scratch[thread_index()] = sum;
  block_barrier();
  if (thread_index() >= width || channel >= p.channels) return;
  f64 total = 0;
#pragma unroll 1
  for (int w = 0; w < kConvThreads / kWarp; ++w) total += scratch[w * kWarp + thread_index()];
  static_cast<A*>(p.partials)[split * p.channels + channel] = static_cast<A>(total);
}

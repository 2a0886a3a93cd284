// Computes: the gradient of a resize for elements with few taps: dinput[plane, d, h, w] = sum of weight_d * weight_h * weight_w * dout[plane, ...]
// over the taps of the tables.
// Work split: a thread takes an element, or 16 bytes of the channels of a place, in a strip of rows of dinput. It walks along the rows of dout, sums
// each along the last axis, and adds the sum to the two rows of dinput that it can be a tap of.
// Memory: reads a row of dout once for each strip that it adds to, the next row while the last is added; writes dinput once.
// Order of additions: along the last axis, four at a time, then along the first one, then row by row. Depends on the tables alone.
// Limits: 64-bit offsets. ADJ_CHANNELS needs whole vectors of 16 bytes of channels at aligned addresses.
//
// Macros: ADJ_T element type, ADJ_CHANNELS 1 if a thread takes 16 bytes of channels.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kLane = ADJ_CHANNELS ? kVec16<T> : 1;
constexpr int kTogether = 4;  // places that are loaded together

#if ADJ_CHANNELS
typedef Words4 Piece;
#else
typedef T Piece;
#endif

// Neighbouring places of a row, and their weights. A place with weight 0 is not read.
struct Places {
  Piece piece[kTogether];
  A weight[kTogether];

  __device__ __forceinline__ void weigh(const A* weights, int from, int count) {
#pragma unroll
    for (int j = 0; j < kTogether; ++j) weight[j] = from + j < count ? weights[from + j] : A(0);
  }
  __device__ __forceinline__ void load(const u8* at, u64 apart) {
#pragma unroll
    for (int j = 0; j < kTogether; ++j, at += apart) {
      piece[j] = {};
      if (weight[j] == 0) continue;
#if ADJ_CHANNELS
      piece[j] = load_words(reinterpret_cast<const Words4*>(at));
#else
      piece[j] = *reinterpret_cast<const T*>(at);
#endif
    }
  }
  __device__ __forceinline__ void add(A times, A (&sum)[kLane]) const {
    A own[kLane];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) {
      A x[kLane];
#if ADJ_CHANNELS
      widen<T>(piece[j], x);
#else
      x[0] = to_acc(piece[j]);
#endif
#pragma unroll
      for (int v = 0; v < kLane; ++v) own[v] = j == 0 ? weight[j] * x[v] : fused_multiply_add(weight[j], x[v], own[v]);
    }
#pragma unroll
    for (int v = 0; v < kLane; ++v) sum[v] = fused_multiply_add(times, own[v], sum[v]);
  }
};

extern "C" __global__ void __launch_bounds__(kResizeBlock) ADJ_ENTRY(const __grid_constant__ ResizeStripParams p) {
  wait_for_earlier_grids();
#pragma unroll 1
  for (i64 item = global_thread(); item < p.items; item += global_threads()) {
    const i64 rest = divide(item, p.by_groups), group = item - rest * p.groups;
    const i64 slab = divide(rest, p.by_strips), strip = rest - slab * p.strips, plane = divide(slab, p.by_depth);
    const ResizeTarget depth = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[0])[slab - plane * p.target_extent[0]];
    const ResizeTarget* const rows = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1]);
    const A* const depth_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[0]) + depth.offset;
    const A* const row_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[1]);
    const u64 pitch = static_cast<u64>(p.source_row) * sizeof(T), slab_pitch = pitch * static_cast<u64>(p.source_extent[1]);
    const u64 apart = static_cast<u64>(p.inner) * sizeof(T);
#pragma unroll 1
    for (i64 own = group * kLane; own < p.target_row; own += ADJ_CHANNELS ? p.target_row : p.groups) {
      const i64 place = divide(own, p.by_inner);
      const ResizeTarget list = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2])[place];
      const A* const place_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[2]) + list.offset;
      const u8* const source = static_cast<const u8*>(p.source) + static_cast<u64>(plane * p.source_extent[0] + depth.first) * slab_pitch +
                               static_cast<u64>(list.first * p.inner + (own - place * p.inner)) * sizeof(T);
      int row = static_cast<int>(strip * p.strip);
      const int end = static_cast<int>(min_of(row + p.strip, p.target_extent[1]));
      T* to = static_cast<T*>(p.target) + (slab * p.target_extent[1] + row) * p.target_row + own;
      // low: taps and sums of `row`; high: of the row after it.
      ResizeTarget low = rows[row], high = rows[min_of(row + 1, end - 1)];
      const int last = rows[end - 1].first + rows[end - 1].count;
      A low_sum[kLane], high_sum[kLane];
#pragma unroll
      for (int v = 0; v < kLane; ++v) low_sum[v] = high_sum[v] = 0;
      const bool adds = depth.count > 0 && list.count > 0;
      Places ahead;
      ahead.weigh(place_weights, 0, list.count);
      int at = low.first;
      const u8* source_row = source + static_cast<u64>(at) * pitch;
      if (adds && at < last) ahead.load(source_row, apart);
#pragma unroll 1
      for (;; ++at, source_row += pitch) {
#pragma unroll 1
        for (; row < end && at >= low.first + low.count; to += p.target_row) {
#if ADJ_CHANNELS
          store_words(reinterpret_cast<Words4*>(to), narrow<T>(low_sum));
#else
          *to = from_acc<T>(low_sum[0]);
#endif
#pragma unroll
          for (int v = 0; v < kLane; ++v) {
            low_sum[v] = high_sum[v];
            high_sum[v] = 0;
          }
          ++row;
          low = high;
          high = rows[min_of(row + 1, end - 1)];
        }
        if (row == end) break;
        if (!adds) continue;
        const A low_weight = row_weights[low.offset + (at - low.first)];
        const A high_weight = row + 1 < end && at >= high.first ? row_weights[high.offset + (at - high.first)] : A(0);
        A sum[kLane];
#pragma unroll
        for (int v = 0; v < kLane; ++v) sum[v] = 0;
#pragma unroll 1
        for (int d = 0, i = 0;;) {
          const A times = depth_weights[d];
          if (times != 0) ahead.add(times, sum);
          i += kTogether;
          if (i >= list.count) {
            i = 0;
            if (++d == depth.count) break;
          }
          if (list.count > kTogether) ahead.weigh(place_weights, i, list.count);
          ahead.load(source_row + static_cast<u64>(d) * slab_pitch + static_cast<u64>(i) * apart, apart);
        }
        if (list.count > kTogether) ahead.weigh(place_weights, 0, list.count);
        if (at + 1 < last) ahead.load(source_row + pitch, apart);
#pragma unroll
        for (int v = 0; v < kLane; ++v) low_sum[v] = fused_multiply_add(low_weight, sum[v], low_sum[v]);
        if (high_weight != 0)
#pragma unroll
          for (int v = 0; v < kLane; ++v) high_sum[v] = fused_multiply_add(high_weight, sum[v], high_sum[v]);
      }
    }
  }
}

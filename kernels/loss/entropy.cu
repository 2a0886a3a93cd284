// Computes: per sample the log-probability of its label and the entropy of its scores.
// Work split: p.group threads share a row, in units of 16 bytes of four at a time; unit u belongs to lane u modulo the group.
// Memory: scores are read once, the next units while some are added up.
// Order of additions: by column and group alone: a reference close to the largest score, and two sums relative to it.
// Limits: none.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_WHOLE rows begin on 16-byte boundaries and have whole units.
#include "loss/labels.cuh"
#include "loss/rows.h"
#include "prelude/online_words.cuh"
#include "prelude/row_units.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // at most
constexpr int kUnit = kVec16<ADJ_T>, kUnits = 4;
constexpr bool kWhole = ADJ_WHOLE;

// sum of e and spread of e * (x - top), e = exp(x - top), over what was added.
struct Spread {
  A top, sum, spread;
};
// Moves the reference of what was added from s.top to `top`.
__device__ __forceinline__ void move_top(Spread& s, A top) {
  const A lower = max_number(s.top - top, Limits<A>::lowest()), e = called_exp(lower);
  s.spread = s.sum == A(0) ? A(0) : e * fused_multiply_add(lower, s.sum, s.spread);
  s.sum *= e;
  s.top = top;
}
// `left` columns of the row from this unit on, one at least.
__device__ __forceinline__ void add_unit(Spread& s, const Words4& w, int left) {
  A x[kUnit], top;
  if constexpr (kWhole) {
    widen<ADJ_T>(w, x);
    top = top_of_words<ADJ_T>(w, x);
  } else {
    widen_row_unit<kWhole, ADJ_T>(w, left, -Limits<A>::infinity(), x);
    top = x[0];
#pragma unroll
    for (int j = 1; j < kUnit; ++j) top = max_number(top, x[j]);
  }
  if (top > s.top + A(1)) move_top(s, top);
  A e[kUnit], sum = 0, spread = 0;
#pragma unroll
  for (int j = 0; j < kUnit; ++j) {
    x[j] -= s.top;
    e[j] = called_exp(x[j]);
    sum += e[j];
    spread = fused_multiply_add(e[j], x[j], spread);
  }
  if (spread != spread) {  // where an infinite distance is taken 0 times, and where the sum is no number either
    spread = 0;
#pragma unroll
    for (int j = 0; j < kUnit; ++j) spread = fused_multiply_add(e[j], max_number(x[j], A(-1e30)), spread);
  }
  s.sum += sum;
  s.spread += spread;
}
// The same bits for (a, b) and (b, a).
__device__ __forceinline__ Spread merge(Spread a, Spread b) {
  const bool a_first = a.top >= b.top;
  Spread high = a_first ? a : b, low = a_first ? b : a;
  move_top(low, high.top);
  return {high.top, high.sum + low.sum, high.spread + low.spread};
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ LogProbEntropyParams p) {
  ADJ_SHARED(Spread, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  const i64 classes = p.label.num_classes;
  const int stretch = g.lanes * kUnits * kUnit;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.samples; first += grid_blocks() * g.side_by_side) {
    const bool live = first + g.own < p.samples;
    const i64 row = live ? first + g.own : first;
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row * classes;
    const Label label = read_label<ADJ_L>(p.label, row);
    const A target = label.target >= 0 ? to_acc(scores[label.target]) : A(0);
    const bool reads = live && (!label.ignored || p.lse);
    Spread s{Limits<A>::lowest(), A(0), A(0)};
    // A unit makes place for that of the next stretch once it is added up.
    auto columns_from = [&](i64 c) { return reads ? static_cast<int>(max_of<i64>(min_of<i64>(classes - c, stretch), 0)) : 0; };
    auto load = [&](Words4& w, const ADJ_T* from, int count, int k) {
      if (!kWhole) w = read_row_unit<kWhole>(from, count, g.lane + k * g.lanes);
      else if ((g.lane + k * g.lanes) * kUnit < count) w = load_words(reinterpret_cast<const Words4*>(from) + g.lane + k * g.lanes);
    };
    Words4 x[kUnits];
    int count = columns_from(0);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) load(x[k], scores, count, k);
#pragma unroll 1
    for (i64 c = 0; c < classes; c += stretch) {
      const int ahead = columns_from(c + stretch);
      const ADJ_T* const from = reinterpret_cast<const ADJ_T*>(opaque(reinterpret_cast<i64>(scores + (c + stretch))));
#pragma unroll(kWhole ? kUnits : 1)
      for (int k = 0; k < kUnits; ++k) {
        const int left = count - (g.lane + k * g.lanes) * kUnit;
        if (left > 0) add_unit(s, x[kWhole ? k : 0], left);
        if (!kWhole) {
#pragma unroll
          for (int i = 0; i + 1 < kUnits; ++i) x[i] = x[i + 1];
        }
        load(x[kWhole ? k : kUnits - 1], from, ahead, k);
      }
      count = ahead;
    }
#pragma unroll 1
    for (int left = g.lanes;; left = 0) {
#pragma unroll 1
      for (int mask = g.run / 2; mask > 0; mask /= 2) s = merge(s, {shuffle_xor(s.top, mask), shuffle_xor(s.sum, mask), shuffle_xor(s.spread, mask)});
      if (left <= kWarp) break;
      if (lane_index() == 0) scratch[warp_index()] = s;
      block_barrier();
      s = lane_index() < block_warps() ? scratch[lane_index()] : Spread{Limits<A>::lowest(), A(0), A(0)};
    }
    g.barrier();
    if (!live || g.lane != 0) continue;
    if (label.invalid && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
    const A log_sum = exact_log(s.sum);
    if (p.lse) static_cast<A*>(p.lse)[row] = s.top + log_sum;
    static_cast<A*>(p.log_prob)[row] = label.ignored ? A(0) : label.invalid ? Limits<A>::nan() : (target - s.top) - log_sum;
    if (p.entropy) static_cast<A*>(p.entropy)[row] = label.ignored ? A(0) : log_sum - s.spread / s.sum;
  }
}

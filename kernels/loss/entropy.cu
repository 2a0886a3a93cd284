// Computes: per sample the log-probability of its label and the entropy of its scores.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: scores are read once; the loads of a stretch are in flight while the stretch before it is added up.
// Order of additions: follows from the column and the group alone. Each lane has a reference close to its largest score and two sums relative to it.
// Limits: none.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: sums in f64 for every type.
#include "loss/labels.cuh"
#include "loss/rows.h"
#include "prelude/online_words.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

// Sums over the values x added so far, with e = exp(x - top): sum adds e, spread adds e * (x - top).
struct Spread {
  A top, sum, spread;
};
// Changes the reference of s to `top`, and its sums with it.
__device__ __forceinline__ void move_top(Spread& s, A top) {
  const A lower = max_number(s.top - top, Limits<A>::lowest()), e = called_exp(lower);
  s.spread = s.sum == A(0) ? A(0) : e * fused_multiply_add(lower, s.sum, s.spread);
  s.sum *= e;
  s.top = top;
}
// Returns the spread of a vector whose spread came out as NaN. A score of -infinity gives 0 * -infinity, which counts as 0 here; a NaN among the
// scores stays. Unpacks the words again, so that the usual case keeps its registers.
__device__ __noinline__ A bounded_spread(Words4 w, int left, A top) {
  A x[kVector], spread = 0;
  widen_row_vector<kAligned, ADJ_T>(w, left, -Limits<A>::infinity(), x);
#pragma unroll 1
  for (int j = 0; j < kVector; ++j) {
    const A distance = x[0] - top;
    spread = fused_multiply_add(called_exp(distance), max_number(distance, A(-1e30)), spread);
#pragma unroll
    for (int i = 0; i + 1 < kVector; ++i) x[i] = x[i + 1];
  }
  return spread;
}
// Adds a vector. left: columns of the row from the vector's begin on, at least 1.
__device__ __forceinline__ void add_vector(Spread& s, const Words4& w, int left) {
  A x[kVector], top;
  if constexpr (kAligned) {
    widen<ADJ_T>(w, x);
    top = top_of_words<ADJ_T>(w, x);
  } else {
    widen_row_vector<kAligned, ADJ_T>(w, left, -Limits<A>::infinity(), x);
    top = x[0];
#pragma unroll
    for (int j = 1; j < kVector; ++j) top = max_number(top, x[j]);
  }
  if (top > s.top + A(1)) move_top(s, top);
  A sum = 0, spread = 0;
#pragma unroll
  for (int j = 0; j < kVector; ++j) {
    const A distance = x[j] - s.top, e = called_exp(distance);
    sum += e;
    spread = fused_multiply_add(e, distance, spread);
  }
  if (spread != spread) spread = bounded_spread(w, left, s.top);
  s.sum += sum;
  s.spread += spread;
}
// Returns the sum of two; (a, b) and (b, a) give the same bits.
__device__ __forceinline__ Spread merge(Spread a, Spread b) {
  const bool a_first = a.top >= b.top;
  Spread high = a_first ? a : b, low = a_first ? b : a;
  move_top(low, high.top);
  return {high.top, high.sum + low.sum, high.spread + low.spread};
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8                      ? 2
                                                     : ADJ_BOUNDS_ARCH < 90 || !kAligned ? 3
                                                                                         : 4) ADJ_ENTRY(const __grid_constant__ LogProbEntropyParams p) {
  ADJ_SHARED(Spread, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  const i64 classes = p.label.num_classes;
  const int stretch = g.lanes * kVectors * kVector;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.samples; first += grid_blocks() * g.side_by_side) {
    auto row = [&] { return opaque(first) + (first + g.own < p.samples ? g.own : 0); };
    const bool valid = first + g.own < p.samples;
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row() * classes;
    const Label label = read_label<ADJ_L>(p.label, row());
    const A target = label.target >= 0 ? to_acc(scores[label.target]) : A(0);
    const bool reads = valid && (!label.ignored || p.lse);
    Spread s{Limits<A>::lowest(), A(0), A(0)};
    // All loads of the next stretch are sent before this stretch is added up. Loads sent one by one would make the first use wait for the last load.
    Words4 x[kVectors], next[kVectors];
    int count = 0;
    i64 behind = reads ? classes : 0;
#pragma unroll 1
    do {
      const int ahead = static_cast<int>(min_of<i64>(behind, stretch));
      if constexpr (kAligned) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k)
          if ((g.lane + k * g.lanes) * kVector < ahead) next[k] = load_words(reinterpret_cast<const Words4*>(scores) + g.lane + k * g.lanes);
      } else {
        read_row_vectors<false>(next, scores, ahead, g.lane, g.lanes);
      }
#pragma unroll 1
      for (int left = count - g.lane * kVector; left > 0; left -= g.lanes * kVector) {
        add_vector(s, x[0], left);
#pragma unroll
        for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1];
      }
#pragma unroll
      for (int k = 0; k < kVectors; ++k) x[k] = next[k];
      scores += stretch;
      behind -= ahead;
      count = ahead;
    } while (count > 0);
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
    if (!valid || g.lane != 0) continue;
    if (label.invalid && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
    const A log_sum = exact_log(s.sum);
    const i64 sample = row();
    if (p.lse) static_cast<Beside<ADJ_T>*>(p.lse)[sample] = static_cast<Beside<ADJ_T>>(s.top + log_sum);
    static_cast<Beside<ADJ_T>*>(p.log_prob)[sample] = static_cast<Beside<ADJ_T>>(label.ignored   ? A(0)
                                                                                 : label.invalid ? Limits<A>::nan()
                                                                                                 : (target - s.top) - log_sum);
    if (p.entropy) static_cast<Beside<ADJ_T>*>(p.entropy)[sample] = static_cast<Beside<ADJ_T>>(label.ignored ? A(0) : log_sum - s.spread / s.sum);
  }
}

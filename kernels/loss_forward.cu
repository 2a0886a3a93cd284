// Softmax cross-entropy loss: per sample the logarithm of the sum of exponentials in one read of the scores, the loss, and
// if asked for the log-probabilities in a second read.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_O of loss and log_prob, ADJ_STRIDED classes apart by `inner`.
#include "params/loss.h"
#include "prelude/labels.cuh"
#include "prelude/memory.cuh"
#include "prelude/online.cuh"
#include "prelude/reduce.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = ADJ_STRIDED ? 256 : 512;  // at most
constexpr int kUnit = ADJ_STRIDED ? 8 : kVec16<ADJ_T>;

// Leaves class `target` out of values that begin at class `first`.
template <class Index> __device__ __forceinline__ void exclude(A (&x)[kUnit], Index target, Index first) {
  if (target < first || target >= first + kUnit) return;
#pragma unroll
  for (int j = 0; j < kUnit; ++j) x[j] = first + j == target ? -Limits<A>::infinity() : x[j];
}

__device__ __forceinline__ LogSum<A> close(TopSum<A> sum, const Label& label, A target) {
  return label.target >= 0 ? close_with_target(sum, target) : close_without_target(sum);
}
__device__ __forceinline__ A log_probability(A x, const LogSum<A>& r, bool is_target) {
  return is_target ? -r.loss : (x - r.top) - r.log_sum;
}

// What one thread writes for a sample; returns its weighted loss and its weight for the totals, NaN for an invalid label.
struct Term {
  f64 loss, weight;
};
__device__ __forceinline__ Term finish_sample(const LossForwardParams& p, i64 sample, const Label& label, const LogSum<A>& r) {
  Term term{0, 0};
  if (label.target >= 0) {
    term.weight = label_weight(p.label, label);
    term.loss = static_cast<f64>(r.loss) * term.weight;
  } else if (label.invalid) {
    term.weight = term.loss = Limits<f64>::nan();
    if (p.label.error_flag) atomic_add(p.label.error_flag, i64{1});
  }
  if (p.loss) static_cast<ADJ_O*>(p.loss)[sample] = from_acc<ADJ_O>(static_cast<Acc<ADJ_O>>(term.loss));
  if (p.lse) static_cast<A*>(p.lse)[sample] = r.top + r.log_sum;
  return term;
}
__device__ __forceinline__ void write_total(const LossForwardParams& p, i64 slot, Term term) {
  p.totals[2 * slot] = term.loss;
  p.totals[2 * slot + 1] = term.weight;
}
__device__ __forceinline__ void write_warp_total(const LossForwardParams& p, i64 slot, Term term) {
  term.loss = warp_sum(term.loss);
  term.weight = warp_sum(term.weight);
  if (lane_index() == 0) write_total(p, slot, term);
}

#if !ADJ_STRIDED

// Columns of a row are counted in 32 bits.
constexpr int kInFlight = 4;

// Adds units u, u + group, ... below `last` and returns the first one that was not added.
template <bool shifted>
__device__ __forceinline__ int add_units(TopSum<A>& sum, const Words4* base, int offset, int target, int u, int last, int group) {
  // A shifted unit takes two loads.
  constexpr int kUnits = shifted ? kInFlight / 2 : kInFlight;
  auto add = [&](Words4 words, int at) {
    const Vec<ADJ_T, kUnit> v = unpack<ADJ_T>(words);
    A x[kUnit];
#pragma unroll
    for (int j = 0; j < kUnit; ++j) x[j] = to_acc(v.at[j]);
    exclude(x, target, at * kUnit);
    add_values(sum, x);
  };
#pragma unroll 1
  for (; u + (kUnits - 1) * group < last; u += kUnits * group) {
    Words4 low[kUnits], high[kUnits];
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      low[k] = load_words(base + (u + k * group));
      if (shifted) high[k] = load_words(base + (u + k * group + 1));
    }
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
      add(shifted ? extract16(low[k], high[k], offset) : low[k], u + k * group);
  }
#pragma unroll 1
  for (; u < last; u += group) {
    const Words4 low = load_words(base + u);
    add(shifted ? extract16(low, load_words(base + (u + 1)), offset) : low, u);
  }
  return u;
}

// Unit u holds classes [u * kUnit, u * kUnit + kUnit) and belongs to lane u modulo group, in every row and for every
// alignment: a row's result depends on its contents alone. Rows that do not begin on a 16-byte boundary are read through
// the aligned pieces around each unit.
__device__ __forceinline__ TopSum<A> sum_row(const ADJ_T* row, int classes, int target, int lane, int group) {
  TopSum<A> sum = empty_top_sum<A>();
  const int units = (classes + kUnit - 1) / kUnit;
  const int offset = static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const Words4* base = reinterpret_cast<const Words4*>(reinterpret_cast<const char*>(row) - offset);
  // Units whose pieces lie inside the row: [first, last).
  const int first = offset ? 1 : 0;
  const int last = offset ? (classes + offset / static_cast<int>(sizeof(ADJ_T))) / kUnit - 1 : classes / kUnit;
  int u = lane < first ? lane + group : lane;
  auto add_singly = [&](int at) {
    A x[kUnit];
#pragma unroll
    for (int j = 0; j < kUnit; ++j) {
      const int c = at * kUnit + j;
      x[j] = c < classes ? to_acc(row[c]) : -Limits<A>::infinity();
    }
    exclude(x, target, at * kUnit);
    add_values(sum, x);
  };
  if (lane < first) add_singly(lane);
  if (offset) u = add_units<true>(sum, base, offset, target, u, last, group);
  else u = add_units<false>(sum, base, offset, target, u, last, group);
#pragma unroll 1
  for (; u < units; u += group) add_singly(u);
  return sum;
}

__device__ __forceinline__ void write_log_prob(const ADJ_T* row, ADJ_O* out, int classes, int target, const LogSum<A>& r, int lane, int group) {
  constexpr int kUnits = kInFlight / 2;
  Window<kUnit> window(row, classes);
  if (!aligned16(out + window.head)) window.without_units();
#pragma unroll 1
  for (int e = lane; e < window.edges; e += group) {
    const int c = window.edge(e);
    out[c] = from_acc<ADJ_O>(log_probability(to_acc(row[c]), r, c == target));
  }
#pragma unroll 1
  for (int u = lane; u < window.units; u += kUnits * group) {
    Unit<ADJ_T, kUnit> in[kUnits];
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
      if (u + k * group < window.units) in[k].load(row + window.unit(u + k * group));
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (u + k * group >= window.units) break;
      const int c = window.unit(u + k * group);
      A x[kUnit];
      in[k].get(x);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) x[j] = log_probability(x[j], r, j == target - c);
      Unit<ADJ_O, kUnit> result;
      result.set(x);
      result.store(out + c);
    }
  }
}

// One group of threads per row.
extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ LossForwardParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  const int classes = static_cast<int>(p.label.num_classes);
  const int group = p.group;
  const int lane = thread_index() & (group - 1);
  const int rows = block_threads() / group;
  const i64 tiles = (p.samples + rows - 1) / rows;
  for (i64 tile = block_index(); tile < tiles; tile += grid_blocks()) {
    const i64 row = tile * rows + thread_index() / group;
    const bool live = row < p.samples;
    const Label label = live ? read_label<ADJ_L>(p.label, row) : Label{-1, true, false};
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row * classes;
    TopSum<A> sum = empty_top_sum<A>();
    A target = 0;
    if (live && (label.target >= 0 || p.lse || p.log_prob)) {
      if (label.target >= 0) target = to_acc(scores[label.target]);
      sum = sum_row(scores, classes, static_cast<int>(label.target), lane, group);
    }
    if (group > kWarp) {
      sum = merge_block(sum, scratch);
    } else {
      sum = merge_lanes(sum, group);
      warp_barrier();  // all of a row is read before log_prob may overwrite it
    }
    const LogSum<A> result = close(sum, label, target);
    Term term{0, 0};
    if (live && lane == 0) term = finish_sample(p, row, label, result);
    if (p.totals) {
      if (group > kWarp) {
        if (lane == 0) write_total(p, row, term);
      } else {
        write_warp_total(p, tile * block_warps() + warp_index(), term);
      }
    }
    if (live && p.log_prob)
      write_log_prob(scores, static_cast<ADJ_O*>(p.log_prob) + row * classes, classes, static_cast<int>(label.target), result, lane, group);
    if (group > kWarp) block_barrier();
  }
}

#else

// A block takes p.group consecutive samples, side by side in memory except where n changes; the threads of one sample
// take turns at its classes, kUnit at a time.
extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossForwardParams p) {
  ADJ_SHARED(TopSum<A>, parts, kBlock);
  const i64 classes = p.label.num_classes;
  const int width = p.group, depth = block_threads() / width;
  const int x = thread_index() & (width - 1), y = thread_index() / width;
  const i64 tiles = (p.samples + width - 1) / width;
  for (i64 tile = block_index(); tile < tiles; tile += grid_blocks()) {
    const i64 sample = tile * width + x;
    const bool live = sample < p.samples;
    const Label label = live ? read_label<ADJ_L>(p.label, sample) : Label{-1, true, false};
    const bool needed = live && (label.target >= 0 || p.lse || p.log_prob);
    const i64 n = sample / p.inner;
    const i64 base = n * classes * p.inner + (sample - n * p.inner);
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + base;
    TopSum<A> sum = empty_top_sum<A>();
    A target = 0;
    if (needed) {
      if (label.target >= 0) target = to_acc(scores[label.target * p.inner]);
      for (i64 c = static_cast<i64>(y) * kUnit; c < classes; c += static_cast<i64>(depth) * kUnit) {
        A v[kUnit];
#pragma unroll
        for (int j = 0; j < kUnit; ++j) v[j] = c + j < classes ? to_acc(scores[(c + j) * p.inner]) : -Limits<A>::infinity();
        exclude(v, label.target, c);
        add_values(sum, v);
      }
    }
    parts[thread_index()] = sum;
    block_barrier();
    sum = parts[x];
    for (int d = 1; d < depth; ++d) sum = merge(sum, parts[d * width + x]);
    const LogSum<A> result = close(sum, label, target);
    Term term{0, 0};
    if (live && y == 0) term = finish_sample(p, sample, label, result);
    if (p.totals && y == 0) write_warp_total(p, tile * (width / kWarp) + warp_index(), term);
    if (live && p.log_prob) {
      ADJ_O* out = static_cast<ADJ_O*>(p.log_prob) + base;
      for (i64 c = static_cast<i64>(y) * kUnit; c < classes; c += static_cast<i64>(depth) * kUnit) {
        A v[kUnit];
#pragma unroll
        for (int j = 0; j < kUnit; ++j) v[j] = c + j < classes ? to_acc(scores[(c + j) * p.inner]) : A(0);
#pragma unroll
        for (int j = 0; j < kUnit; ++j)
          if (c + j < classes) out[(c + j) * p.inner] = from_acc<ADJ_O>(log_probability(v[j], result, c + j == label.target));
      }
    }
    block_barrier();
  }
}

#endif

// Softmax cross-entropy loss of a label.
//
// Computes: per sample lse = log(sum of exp(scores)) and loss = weight * (lse - score of the target); on request log_prob = scores - lse.
// Work split: row_online: p.group threads share a row. ADJ_STRIDED: a block takes p.group samples, and several threads share a sample.
// Memory: scores are read once, and once more for log_prob.
// Order of additions: follows from the number of classes alone, not from addresses or from other samples.
// Limits: row_online needs inner = 1 and at most 2^29 classes. A grid takes its samples in one turn. src/ops/loss/loss.cpp checks both.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_O of loss and log_prob, ADJ_STRIDED 1 if classes lie `inner` apart; otherwise ADJ_ALIGNED 1 if
// all rows of scores and log_prob begin and end on 16-byte boundaries, with the padding. ADJ_ACC_F64 1: sums in f64 for every type.
#include "loss/params.h"
#include "prelude/cut.cuh"
#include "loss/labels.cuh"
#include "prelude/memory.cuh"
#include "prelude/online.cuh"
#include "prelude/reduce.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = ADJ_STRIDED ? 256 : 512;  // threads of a block, at most
constexpr int kUnit = !ADJ_STRIDED ? kVec16<ADJ_T> : kWideAcc<ADJ_T> ? 4 : 8;

__device__ __forceinline__ A log_probability(A x, const LogSum<A>& r) { return (x - r.top) - r.log_sum; }

// Weighted loss and weight of a sample, for the totals; both are NaN for an invalid label.
struct Term {
  f64 loss, weight;
};
// Writes loss and lse of a sample, and counts an invalid label. One thread of a sample calls it.
__device__ __forceinline__ Term finish_sample(const LossForwardParams& p, i64 sample, const Label& label, const LogSum<A>& r) {
  Term term{0, 0};
  if (label.target >= 0) {
    term.weight = label_weight(p.label, label, sample);
    term.loss = static_cast<f64>(r.loss) * term.weight;
  } else if (label.invalid) {
    term.weight = term.loss = Limits<f64>::nan();
    if (p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
  }
  if (p.loss) static_cast<ADJ_O*>(p.loss)[sample] = from_acc<ADJ_O>(static_cast<Acc<ADJ_O>>(term.loss));
  if (p.lse) static_cast<Beside<ADJ_T>*>(p.lse)[sample] = static_cast<Beside<ADJ_T>>(r.top + r.log_sum);
  return term;
}
__device__ __forceinline__ void write_total(const LossForwardParams& p, i64 slot, Term term) {
  p.totals[2 * slot] = term.loss;
  p.totals[2 * slot + 1] = term.weight;
}
__device__ __forceinline__ void write_warp_total(const LossForwardParams& p, i64 slot, Term term) {
#pragma unroll 1
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    term.loss += shuffle_xor(term.loss, mask);
    term.weight += shuffle_xor(term.weight, mask);
  }
  if (lane_index() == 0) write_total(p, slot, term);
}

#if !ADJ_STRIDED

// Columns of a row are counted in 32 bits; the plan checks that.
constexpr int kInFlight = 4;

__device__ __forceinline__ int unit_of(int column) { return static_cast<int>(static_cast<u32>(column) / kUnit); }

// Returns a lane's sum over a row without its target. Unit u holds classes [u * kUnit, u * kUnit + kUnit) and belongs to lane u modulo group,
// wherever the row begins, so a row's result depends on its contents alone. A unit of an unaligned row is cut out of two words. The first is
// loaded ahead; the second, which is the first of a neighbouring lane, only when it is used.
__device__ __forceinline__ TopSum<A> sum_row(const ADJ_T* row, int classes, int target, int lane, int group) {
  RunningSum<A> sum = empty_running_sum<A>();
  const int offset = ADJ_ALIGNED ? 0 : static_cast<int>(reinterpret_cast<u64>(row) & 15);
  const Words4* base = reinterpret_cast<const Words4*>(opaque(reinterpret_cast<i64>(row) - offset));
  const int units = unit_of(classes + kUnit - 1);
  // Units before `last` have both words inside the row; unit 0 only if the row begins on a boundary.
  const int last = ADJ_ALIGNED ? units : unit_of(classes + static_cast<int>(static_cast<u32>(offset) / sizeof(ADJ_T))) - 1;
  const int of_target = unit_of(target);  // target -1: a unit beyond every row
  const int partial = unit_of(classes);    // the unit that ends in the padding; without padding a unit beyond the row
  // Loads of the next turn are in flight while this turn adds. The first turn only loads.
  Words4 pieces[kInFlight];
  const int step = kInFlight * group;
#pragma unroll 1
  for (int begin = lane - step; begin < units; begin += step) {
    Words4 next[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) {
      const int u = begin + step + k * group;
      if ((ADJ_ALIGNED || u > 0 || offset == 0) && u < last) next[k] = load_words(base + u);
    }
    const int end = begin < 0 ? begin : min_of(units, begin + step);
#pragma unroll 1
    for (int u = begin; u < end; u += group) {
      A x[kUnit] = {};
      if (ADJ_ALIGNED) {
        widen<ADJ_T>(pieces[0], x);
        if (u == of_target || u == partial) {
          const int at = target - u * kUnit, left = classes - u * kUnit;
#pragma unroll
          for (int j = 0; j < kUnit; ++j) x[j] = j == at || j >= left ? -Limits<A>::infinity() : x[j];
        }
      } else if ((u > 0 || offset == 0) && u < last && u != of_target) {
        widen<ADJ_T>(cut16<sizeof(ADJ_T)>(pieces[0], load_words(base + (u + 1)), offset), x);
      } else {
        // Up to three times a row, so a small loop: it fills x from its end.
#pragma unroll 1
        for (int c = u * kUnit; c < u * kUnit + kUnit; ++c) {
#pragma unroll
          for (int j = 0; j + 1 < kUnit; ++j) x[j] = x[j + 1];
          // Not through `row`, which would take two registers all the time.
          const ADJ_T* again = reinterpret_cast<const ADJ_T*>(reinterpret_cast<const u8*>(base) + offset);
          x[kUnit - 1] = c < classes && c != target ? to_acc(again[c]) : -Limits<A>::infinity();
        }
      }
      add_values(sum, x);
#pragma unroll
      for (int k = 0; k + 1 < kInFlight; ++k) pieces[k] = pieces[k + 1];
    }
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) pieces[k] = next[k];
  }
  return settle(sum);
}

__device__ __forceinline__ void write_log_prob(const ADJ_T* row, ADJ_O* out, int classes, int target, const LogSum<A>& r, int lane, int group) {
  int begin = 0, end = classes;
  bool has_target = false;
#if !ADJ_ALIGNED
  Window<kUnit> window(row, classes);
  if (!aligned16(out + window.head)) window.without_units();
#pragma unroll 1
  for (int e = lane; e < window.edges; e += group) {
    const int c = window.edge(e);
    has_target |= c == target;
    out[c] = from_acc<ADJ_O>(log_probability(to_acc(row[c]), r));
  }
  begin = window.head;
  end = begin + window.units * kUnit;
#endif
#pragma unroll 1
  for (int c = begin + lane * kUnit; c < end; c += group * kUnit) {
    has_target |= static_cast<u32>(target - c) < kUnit;
    A x[kUnit];
    widen<ADJ_T>(load_words(reinterpret_cast<const Words4*>(row + c)), x);
#pragma unroll
    for (int i = 0; i < kUnit; i += kVec16<ADJ_O>) {
      Acc<ADJ_O> part[kVec16<ADJ_O>];
#pragma unroll
      for (int j = 0; j < kVec16<ADJ_O>; ++j) part[j] = log_probability(x[i + j], r);
      store_words(reinterpret_cast<Words4*>(out + c + i), narrow<ADJ_O>(part));
    }
  }
  // The thread that wrote the target's column writes it again in the exact form.
  if (has_target) out[target] = from_acc<ADJ_O>(-r.loss);
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 1 : 2) ADJ_ENTRY(const __grid_constant__ LossForwardParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  const int classes = static_cast<int>(p.label.num_classes);
  const int group = p.group;
  const int lane = thread_index() & (group - 1);
  const int rows_log2 = lowest_bit(block_threads()) - lowest_bit(group);  // both are powers of two
  const i64 row = (block_index() << rows_log2) + (thread_index() >> lowest_bit(group));
  const bool live = row < p.samples;
  const Label label = live ? read_label<ADJ_L>(p.label, row) : Label{-1, true, 0};
  const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row * p.padded_classes;
  TopSum<A> sum = empty_top_sum<A>();
  A target = 0;
  if (live && (label.target >= 0 || p.lse || p.log_prob)) {
    // Unaligned rows have no register for it while they are summed.
    if (ADJ_ALIGNED && label.target >= 0) target = to_acc(scores[label.target]);
    sum = sum_row(scores, classes, static_cast<int>(label.target), lane, group);
    if (!ADJ_ALIGNED && label.target >= 0) target = to_acc(scores[label.target]);
  }
  sum = merge_group(sum, group, scratch);
  warp_barrier();  // log_prob may overwrite the row only after all lanes have read it
  const LogSum<A> result = close_sum(sum, label.target >= 0, target);
  Term term{0, 0};
  if (live && lane == 0) term = finish_sample(p, row, label, result);
  if (p.totals) {
    if (group > kWarp) {
      if (lane == 0) write_total(p, row, term);
    } else {
      write_warp_total(p, block_index() * block_warps() + warp_index(), term);
    }
  }
  if (live && p.log_prob)
    write_log_prob(scores, static_cast<ADJ_O*>(p.log_prob) + row * classes, classes, static_cast<int>(label.target), result, lane, group);
}

#else

// Clamps a count of classes, or a place relative to a unit, to [-1, kUnit]. As places, -1 and kUnit are outside the unit.
__device__ __forceinline__ int up_to_unit(i64 classes) {
  return static_cast<int>(max_of<i64>(-1, min_of<i64>(classes, kUnit)));
}

// Reads kUnit classes that begin at `scores`. Place `excluded` and places from `left` on, behind the last class, become `other`.
__device__ __forceinline__ void read_classes(A (&x)[kUnit], const ADJ_T* scores, i64 inner, int left, int excluded, A other) {
#pragma unroll
  for (int j = 0; j < kUnit; ++j) {
    x[j] = j < left && j != excluded ? to_acc(*scores) : other;
    scores += inner;
  }
}

// A block takes p.group consecutive samples, which lie side by side in memory except where n changes. The threads of a sample take its classes in
// turns of kUnit.
extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossForwardParams p) {
  ADJ_SHARED(TopSum<A>, parts, kBlock);
  const i64 classes = p.label.num_classes;
  const int width = p.group, width_log2 = lowest_bit(width), depth = block_threads() >> width_log2;  // powers of two
  const int x = thread_index() & (width - 1), y = thread_index() >> width_log2;
  const i64 sample = (block_index() << width_log2) + x;
  const bool live = sample < p.samples;
  const Label label = live ? read_label<ADJ_L>(p.label, sample) : Label{-1, true, 0};
  const bool needed = live && (label.target >= 0 || p.lse || p.log_prob);
  const i64 base = first_class(p.by_inner, p.inner, classes, sample);
  const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + base;
  const i64 step = static_cast<i64>(depth) * kUnit;
  RunningSum<A> running = empty_running_sum<A>();
  A target = 0;
  if (needed) {
    if (label.target >= 0) target = to_acc(scores[label.target * p.inner]);
#pragma unroll 1
    for (i64 c = y * kUnit; c < classes; c += step) {
      A v[kUnit];
      read_classes(v, scores + c * p.inner, p.inner, up_to_unit(classes - c), up_to_unit(label.target - c), -Limits<A>::infinity());
      add_values(running, v);
    }
  }
  parts[thread_index()] = settle(running);
  block_barrier();
  TopSum<A> sum = parts[x];
#pragma unroll 1
  for (int d = 1; d < depth; ++d) sum = merge(sum, parts[d * width + x]);
  const LogSum<A> result = close_sum(sum, label.target >= 0, target);
  Term term{0, 0};
  if (live && y == 0) term = finish_sample(p, sample, label, result);
  if (p.totals && y == 0) write_warp_total(p, block_index() * (width / kWarp) + warp_index(), term);
  if (live && p.log_prob) {
#pragma unroll 1
    for (i64 c = y * kUnit; c < classes; c += step) {
      A v[kUnit];
      const int left = up_to_unit(classes - c);
      read_classes(v, scores + c * p.inner, p.inner, left, kUnit, A(0));
      i64 at = base + c * p.inner;
#pragma unroll
      for (int j = 0; j < kUnit; ++j) {
        if (j < left) static_cast<ADJ_O*>(p.log_prob)[at] = from_acc<ADJ_O>(log_probability(v[j], result));
        at = opaque(at + p.inner);  // opaque: one address in a register, not kUnit of them
      }
    }
    // The thread that wrote the target's column writes it again in the exact form.
    if (label.target >= 0 && (static_cast<int>(label.target / kUnit) & (depth - 1)) == y)
      static_cast<ADJ_O*>(p.log_prob)[base + label.target * p.inner] = from_acc<ADJ_O>(-result.loss);
  }
}

#endif

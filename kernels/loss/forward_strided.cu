// Softmax cross-entropy loss of a label, for classes `inner` apart.
//
// Computes: as forward.cu.
// Work split: a block takes p.group samples, and several threads share a sample.
// Memory: scores are read once, and once more for log_prob.
// Order of additions: follows from the number of classes alone, not from addresses or from other samples.
// Limits: a grid takes its samples in one turn. src/ops/loss/loss.cpp checks that.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_O of loss and log_prob. ADJ_ACC_F64 1: sums in f64 for every type.
#include "loss/forward.cuh"

constexpr int kBlock = 256;  // threads of a block
constexpr int kUnit = kWideAcc<ADJ_T> ? 4 : 8;

// Clamps a count of classes, or a place relative to a unit, to [-1, kUnit]. As places, -1 and kUnit are outside the unit.
__device__ __forceinline__ int up_to_unit(i64 classes) { return static_cast<int>(max_of<i64>(-1, min_of<i64>(classes, kUnit))); }

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
  const bool valid = sample < p.samples;
  const Label label = valid ? read_label<ADJ_L>(p.label, sample) : Label{-1, true, 0};
  const bool needed = valid && (label.target >= 0 || p.lse || p.log_prob);
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
  if (valid && y == 0) term = finish_sample(p, sample, label, result);
  if (p.totals && y == 0) write_warp_total(p, block_index() * (width / kWarp) + warp_index(), term);
  if (valid && p.log_prob) {
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

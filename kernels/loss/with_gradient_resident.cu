// Computes: the same as with_gradient.cu, but without class weights under label smoothing.
// Work split: p.group threads hold a row in registers, up to four 16-byte vectors a lane. Vector u belongs to lane u modulo the group.
// Memory: scores are read once and dscores written once. No load of scores waits for the label or for 1 / Z.
// Order of additions: follows from the column and the group alone.
// Limits: rows are aligned and fit in registers; src/ops/loss/with_gradient.cpp checks both.
//
// Macros: ADJ_T type of scores, ADJ_L of labels.
#include "loss/with_gradient.cuh"
#include "prelude/online_words.cuh"
#include "prelude/row_groups.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;

// Returns a vector whose element `at`, and those from `end` on, are -infinity: the sum leaves the target out, which close_sum adds, and the padding. Not
// inlined: a copy for each vector would be much of the kernel.
__device__ __noinline__ Words4 without(Words4 w, int at, int end) {
  A v[kVector];
  widen<ADJ_T>(w, v);
#pragma unroll
  for (int j = 0; j < kVector; ++j)
    if (j == at || j >= end) v[j] = -Limits<A>::infinity();
  return narrow<ADJ_T>(v);
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) > 2 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ CrossEntropyParams p) {
  ADJ_SHARED(A, scratch, 2 * kBlock / kWarp);
  ADJ_SHARED(f64, score_sums, kBlock / kWarp);
  ADJ_SHARED(f64, losses, 2 * kBlock / kWarp);
  begin_beside_last_grids();  // they add the weights of the labels
  let_next_grid_begin();
  const RowGroup g(p.group);
  const int classes = static_cast<int>(p.label.num_classes), padded = static_cast<int>(p.padded_classes);
  int turn = 0;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.samples; first += grid_blocks() * g.side_by_side, ++turn) {
    const bool valid = first + g.own < p.samples;
    const i64 row = valid ? first + g.own : first;
    const ADJ_T* const scores = static_cast<const ADJ_T*>(p.scores) + row * padded;
    const int count = valid ? padded : 0;
    auto column = [&](int k) { return (g.lane + k * g.lanes) * kVector; };
    Words4 x[kVectors] = {};
#pragma unroll
    for (int k = 0; k < kVectors; ++k)
      if (column(k) < count) x[k] = load_words(reinterpret_cast<const Words4*>(scores) + g.lane + k * g.lanes);
    warp_barrier();  // keeps the compiler from waiting for the label before it sends the loads of the scores
    const Label label = read_label<ADJ_L>(p.label, row);
    const bool counted = valid && label.target >= 0;
    const int at = counted ? static_cast<int>(label.target) : -kVector;
    const A target = counted ? to_acc(scores[at]) : A(0);
    f64 sum_of_scores = 0;
    if (p.smoothing > 0) {
      // A loop that turns the vectors, so that there is one copy of the code.
#pragma unroll 1
      for (int k = 0; k < kVectors; ++k) {
        const Words4 own = x[0];
        A v[kVector], vector = 0;
        widen_row_vector<false, ADJ_T>(own, classes - column(k), A(0), v);
#pragma unroll
        for (int j = 0; j < kVector; ++j) vector += v[j];
        sum_of_scores += vector;
#pragma unroll
        for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1];
        x[kVectors - 1] = own;
      }
      sum_of_scores = sum_of_lanes(sum_of_scores, g.run);
      if (g.lanes > kWarp) sum_of_scores = sum_of_warps(sum_of_scores, score_sums);
    }
#pragma unroll
    for (int k = 0; k < kVectors; ++k)
      if (static_cast<u32>(at - column(k)) < kVector || column(k) + kVector > classes) x[k] = without(x[k], at - column(k), classes - column(k));
    A top = Limits<A>::lowest(), sum = 0;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      A v[kVector];
      widen<ADJ_T>(x[k], v);
      top = max_number(top, top_of_words<ADJ_T>(x[k], v));
    }
    top = over_group<true>(top, g, scratch);
    // Unpacked anew each time: kept exponentials would take twice the registers, and so half of the loads in flight.
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      if (k * g.lanes * kVector >= padded) break;
      forget_unpacked(x[k]);
      A v[kVector];
      widen<ADJ_T>(x[k], v);
      sum += exponentials(v, top);
    }
    sum = over_group<false>(sum, g, scratch + kBlock / kWarp);
    const LogSum<A> r = close_sum(TopSum<A>{top, sum}, counted, target);
    wait_for_earlier_grids();
    const GradientOfMean mean(p);
    RowGradient<A> d = gradient_of_row(p, mean, label, row, r, target, {static_cast<f64>(classes), sum_of_scores, false});
    if (valid && g.lane == 0) finish_row<ADJ_T>(p, label, row, r, d.loss);
    write_total_of_block(p, g, first, valid, d.loss, losses, turn);
    // Exponentials are relative to `top`, probabilities to the sum over all classes.
    d.factor *= called_exp(((top - r.top) - r.log_sum) * exponent_beside(d.factor));
    const bool zero = label.ignored || (counted && mean.over_nothing(p));
    if (zero) d = {};
    g.barrier();  // all lanes have read the target, and `scratch` may be used again
    ADJ_T* const dscores = static_cast<ADJ_T*>(p.dscores) + opaque(row) * padded;
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      if (column(k) >= count) break;
      forget_unpacked(x[k]);
      A v[kVector];
      widen<ADJ_T>(x[k], v);
#pragma unroll
      for (int j = 0; j < kVector; ++j) v[j] = fused_multiply_add(d.factor, called_exp((v[j] - top) * exponent_beside(d.factor)), -d.shift);
      if (zero || column(k) + kVector > classes) {
#pragma unroll
        for (int j = 0; j < kVector; ++j)
          if (zero || column(k) + j >= classes) v[j] = 0;
      }
      store_words(reinterpret_cast<Words4*>(dscores + column(k)), narrow<ADJ_T>(v));
    }
    // The thread that wrote the target's column writes it again in the exact form.
    if (counted && at / kVector % g.lanes == g.lane) dscores[at] = from_acc<ADJ_T>(d.of_target);
  }
}

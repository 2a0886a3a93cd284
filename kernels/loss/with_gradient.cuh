// What the programs of cross_entropy_with_gradient share: the loss of a row and the numbers that its gradient is made of.

#include "loss/labels.cuh"
#include "loss/rows.h"
#include "prelude/online.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"

// Returns 1 / Z from what normalizer.cu has left: the result itself, or the sums of several blocks.
__device__ __forceinline__ f64 inverse_of(const f64* sums, int count) {
  if (!sums) return 1;
  f64 sum = sums[0];
  if (count == 1) return sum;
#pragma unroll 4
  for (int i = 1; i < count; ++i) sum += sums[i];
  return inverse_of_sum(sum);
}

// Numbers that all rows of a call share.
struct GradientOfMean {
  f64 dloss, inverse, inverse_count;

  __device__ __forceinline__ explicit GradientOfMean(const CrossEntropyParams& p)
      : dloss(read_scalar(p.dloss)),
        inverse(inverse_of(p.inverse, p.inverse_sums)),
        inverse_count(p.inverse_count == p.inverse ? inverse : inverse_of(p.inverse_count, p.inverse_sums)) {}
  // True for a mean over nothing: loss and gradient of the samples that count are 0 too.
  __device__ __forceinline__ bool over_nothing(const CrossEntropyParams& p) const { return inverse == 0 && !(p.z_loss > 0); }
};

// Sums over the classes of a row, for label smoothing: of their weights, and of weight times score. weighted: classes have weights, else each counts as 1.
struct SmoothingSums {
  f64 weights, scores;
  bool weighted;
};

// gradient = factor * probability - shift * weight of the class; of_target: gradient of the target, in the exact form
template <class A> struct RowGradient {
  f64 loss;
  A factor, shift, of_target;
};
template <class A>
__device__ __forceinline__ RowGradient<A> gradient_of_row(const CrossEntropyParams& p, const GradientOfMean& mean, const Label& label, i64 row,
                                                          const LogSum<A>& r, A target, const SmoothingSums& sums) {
  RowGradient<A> g{label.invalid ? Limits<f64>::nan() : 0.0, 0, 0, 0};
  g.factor = static_cast<A>(g.loss);
  if (label.target < 0) return g;
  const f64 lse = static_cast<f64>(r.top) + static_cast<f64>(r.log_sum), own_weight = label_weight(p.label, label, row);
  f64 entropy = own_weight * static_cast<f64>(r.loss), own = own_weight;
  f64 rest = 0;  // part of the factor that the target has too: its gradient is factor * (p - 1) + dloss * rest
  if (p.smoothing > 0) {
    const f64 of_class = p.smoothing_of_class, own_class = sums.weighted ? own_weight : 1.0;
    entropy = (1.0 - p.smoothing) * entropy + of_class * (sums.weights * lse - sums.scores);
    own = (1.0 - p.smoothing) * own + of_class * own_class;
    rest = of_class * (sums.weights - own_class) * mean.inverse;
    g.shift = static_cast<A>(mean.dloss * of_class * mean.inverse);
  }
  if (mean.inverse != 0) g.loss = entropy * mean.inverse;
  if (p.z_loss > 0) {
    g.loss += p.z_loss * lse * lse * mean.inverse_count;
    rest += 2.0 * p.z_loss * lse * mean.inverse_count;
  }
  g.factor = static_cast<A>(mean.dloss * (own * mean.inverse + rest));
  g.of_target = fused_multiply_add(g.factor, exact_expm1((target - r.top) - r.log_sum), rest == 0 ? A(0) : static_cast<A>(mean.dloss * rest));
  return g;
}

// Writes lse and loss of a row, unless losses are reduced, and counts an invalid label. One thread of a row calls it.
template <class T, class A>
__device__ __forceinline__ void finish_row(const CrossEntropyParams& p, const Label& label, i64 row, const LogSum<A>& r, f64 loss) {
  if (label.invalid && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
  if (p.lse) static_cast<Beside<T>*>(p.lse)[row] = static_cast<Beside<T>>(r.top + r.log_sum);
  if (!p.totals) static_cast<Beside<T>*>(p.loss)[row] = static_cast<Beside<T>>(loss);
}
// Writes a loss to be reduced, of a row or of rows that a block takes at a time. One thread calls it.
__device__ __forceinline__ void write_total(const CrossEntropyParams& p, i64 i, f64 loss) {
  p.totals[2 * i] = loss;
  p.totals[2 * i + 1] = 0;
}
// Writes the sum of the losses of the rows that a block takes at a time, the first of which is `first`. The whole block takes part. `scratch` has two numbers
// for each warp; the turns of the block use them alternately, since a warp may still read those of the last turn.
__device__ __forceinline__ void write_total_of_block(const CrossEntropyParams& p, const RowGroup& g, i64 first, bool valid, f64 loss, f64* scratch, int turn) {
  if (!p.totals) return;
  if (g.side_by_side > 1) loss = block_sum(valid && g.lane == 0 ? loss : 0.0, scratch + (turn & 1) * block_warps());
  if (thread_index() == 0) write_total(p, g.side_by_side > 1 ? first >> lowest_bit(static_cast<u32>(g.side_by_side)) : first, loss);
}

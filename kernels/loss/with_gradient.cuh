// What the programs of cross_entropy_with_gradient share: the loss of a row and the numbers that its gradient is made of.

#include "loss/labels.cuh"
#include "loss/rows.h"
#include "prelude/online.cuh"

// Numbers that all rows of a call share.
struct GradientOfMean {
  f64 dloss, inverse, inverse_count;

  __device__ __forceinline__ explicit GradientOfMean(const CrossEntropyParams& p)
      : dloss(read_scalar(p.dloss)), inverse(p.inverse ? *p.inverse : 1.0), inverse_count(p.inverse_count ? *p.inverse_count : 1.0) {}
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
  g.of_target = fused_multiply_add(g.factor, exact_expm1((target - r.top) - r.log_sum), static_cast<A>(mean.dloss * rest));
  return g;
}

// Writes lse and loss of a row, and counts an invalid label. One thread of a row calls it.
template <class T, class A>
__device__ __forceinline__ void finish_row(const CrossEntropyParams& p, const Label& label, i64 row, const LogSum<A>& r, f64 loss) {
  if (label.invalid && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
  if (p.lse) static_cast<Beside<T>*>(p.lse)[row] = static_cast<Beside<T>>(r.top + r.log_sum);
  if (p.totals) p.totals[2 * row] = loss, p.totals[2 * row + 1] = 0;
  else static_cast<Beside<T>*>(p.loss)[row] = static_cast<Beside<T>>(loss);
}

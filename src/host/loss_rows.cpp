// Losses of whole rows on the host: labels as probabilities, and the loss with its gradient in one call.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "host/exp.hpp"
#include "host/loss.hpp"
#include "host/parallel.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

adj_dtype accumulator(adj_dtype element) { return element == ADJ_F64 ? ADJ_F64 : ADJ_F32; }
double load(const adj_tensor& t, std::int64_t i, adj_dtype dtype) {
  double value = 0;
  with_float(dtype, [&](auto* type) { value = to_double(static_cast<decltype(type)>(t.data)[i]); });
  return value;
}
void store(const adj_tensor& t, std::int64_t i, double value, adj_dtype dtype) {
  with_float(dtype, [&](auto* type) { static_cast<decltype(type)>(t.data)[i] = from_double<std::remove_pointer_t<decltype(type)>>(value); });
}
bool is_mean(adj_reduction reduction) { return reduction == ADJ_REDUCTION_DEFAULT || reduction == ADJ_REDUCTION_MEAN; }

// Row of scores `x`, with its largest score `top` and log_sum, the logarithm of the sum of exp(x - top).
struct Row {
  std::span<const double> x;
  double top = -kInfinity, log_sum = 0;
  double lse() const { return top + log_sum; }
  double log_prob(std::int64_t c) const { return (x[static_cast<std::size_t>(c)] - top) - log_sum; }
};
// Reads the scores from element `first` on into x, which has one element for each class.
Row read_row(const adj_tensor& scores, std::int64_t first, adj_dtype dtype, std::span<double> x) {
  Row r{.x = x};
  bool unspeakable = false;
  for (std::size_t c = 0; c < x.size(); ++c) {
    x[c] = load(scores, first + static_cast<std::int64_t>(c), dtype);
    r.top = std::max(r.top, x[c]);
    unspeakable |= std::isnan(x[c]) || x[c] == kInfinity;
  }
  Sum sum;
  for (const double score : x) sum.add(r.top == -kInfinity ? 0 : std::exp(score - r.top));
  r.log_sum = unspeakable ? kNan : std::log(sum.value());
  return r;
}
// Minus the log-probability of a class. Precise relative to the loss even when the probability is close to 1.
double loss_of(const Row& r, std::int64_t target) {
  const auto own = static_cast<std::size_t>(target);
  if (r.x[own] != r.top || !std::isfinite(r.lse())) return -r.log_prob(target);  // a row of -infinity gives NaN
  Sum others;
  for (std::size_t c = 0; c < r.x.size(); ++c)
    if (c != own) others.add(std::exp(r.x[c] - r.top));
  return std::log1p(others.value());
}

enum class Verdict { counted, ignored, invalid };
struct Label {
  Verdict verdict;
  std::int64_t target;
};
template <class Descriptor>
Label label_of(const Descriptor& d, const adj_tensor& labels, std::int64_t i) {
  std::int64_t label = 0;
  with_index(d.label, [&](auto* type) { label = static_cast<decltype(type)>(labels.data)[i]; });
  if (d.has_ignore_index && label == d.ignore_index) return {Verdict::ignored, -1};
  if (label < 0 || label >= d.num_classes) return {Verdict::invalid, -1};
  return {Verdict::counted, label};
}
void report(const adj_tensor& error_flag, std::int64_t count) {
  if (error_flag.data) *static_cast<std::int64_t*>(error_flag.data) += count;
}

}  // namespace

void soft_label_cross_entropy_loss(const adj_soft_label_cross_entropy_loss_descriptor& d, const adj_soft_label_cross_entropy_loss_args& a, void*) {
  const adj_dtype output = d.output ? d.output : d.element;
  std::vector<double> x(static_cast<std::size_t>(d.rows ? d.num_classes : 0));  // no more than the scores have
  Sum total;
  for (std::int64_t r = 0; r < d.rows; ++r) {
    const Row row = read_row(a.scores, r * d.num_classes, d.element, x);
    Sum loss;
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const double label = load(a.labels, r * d.num_classes + c, d.element), log_prob = row.log_prob(c);
      if (label != 0) loss.add(-label * log_prob);
      if (a.log_prob.data) store(a.log_prob, r * d.num_classes + c, log_prob, d.element);
    }
    if (a.lse.data) store(a.lse, r, row.lse(), accumulator(d.element));
    if (d.reduction == ADJ_REDUCTION_NONE) store(a.loss, r, loss.value(), output);
    total.add(loss.value());
  }
  if (d.reduction == ADJ_REDUCTION_NONE) return;
  double value = total.value();
  if (is_mean(d.reduction)) value = d.rows ? value / static_cast<double>(d.rows) : d.nan_when_empty ? kNan : 0;
  store(a.loss, 0, value, output);
}

void soft_label_cross_entropy_loss_backward(const adj_soft_label_cross_entropy_loss_backward_descriptor& d,
                                            const adj_soft_label_cross_entropy_loss_backward_args& a, void*) {
  std::vector<double> labels(static_cast<std::size_t>(d.num_classes));
  for (std::int64_t r = 0; r < d.rows; ++r) {
    double scale = load(a.dloss, d.reduction == ADJ_REDUCTION_NONE ? r : 0, d.element);
    if (is_mean(d.reduction)) scale /= static_cast<double>(d.rows);
    const double lse = d.from_scores ? load(a.lse, r, accumulator(d.element)) : 0;
    Sum sum;
    for (std::int64_t c = 0; c < d.num_classes; ++c) sum.add(labels[static_cast<std::size_t>(c)] = load(a.labels, r * d.num_classes + c, d.element));
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const std::int64_t at = r * d.num_classes + c;
      const double log_p = load(d.from_scores ? a.scores : a.log_prob, at, d.element) - lse, label = labels[static_cast<std::size_t>(c)];
      // A label other than 0 decides the sign of the difference, which a larger exponential would change.
      const double probability = exp_beside(label == 0 ? scale : 0, log_p);
      store(a.dscores, at, scale * (probability * (d.exact ? sum.value() : 1) - label), d.element);
    }
  }
}

void cross_entropy_with_gradient(const adj_cross_entropy_with_gradient_descriptor& d, const adj_cross_entropy_with_gradient_args& a, void*) {
  const adj_dtype wide = accumulator(d.element);
  const std::int64_t padded = d.padded_classes ? d.padded_classes : d.num_classes;
  const double dloss = a.dloss.device ? load_scalar(a.dloss.device, a.dloss.dtype) : a.dloss.value;
  auto weight = [&](std::int64_t c) { return d.weight ? load(a.weight, c, d.weight) : 1.0; };
  double z = 1, count = 1;
  if (is_mean(d.reduction)) {
    Sum weights;
    count = 0;
    for (std::int64_t i = 0; i < d.samples; ++i)
      if (const Label label = label_of(d, a.labels, i); label.verdict == Verdict::counted) weights.add(weight(label.target)), ++count;
    z = weights.value();
  }
  const double smoothing = d.label_smoothing, of_class = smoothing / static_cast<double>(d.num_classes);
  // Quotient that is 0 when its divisor, a count or a sum of weights, is 0.
  auto over = [](double value, double by) { return by == 0 ? 0 : value / by; };
  // Writes the gradient of a sample, which may overwrite its scores, and returns its loss.
  const auto sample = [&](std::int64_t i, std::span<double> x) {
    const Label label = label_of(d, a.labels, i);
    const Row row = read_row(a.scores, i * padded, d.element, x);
    if (a.lse.data) store(a.lse, i, row.lse(), wide);
    double loss = 0, of_target = 0, factor = 0, own = 0, added = 0;  // added: by smoothing and z-loss, to the factor of a gradient of 1
    if (label.verdict == Verdict::invalid) {
      loss = factor = kNan;
    } else if (label.verdict == Verdict::counted) {
      of_target = loss_of(row, label.target);
      double entropy = (1 - smoothing) * weight(label.target) * of_target, weights = 0;
      if (smoothing > 0) {
        Sum sum;
        for (std::int64_t c = 0; c < d.num_classes; ++c) {
          sum.add(weight(c) * -row.log_prob(c));
          weights += weight(c);
        }
        entropy += of_class * sum.value();
      }
      const double lse = row.lse();
      loss = over(entropy, z) + (d.z_loss > 0 ? over(d.z_loss * lse * lse, count) : 0);
      own = dloss * over((1 - smoothing) * weight(label.target), z);
      added = over(of_class * weights, z) + (d.z_loss > 0 ? over(2 * d.z_loss * lse, count) : 0);
      factor = added == 0 ? own : own + dloss * added;
    }
    // A mean over nothing selects zeros, as an ignored label does. A weight of 0 selects nothing: 0 times NaN is NaN.
    const bool zero = label.verdict == Verdict::ignored || (label.verdict == Verdict::counted && z == 0 && !(d.z_loss > 0));
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      double gradient = 0;
      if (!zero) {
        const double shift = smoothing > 0 && label.verdict == Verdict::counted ? dloss * over(of_class * weight(c), z) : 0;
        const double rest = added == 0 ? 0 : factor - own - shift;
        gradient = c == label.target ? factor * std::expm1(-of_target) + rest : factor * exp_beside(factor, row.log_prob(c)) - shift;
      }
      store(a.dscores, i * padded + c, gradient, d.element);
    }
    for (std::int64_t c = d.num_classes; c < padded; ++c) store(a.dscores, i * padded + c, 0, d.element);
    if (d.reduction == ADJ_REDUCTION_NONE) store(a.loss, i, loss, wide);
    return loss;
  };
  // Threads compute a block of samples at a time; the sum runs over the samples in order.
  constexpr std::int64_t kMostSamples = 2048, kMostScores = 1 << 20;
  const std::int64_t samples_at_once = std::clamp<std::int64_t>(kMostScores / std::max<std::int64_t>(1, d.num_classes), 1, kMostSamples);
  const auto block = static_cast<std::size_t>(std::min(samples_at_once, d.samples)), classes = static_cast<std::size_t>(d.num_classes);
  std::vector<double> x(block * classes), losses(block);
  Sum total;
  std::int64_t invalid = 0;
  for (std::int64_t begin = 0; begin < d.samples; begin += samples_at_once) {
    const std::int64_t some = std::min(samples_at_once, d.samples - begin);
    parallel_for(some, 2 * static_cast<double>(d.num_classes) * kExpNanoseconds, [&](std::int64_t from, std::int64_t to) {
      for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i)
        losses[i] = sample(begin + static_cast<std::int64_t>(i), {x.data() + i * classes, classes});
    });
    for (std::int64_t i = 0; i < some; ++i) {
      invalid += label_of(d, a.labels, begin + i).verdict == Verdict::invalid;
      total.add(losses[static_cast<std::size_t>(i)]);
    }
  }
  report(a.error_flag, invalid);
  if (d.reduction != ADJ_REDUCTION_NONE) store(a.loss, 0, total.value(), wide);
}

void log_prob_entropy(const adj_log_prob_entropy_descriptor& d, const adj_log_prob_entropy_args& a, void*) {
  const adj_dtype wide = accumulator(d.element);
  std::vector<double> x(static_cast<std::size_t>(d.num_classes));
  std::int64_t invalid = 0;
  for (std::int64_t i = 0; i < d.samples; ++i) {
    const Label label = label_of(d, a.labels, i);
    const Row row = read_row(a.scores, i * d.num_classes, d.element, x);
    double log_prob = 0, entropy = 0;
    if (label.verdict == Verdict::invalid) ++invalid, log_prob = kNan;
    if (label.verdict == Verdict::counted) log_prob = -loss_of(row, label.target);
    if (label.verdict != Verdict::ignored) {
      Sum sum;
      for (std::int64_t c = 0; c < d.num_classes; ++c)
        if (const double p = std::exp(row.log_prob(c)); p != 0) sum.add(-p * row.log_prob(c));
      entropy = d.num_classes ? sum.value() : kNan;
    }
    store(a.log_prob, i, log_prob, wide);
    if (a.entropy.data) store(a.entropy, i, entropy, wide);
    if (a.lse.data) store(a.lse, i, row.lse(), wide);
  }
  report(a.error_flag, invalid);
}

void log_prob_entropy_backward(const adj_log_prob_entropy_backward_descriptor& d, const adj_log_prob_entropy_backward_args& a, void*) {
  const adj_dtype wide = accumulator(d.element);
  std::int64_t invalid = 0;
  for (std::int64_t i = 0; i < d.samples; ++i) {
    const Label label = label_of(d, a.labels, i);
    invalid += label.verdict == Verdict::invalid;
    const double lse = load(a.lse, i, wide), dlog_prob = label.verdict == Verdict::invalid ? kNan : load(a.dlog_prob, i, wide);
    const double dentropy = d.with_entropy ? load(a.dentropy, i, wide) : 0, entropy = d.with_entropy ? load(a.entropy, i, wide) : 0;
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const std::int64_t at = i * d.num_classes + c;
      const double log_p = load(a.scores, at, d.element) - lse, p = exp_beside(std::isfinite(dlog_prob) ? dentropy : dlog_prob, log_p);
      double gradient = -dlog_prob * (c == label.target ? std::expm1(log_p) : p);
      if (p != 0) gradient -= dentropy * p * (log_p + entropy);
      store(a.dscores, at, label.verdict == Verdict::ignored ? 0 : gradient, d.element);
    }
  }
  report(a.error_flag, invalid);
}

}  // namespace adj::host

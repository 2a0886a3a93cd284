#include "host/loss.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/dtype.hpp"
#include "host/exp.hpp"
#include "host/parallel.hpp"

namespace adj::host {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

enum class Verdict { counted, ignored, invalid };

struct Sample {
  Verdict verdict;
  std::int64_t target;
  double weight;  // 0 unless counted
};

// Reads labels and their class weights.
template <class Descriptor, class Args>
class Samples {
 public:
  Samples(const Descriptor& d, const Args& a) : d_(d), a_(a) {}
  std::int64_t count() const { return d_.batch * d_.inner; }
  Sample operator[](std::int64_t i) const {
    std::int64_t label = 0;
    with_index(d_.label, [&](auto* type) { label = static_cast<decltype(type)>(a_.labels.data)[i]; });
    if (d_.has_ignore_index && label == d_.ignore_index) return {Verdict::ignored, -1, 0};
    if (label < 0 || label >= d_.num_classes) return {Verdict::invalid, -1, 0};
    double weight = 1;
    if (d_.weight) with_float(d_.weight, [&](auto* type) { weight = to_double(static_cast<decltype(type)>(a_.weight.data)[label]); });
    if constexpr (requires { d_.sample_weight; })
      if (d_.sample_weight) with_float(d_.sample_weight, [&](auto* type) { weight *= to_double(static_cast<decltype(type)>(a_.sample_weight.data)[i]); });
    return {Verdict::counted, label, weight};
  }
  // Index of class 0 of sample i; classes are d.inner apart.
  std::int64_t first(std::int64_t i) const { return i / d_.inner * padded() * d_.inner + i % d_.inner; }
  std::int64_t padded() const { return d_.padded_classes ? d_.padded_classes : d_.num_classes; }

 private:
  const Descriptor& d_;
  const Args& a_;
};

template <class T>
double load(const adj_tensor& t, std::int64_t i) {
  return to_double(static_cast<const T*>(t.data)[i]);
}
template <class T>
void store(const adj_tensor& t, std::int64_t i, double value) {
  static_cast<T*>(t.data)[i] = from_double<T>(value);
}
void store(const adj_tensor& t, std::int64_t i, double value, adj_dtype dtype) {
  with_float(dtype, [&](auto* type) { store<std::remove_pointer_t<decltype(type)>>(t, i, value); });
}

void report(const adj_tensor& error_flag, std::int64_t count) {
  if (error_flag.data) *static_cast<std::int64_t*>(error_flag.data) += count;
}

adj_dtype lse_type(adj_dtype element) { return element == ADJ_F64 ? ADJ_F64 : ADJ_F32; }

}  // namespace

void softmax_cross_entropy_loss(const adj_softmax_cross_entropy_loss_descriptor& d, const adj_softmax_cross_entropy_loss_args& a, void*) {
  const adj_dtype output = d.output ? d.output : d.element;
  const Samples samples(d, a);
  double total = 0, normalizer = 0;
  std::int64_t invalid = 0;
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto loss_of = [&](std::int64_t i, const Sample& sample) {
      const std::int64_t first = samples.first(i);
      auto score = [&](std::int64_t c) { return load<T>(a.scores, first + c * d.inner); };

      double top = -kInfinity;
      bool has_nan = false;
      for (std::int64_t c = 0; c < d.num_classes; ++c) {
        top = std::max(top, score(c));
        has_nan |= std::isnan(score(c));
      }
      // Summed without the target: a loss close to 0 would be lost in the rounding of 1 + sum.
      double others = 0;
      for (std::int64_t c = 0; c < d.num_classes; ++c)
        if (c != sample.target && top != -kInfinity) others += std::exp(score(c) - top);
      const double x = sample.target >= 0 ? score(sample.target) : 0;
      const double of_target = sample.target >= 0 && top != -kInfinity ? std::exp(x - top) : 0;
      double log_sum = sample.target >= 0 && x == top ? std::log1p(others) : std::log(others + of_target);
      double of_sample = log_sum + (top - x);
      // inf - inf is undefined: a sample with an infinite top has no loss.
      if (has_nan || top == kInfinity) log_sum = kNan;
      if (!std::isfinite(top + log_sum)) of_sample = kNan;

      if (a.lse.data) store(a.lse, i, top + log_sum, lse_type(d.element));
      double loss = 0;
      if (sample.verdict == Verdict::counted) loss = of_sample * sample.weight;
      else if (sample.verdict == Verdict::invalid) loss = kNan;
      if (d.reduction == ADJ_REDUCTION_NONE) store(a.loss, i, loss, output);
      if (a.log_prob.data)
        for (std::int64_t c = 0; c < d.num_classes; ++c)
          store(a.log_prob, first + c * d.inner, c == sample.target ? -of_sample : (score(c) - top) - log_sum, output);
      return loss;
    };
    // Threads compute the losses of a block of samples; the sums run over the samples in order.
    constexpr std::int64_t kBlock = 2048;
    std::array<double, kBlock> losses;
    for (std::int64_t begin = 0; begin < samples.count(); begin += kBlock) {
      const std::int64_t count = std::min(kBlock, samples.count() - begin);
      parallel_for(count, static_cast<double>(d.num_classes) * kExpNanoseconds, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) losses[static_cast<std::size_t>(i)] = loss_of(begin + i, samples[begin + i]);
      });
      for (std::int64_t i = 0; i < count; ++i) {
        const Sample sample = samples[begin + i];
        normalizer += sample.weight;
        invalid += sample.verdict == Verdict::invalid;
        total += losses[static_cast<std::size_t>(i)];
      }
    }
  });
  report(a.error_flag, invalid);
  if (d.reduction == ADJ_REDUCTION_NONE) return;
  if (d.reduction != ADJ_REDUCTION_SUM) {
    if (invalid) total = kNan;
    else if (normalizer == 0) total = d.nan_when_empty ? kNan : 0;
    else total /= normalizer;
  }
  store(a.loss, 0, total, output);
}

void softmax_cross_entropy_loss_backward(const adj_softmax_cross_entropy_loss_backward_descriptor& d, const adj_softmax_cross_entropy_loss_backward_args& a,
                                         void*) {
  const adj_dtype output = d.output ? d.output : d.element;
  const Samples samples(d, a);
  const bool mean = d.reduction != ADJ_REDUCTION_NONE && d.reduction != ADJ_REDUCTION_SUM;
  double normalizer = 1;
  if (mean) {
    normalizer = 0;
    for (std::int64_t i = 0; i < samples.count(); ++i) normalizer += samples[i].weight;
  }
  std::atomic<std::int64_t> invalid = 0;
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    with_float(output, [&](auto* out) {
      using O = std::remove_pointer_t<decltype(out)>;
      const auto gradient_of = [&](std::int64_t i) {
        const Sample sample = samples[i];
        if (sample.verdict == Verdict::invalid) ++invalid;
        const bool zero = sample.verdict == Verdict::ignored || (sample.verdict == Verdict::counted && normalizer == 0);
        const double scale = zero ? 0 : load<T>(a.dloss, d.reduction == ADJ_REDUCTION_NONE ? i : 0) * sample.weight / normalizer;
        double lse = 0;
        if (d.from_scores) with_float(lse_type(d.element), [&](auto* type) { lse = load<std::remove_pointer_t<decltype(type)>>(a.lse, i); });
        for (std::int64_t c = 0; c < d.num_classes; ++c) {
          const std::int64_t at = samples.first(i) + c * d.inner;
          double gradient = 0;
          if (sample.verdict == Verdict::invalid) {
            gradient = kNan;
          } else if (!zero) {
            const double log_probability = d.from_scores ? load<T>(a.scores, at) - lse : load<T>(a.log_prob, at);
            gradient = c == sample.target ? scale * std::expm1(log_probability) : scale * exp_beside(scale, log_probability);
          }
          if (a.bias.data) gradient += load<O>(a.bias, at);
          store<O>(a.dscores, at, gradient);
        }
        for (std::int64_t c = d.num_classes; c < samples.padded(); ++c) store<O>(a.dscores, samples.first(i) + c, 0);
      };
      parallel_for(samples.count(), static_cast<double>(d.num_classes) * kExpNanoseconds, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) gradient_of(i);
      });
    });
  });
  report(a.error_flag, invalid);
}

}  // namespace adj::host

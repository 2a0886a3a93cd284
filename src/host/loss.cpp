#include "host/loss.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>

#include "base/dtype.hpp"
#include "host/blocks.hpp"
#include "host/exp.hpp"
#include "host/functions.hpp"
#include "host/parallel.hpp"
#include "host/wide.hpp"

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
  // Calls each(first, count) for blocks of the classes of sample i, whose elements of `data` x then has.
  template <class Each>
  void for_classes(std::int64_t i, const void* data, adj_dtype dtype, Block& x, const Each& each) const {
    for (std::int64_t c = 0; c < d_.num_classes; c += kBlock) {
      const std::int64_t count = std::min(kBlock, d_.num_classes - c);
      read(x.data(), data, dtype, first(i) + c * d_.inner, count, d_.inner);
      each(c, count);
    }
  }
  std::int64_t padded() const { return d_.padded_classes ? d_.padded_classes : d_.num_classes; }

 private:
  const Descriptor& d_;
  const Args& a_;
};

double load(const adj_tensor& t, std::int64_t i, adj_dtype dtype) { return load_scalar(static_cast<const char*>(t.data) + i * size_of(dtype), dtype); }
void store(const adj_tensor& t, std::int64_t i, double value, adj_dtype dtype) { write(&value, t.data, dtype, i, 1); }
// Replaces numbers by their exponentials, for results of the type.
void exponentials(Block& x, std::int64_t count, adj_dtype dtype) {
  const std::span<double> numbers(x.data(), static_cast<std::size_t>(count));
  if (dtype != ADJ_F64) return exp_all(numbers);
  for (double& v : numbers) v = std::exp(v);
}

// The largest of some numbers that is not a NaN.
struct Top {
  double value;
  bool has_nan;
};
Top top_of(const double* x, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  double tops[kLanes];
  std::uint64_t nans[kLanes] = {};
  std::fill_n(tops, kLanes, -kInfinity);
  in_wide_registers([=, &tops, &nans]() ADJ_IN_PLACE {
    const auto take = [&](std::int64_t lane, double v) ADJ_IN_PLACE {
      tops[lane] = tops[lane] < v ? v : tops[lane];
      nans[lane] |= v == v ? 0u : 1u;
    };
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) take(lane, x[i + lane]);
    for (; i < count; ++i) take(0, x[i]);
  });
  return {*std::max_element(tops, tops + kLanes), std::any_of(nans, nans + kLanes, [](std::uint64_t n) { return n != 0; })};
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
  const auto loss_of = [&](std::int64_t i, const Sample& sample) {
    Block x;
    const auto for_classes = [&](const auto& each) { samples.for_classes(i, a.scores.data, d.element, x, each); };
    double top = -kInfinity;
    bool has_nan = false;
    for_classes([&](std::int64_t, std::int64_t count) {
      const Top found = top_of(x.data(), count);
      top = std::max(top, found.value);
      has_nan |= found.has_nan;
    });
    // Summed without the target: a loss close to 0 would be lost in the rounding of 1 + sum.
    double others = 0;
    if (top != -kInfinity)
      for_classes([&](std::int64_t first, std::int64_t count) {
        for (std::int64_t j = 0; j < count; ++j) x[static_cast<std::size_t>(j)] -= top;
        exponentials(x, count, d.element);
        if (const std::int64_t j = sample.target - first; j >= 0 && j < count) x[static_cast<std::size_t>(j)] = 0;
        for (std::int64_t j = 0; j < count; ++j) others += x[static_cast<std::size_t>(j)];
      });
    const double score = sample.target >= 0 ? load(a.scores, samples.first(i) + sample.target * d.inner, d.element) : 0;
    const double of_target = sample.target >= 0 && top != -kInfinity ? std::exp(score - top) : 0;
    double log_sum = sample.target >= 0 && score == top ? std::log1p(others) : std::log(others + of_target);
    double of_sample = log_sum + (top - score);
    // inf - inf is undefined: a sample with an infinite top has no loss.
    if (has_nan || top == kInfinity) log_sum = kNan;
    if (!std::isfinite(top + log_sum)) of_sample = kNan;

    if (a.lse.data) store(a.lse, i, top + log_sum, lse_type(d.element));
    double loss = 0;
    if (sample.verdict == Verdict::counted) loss = of_sample * sample.weight;
    else if (sample.verdict == Verdict::invalid) loss = kNan;
    if (d.reduction == ADJ_REDUCTION_NONE) store(a.loss, i, loss, output);
    if (a.log_prob.data)
      for_classes([&](std::int64_t first, std::int64_t count) {
        for (std::int64_t j = 0; j < count; ++j) x[static_cast<std::size_t>(j)] = (x[static_cast<std::size_t>(j)] - top) - log_sum;
        if (const std::int64_t j = sample.target - first; j >= 0 && j < count) x[static_cast<std::size_t>(j)] = -of_sample;
        write(x.data(), a.log_prob.data, output, samples.first(i) + first * d.inner, count, d.inner);
      });
    return loss;
  };
  // Threads compute the losses of a block of samples; the sums run over the samples in order.
  constexpr std::int64_t kSamples = 2048;
  std::array<double, kSamples> losses;
  for (std::int64_t begin = 0; begin < samples.count(); begin += kSamples) {
    const std::int64_t count = std::min(kSamples, samples.count() - begin);
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
  const auto gradient_of = [&](std::int64_t i) {
    const Sample sample = samples[i];
    if (sample.verdict == Verdict::invalid) ++invalid;
    const bool zero = sample.verdict == Verdict::ignored || (sample.verdict == Verdict::counted && normalizer == 0);
    const double scale = zero ? 0 : load(a.dloss, d.reduction == ADJ_REDUCTION_NONE ? i : 0, d.element) * sample.weight / normalizer;
    const double lse = d.from_scores ? load(a.lse, i, lse_type(d.element)) : 0;
    Block x, bias;
    samples.for_classes(i, d.from_scores ? a.scores.data : a.log_prob.data, d.element, x, [&](std::int64_t first, std::int64_t count) {
      const auto size = static_cast<std::size_t>(count);
      const std::int64_t at = samples.first(i) + first * d.inner;
      if (sample.verdict == Verdict::invalid || zero) {
        std::fill_n(x.begin(), size, zero ? 0 : kNan);
      } else {
        if (d.from_scores)
          for (std::size_t j = 0; j < size; ++j) x[j] -= lse;
        const std::int64_t target = sample.target - first;
        const bool here = target >= 0 && target < count;
        const double of_target = here ? scale * std::expm1(x[static_cast<std::size_t>(target)]) : 0;
        if (std::isfinite(scale)) {
          exponentials(x, count, d.element);
          for (std::size_t j = 0; j < size; ++j) x[j] *= scale;
        } else {
          for (std::size_t j = 0; j < size; ++j) x[j] = scale * exp_beside(scale, x[j]);
        }
        if (here) x[static_cast<std::size_t>(target)] = of_target;
      }
      if (a.bias.data) {
        read(bias.data(), a.bias.data, output, at, count, d.inner);
        for (std::size_t j = 0; j < size; ++j) x[j] += bias[j];
      }
      write(x.data(), a.dscores.data, output, at, count, d.inner);
    });
    for (std::int64_t c = d.num_classes; c < samples.padded(); ++c) store(a.dscores, samples.first(i) + c, 0, output);
  };
  parallel_for(samples.count(), static_cast<double>(d.num_classes) * kExpNanoseconds, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) gradient_of(i);
  });
  report(a.error_flag, invalid);
}

}  // namespace adj::host

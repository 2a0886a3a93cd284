// Cases of the losses of a linear layer, and what their errors are measured against.
#include <cmath>
#include <limits>

#include <adjoint/ops/loss.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

struct Setting {
  std::int64_t samples = 0, hidden = 0, classes = 0, chunk = 0, padding = 0;
  adj_reduction reduction = ADJ_REDUCTION_DEFAULT;
  adj_dtype weight{}, gradient{};
  bool bias = false, with_gradient = true, accumulate = false, ignore = false, all_ignored = false, invalid = false, entropy = true, on_device = false;
  double smoothing = 0, z_loss = 0, temperature = 1, softcap = 0;
  std::string text() const {
    std::string t = fmt::format("{}x{}x{}", samples, hidden, classes);
    if (chunk) t += fmt::format(" in {}", chunk);
    if (padding) t += fmt::format(" + {}", padding);
    if (reduction) t += fmt::format(" reduction {}", static_cast<int>(reduction));
    if (weight) t += fmt::format(" weight {}", adj::dtype_name(weight));
    if (gradient) t += fmt::format(" gradient {}", adj::dtype_name(gradient));
    if (bias) t += ", bias";
    if (!with_gradient) t += ", without gradient";
    if (accumulate) t += ", accumulate";
    if (ignore) t += ", some ignored";
    if (all_ignored) t += ", all ignored";
    if (invalid) t += ", labels outside";
    if (!entropy) t += ", no entropy";
    if (on_device) t += ", dloss on the device";
    if (smoothing > 0) t += fmt::format(", smoothing {}", smoothing);
    if (z_loss > 0) t += fmt::format(", z-loss {}", z_loss);
    if (temperature != 1) t += fmt::format(", temperature {}", temperature);
    if (softcap > 0) t += fmt::format(", softcap {}", softcap);
    return t;
  }
};

using Magnitude = std::vector<double>;

// The terms of all results of a problem, as the header has them.
template <class Descriptor>
class Terms {
 public:
  static constexpr bool log_prob = requires(Descriptor d) { requires !requires { d.reduction; }; };

  explicit Terms(const Problem& problem)
      : problem_(problem),
        d_(*reinterpret_cast<const Descriptor*>(problem.descriptor())),
        x_(numbers_of(problem.tensor("input"))),
        w_(numbers_of(problem.tensor("linear_weight"))) {
    n_ = d_.samples, h_ = d_.hidden, c_ = d_.num_classes;
    const auto rows = static_cast<std::size_t>(n_);
    loss.resize(rows), lse.resize(rows), of_label.resize(rows), entropy.resize(rows);
    g.resize(static_cast<std::size_t>(n_ * c_));
    double z_sum = 1, count = 1;
    if constexpr (!log_prob)
      if (d_.reduction != ADJ_REDUCTION_NONE && d_.reduction != ADJ_REDUCTION_SUM) {
        z_sum = count = 0;
        for (std::int64_t i = 0; i < n_; ++i)
          if (counts(i)) z_sum += weight(label(i)), count += 1;
      }
    for (std::int64_t i = 0; i < n_; ++i) row(i, z_sum != 0 ? 1 / z_sum : 0, count != 0 ? 1 / count : 0);
  }

  std::vector<Magnitude> of(const std::string& output) const {
    if (output == "lse") return {lse};
    if (output == "log_prob") return {of_label};
    if (output == "entropy") return {entropy};
    if (output == "loss") {
      if constexpr (!log_prob)
        if (d_.reduction == ADJ_REDUCTION_NONE) return {loss};
      double sum = 0;
      for (double v : loss) sum += v;
      return {{sum}};
    }
    if (output != "dinput" && output != "dlinear_weight" && output != "dbias") return {{0}};  // the count of errors, or a scalar on the device
    const Data& held = problem_.tensor(output.c_str());
    Magnitude m(static_cast<std::size_t>(held.numel()));
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t c = 0; c < c_; ++c) {
        const double own = g[static_cast<std::size_t>(i * c_ + c)];
        if (output == "dbias") m[static_cast<std::size_t>(c)] += own;
        else
          for (std::int64_t h = 0; h < h_; ++h) {
            if (output == "dinput") m[static_cast<std::size_t>(i * h_ + h)] += own * std::fabs(w(c, h)) / d_.temperature;
            else m[static_cast<std::size_t>(c * h_ + h)] += own * std::fabs(x(i, h)) / d_.temperature;
          }
      }
    if constexpr (requires { d_.write_mode; })
      if (output != "dinput" && d_.write_mode == ADJ_WRITE_ACCUMULATE)
        for (std::int64_t k = 0; k < held.numel(); ++k) m[static_cast<std::size_t>(k)] += std::fabs(held.get(k));
    return {m};
  }

 private:
  static Magnitude numbers_of(const Data& data) {
    Magnitude numbers;
    for (std::int64_t i = 0; i < data.numel(); ++i) numbers.push_back(data.get(i));
    return numbers;
  }
  double x(std::int64_t i, std::int64_t h) const { return x_[static_cast<std::size_t>(i * h_ + h)]; }
  double w(std::int64_t c, std::int64_t h) const { return w_[static_cast<std::size_t>(c * h_ + h)]; }
  std::int64_t label(std::int64_t i) const { return static_cast<std::int64_t>(problem_.tensor("labels").get(i)); }
  bool counts(std::int64_t i) const { return label(i) >= 0 && label(i) < c_ && !(d_.has_ignore_index && label(i) == d_.ignore_index); }
  double weight(std::int64_t c) const {
    if constexpr (!log_prob)
      if (d_.weight) return problem_.tensor("weight").get(c);
    return 1;
  }

  void row(std::int64_t i, double inverse, double inverse_count) {
    const auto classes = static_cast<std::size_t>(c_);
    std::vector<double> z(classes), t(classes), p(classes);
    double top = -std::numeric_limits<double>::infinity(), sum = 0, q = 0, squares = 0, s = 0;
    for (std::int64_t c = 0; c < c_; ++c) {
      double& score = z[static_cast<std::size_t>(c)];
      double& own = t[static_cast<std::size_t>(c)];
      for (std::int64_t h = 0; h < h_; ++h) {
        score += x(i, h) * w(c, h) / d_.temperature;
        own += std::fabs(x(i, h) * w(c, h)) / d_.temperature;
      }
      if constexpr (!log_prob) {
        if (d_.has_bias) score += problem_.tensor("bias").get(c), own += std::fabs(problem_.tensor("bias").get(c));
        if (d_.softcap > 0) score = d_.softcap * std::tanh(score / d_.softcap);
      }
      own += std::fabs(score);
      top = std::max(top, score);
    }
    for (double v : z) sum += std::exp(v - top);
    for (std::size_t c = 0; c < classes; ++c) {
      p[c] = std::exp(z[c] - top) / sum;
      q += p[c] * (1 + std::fabs(z[c] - top));
      squares += p[c] * std::pow(1 + std::fabs(z[c] - top), 2);
      s += p[c] * t[c];
    }
    const double log_sum = std::fabs(std::log(sum));
    s += log_sum + q;
    const auto at = static_cast<std::size_t>(i);
    const double m = std::fabs(top);
    lse[at] = m + s + squares;
    const bool counted = counts(i);
    const auto l = static_cast<std::size_t>(counted ? label(i) : 0);
    of_label[at] = t[l] + squares + s;
    entropy[at] = squares * (1 + s);
    auto gradient = [&](std::size_t c) -> double& { return g[at * classes + c]; };
    if constexpr (log_prob) {
      if constexpr (requires { d_.with_entropy; }) {
        const double dlp = std::fabs(problem_.tensor("dlog_prob").get(i)), dh = d_.with_entropy ? std::fabs(problem_.tensor("dentropy").get(i)) : 0;
        const double h = d_.with_entropy ? std::fabs(problem_.tensor("entropy").get(i)) : 0, own_lse = std::fabs(problem_.tensor("lse").get(i));
        for (std::size_t c = 0; c < classes; ++c) {
          const double y = 1 + t[c] + own_lse;
          gradient(c) = std::exp(z[c] - problem_.tensor("lse").get(i)) * y * (dlp + dh * (1 + y + h)) + (counted && c == l ? dlp : 0);
        }
      }
    } else if (counted) {
      const double own = (1 - d_.label_smoothing) * weight(label(i)) * inverse, k = d_.z_loss * inverse_count;
      auto v = [&](std::size_t c) { return d_.label_smoothing / static_cast<double>(c_) * weight(static_cast<std::int64_t>(c)) * inverse; };
      double f = own + 2 * k * (m + s), smoothed = 0;
      for (std::size_t c = 0; c < classes; ++c) f += v(c), smoothed += d_.label_smoothing > 0 ? v(c) * (t[c] + s) : 0;
      loss[at] = own * (t[l] + s) + smoothed + k * (m + s) * (m + s);
      double dloss = 1;
      if constexpr (requires(adj_linear_cross_entropy_args a) { d_.with_gradient; }) {
        const auto& scalar = problem_.contents()[problem_.argument("dloss")];
        dloss = std::fabs(scalar.data.empty() ? scalar.scalar.value : scalar.data[0].get(0));
      } else {
        dloss = std::fabs(problem_.tensor("dloss").get(d_.reduction == ADJ_REDUCTION_NONE ? i : 0));
      }
      for (std::size_t c = 0; c < classes; ++c) gradient(c) = dloss * (c == l ? f * (2 + t[l] + s) + v(c) : f * p[c] * (2 + t[c] + s) + v(c));
    }
    if (d_.element == ADJ_F16)
      for (std::size_t c = 0; c < classes; ++c)
        if (gradient(c) != 0) gradient(c) = std::max(gradient(c), 0x1p-14);
  }

  const Problem& problem_;
  const Descriptor& d_;
  Magnitude x_, w_;
  std::int64_t n_, h_, c_;
  Magnitude loss, lse, of_label, entropy, g;
};
template <class Descriptor>
std::vector<Magnitude> magnitudes(const Problem& problem, const std::string& output) {
  return Terms<Descriptor>(problem).of(output);
}

template <class Descriptor>
Case make(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  d.samples = s.samples;
  d.hidden = s.hidden;
  d.num_classes = s.classes;
  d.chunk_rows = s.chunk;
  d.has_ignore_index = s.ignore || s.all_ignored;
  d.ignore_index = d.has_ignore_index ? -100 : 0;
  d.temperature = s.temperature;
  d.element = signature[0];
  d.label = signature[1];
  const bool writes = [&] {
    if constexpr (requires { d.with_gradient; }) return d.with_gradient = s.with_gradient;
    else return true;
  }();
  if constexpr (requires { d.reduction; }) {
    d.padded_classes = s.padding ? s.classes + s.padding : 0;
    d.reduction = s.reduction;
    d.has_bias = s.bias;
    d.label_smoothing = s.smoothing;
    d.z_loss = s.z_loss;
    d.softcap = s.softcap;
    d.weight = s.weight;
  }
  if constexpr (requires { d.gradient; })
    if (writes) {
      d.gradient = s.gradient;
      d.write_mode = s.accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_DEFAULT;
    }
  if constexpr (requires { d.with_entropy; }) d.with_entropy = s.entropy;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("input"), rng);
  fill_normal(problem->tensor("linear_weight"), rng, 0.5);
  Data& labels = problem->tensor("labels");
  fill_integers(labels, rng, 0, s.classes - 1);
  for (std::int64_t i = 0; i < s.samples; ++i) {
    if (s.all_ignored || (s.ignore && i % 3 == 1)) labels.set(i, -100);
    if (s.invalid && i % 4 == 2) labels.set(i, static_cast<double>(s.classes));
  }
  if constexpr (requires { d.reduction; }) {
    if (s.bias) fill_normal(problem->tensor("bias"), rng);
    if (s.weight) fill_uniform(problem->tensor("weight"), rng, 0.25, 2);
  }
  if constexpr (requires { d.gradient; })
    if (writes && s.accumulate) {
      fill_normal(problem->tensor("dlinear_weight"), rng);
      if constexpr (requires { d.reduction; })
        if (s.bias) fill_normal(problem->tensor("dbias"), rng);
    }
  if constexpr (requires { d.with_gradient; }) {
    if (s.on_device) problem->device_scalar("dloss", 3, ADJ_F32);
    else problem->scalar("dloss", 3);
  } else if constexpr (requires { d.reduction; }) {
    fill_normal(problem->tensor("dloss"), rng);
  } else if constexpr (requires { d.with_entropy; }) {
    fill_normal(problem->tensor("dlog_prob"), rng);
    if (s.entropy) fill_normal(problem->tensor("dentropy"), rng);
    // What the forward operator saves.
    for (std::int64_t i = 0; i < s.samples; ++i) {
      std::vector<double> z(static_cast<std::size_t>(s.classes));
      double top = -std::numeric_limits<double>::infinity(), sum = 0, entropy = 0;
      for (std::int64_t c = 0; c < s.classes; ++c) {
        for (std::int64_t h = 0; h < s.hidden; ++h)
          z[static_cast<std::size_t>(c)] +=
              problem->tensor("input").get(i * s.hidden + h) * problem->tensor("linear_weight").get(c * s.hidden + h) / s.temperature;
        top = std::max(top, z[static_cast<std::size_t>(c)]);
      }
      for (double v : z) sum += std::exp(v - top);
      const double lse = top + std::log(sum);
      for (double v : z) entropy += std::exp(v - lse) * (lse - v);
      problem->tensor("lse").set(i, lse);
      if (s.entropy) problem->tensor("entropy").set(i, entropy);
    }
  }
  return {s.text(), std::move(problem), magnitudes<Descriptor>};
}

template <class Descriptor>
std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  constexpr bool log_prob = Terms<Descriptor>::log_prob;
  std::vector<Setting> settings{
      {.samples = 0, .hidden = 4, .classes = 8},
      {.samples = 1, .hidden = 1, .classes = 1},
      {.samples = 9, .hidden = 16, .classes = 24},
      {.samples = 9, .hidden = 8, .classes = 16, .chunk = 1, .ignore = true},
      {.samples = 10, .hidden = 24, .classes = 33, .chunk = 4, .gradient = ADJ_F32, .accumulate = true, .ignore = true, .temperature = 0.5},
      {.samples = 8, .hidden = 5, .classes = 11, .chunk = 3, .accumulate = true, .entropy = false},
      {.samples = 7, .hidden = 16, .classes = 16, .all_ignored = true},
      {.samples = 9, .hidden = 16, .classes = 24, .chunk = 5, .ignore = true, .invalid = true},
  };
  if constexpr (!log_prob) {
    settings.push_back({.samples = 0, .hidden = 4, .classes = 8, .reduction = ADJ_REDUCTION_SUM, .bias = true});
    settings.push_back(
        {.samples = 9, .hidden = 16, .classes = 24, .chunk = 8, .reduction = ADJ_REDUCTION_NONE, .bias = true, .smoothing = 0.1, .z_loss = 1e-2});
    settings.push_back({.samples = 9, .hidden = 16, .classes = 24, .reduction = ADJ_REDUCTION_SUM, .weight = ADJ_F32, .on_device = true, .z_loss = 1e-2});
    settings.push_back({.samples = 9, .hidden = 16, .classes = 24, .weight = ADJ_BF16, .ignore = true, .invalid = true, .smoothing = 0.25});
    settings.push_back({.samples = 9, .hidden = 16, .classes = 21, .chunk = 4, .padding = 3, .gradient = ADJ_F32, .bias = true, .ignore = true, .softcap = 4});
    settings.push_back({.samples = 6, .hidden = 8, .classes = 13, .padding = 3, .bias = true, .accumulate = true, .on_device = true, .softcap = 6});
    settings.push_back({.samples = 9, .hidden = 16, .classes = 24, .reduction = ADJ_REDUCTION_NONE, .with_gradient = false, .ignore = true, .temperature = 2});
  }
  if (level == Level::full) {
    settings.push_back({.samples = 300, .hidden = 64, .classes = 1000, .chunk = 128, .ignore = true});
    settings.push_back({.samples = 130, .hidden = 32, .classes = 5003, .gradient = ADJ_F32});
    if constexpr (!log_prob)
      settings.push_back(
          {.samples = 260, .hidden = 48, .classes = 1001, .chunk = 100, .padding = 23, .bias = true, .smoothing = 0.1, .z_loss = 1e-3, .softcap = 15});
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(make<Descriptor>(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> linear_cross_entropy_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_linear_cross_entropy_descriptor>(signature, level, seed);
}
std::vector<Case> linear_cross_entropy_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_linear_cross_entropy_backward_descriptor>(signature, level, seed);
}
std::vector<Case> linear_log_prob_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_linear_log_prob_descriptor>(signature, level, seed);
}
std::vector<Case> linear_log_prob_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_linear_log_prob_backward_descriptor>(signature, level, seed);
}

}  // namespace harness

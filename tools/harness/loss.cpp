// Cases of softmax_cross_entropy_loss and its gradient, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/loss.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = 1e-30;  // least value with which an exponential counts among the terms (include/adjoint/ops/loss.h)

// Settings of a case besides its shape.
struct Setting {
  std::string text;
  std::int64_t n = 0, c = 0, inner = 1, padded = 0;
  adj_reduction reduction = ADJ_REDUCTION_DEFAULT;
  adj_dtype weight = ADJ_DTYPE_NONE, sample_weight = ADJ_DTYPE_NONE;
  enum Ignore { never, inside, outside, everything } ignore = never;
  bool invalid = false;      // some labels outside the classes
  bool error_flag = true;
  double constant = 0;       // value of all scores but one, which is its negative; 0: normally distributed scores
  bool confident = false;    // the target's score is far above the other scores
  bool minus_infinity = false, all_minus_infinity = false, nan = false;
  bool zero_weights = false;
  bool some_zero_weights = false;  // of every other class
  // Settings of the forward direction.
  bool nan_when_empty = false, lse = true, log_prob = true, in_place = false;
  // Settings of the backward direction.
  bool from_scores = false, bias = false, infinite = false;  // infinite: dloss of some samples, beside probabilities that round to 0
  const char* shared_with = nullptr;
};

template <class Descriptor>
Descriptor descriptor_of(const Setting& s, const adj::Signature& signature) {
  Descriptor d;
  d.batch = s.n;
  d.num_classes = s.c;
  d.inner = s.inner;
  d.padded_classes = s.padded;
  d.element = signature[0];
  d.label = signature[1];
  d.output = signature[2];
  d.weight = s.weight;
  d.sample_weight = s.sample_weight;
  d.reduction = s.reduction;
  d.has_ignore_index = s.ignore != Setting::never;
  d.ignore_index = !d.has_ignore_index ? 0 : s.ignore == Setting::outside ? -100 : std::min<std::int64_t>(1, std::max<std::int64_t>(s.c - 1, 0));
  return d;
}

template <class Descriptor>
std::int64_t padded_of(const Descriptor& d) {
  return d.padded_classes ? d.padded_classes : d.num_classes;
}
template <class Descriptor>
std::int64_t first_of(const Descriptor& d, std::int64_t i) {
  return i / d.inner * padded_of(d) * d.inner + i % d.inner;
}

template <class Descriptor>
void fill_labels(const Setting& s, const Descriptor& d, Problem& problem, Rng& rng) {
  Data& labels = problem.tensor("labels");
  fill_integers(labels, rng, 0, std::max<std::int64_t>(s.c - 1, 0));
  for (std::int64_t i = 0; i < labels.numel(); ++i) {
    if (s.ignore == Setting::everything || (s.ignore != Setting::never && i % 3 == 1)) labels.set(i, static_cast<double>(d.ignore_index));
    if (s.invalid && i % 4 == 2) labels.set(i, static_cast<double>(s.c));
    if (s.invalid && i % 8 == 3) labels.set(i, -7);
  }
  if (s.weight) {
    if (s.zero_weights) fill_constant(problem.tensor("weight"), 0);
    else fill_uniform(problem.tensor("weight"), rng, 0.25, 2);
    for (std::int64_t c = 0; s.some_zero_weights && c < s.c; c += 2) problem.tensor("weight").set(c, 0);
  }
  if (s.sample_weight) fill_uniform(problem.tensor("sample_weight"), rng, 0, 2);
  if (!s.error_flag) problem.omit("error_flag");
  else problem.tensor("error_flag").set(0, 5);
}

template <class Descriptor>
void fill_scores(const Setting& s, const Descriptor& d, const Data& labels, Data& scores, Rng& rng) {
  fill_normal(scores, rng, 2);
  const std::int64_t samples = d.batch * d.inner;
  for (std::int64_t i = 0; i < samples; ++i) {
    auto at = [&](std::int64_t c) { return first_of(d, i) + c * d.inner; };
    if (s.constant != 0 && s.c > 0)
      for (std::int64_t c = 0; c < s.c; ++c) scores.set(at(c), c == (i * 5 + 3) % s.c ? -s.constant : s.constant);
    const double label = labels.get(i);
    if (s.confident && label >= 0 && label < static_cast<double>(s.c)) scores.set(at(static_cast<std::int64_t>(label)), 25);
    if (s.minus_infinity)
      for (std::int64_t c = i % 2; c < s.c; c += 2) scores.set(at(c), -kInfinity);
    if (s.all_minus_infinity && i == 0)
      for (std::int64_t c = 0; c < s.c; ++c) scores.set(at(c), -kInfinity);
    if (s.nan && i == 1 && s.c > 0) scores.set(at(s.c / 2), kNan);
    if (s.nan && i == 2 && s.c > 0) scores.set(at(s.c - 1), kInfinity);
    for (std::int64_t c = s.c; c < s.padded; ++c) scores.set(at(c), c % 3 == 0 ? kNan : c % 3 == 1 ? kInfinity : 60000);
  }
}

// Class of a sample; -1 when the label is ignored or invalid.
template <class Descriptor>
std::int64_t target_of(const Descriptor& d, const Data& labels, std::int64_t i) {
  const auto label = static_cast<std::int64_t>(labels.get(i));
  if (d.has_ignore_index && label == d.ignore_index) return -1;
  return label >= 0 && label < d.num_classes ? label : -1;
}
template <class Descriptor>
double weight_of(const Descriptor& d, const Problem& problem, std::int64_t target, std::int64_t sample) {
  if (target < 0) return 0;
  return (d.weight ? problem.tensor("weight").get(target) : 1) * (d.sample_weight ? problem.tensor("sample_weight").get(sample) : 1);
}

// ---- forward

// One sample: its largest score `top`, log_sum = log of the sum of exp(x - top), and the loss. `spread` says how errors of the exponentials enter
// log_sum: the mean of 1 + |x - top|, weighted by the exponentials. spread_of_loss leaves out the target when it is on top.
struct SampleTerms {
  double top = -kInfinity, log_sum = 0, loss = 0, spread = 0, spread_of_loss = 0;
};
template <class Score>
SampleTerms terms_of(std::int64_t classes, std::int64_t target, Score score) {
  SampleTerms t;
  for (std::int64_t c = 0; c < classes; ++c) t.top = std::max(t.top, score(c));
  double sum = 0, others = 0, spread = 0, spread_others = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    if (score(c) == -kInfinity) continue;
    const double e = std::exp(score(c) - t.top), s = e * (1 + std::fabs(score(c) - t.top));
    sum += e;
    spread += s;
    if (c != target) others += e, spread_others += s;
  }
  t.log_sum = std::log(sum);
  t.spread = spread / sum;
  t.spread_of_loss = t.spread;
  if (target >= 0) {
    const bool on_top = score(target) == t.top;
    t.loss = on_top ? std::log1p(others) : t.log_sum + (t.top - score(target));
    if (on_top) t.spread_of_loss = spread_others / sum;
  }
  return t;
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_softmax_cross_entropy_loss_descriptor*>(problem.descriptor());
  const Data& scores = problem.tensor("scores");
  const Data& labels = problem.tensor("labels");
  const std::int64_t samples = d.batch * d.inner;
  std::vector<double> result(static_cast<std::size_t>(output == "log_prob" ? samples * d.num_classes : samples));
  if (output == "error_flag") return {{0}};
  double total = 0, normalizer = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t first = first_of(d, i), target = target_of(d, labels, i);
    auto score = [&](std::int64_t c) { return scores.get(first + c * d.inner); };
    const SampleTerms t = terms_of(d.num_classes, target, score);
    const double of_loss = std::fabs(t.loss) + t.spread_of_loss;
    if (output == "lse") {
      result[static_cast<std::size_t>(i)] = std::fabs(t.top) + std::fabs(t.log_sum) + t.spread;
    } else if (output == "log_prob") {
      for (std::int64_t c = 0; c < d.num_classes; ++c)
        result[static_cast<std::size_t>(first + c * d.inner)] = c == target ? of_loss : std::fabs(score(c) - t.top) + std::fabs(t.log_sum) + t.spread;
    } else {
      const double weight = std::fabs(weight_of(d, problem, target, i));
      result[static_cast<std::size_t>(i)] = weight * of_loss;
      total += weight > 0 ? weight * of_loss : 0;
      normalizer += weight;
    }
  }
  if (output == "loss" && d.reduction == ADJ_REDUCTION_SUM) return {{total}};
  if (output == "loss" && d.reduction != ADJ_REDUCTION_NONE) return {{normalizer > 0 ? total / normalizer : 0}};
  return {result};
}

Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto d = descriptor_of<adj_softmax_cross_entropy_loss_descriptor>(s, signature);
  d.nan_when_empty = s.nan_when_empty;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_labels(s, d, *problem, rng);
  fill_scores(s, d, problem->tensor("labels"), problem->tensor("scores"), rng);
  if (!s.lse) problem->omit("lse");
  if (!s.log_prob && !s.padded) problem->omit("log_prob");
  else if (s.in_place) problem->share("log_prob", "scores");
  return {fmt::format("N{} C{}{} inner{} {}", s.n, s.c, s.padded ? fmt::format(" of {}", s.padded) : "", s.inner, s.text), std::move(problem),
          forward_magnitudes};
}

// ---- backward

std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_softmax_cross_entropy_loss_backward_descriptor*>(problem.descriptor());
  const Data& labels = problem.tensor("labels");
  const Data& dloss = problem.tensor("dloss");
  const Data& values = problem.tensor(d.from_scores ? "scores" : "log_prob");
  const bool bias = problem.contents()[problem.argument("bias")].present;
  const std::int64_t samples = d.batch * d.inner;
  double normalizer = 1;
  if (d.reduction == ADJ_REDUCTION_DEFAULT || d.reduction == ADJ_REDUCTION_MEAN) {
    normalizer = 0;
    for (std::int64_t i = 0; i < samples; ++i) normalizer += weight_of(d, problem, target_of(d, labels, i), i);
  }
  std::vector<double> result(static_cast<std::size_t>(samples * padded_of(d)));
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t target = target_of(d, labels, i);
    const double g = dloss.get(d.reduction == ADJ_REDUCTION_NONE ? i : 0);
    const double scale = normalizer == 0 ? 0 : std::fabs(g * weight_of(d, problem, target, i) / normalizer);
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const std::int64_t at = first_of(d, i) + c * d.inner;
      const double v = values.get(at) - (d.from_scores ? problem.tensor("lse").get(i) : 0);
      double terms = c == target ? 1 : kLeast;
      if (std::isfinite(v)) terms = c == target ? std::fabs(std::expm1(v)) + std::exp(v) * std::fabs(v) : std::max(std::exp(v), kLeast) * (1 + std::fabs(v));
      result[static_cast<std::size_t>(at)] = (scale > 0 ? scale * terms : 0) + (bias ? std::fabs(problem.tensor("bias").get(at)) : 0);
    }
  }
  return {result};
}

Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto d = descriptor_of<adj_softmax_cross_entropy_loss_backward_descriptor>(s, signature);
  d.from_scores = s.from_scores;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_labels(s, d, *problem, rng);
  Data& values = problem->tensor(s.from_scores ? "scores" : "log_prob");
  fill_scores(s, d, problem->tensor("labels"), values, rng);
  for (std::int64_t i = 0; i < s.n * s.inner; ++i) {
    auto at = [&](std::int64_t c) { return first_of(d, i) + c * d.inner; };
    double top = -kInfinity, sum = 0;
    bool bad = false;
    for (std::int64_t c = 0; c < s.c; ++c) {
      top = std::max(top, values.get(at(c)));
      bad |= std::isnan(values.get(at(c))) || values.get(at(c)) == kInfinity;
    }
    for (std::int64_t c = 0; c < s.c; ++c) sum += values.get(at(c)) == -kInfinity ? 0 : std::exp(values.get(at(c)) - top);
    const double lse = bad ? kNan : top + std::log(sum);
    if (s.from_scores) problem->tensor("lse").set(i, lse);
    else
      for (std::int64_t c = 0; c < s.c; ++c) values.set(at(c), values.get(at(c)) - lse);
  }
  Data& dloss = problem->tensor("dloss");
  fill_uniform(dloss, rng, 0.5, 2);
  for (std::int64_t i = 0; s.infinite && i < s.n * s.inner; i += 2) {
    if (i < dloss.numel()) dloss.set(i, i % 4 == 0 ? kInfinity : -kInfinity);
    for (auto [c, low] : {std::pair<std::int64_t, double>{0, -150}, {s.c - 1, -60000}})
      if (c != target_of(d, problem->tensor("labels"), i)) values.set(first_of(d, i) + c * d.inner, low);
  }
  if (s.bias) fill_normal(problem->tensor("bias"), rng);
  else problem->omit("bias");
  if (s.shared_with) problem->share("dscores", s.shared_with);
  return {fmt::format("N{} C{}{} inner{} {}", s.n, s.c, s.padded ? fmt::format(" of {}", s.padded) : "", s.inner, s.text), std::move(problem),
          backward_magnitudes};
}

// ---- settings

// Shapes and settings that both directions share.
std::vector<Setting> common_settings(Level level) {
  std::vector<Setting> list;
  auto add = [&](std::string text, std::int64_t n, std::int64_t c, std::int64_t inner, auto change) {
    Setting s;
    s.text = std::move(text);
    s.n = n;
    s.c = c;
    s.inner = inner;
    change(s);
    list.push_back(s);
  };
  auto nothing = [](Setting&) {};
  const bool full = level == Level::full;

  for (std::int64_t c : {0, 1, 2, 7, 8, 77, 1000, 1024, 1025, 4097}) add("mean", c > 1000 ? 1 : c > 100 ? 2 : 3, c, 1, nothing);
  for (std::int64_t inner : {1, 3})
    for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_MEAN})
      add(fmt::format("one class, scores of -inf, NaN and +inf, reduction {}", reduction), 6, 1, inner, [&](Setting& s) {
        s.minus_infinity = s.nan = true;
        s.reduction = reduction;
      });
  for (std::int64_t n : {5, 33, 300}) add("mean, several rows to a block", n, 7, 1, nothing);
  add("mean, more samples than one block adds", 16385, 2, 1, [](Setting& s) { s.weight = ADJ_F32; });
  add("no samples", 0, 5, 1, nothing);
  add("no samples, none", 0, 5, 1, [](Setting& s) { s.reduction = ADJ_REDUCTION_NONE; });
  add("no samples, sum", 3, 5, 0, [](Setting& s) { s.reduction = ADJ_REDUCTION_SUM; });
  for (std::int64_t inner : {2, 5, 37, 300}) add("mean, strided", 2, 9, inner, nothing);
  add("none, strided, several threads to a sample", 2, 131, 6, [](Setting& s) { s.reduction = ADJ_REDUCTION_NONE; });

  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN})
    for (std::int64_t inner : {1, 3})
      for (adj_dtype weight : {ADJ_DTYPE_NONE, ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16}) {
        const char* name = weight ? adj::dtype_name(weight) : "no";
        add(fmt::format("reduction {}, {} weights, ignoring a class", reduction, name), 6, 21, inner, [&](Setting& s) {
          s.reduction = reduction;
          s.weight = weight;
          s.ignore = Setting::inside;
        });
        add(fmt::format("reduction {}, {} weights, ignoring -100, labels out of range", reduction, name), 9, 20, inner, [&](Setting& s) {
          s.reduction = reduction;
          s.weight = weight;
          s.ignore = Setting::outside;
          s.invalid = true;
        });
      }
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN}) {
    add(fmt::format("reduction {}, everything ignored", reduction), 5, 19, 1, [&](Setting& s) {
      s.reduction = reduction;
      s.ignore = Setting::everything;
    });
    add(fmt::format("reduction {}, weights 0", reduction), 5, 19, 1, [&](Setting& s) {
      s.reduction = reduction;
      s.weight = ADJ_F32;
      s.zero_weights = true;
    });
  }
  for (std::int64_t inner : {1, 3})
    add("sample weights", 7, 19, inner, [&](Setting& s) {
      s.sample_weight = inner == 1 ? ADJ_F32 : ADJ_BF16;
      s.weight = inner == 1 ? ADJ_DTYPE_NONE : ADJ_F32;
      s.ignore = Setting::inside;
    });
  // Padding that ends a unit of 16 bytes, takes some, and begins inside one.
  for (auto [c, padded] : {std::pair<std::int64_t, std::int64_t>{15, 16}, {16, 40}, {37, 48}, {29, 38}, {1001, 1024}, {1, 8}, {0, 5}})
    for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_MEAN})
      add("padding", c > 1000 ? 2 : 5, c, 1, [&](Setting& s) {
        s.padded = padded;
        s.reduction = reduction;
        s.nan = s.invalid = reduction == ADJ_REDUCTION_NONE;
        s.ignore = Setting::outside;
      });
  for (std::int64_t c : {24, 301})
    for (std::int64_t inner : {1, 4}) {
      const std::int64_t n = inner == 1 ? 4 : 1;
      add("scores of +-80", n, c, inner, [](Setting& s) { s.constant = 80; });
      add("scores of -+80", n, c, inner, [](Setting& s) { s.constant = -80; });
      add("confident", n, c, inner, [](Setting& s) {
        s.confident = true;
        s.reduction = ADJ_REDUCTION_NONE;
      });
      add("half of the scores -inf", n, c, inner, [](Setting& s) {
        s.minus_infinity = true;
        s.reduction = ADJ_REDUCTION_NONE;
      });
      add("a sample of -inf", n, c, inner, [](Setting& s) {
        s.all_minus_infinity = true;
        s.reduction = ADJ_REDUCTION_NONE;
      });
      add("NaN and +inf in a sample each", n, c, inner, [](Setting& s) {
        s.nan = true;
        s.reduction = ADJ_REDUCTION_NONE;
      });
      // A weight of 0 hides no NaN or infinity.
      for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN})
        for (bool all : {false, true})
          add(fmt::format("{} weights 0, NaN and +inf, reduction {}", all ? "all" : "half of the", reduction), n, c, inner, [&](Setting& s) {
            s.nan = true;
            s.minus_infinity = true;
            s.weight = ADJ_F32;
            (all ? s.zero_weights : s.some_zero_weights) = true;
            s.reduction = reduction;
          });
      add("no error flag", n, c, inner, [](Setting& s) {
        s.invalid = true;
        s.error_flag = false;
        s.reduction = ADJ_REDUCTION_NONE;
      });
    }
  if (full) {
    for (std::int64_t c : {1000, 4097, 32000, 50257, 128256}) add("mean", c > 30000 ? 13 : 64, c, 1, nothing);
    for (std::int64_t c : {50257, 128256})
      add("none, ignoring -100", 17, c, 1, [](Setting& s) {
        s.reduction = ADJ_REDUCTION_NONE;
        s.ignore = Setting::outside;
      });
    add("mean, many samples", 70001, 3, 1, [](Setting& s) { s.weight = ADJ_F32; });
    add("mean, many samples, strided", 2, 21, 40000, [](Setting& s) { s.weight = ADJ_F32; });
    add("sum, strided, many classes", 2, 4097, 33, [](Setting& s) { s.reduction = ADJ_REDUCTION_SUM; });
  }
  return list;
}

}  // namespace

std::vector<Case> softmax_cross_entropy_loss_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  const bool may_share = signature[0] == signature[2];
  for (Setting s : common_settings(level)) {
    cases.push_back(forward_case(s, signature, ++seed));
    const bool empty_mean = s.n * s.inner == 0 || s.ignore == Setting::everything || s.zero_weights;
    if (empty_mean && s.reduction != ADJ_REDUCTION_NONE && s.reduction != ADJ_REDUCTION_SUM) {
      s.nan_when_empty = true;
      s.text += ", nan_when_empty";
      cases.push_back(forward_case(s, signature, ++seed));
    }
  }
  // Every choice of outputs: it decides how often the scores are read.
  for (std::int64_t c : {1, 8, 45, 520, 1031})
    for (std::int64_t inner : {1, 3})
      for (int outputs = 0; outputs < (may_share ? 6 : 4); ++outputs) {
        Setting s;
        s.n = 3;
        s.c = c;
        s.inner = inner;
        s.ignore = Setting::outside;
        s.invalid = true;
        s.reduction = ADJ_REDUCTION_NONE;
        s.lse = outputs % 2;
        s.log_prob = outputs >= 2;
        s.in_place = outputs >= 4;
        s.text = fmt::format("none{}{}{}", s.lse ? ", lse" : "", s.log_prob ? ", log_prob" : "", s.in_place ? " in place" : "");
        cases.push_back(forward_case(s, signature, ++seed));
      }
  return cases;
}

std::vector<Case> softmax_cross_entropy_loss_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  const bool may_share = signature[0] == signature[2];
  int turn = 0;
  for (Setting s : common_settings(level)) {
    // Every setting with both sources; every third with a bias.
    for (bool from_scores : {false, true}) {
      s.from_scores = from_scores;
      s.bias = turn++ % 3 == 0;
      Setting named = s;
      named.text += fmt::format("{}{}", from_scores ? ", from scores" : ", from log_prob", s.bias ? ", bias" : "");
      cases.push_back(backward_case(named, signature, ++seed));
    }
  }
  for (std::int64_t c : {1, 8, 45, 520, 1031})
    for (std::int64_t inner : {1, 3})
      for (bool from_scores : {false, true})
        for (const char* shared : {from_scores ? "scores" : "log_prob", "bias"}) {
          const bool with_bias = std::string(shared) == "bias";
          if (!with_bias && !may_share) continue;
          Setting s;
          s.n = 3;
          s.c = c;
          s.inner = inner;
          s.ignore = Setting::outside;
          s.from_scores = from_scores;
          s.bias = with_bias;
          s.shared_with = shared;
          s.text = fmt::format("in place of {}", shared);
          cases.push_back(backward_case(s, signature, ++seed));
        }
  for (bool from_scores : {true, false}) {
    const char* const shared = from_scores ? "scores" : "log_prob";
    for (std::int64_t padded : {24, 21}) {
      Setting s;
      s.text = fmt::format("in place of {}, padding", shared);
      s.n = 4;
      s.c = 19;
      s.padded = padded;
      s.from_scores = from_scores;
      if (may_share) s.shared_with = shared;
      cases.push_back(backward_case(s, signature, ++seed));
    }
    for (std::int64_t c : {24, 45, 1031})
      for (std::int64_t inner : {1, 3}) {
        Setting s;
        s.text = fmt::format("from {}, infinite dloss", shared);
        s.n = 5;
        s.c = c;
        s.inner = inner;
        s.reduction = ADJ_REDUCTION_NONE;
        s.from_scores = from_scores;
        s.infinite = true;
        cases.push_back(backward_case(s, signature, ++seed));
      }
  }
  return cases;
}

}  // namespace harness

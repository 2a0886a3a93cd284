// Cases of the losses whose classes are contiguous.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/loss.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_mean(adj_reduction reduction) { return reduction == ADJ_REDUCTION_DEFAULT || reduction == ADJ_REDUCTION_MEAN; }

// Settings of a case.
struct Setting {
  std::int64_t rows = 0, classes = 0;
  std::int64_t padding = 0;  // of the scores of each row
  adj_reduction reduction = ADJ_REDUCTION_DEFAULT;
  bool invalid = false, ignore = false, everything_ignored = false, special = false, masked = false, confident = false;
  bool steep = false;  // one score of each row is far above the others, whose exponential would overflow
  bool infinite = false;  // the gradient of the loss, beside probabilities that round to 0
  bool flag = false;  // from_scores, in place or without optional arguments
  bool exact = false, on_device = false;
  adj_dtype weight = ADJ_DTYPE_NONE;
  bool zero_weight = false;  // every other class has a weight of 0; with exact, every class
  double smoothing = 0, z_loss = 0;
  const char* shared_with = nullptr;
  std::string text() const {
    std::string t = fmt::format("{}x{} reduction {}", rows, classes, reduction);
    for (auto [on, name] : {std::pair{invalid, "invalid"},
                            {ignore, "ignored"},
                            {everything_ignored, "all ignored"},
                            {special, "NaN and infinity"},
                            {masked, "masked"},
                            {confident, "confident"},
                            {steep, "steep"},
                            {infinite, "infinite"},
                            {flag, "flag"},
                            {exact, "exact"},
                            {on_device, "on the device"},
                            {weight != 0, "weights"},
                            {zero_weight, "of 0"}})
      if (on) t += fmt::format(", {}", name);
    if (padding > 0) t += fmt::format(", {} of padding", padding);
    if (smoothing > 0) t += fmt::format(", smoothing {}", smoothing);
    if (z_loss > 0) t += fmt::format(", z {}", z_loss);
    if (shared_with) t += fmt::format(", in place of {}", shared_with);
    return t;
  }
};

void fill_scores(const Setting& s, Data& scores, Rng& rng) {
  fill_normal(scores, rng, 2);
  const std::int64_t padded = s.classes + s.padding;
  for (std::int64_t r = 0; s.classes > 0 && r < s.rows; ++r) {
    for (std::int64_t c = 0; s.masked && c < s.classes; ++c)
      if (r % 3 == 0 || c % 2 == 1) scores.set(r * padded + c, -kInfinity);
    if (s.special && r % 3 != 0) scores.set(r * padded + s.classes / 2, r % 3 == 1 ? kNan : kInfinity);
    if (s.confident) scores.set(r * padded + s.classes / 2, 25);
    if (s.steep) scores.set(r * padded + r % s.classes, 800);
    if (s.infinite && s.classes > 2) scores.set(r * padded, -150), scores.set(r * padded + s.classes - 1, -60000);
    for (std::int64_t c = s.classes; c < padded; ++c) scores.set(r * padded + c, c % 3 == 0 ? kNan : c % 3 == 1 ? kInfinity : 60000);
  }
}
void fill_labels(const Setting& s, Problem& problem, Rng& rng) {
  Data& labels = problem.tensor("labels");
  fill_integers(labels, rng, 0, std::max<std::int64_t>(s.classes - 1, 0));
  for (std::int64_t i = 0; i < labels.numel(); ++i) {
    if (s.confident) labels.set(i, static_cast<double>(s.classes / 2));
    if (s.infinite) labels.set(i, 1);
    if (s.everything_ignored || (s.ignore && i % 3 == 1)) labels.set(i, -100);
    if (s.invalid && i % 4 == 2) labels.set(i, static_cast<double>(s.classes));
    if (s.invalid && i % 8 == 3) labels.set(i, -7);
  }
  if (s.flag) problem.omit("error_flag");
  else problem.tensor("error_flag").set(0, 5);
}

// Magnitudes of a row's sums, as the comments beside the guarantees in src/ops/loss define them.
struct Terms {
  double top = -kInfinity, log_sum = 0, spread = 0, squares = 0;
};
template <class Score>
Terms terms_of(std::int64_t classes, Score score) {
  Terms t;
  for (std::int64_t c = 0; c < classes; ++c) t.top = std::max(t.top, score(c));
  double sum = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    if (!(score(c) > -kInfinity)) continue;
    const double away = 1 + std::fabs(score(c) - t.top), e = std::exp(score(c) - t.top);
    sum += e;
    t.spread += e * away;
    t.squares += e * away * away;
  }
  t.log_sum = std::fabs(std::log(sum));
  t.spread /= sum;
  t.squares /= sum;
  return t;
}
double finite(double v) { return std::isfinite(v) ? v : 0; }

// ---- probabilities as labels

std::vector<std::vector<double>> soft_label_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_soft_label_cross_entropy_loss_descriptor*>(problem.descriptor());
  const Data &scores = problem.tensor("scores"), &labels = problem.tensor("labels");
  std::vector<double> of_rows, of_elements;
  double total = 0;
  for (std::int64_t r = 0; r < d.rows; ++r) {
    auto score = [&](std::int64_t c) { return scores.get(r * d.num_classes + c); };
    const Terms t = terms_of(d.num_classes, score);
    double loss = 0;
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      of_elements.push_back(finite(std::fabs(score(c) - t.top)) + t.log_sum + t.spread);
      loss += std::fabs(labels.get(r * d.num_classes + c)) * of_elements.back();
    }
    of_rows.push_back(output == "lse" ? std::fabs(t.top) + t.log_sum + t.spread : loss);
    total += finite(loss);
  }
  if (output == "log_prob") return {of_elements};
  if (output == "loss" && d.reduction != ADJ_REDUCTION_NONE)
    return {{is_mean(d.reduction) ? total / static_cast<double>(std::max<std::int64_t>(d.rows, 1)) : total}};
  return {of_rows};
}
void fill_soft_labels(const Setting& s, Data& labels, Rng& rng) {
  fill_uniform(labels, rng, 0, 2.0 / static_cast<double>(std::max<std::int64_t>(s.classes, 1)));
  for (std::int64_t i = 1; i < labels.numel(); i += 2) labels.set(i, 0);
}
Case soft_label_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_soft_label_cross_entropy_loss_descriptor d;
  d.rows = s.rows;
  d.num_classes = s.classes;
  d.element = signature[0];
  d.output = signature[1];
  d.reduction = s.reduction;
  d.nan_when_empty = s.exact && is_mean(s.reduction);
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_scores(s, problem->tensor("scores"), rng);
  fill_soft_labels(s, problem->tensor("labels"), rng);
  if (s.flag) problem->omit("log_prob"), problem->omit("lse");
  else if (s.shared_with) problem->share("log_prob", "scores");
  return {s.text(), std::move(problem), soft_label_magnitudes};
}

std::vector<std::vector<double>> soft_label_backward_magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const adj_soft_label_cross_entropy_loss_backward_descriptor*>(problem.descriptor());
  const Data &values = problem.tensor(d.from_scores ? "scores" : "log_prob"), &labels = problem.tensor("labels"), &dloss = problem.tensor("dloss");
  std::vector<double> result;
  for (std::int64_t r = 0; r < d.rows; ++r) {
    const double lse = d.from_scores ? problem.tensor("lse").get(r) : 0;
    double sum = d.exact ? 0 : 1;
    for (std::int64_t c = 0; d.exact && c < d.num_classes; ++c) sum += std::fabs(labels.get(r * d.num_classes + c));
    const double scale = std::fabs(dloss.get(d.reduction == ADJ_REDUCTION_NONE ? r : 0)) / (is_mean(d.reduction) ? static_cast<double>(d.rows) : 1);
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const double x = values.get(r * d.num_classes + c);
      const double p = finite(std::exp(x - lse) * (1 + std::fabs(x) + std::fabs(lse)));
      result.push_back(scale * (p * sum + std::fabs(labels.get(r * d.num_classes + c))));
    }
  }
  return {result};
}
Case soft_label_backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_soft_label_cross_entropy_loss_backward_descriptor d;
  d.rows = s.rows;
  d.num_classes = s.classes;
  d.element = signature[0];
  d.reduction = s.reduction;
  d.from_scores = s.flag;
  d.exact = s.exact;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& values = problem->tensor(s.flag ? "scores" : "log_prob");
  fill_scores(s, values, rng);
  for (std::int64_t r = 0; r < s.rows; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < s.classes; ++c) sum += std::exp(values.get(r * s.classes + c));
    if (s.flag) problem->tensor("lse").set(r, std::log(sum));
    for (std::int64_t c = 0; !s.flag && c < s.classes; ++c) values.set(r * s.classes + c, values.get(r * s.classes + c) - std::log(sum));
  }
  fill_soft_labels(s, problem->tensor("labels"), rng);
  fill_uniform(problem->tensor("dloss"), rng, 0.5, 2);
  if (s.infinite) problem->tensor("dloss").set(0, kInfinity);
  if (s.shared_with) problem->share("dscores", std::string(s.shared_with) == "labels" ? "labels" : s.flag ? "scores" : "log_prob");
  return {s.text(), std::move(problem), soft_label_backward_magnitudes};
}

// ---- loss with its gradient

std::vector<std::vector<double>> with_gradient_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_cross_entropy_with_gradient_descriptor*>(problem.descriptor());
  const Data &scores = problem.tensor("scores"), &labels = problem.tensor("labels");
  auto target_of = [&](std::int64_t i) {
    const auto label = static_cast<std::int64_t>(labels.get(i));
    return label >= 0 && label < d.num_classes && !(d.has_ignore_index && label == d.ignore_index) ? label : -1;
  };
  auto weight = [&](std::int64_t c) { return d.weight ? problem.tensor("weight").get(c) : 1; };
  double z = 1, count = 1;
  if (is_mean(d.reduction)) {
    z = count = 0;
    for (std::int64_t i = 0; i < d.samples; ++i)
      if (target_of(i) >= 0) z += weight(target_of(i)), ++count;
  }
  const double dloss = 2, of_class = d.label_smoothing / static_cast<double>(std::max<std::int64_t>(d.num_classes, 1));
  auto over = [](double v, double by) { return by == 0 ? 0 : v / by; };  // 0 for a mean over nothing
  const std::int64_t padded = d.padded_classes ? d.padded_classes : d.num_classes;
  std::vector<double> of_samples, of_elements;
  double total = 0;
  for (std::int64_t i = 0; i < d.samples; ++i) {
    auto score = [&](std::int64_t c) { return scores.get(i * padded + c); };
    const Terms t = terms_of(d.num_classes, score);
    const std::int64_t target = target_of(i);
    const double lse = finite(std::fabs(t.top)) + t.log_sum;
    double loss = 0, factor = 0;
    if (target >= 0) {
      loss = over((1 - d.label_smoothing) * weight(target) * (finite(std::fabs(score(target) - t.top)) + t.log_sum + t.spread), z);
      factor = over((1 - d.label_smoothing) * weight(target), z);
      for (std::int64_t c = 0; d.label_smoothing > 0 && c < d.num_classes; ++c) {
        loss += over(of_class * weight(c) * (finite(std::fabs(score(c))) + lse + t.spread), z);
        factor += over(of_class * weight(c), z);
      }
      loss += over(d.z_loss * (lse + t.spread) * (lse + t.spread), count);
      factor += over(2 * d.z_loss * (lse + t.spread), count);
    }
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const double away = finite(std::fabs(score(c) - t.top)), p = std::exp(-t.log_sum - away);
      of_elements.push_back(dloss * (factor * (c == target ? 1 : p * (2 + away + t.log_sum + t.spread)) + over(of_class * weight(c), z)));
    }
    of_elements.resize(static_cast<std::size_t>((i + 1) * padded));
    of_samples.push_back(output == "lse" ? lse + t.spread : loss);
    total += finite(loss);
  }
  if (output == "dscores") return {of_elements};
  if (output == "loss" && d.reduction != ADJ_REDUCTION_NONE) return {{total}};
  return {of_samples};
}
Case with_gradient_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  adj_cross_entropy_with_gradient_descriptor d;
  d.samples = s.rows;
  d.num_classes = s.classes;
  d.element = signature[0];
  d.label = signature[1];
  d.weight = s.weight;
  d.reduction = s.reduction;
  d.has_ignore_index = s.ignore || s.everything_ignored;
  d.ignore_index = d.has_ignore_index ? -100 : 0;
  d.padded_classes = s.padding ? s.classes + s.padding : 0;
  d.label_smoothing = s.smoothing;
  d.z_loss = s.z_loss;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_scores(s, problem->tensor("scores"), rng);
  fill_labels(s, *problem, rng);
  if (s.weight) fill_uniform(problem->tensor("weight"), rng, 0.25, 2);
  for (std::int64_t c = 0; s.zero_weight && c < s.classes; c += s.exact ? 1 : 2) problem->tensor("weight").set(c, 0);
  const double dloss = s.infinite ? -kInfinity : 2;
  if (s.on_device) problem->device_scalar("dloss", dloss, ADJ_F32);
  else problem->scalar("dloss", dloss);
  if (s.flag) problem->omit("lse");
  if (s.shared_with) problem->share("dscores", "scores");
  return {s.text(), std::move(problem), with_gradient_magnitudes};
}

// ---- log-probability and entropy

std::vector<std::vector<double>> entropy_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_log_prob_entropy_descriptor*>(problem.descriptor());
  const Data &scores = problem.tensor("scores"), &labels = problem.tensor("labels");
  std::vector<double> result;
  for (std::int64_t i = 0; i < d.samples; ++i) {
    auto score = [&](std::int64_t c) { return scores.get(i * d.num_classes + c); };
    const Terms t = terms_of(d.num_classes, score);
    const auto label = static_cast<std::int64_t>(labels.get(i));
    double m = t.squares + t.log_sum;
    if (output == "lse") m += finite(std::fabs(t.top));
    if (output == "log_prob" && label >= 0 && label < d.num_classes) m += finite(std::fabs(score(label) - t.top));
    result.push_back(m);
  }
  return {result};
}
template <class Descriptor>
Descriptor entropy_descriptor(const Setting& s, const adj::Signature& signature) {
  Descriptor d;
  d.samples = s.rows;
  d.num_classes = s.classes;
  d.element = signature[0];
  d.label = signature[1];
  d.has_ignore_index = s.ignore || s.everything_ignored;
  d.ignore_index = d.has_ignore_index ? -100 : 0;
  return d;
}
Case entropy_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto problem = std::make_shared<Problem>(Problem::of(entropy_descriptor<adj_log_prob_entropy_descriptor>(s, signature)));
  fill_scores(s, problem->tensor("scores"), rng);
  fill_labels(s, *problem, rng);
  if (s.flag) problem->omit("lse"), problem->omit("entropy");
  return {s.text(), std::move(problem), entropy_magnitudes};
}
std::vector<std::vector<double>> entropy_backward_magnitudes(const Problem& problem, const std::string& output) {
  if (output == "error_flag") return {{0}};
  const auto& d = *reinterpret_cast<const adj_log_prob_entropy_backward_descriptor*>(problem.descriptor());
  const Data &scores = problem.tensor("scores"), &labels = problem.tensor("labels");
  std::vector<double> result;
  for (std::int64_t i = 0; i < d.samples; ++i) {
    const double lse = problem.tensor("lse").get(i), dlog_prob = std::fabs(problem.tensor("dlog_prob").get(i));
    const double dentropy = d.with_entropy ? std::fabs(problem.tensor("dentropy").get(i)) : 0;
    const double entropy = d.with_entropy ? std::fabs(problem.tensor("entropy").get(i)) : 0;
    for (std::int64_t c = 0; c < d.num_classes; ++c) {
      const double x = scores.get(i * d.num_classes + c), y = 1 + std::fabs(x) + std::fabs(lse);
      result.push_back(finite(std::exp(x - lse) * y * (dlog_prob + dentropy * (1 + y + entropy))) + (labels.get(i) == static_cast<double>(c) ? dlog_prob : 0));
    }
  }
  return {result};
}
Case entropy_backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto d = entropy_descriptor<adj_log_prob_entropy_backward_descriptor>(s, signature);
  d.with_entropy = s.exact;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& scores = problem->tensor("scores");
  fill_scores(s, scores, rng);
  fill_labels(s, *problem, rng);
  fill_normal(problem->tensor("dlog_prob"), rng);
  if (s.exact) fill_normal(problem->tensor("dentropy"), rng);
  for (std::int64_t r = 0; s.infinite && r < s.rows; ++r) problem->tensor(s.exact ? "dentropy" : "dlog_prob").set(r, kInfinity);
  for (std::int64_t r = 0; r < s.rows; ++r) {
    double sum = 0, entropy = 0;
    for (std::int64_t c = 0; c < s.classes; ++c) sum += std::exp(scores.get(r * s.classes + c));
    for (std::int64_t c = 0; c < s.classes; ++c) {
      const double log_p = scores.get(r * s.classes + c) - std::log(sum);
      if (std::exp(log_p) != 0) entropy -= std::exp(log_p) * log_p;
    }
    problem->tensor("lse").set(r, std::log(sum));
    if (s.exact) problem->tensor("entropy").set(r, entropy);
  }
  if (s.shared_with) problem->share("dscores", "scores");
  return {s.text(), std::move(problem), entropy_backward_magnitudes};
}

// Cases with the shapes and settings that all operators share: both sides of each change of the number of lanes, rows of whole units and not.
template <class Make>
std::vector<Case> row_cases(const adj::Signature& signature, Level level, std::uint64_t seed, Make make, bool has_labels, std::vector<Setting> own) {
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Case> cases;
  auto add = [&](std::int64_t rows, std::int64_t classes, auto change) {
    Setting s;
    s.rows = rows;
    s.classes = classes;
    change(s);
    cases.push_back(make(s, signature, ++seed));
  };
  constexpr adj_reduction kReductions[] = {ADJ_REDUCTION_MEAN, ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM};
  int turn = 0;
  for (auto [rows, classes] : {std::pair<std::int64_t, std::int64_t>{0, 5},
                               {1, 1},
                               {7, unit},
                               {5, 3 * unit + 1},
                               {19, 8},
                               {5, 77},
                               {3, 32 * unit},
                               {2, 128 * unit},
                               {2, 129 * unit + 3}})
    add(rows, classes, [&](Setting& s) {
      s.reduction = kReductions[turn++ % 3];
      s.flag = turn % 4 == 0;
    });
  for (adj_reduction reduction : kReductions) {
    add(7, 45, [&](Setting& s) {
      s.reduction = reduction;
      s.shared_with = "input";
    });
    add(7, 3 * unit, [&](Setting& s) {
      s.reduction = reduction;
      s.shared_with = "input";
      s.exact = true;
    });
  }
  for (bool flag : {false, true}) {
    add(6, 24, [&](Setting& s) {
      s.special = true;
      s.flag = flag;
      s.reduction = ADJ_REDUCTION_NONE;
    });
    add(6, 29, [&](Setting& s) {
      s.masked = true;
      s.flag = flag;
      s.reduction = ADJ_REDUCTION_NONE;
      s.exact = true;
    });
    add(3, 24, [&](Setting& s) {
      s.confident = true;
      s.flag = flag;
      s.exact = true;
    });
  }
  if (has_labels) {
    add(9, 21, [](Setting& s) {
      s.ignore = true;
      s.exact = true;
      s.special = true;
      s.reduction = ADJ_REDUCTION_NONE;
    });
    add(9, 21, [](Setting& s) { s.everything_ignored = true; });
    add(17, 24, [](Setting& s) {
      s.invalid = true;
      s.ignore = true;
      s.reduction = ADJ_REDUCTION_NONE;
    });
    add(17, 24, [](Setting& s) {
      s.invalid = true;
      s.flag = true;
    });
  }
  for (bool flag : {false, true})
    for (bool exact : {false, true})
      for (std::int64_t classes : {21, 24})
        add(5, classes, [&](Setting& s) {
          s.infinite = true;
          s.flag = flag;
          s.exact = exact;
          s.reduction = ADJ_REDUCTION_NONE;
        });
  // One class: its score decides whether there is a loss at all.
  for (adj_reduction reduction : kReductions) {
    add(7, 1, [&](Setting& s) {
      s.masked = true;
      s.reduction = reduction;
    });
    add(7, 1, [&](Setting& s) {
      s.special = true;
      s.reduction = reduction;
      s.exact = true;
    });
  }
  // Rows longer than the threads hold.
  add(2, 2049 * unit, [](Setting& s) { s.reduction = ADJ_REDUCTION_NONE; });
  add(2, 2048 * unit + 3, [](Setting& s) {
    s.reduction = ADJ_REDUCTION_NONE;
    s.shared_with = "input";
    s.exact = true;
  });
  add(1, 2049 * unit, [](Setting&) {});
  for (const Setting& s : own) cases.push_back(make(s, signature, ++seed));
  if (level == Level::full)
    for (std::int64_t classes : {1000, 4097, 32000, 50257, 128256}) add(13, classes, [](Setting& s) { s.exact = true; });
  return cases;
}

}  // namespace

std::vector<Case> soft_label_cross_entropy_loss_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(signature, level, seed, soft_label_case, false, {{.rows = 16385, .classes = 2}});  // more samples than one block adds
}
std::vector<Case> soft_label_cross_entropy_loss_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(signature, level, seed, soft_label_backward_case, false,
                   {{.rows = 5, .classes = 37, .exact = true, .shared_with = "labels"}, {.rows = 5, .classes = 32, .flag = true, .shared_with = "labels"}});
}
std::vector<Case> cross_entropy_with_gradient_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Setting> own;
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_MEAN})
    for (adj_dtype weight : {ADJ_DTYPE_NONE, ADJ_F32}) {
      own.push_back({.rows = 9, .classes = 37, .reduction = reduction, .ignore = true, .weight = weight, .smoothing = 0.1});
      own.push_back({.rows = 9, .classes = 40, .reduction = reduction, .ignore = true, .on_device = true, .weight = weight, .smoothing = 0.25, .z_loss = 1e-2});
      own.push_back({.rows = 9, .classes = 40, .reduction = reduction, .weight = weight, .z_loss = 1e-2, .shared_with = "scores"});
    }
  own.push_back({.rows = 2, .classes = 1100, .smoothing = 1});
  own.push_back({.rows = 4100, .classes = 8});  // more samples than one block adds
  // Weights of 0 hide no NaN, unless there is nothing to take the mean of.
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_MEAN})
    for (bool all : {false, true})
      for (double smoothing : {0.0, 0.25}) {
        own.push_back({.rows = 19,
                       .classes = 9,
                       .reduction = reduction,
                       .ignore = true,
                       .special = true,
                       .exact = all,
                       .weight = ADJ_F32,
                       .zero_weight = true,
                       .smoothing = smoothing});
        own.push_back(
            {.rows = 19, .classes = 8, .reduction = reduction, .masked = true, .exact = all, .weight = ADJ_F32, .zero_weight = true, .smoothing = smoothing});
      }
  own.push_back({.rows = 9, .classes = 9, .special = true, .exact = true, .weight = ADJ_F32, .zero_weight = true, .z_loss = 1e-2});
  // Rows that the shared memory of one, two and four blocks holds.
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  for (std::int64_t classes : {1024 * unit, 1024 * unit + 5}) {
    own.push_back({.rows = 7, .classes = classes, .reduction = ADJ_REDUCTION_NONE, .ignore = true, .smoothing = 0.1, .z_loss = 1e-2});
    own.push_back({.rows = 7, .classes = classes, .invalid = true, .ignore = true, .flag = true, .exact = true, .weight = ADJ_F32, .shared_with = "scores"});
    own.push_back({.rows = 7, .classes = classes, .reduction = ADJ_REDUCTION_NONE, .special = true, .shared_with = "scores"});
    own.push_back({.rows = 6, .classes = classes, .special = true, .weight = ADJ_F32, .zero_weight = true});
    own.push_back({.rows = 6, .classes = classes, .infinite = true, .on_device = true});
    own.push_back({.rows = 6, .classes = classes, .special = true, .exact = true, .weight = ADJ_F32, .zero_weight = true});
  }
  // Padding that ends a unit, takes some, and begins inside one; in registers, read twice, and in shared memory.
  for (auto [classes, padding] :
       {std::pair<std::int64_t, std::int64_t>{5 * unit - 1, 1}, {5 * unit, 3 * unit}, {2 * unit + 1, 5}, {37, 11}, {2049 * unit - 3, 3 + 8 * unit}}) {
    own.push_back({.rows = 7, .classes = classes, .padding = padding, .reduction = ADJ_REDUCTION_NONE, .ignore = true, .smoothing = 0.1, .z_loss = 1e-2});
    own.push_back({.rows = 7, .classes = classes, .padding = padding, .invalid = true, .ignore = true, .weight = ADJ_F32, .shared_with = "scores"});
    own.push_back({.rows = 4, .classes = classes, .padding = padding, .reduction = ADJ_REDUCTION_SUM, .special = true, .weight = ADJ_F32, .smoothing = 0.1});
  }
  // Two blocks of a cluster hold the word with the target.
  own.push_back({.rows = 3, .classes = 4777 * unit + 3, .confident = true, .exact = true, .shared_with = "scores"});
  own.push_back({.rows = 3, .classes = 9600 * unit, .flag = true, .smoothing = 0.1});
  own.push_back({.rows = 4100, .classes = 8, .everything_ignored = true});
  return row_cases(signature, level, seed, with_gradient_case, true, own);
}
std::vector<Case> log_prob_entropy_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(
      signature, level, seed, entropy_case, true,
      {{.rows = 7, .classes = 24, .ignore = true, .flag = true}, {.rows = 19, .classes = 37, .steep = true}, {.rows = 19, .classes = 40, .steep = true}});
}
std::vector<Case> log_prob_entropy_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return row_cases(signature, level, seed, entropy_backward_case, true, {});
}

}  // namespace harness

// Cases of the router of mixtures of experts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/moe.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

struct Options {
  adj_moe_score score = ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN;
  bool normalise = false, bias = false, losses = false, mask = false, special = false;
  std::int64_t groups = 0, top_groups = 0;
};
struct Shape {
  std::int64_t tokens, experts, top_k;
  Options o{};
};

Outputs reference_of(const Problem& problem) {
  auto outputs = run_reference(problem);
  if (!outputs) throw std::logic_error("harness: " + outputs.error().message);
  return std::move(*outputs);
}

// Draws logits of the tokens from `first` on, some of which are equal.
void draw_logits(Data& logits, Rng& rng, const Shape& s, std::int64_t t) {
  Data row = logits;
  fill_normal(row, rng, 2);
  for (std::int64_t e = 0; e < s.experts; ++e) logits.set(t * s.experts + e, row.get(t * s.experts + e));
  if (s.experts > 2 && t % 4 == 3 && !s.o.bias) logits.set(t * s.experts + s.experts - 1, logits.get(t * s.experts));
}

// The router rounds s + expert_bias in f32, so tokens are drawn again whose choice a small change of the bias changes.
void separate(Problem& problem, Rng& rng, const Shape& s) {
  if (!s.o.bias) return;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const Outputs outputs = reference_of(problem);
    std::vector<bool> changed(static_cast<std::size_t>(s.tokens));
    for (int change = 0; change < 3; ++change) {
      Problem other = problem;
      Data& bias = other.tensor("expert_bias");
      for (std::int64_t e = 0; e < s.experts; ++e) bias.set(e, bias.get(e) + (rng() % 2 ? 1e-5 : -1e-5));
      const Outputs moved = reference_of(other);
      const Data &a = outputs.arguments[problem.argument("experts")].at(0), &b = moved.arguments[problem.argument("experts")].at(0);
      for (std::int64_t n = 0; n < a.numel(); ++n)
        if (a.get(n) != b.get(n)) changed[static_cast<std::size_t>(n / s.top_k)] = true;
    }
    if (std::find(changed.begin(), changed.end(), true) == changed.end()) return;
    for (std::int64_t t = 0; t < s.tokens; ++t)
      if (changed[static_cast<std::size_t>(t)]) draw_logits(problem.tensor("logits"), rng, s, t);
  }
  throw std::logic_error("harness: scores of a router stay too close");
}

std::vector<Shape> shapes_of(Level level) {
  std::vector<Shape> shapes{
      {0, 4, 2, {.losses = true}},
      {1, 1, 1, {.losses = true}},
      {5, 8, 2, {}},
      {9, 8, 8, {.losses = true}},
      {33, 60, 4, {.score = ADJ_MOE_SCORE_SOFTMAX, .losses = true, .mask = true}},
      {40, 128, 8, {.score = ADJ_MOE_SCORE_SOFTMAX, .normalise = true, .losses = true}},
      {12, 16, 1, {.score = ADJ_MOE_SCORE_SOFTMAX, .normalise = true}},
      {70, 64, 8, {.score = ADJ_MOE_SCORE_SIGMOID, .normalise = true, .bias = true, .losses = true, .groups = 8, .top_groups = 4}},
      {20, 256, 8, {.score = ADJ_MOE_SCORE_SIGMOID, .normalise = true, .bias = true, .losses = true, .mask = true}},
      {17, 30, 3, {.score = ADJ_MOE_SCORE_SQRT_SOFTPLUS, .losses = true}},
      {17, 30, 6, {.score = ADJ_MOE_SCORE_SQRT_SOFTPLUS, .normalise = true, .bias = true, .groups = 3, .top_groups = 2}},
      {7, 200, 40, {.score = ADJ_MOE_SCORE_SOFTMAX, .losses = true}},
      {6, 1024, 64, {.score = ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN, .losses = true}},
      {5, 300, 6, {.bias = true, .groups = 30, .top_groups = 3}},
  };
  if (level == Level::full) {
    shapes.push_back({8192, 128, 8, {.score = ADJ_MOE_SCORE_SOFTMAX, .normalise = true, .losses = true}});
    shapes.push_back({4097, 256, 8, {.score = ADJ_MOE_SCORE_SIGMOID, .normalise = true, .losses = true, .mask = true}});
    shapes.push_back({20000, 64, 6, {.losses = true}});
  }
  return shapes;
}
std::string name_of(const Shape& s) {
  const Options& o = s.o;
  return fmt::format("T{} E{} k{} score {}{}{}{}{}{}{}", s.tokens, s.experts, s.top_k, static_cast<int>(o.score), o.normalise ? ", normalised" : "",
                     o.bias ? ", bias" : "", o.groups ? fmt::format(", {} of {} groups", o.top_groups, o.groups) : "", o.losses ? ", losses" : "",
                     o.mask ? ", mask" : "", o.special ? ", NaN and infinities" : "");
}
adj_moe_route_descriptor descriptor_of(const Shape& s, adj_dtype element) {
  adj_moe_route_descriptor d;
  d.tokens = s.tokens, d.num_experts = s.experts, d.top_k = s.top_k;
  d.groups = s.o.groups, d.top_groups = s.o.top_groups;
  d.scale = s.tokens % 2 ? 2.5 : 1;
  if (s.o.losses) d.balance = 0.01, d.z_loss = 0.001;
  d.score = s.o.score;
  d.normalise = s.o.normalise, d.has_bias = s.o.bias, d.has_losses = s.o.losses;
  d.element = element;
  return d;
}
std::shared_ptr<Problem> problem_of(const Shape& s, adj_dtype element, Rng& rng) {
  auto problem = std::make_shared<Problem>(Problem::of(descriptor_of(s, element)));
  Data& logits = problem->tensor("logits");
  for (std::int64_t t = 0; t < s.tokens; ++t) draw_logits(logits, rng, s, t);
  if (s.o.bias) fill_uniform(problem->tensor("expert_bias"), rng, -0.1, 0.1);
  if (s.o.mask) fill_integers(problem->tensor("mask"), rng, 0, 1);
  else problem->omit("mask");
  separate(*problem, rng, s);
  if (s.o.special)
    for (std::int64_t t = 0; t < s.tokens; ++t)
      for (std::int64_t e = 0; e < s.experts; ++e) {
        const bool nan = t % 5 == 1 && e % 3 == 0, infinite = t % 5 == 2 && e % 3, all_nan = t % 5 == 3, all_infinite = t % 5 == 4;
        if (nan || all_nan) logits.set(t * s.experts + e, kNan);
        if (infinite || all_infinite) logits.set(t * s.experts + e, -kInfinity);
      }
  problem->tensor("error_flag").set(0, 1);
  return problem;
}

double largest_logarithm(const Problem& problem, std::int64_t experts) {
  double largest = 0;
  const Data& logits = problem.tensor("logits");
  for (std::int64_t i = 0; i < logits.numel(); ++i)
    if (const double z = std::fabs(logits.get(i)); std::isfinite(z)) largest = std::max(largest, z);
  return largest + std::log(static_cast<double>(experts));
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_moe_route_descriptor*>(problem.descriptor());
  const Outputs outputs = reference_of(problem);
  std::vector<std::vector<double>> result;
  for (const Data& data : outputs.arguments[problem.argument(output.c_str())]) {
    auto& of = result.emplace_back();
    for (std::int64_t i = 0; i < data.numel(); ++i) of.push_back(std::fabs(data.get(i)));
    if (output == "loss") of[0] += std::fabs(d.z_loss) * std::pow(largest_logarithm(problem, d.num_experts), 2);
  }
  return result;
}

// The terms of the gradient's formulas, each with its magnitude.
std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const adj_moe_route_backward_descriptor*>(problem.descriptor());
  const auto count = static_cast<std::size_t>(d.num_experts);
  const bool of_scores = d.score == ADJ_MOE_SCORE_SIGMOID || d.score == ADJ_MOE_SCORE_SQRT_SOFTPLUS;
  double balance = 0, z_loss = 0;
  if (d.has_losses && problem.tensor("counted").get(0) > 0) {
    const double tokens = problem.tensor("counted").get(0), dloss = std::fabs(problem.tensor("dloss").get(0));
    balance = dloss * std::fabs(d.balance) * static_cast<double>(d.num_experts) / static_cast<double>(d.top_k) / tokens / tokens;
    z_loss = dloss * std::fabs(d.z_loss) * 2 / tokens;
  }
  const double logarithm = largest_logarithm(problem, d.num_experts);
  std::vector<double> result;
  for (std::int64_t t = 0; t < d.tokens; ++t) {
    std::vector<double> z(count), p(count), s(count), slope(count), g(count), own(count);
    std::vector<bool> chosen(count);
    double top = -kInfinity, sum = 0, whole = 0, of_chosen = 0;
    for (std::size_t e = 0; e < count; ++e) top = std::max(top, z[e] = problem.tensor("logits").get(t * d.num_experts + static_cast<std::int64_t>(e)));
    for (std::size_t e = 0; e < count; ++e) sum += std::isnan(p[e] = std::exp(z[e] - top)) ? 0 : p[e];
    for (std::size_t e = 0; e < count; ++e) {
      p[e] /= sum;
      const double sigmoid = 1 / (1 + std::exp(-z[e])), root = std::sqrt(std::log1p(std::exp(z[e])));
      s[e] = d.score == ADJ_MOE_SCORE_SIGMOID ? sigmoid : d.score == ADJ_MOE_SCORE_SQRT_SOFTPLUS ? root : p[e];
      slope[e] = d.score == ADJ_MOE_SCORE_SIGMOID ? sigmoid * (1 - sigmoid) : d.score == ADJ_MOE_SCORE_SQRT_SOFTPLUS ? sigmoid / (2 * root) : p[e];
      whole += of_scores ? s[e] : 0;
    }
    if (!of_scores) whole = 1;
    for (std::int64_t j = 0; j < d.top_k; ++j) {
      const double expert = problem.tensor("experts").get(t * d.top_k + j);
      if (expert < 0) continue;
      const auto e = static_cast<std::size_t>(expert);
      g[e] += std::fabs(d.scale * problem.tensor("dweights").get(t * d.top_k + j));
      if (!chosen[e]) of_chosen += s[e];
      chosen[e] = true;
    }
    double dot = 0;
    for (std::size_t e = 0; e < count; ++e) dot += chosen[e] ? s[e] / of_chosen * g[e] : 0;
    if (d.score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN) {
      for (std::size_t e = 0; e < count; ++e) own[e] = chosen[e] ? s[e] / of_chosen * (g[e] + dot) : 0;
    } else {
      if (d.normalise && d.top_k > 1)
        for (std::size_t e = 0; e < count; ++e) g[e] = chosen[e] ? (g[e] + dot) / of_chosen : 0;
      double all = 0;
      for (std::size_t e = 0; e < count; ++e) all += chosen[e] ? s[e] * g[e] : 0;
      for (std::size_t e = 0; e < count; ++e) own[e] = of_scores ? (chosen[e] ? g[e] * slope[e] : 0) : s[e] * (g[e] + all);
    }
    double weighted = 0;
    for (std::size_t e = 0; e < count && d.has_losses; ++e) weighted += s[e] / whole * problem.tensor("counts").get(static_cast<std::int64_t>(e));
    for (std::size_t e = 0; e < count; ++e) {
      if (d.has_losses)
        own[e] += balance * slope[e] / whole * (problem.tensor("counts").get(static_cast<std::int64_t>(e)) + weighted) + z_loss * logarithm * p[e];
      result.push_back(own[e]);
    }
  }
  return {result};
}

}  // namespace

std::vector<Case> moe_route_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto shapes = shapes_of(level);
  for (adj_moe_score score : {ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN, ADJ_MOE_SCORE_SOFTMAX, ADJ_MOE_SCORE_SIGMOID, ADJ_MOE_SCORE_SQRT_SOFTPLUS})
    for (bool losses : {false, true}) shapes.push_back({10, 9, 4, {.score = score, .losses = losses, .special = true}});
  shapes.push_back({10, 9, 4, {.score = ADJ_MOE_SCORE_SIGMOID, .normalise = true, .special = true}});
  for (const Shape& s : shapes) {
    cases.push_back({name_of(s), problem_of(s, signature[0], rng), forward_magnitudes});
    cases.back().any_nan = true;
  }
  return cases;
}

std::vector<Case> moe_route_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  Rng rng(seed);
  auto shapes = shapes_of(level);
  for (adj_moe_score score : {ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN, ADJ_MOE_SCORE_SOFTMAX, ADJ_MOE_SCORE_SIGMOID, ADJ_MOE_SCORE_SQRT_SOFTPLUS})
    shapes.push_back({12, 9, 4, {.score = score, .special = true}});
  for (const Shape& s : shapes)
    for (bool in_place : {false, true}) {
      if (in_place && s.tokens > 10) continue;
      const auto forward = problem_of(s, signature[0], rng);
      const Outputs outputs = reference_of(*forward);
      const auto f = descriptor_of(s, signature[0]);
      adj_moe_route_backward_descriptor d;
      d.tokens = f.tokens, d.num_experts = f.num_experts, d.top_k = f.top_k;
      d.scale = f.scale, d.balance = f.balance, d.z_loss = f.z_loss;
      d.score = f.score, d.normalise = f.normalise, d.has_losses = f.has_losses, d.element = f.element;
      auto problem = std::make_shared<Problem>(Problem::of(d));
      problem->tensor("logits") = forward->tensor("logits");
      for (const char* name : {"experts", "counts", "counted"})
        if (std::string(name) == "experts" || d.has_losses) problem->tensor(name) = outputs.arguments[forward->argument(name)].at(0);
      fill_normal(problem->tensor("dweights"), rng);
      if (d.has_losses) fill_uniform(problem->tensor("dloss"), rng, 0.5, 2);
      if (in_place) problem->share("dlogits", "logits");
      cases.push_back({name_of(s) + (in_place ? ", in place" : ""), std::move(problem), backward_magnitudes});
      cases.back().any_nan = s.o.special;
    }
  return cases;
}

}  // namespace harness

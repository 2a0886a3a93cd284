// Cases of batch norm and its gradient, and what their errors are measured against.
#include <cmath>
#include <limits>

#include <adjoint/ops/batch_norm.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Settings of a case.
struct Setting {
  std::int64_t outer = 0, channels = 0, inner = 1;
  adj_dtype weight{}, stats{};
  bool frozen = false, special = false, bare = false;  // bare: all optional arguments left out
  const char* shared_with = nullptr;
  bool outlier = false;  // the first element of each channel is far from the others
  double center = 0.3, spread = 1;
  std::string text() const {
    std::string t = fmt::format("{}x{}x{}", outer, channels, inner);
    if (weight) t += fmt::format(" weight {}", adj::dtype_name(weight));
    if (stats) t += fmt::format(" stats {}", adj::dtype_name(stats));
    if (frozen) t += ", frozen";
    if (special) t += ", NaN and infinity";
    if (outlier) t += ", outliers";
    if (bare) t += ", bare";
    if (center != 0.3) t += fmt::format(", around {}", center);
    if (shared_with) t += fmt::format(", in place of {}", shared_with);
    return t;
  }
};

bool has_argument(const Problem& problem, const char* name) {
  const auto& c = problem.contents()[problem.argument(name)];
  return c.present && !c.data.empty();
}
double value(const Problem& problem, const char* name, std::int64_t i, double other) {
  return has_argument(problem, name) ? problem.tensor(name).get(i) : other;
}
template <class Descriptor, class Process>
void for_channel(const Descriptor& d, std::int64_t c, Process process) {
  for (std::int64_t o = 0; o < d.outer; ++o)
    for (std::int64_t i = 0; i < d.inner; ++i) process((o * d.channels + c) * d.inner + i);
}

using Forward = adj_batch_norm_forward_descriptor;
using Backward = adj_batch_norm_backward_descriptor;

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Forward*>(problem.descriptor());
  std::vector<double> y(static_cast<std::size_t>(d.outer * d.channels * d.inner)), stats(static_cast<std::size_t>(d.channels));
  const double count = static_cast<double>(d.outer * d.inner);
  for (std::int64_t c = 0; c < d.channels && count > 0; ++c) {
    double mean = 0, variance = 0, most = 0;
    if (d.training) {
      for_channel(d, c, [&](std::int64_t at) { mean += value(problem, "input", at, 0) / count; });
      for_channel(d, c, [&](std::int64_t at) {
        const double e = value(problem, "input", at, 0) - mean;
        variance += e * e / count;
        most = std::max(most, std::fabs(e));
      });
    } else {
      mean = value(problem, "running_mean", c, 0);
      variance = value(problem, "running_variance", c, 0);
    }
    most = std::min(most, 16 * std::sqrt(variance));
    const double inv_std = 1 / std::sqrt(variance + d.epsilon), q = 1 + most * inv_std * most * inv_std;
    double& own = stats[static_cast<std::size_t>(c)];
    const double unbiased = count > 1 ? variance * count / (count - 1) : variance;
    if (output == "saved_mean") own = most;
    if (output == "saved_inv_std") own = inv_std * q;
    if (output == "next_running_mean") own = std::fabs(d.momentum * value(problem, "running_mean", c, 0)) + std::fabs((1 - d.momentum) * mean) + most;
    if (output == "next_running_variance") own = std::fabs(d.momentum * value(problem, "running_variance", c, 0)) + (1 - d.momentum) * unbiased * q;
    for_channel(d, c, [&](std::int64_t at) {
      y[static_cast<std::size_t>(at)] = std::fabs(value(problem, "scale", c, 1)) * inv_std * (std::fabs(value(problem, "input", at, 0) - mean) + most) * q +
                                        std::fabs(value(problem, "bias", c, 0));
    });
  }
  if (output == "out") return {y};
  return {stats};
}

std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Backward*>(problem.descriptor());
  std::vector<double> dx(static_cast<std::size_t>(d.outer * d.channels * d.inner)), one(static_cast<std::size_t>(d.channels)), two = one;
  const double count = static_cast<double>(d.outer * d.inner);
  for (std::int64_t c = 0; c < d.channels; ++c) {
    const double mean = value(problem, d.frozen ? "running_mean" : "saved_mean", c, 0);
    const double inv_std = d.frozen ? 1 / std::sqrt(value(problem, "running_variance", c, 0) + d.epsilon) : std::fabs(value(problem, "saved_inv_std", c, 0));
    auto h = [&](std::int64_t at) { return std::fabs(value(problem, "input", at, 0) - mean) * inv_std; };
    double& s1 = one[static_cast<std::size_t>(c)];
    double& s2 = two[static_cast<std::size_t>(c)];
    for_channel(d, c, [&](std::int64_t at) {
      s1 += std::fabs(value(problem, "dout", at, 0));
      s2 += std::fabs(value(problem, "dout", at, 0)) * h(at);
    });
    for_channel(d, c, [&](std::int64_t at) {
      dx[static_cast<std::size_t>(at)] =
          std::fabs(value(problem, "scale", c, 1)) * inv_std * (std::fabs(value(problem, "dout", at, 0)) + (d.frozen ? 0 : s1 / count + h(at) * s2 / count));
    });
  }
  if (output == "dinput") return {dx};
  return {output == "dbias" ? one : two};
}

void set_common(Problem& problem, const Setting& s, Rng& rng) {
  Data& x = problem.tensor("input");
  fill_normal(x, rng, s.spread, s.center);
  for (std::int64_t c = 0; s.outlier && c < s.channels; ++c) x.set(c * s.inner, 300);
  fill_uniform(problem.tensor("scale"), rng, -1.5, 1.5);
  if (has_argument(problem, "running_mean")) fill_normal(problem.tensor("running_mean"), rng);
  if (has_argument(problem, "running_variance")) fill_uniform(problem.tensor("running_variance"), rng, 0.5, 2);
}

Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Forward d;
  d.outer = s.outer;
  d.channels = s.channels;
  d.inner = s.inner;
  d.momentum = 0.75;
  d.element = signature[0];
  d.weight = s.weight;
  d.stats = s.stats;
  d.training = !s.frozen;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  set_common(*problem, s, rng);
  fill_normal(problem->tensor("bias"), rng);
  if (s.special) {
    const std::int64_t middle = (s.outer / 2 * s.channels) * s.inner + s.inner / 2;
    problem->tensor("input").set(middle, kNan);
    if (s.channels > 1) problem->tensor("input").set(middle + s.inner, kInfinity);
  }
  if (s.bare) {
    for (const char* name : {"scale", "bias"}) problem->omit(name);
    if (!s.frozen)
      for (const char* name : {"running_mean", "running_variance", "next_running_mean", "next_running_variance", "saved_mean", "saved_inv_std"})
        problem->omit(name);
  } else if (s.shared_with && !s.frozen) {
    problem->share("next_running_mean", "running_mean");
    problem->share("next_running_variance", "running_variance");
  }
  if (s.shared_with) problem->share("out", "input");
  // The results of channels without elements are not specified.
  return {s.text(), std::move(problem), forward_magnitudes, {}, s.outer * s.inner == 0};
}

Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Backward d;
  d.outer = s.outer;
  d.channels = s.channels;
  d.inner = s.inner;
  d.element = signature[0];
  d.weight = s.weight;
  d.stats = s.stats;
  d.frozen = s.frozen;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  set_common(*problem, s, rng);
  fill_normal(problem->tensor("dout"), rng);
  if (!s.frozen)
    for (std::int64_t c = 0; c < s.channels; ++c) {
      double mean = 0, squares = 0;
      const double count = static_cast<double>(std::max<std::int64_t>(s.outer * s.inner, 1));
      for_channel(d, c, [&](std::int64_t at) { mean += problem->tensor("input").get(at) / count; });
      for_channel(d, c, [&](std::int64_t at) { squares += std::pow(problem->tensor("input").get(at) - mean, 2) / count; });
      problem->tensor("saved_mean").set(c, mean);
      problem->tensor("saved_inv_std").set(c, 1 / std::sqrt(squares + 1e-5));
    }
  if (s.special) {
    const std::int64_t middle = (s.outer / 2 * s.channels) * s.inner + s.inner / 2;
    problem->tensor("dout").set(middle, kNan);
    if (s.channels > 1) problem->tensor("dout").set(middle + s.inner, kInfinity);
  }
  if (s.bare)
    for (const char* name : {"scale", "dscale", "dbias"}) problem->omit(name);
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {s.text(), std::move(problem), backward_magnitudes};
}

std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed, bool backward) {
  std::vector<Setting> settings;
  auto add = [&](std::int64_t outer, std::int64_t channels, std::int64_t inner, auto change) {
    Setting s;
    s.outer = outer;
    s.channels = channels;
    s.inner = inner;
    change(s);
    settings.push_back(s);
  };
  auto plain = [](Setting&) {};
  const bool wide = signature[0] == ADJ_F64;
  const adj_dtype other = wide ? ADJ_F64 : signature[0] == ADJ_F32 ? ADJ_BF16 : ADJ_F32;
  for (auto [outer, channels, inner] : {std::tuple{0, 3, 2}, {2, 0, 3}, {2, 3, 0}, {1, 1, 1}, {1, 5, 1}, {2, 3, 1}}) add(outer, channels, inner, plain);
  // Channels before the spatial dimensions: runs that begin anywhere, of less than a unit and of many units.
  for (auto [outer, channels, inner] : {std::tuple{3, 4, 2}, {5, 3, 49}, {2, 3, 64}, {4, 2, 100}, {9, 40, 7}, {2, 1, 1500}}) add(outer, channels, inner, plain);
  // Channels last.
  for (auto [outer, channels] : {std::pair{50, 8}, {37, 5}, {40, 64}, {9, 300}, {3, 264}, {37, 264}, {2500, 2}}) add(outer, channels, 1, plain);
  add(1, 9, 100, plain);
  // Groups of channels of which the last has fewer, and channels that several blocks share.
  for (auto [outer, channels, inner] : {std::tuple{9, 26, 4}, {50, 72, 1}, {90, 16, 98}, {3, 2, 20'000}, {50, 3, 256}}) add(outer, channels, inner, plain);
  // A vector of a row for every thread but one, and rows one element too long for that.
  for (std::int64_t inner : {255, 257}) add(5, 8, inner, plain);
  for (std::int64_t inner : {1, 30}) {
    add(9, 8, inner, [&](Setting& s) {
      s.weight = other;
      s.stats = wide ? ADJ_F64 : ADJ_F32;
    });
    add(9, 8, inner, [&](Setting& s) { s.stats = other; });
    add(7, 16, inner, [](Setting& s) { s.frozen = true; });
    add(6, 8, inner, [](Setting& s) { s.bare = true; });
    add(6, 8, inner, [](Setting& s) { s.bare = s.frozen = true; });
    add(6, 9, inner, [](Setting& s) { s.special = true; });
    add(6, 8, inner, [](Setting& s) { s.shared_with = "input"; });
    if (backward) add(6, 8, inner, [](Setting& s) { s.shared_with = "dout"; });
    if (!backward) add(300, 8, inner, [](Setting& s) { s.outlier = true; });
    if (!backward && (wide || signature[0] == ADJ_F32))
      add(40, 3, inner, [](Setting& s) {
        s.center = 1e4;
        s.spread = 1e-2;
      });
  }
  if (level == Level::full) {
    for (auto [outer, channels, inner] :
         {std::tuple{16, 64, 56 * 56}, {8, 256, 196}, {32, 100, 49}, {2, 1000, 3}, {1, 2, 1'000'003}, {64, 3, 1024}, {1, 1056, 4096}}) {
      add(outer, channels, inner, plain);
      add(outer * inner, channels, 1, plain);
    }
    add(30'000, 64, 1, [](Setting& s) { s.shared_with = "input"; });
    add(3, 64, 10'000, [](Setting& s) {
      s.shared_with = "input";
      s.frozen = true;
    });
    add(70'000, 1, 2, plain);
    add(2, 100'000, 1, plain);
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(backward ? backward_case(s, signature, ++seed) : forward_case(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> batch_norm_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) { return cases(signature, level, seed, false); }
std::vector<Case> batch_norm_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) { return cases(signature, level, seed, true); }

}  // namespace harness

// Cases of group norm and its gradient, and what their errors are measured against.
#include <cmath>
#include <limits>

#include <adjoint/ops/batch_norm.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Setting {
  std::int64_t outer = 0, channels = 0, inner = 1, groups = 1;
  adj_dtype weight{};
  bool special = false, bare = false;  // bare: all optional arguments left out
  const char* shared_with = nullptr;
  double center = 0.3, spread = 1;
  std::string text() const {
    std::string t = fmt::format("{}x{}x{} in {}", outer, channels, inner, groups);
    if (weight) t += fmt::format(" weight {}", adj::dtype_name(weight));
    if (special) t += ", NaN and infinity";
    if (bare) t += ", bare";
    if (center != 0.3) t += fmt::format(", around {}", center);
    if (shared_with) t += fmt::format(", in place of {}", shared_with);
    return t;
  }
  std::int64_t size() const { return channels / groups * inner; }
};

using Forward = adj_group_norm_forward_descriptor;
using Backward = adj_group_norm_backward_descriptor;

double value(const Problem& problem, const char* name, std::int64_t i, double other) {
  const auto& c = problem.contents()[problem.argument(name)];
  return c.present && !c.data.empty() ? problem.tensor(name).get(i) : other;
}

std::vector<std::vector<double>> forward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Forward*>(problem.descriptor());
  const std::int64_t size = d.channels / d.groups * d.inner;
  std::vector<double> y(static_cast<std::size_t>(d.outer * d.channels * d.inner)), stats(static_cast<std::size_t>(d.outer * d.groups));
  const double count = static_cast<double>(size);
  for (std::int64_t row = 0; row < (size ? d.outer * d.groups : 0); ++row) {
    double mean = 0, variance = 0, most = 0;
    for (std::int64_t i = 0; i < size; ++i) mean += problem.tensor("input").get(row * size + i) / count;
    for (std::int64_t i = 0; i < size; ++i) {
      const double e = problem.tensor("input").get(row * size + i) - mean;
      variance += e * e / count;
      most = std::max(most, std::fabs(e));
    }
    most = std::min(most, 16 * std::sqrt(variance));
    const double inv_std = 1 / std::sqrt(variance + d.epsilon), q = 1 + most * inv_std * most * inv_std;
    stats[static_cast<std::size_t>(row)] = output == "mean" ? most : inv_std * q;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t c = row % d.groups * (d.channels / d.groups) + i / d.inner;
      const double e = std::fabs(problem.tensor("input").get(row * size + i) - mean);
      y[static_cast<std::size_t>(row * size + i)] =
          std::fabs(value(problem, "scale", c, 1)) * inv_std * (e + most) * q + std::fabs(value(problem, "bias", c, 0));
    }
  }
  if (output == "out") return {y};
  return {stats};
}

std::vector<std::vector<double>> backward_magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const Backward*>(problem.descriptor());
  const std::int64_t size = d.channels / d.groups * d.inner;
  std::vector<double> dx(static_cast<std::size_t>(d.outer * d.channels * d.inner)), one(static_cast<std::size_t>(d.channels)), two = one;
  for (std::int64_t row = 0; row < (size ? d.outer * d.groups : 0); ++row) {
    const double mean = problem.tensor("mean").get(row), inv_std = std::fabs(problem.tensor("inv_std").get(row)), count = static_cast<double>(size);
    double s1 = 0, s2 = 0;
    auto each = [&](auto use) {
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t c = row % d.groups * (d.channels / d.groups) + i / d.inner;
        const double dy = std::fabs(problem.tensor("dout").get(row * size + i));
        use(row * size + i, c, dy, std::fabs(value(problem, "scale", c, 1)) * dy, std::fabs(problem.tensor("input").get(row * size + i) - mean) * inv_std);
      }
    };
    each([&](std::int64_t, std::int64_t c, double dy, double g, double h) {
      one[static_cast<std::size_t>(c)] += dy;
      two[static_cast<std::size_t>(c)] += dy * h;
      s1 += g;
      s2 += g * h;
    });
    each([&](std::int64_t at, std::int64_t, double, double g, double h) { dx[static_cast<std::size_t>(at)] = inv_std * (g + s1 / count + h * s2 / count); });
  }
  if (output == "dinput") return {dx};
  return {output == "dbias" ? one : two};
}

template <class Descriptor>
std::shared_ptr<Problem> problem_of(const Setting& s, const adj::Signature& signature, Rng& rng) {
  Descriptor d;
  d.outer = s.outer;
  d.channels = s.channels;
  d.inner = s.inner;
  d.groups = s.groups;
  d.element = signature[0];
  d.weight = s.weight;
  auto problem = std::make_shared<Problem>(Problem::of(d));
  fill_normal(problem->tensor("input"), rng, s.spread, s.center);
  fill_uniform(problem->tensor("scale"), rng, -1.5, 1.5);
  return problem;
}

// Sets an element to NaN, and one of another sample or group to infinity.
void set_special(Data& data, const Setting& s) {
  data.set(s.size() / 2, kNan);
  if (s.outer * s.groups > 1) data.set(s.size() + s.size() / 2, kInfinity);
}

Case forward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto problem = problem_of<Forward>(s, signature, rng);
  fill_normal(problem->tensor("bias"), rng);
  if (s.special) set_special(problem->tensor("input"), s);
  if (s.bare)
    for (const char* name : {"scale", "bias", "mean", "inv_std"}) problem->omit(name);
  if (s.shared_with) problem->share("out", s.shared_with);
  // The statistics of groups without elements are not specified.
  return {s.text(), std::move(problem), forward_magnitudes, {}, s.size() == 0};
}

Case backward_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  auto problem = problem_of<Backward>(s, signature, rng);
  fill_normal(problem->tensor("dout"), rng);
  for (std::int64_t row = 0; row < (s.size() ? s.outer * s.groups : 0); ++row) {
    double mean = 0, squares = 0;
    const double count = static_cast<double>(s.size());
    for (std::int64_t i = 0; i < s.size(); ++i) mean += problem->tensor("input").get(row * s.size() + i) / count;
    for (std::int64_t i = 0; i < s.size(); ++i) squares += std::pow(problem->tensor("input").get(row * s.size() + i) - mean, 2) / count;
    problem->tensor("mean").set(row, mean);
    problem->tensor("inv_std").set(row, 1 / std::sqrt(squares + 1e-5));
  }
  if (s.special) set_special(problem->tensor("dout"), s);
  if (s.bare)
    for (const char* name : {"scale", "dscale", "dbias"}) problem->omit(name);
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {s.text(), std::move(problem), backward_magnitudes};
}

std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed, bool backward) {
  std::vector<Setting> settings;
  auto add = [&](std::int64_t outer, std::int64_t channels, std::int64_t inner, std::int64_t groups, auto change) {
    Setting s;
    s.outer = outer;
    s.channels = channels;
    s.inner = inner;
    s.groups = groups;
    change(s);
    settings.push_back(s);
  };
  auto plain = [](Setting&) {};
  const bool wide = signature[0] == ADJ_F64;
  const adj_dtype other = wide ? ADJ_F64 : signature[0] == ADJ_F32 ? ADJ_BF16 : ADJ_F32;
  // No elements; one element; one group; as many groups as channels.
  for (auto [outer, channels, inner, groups] : {std::tuple{0, 4, 2, 2}, {2, 0, 3, 4}, {2, 4, 0, 2}, {1, 1, 1, 1}, {3, 6, 1, 2}, {2, 5, 9, 1}, {2, 5, 9, 5}})
    add(outer, channels, inner, groups, plain);
  // Channels and groups that begin anywhere, of less than a vector, of some, and of more than a block takes at once.
  for (auto [outer, channels, inner, groups] :
       {std::tuple{3, 8, 2, 4}, {2, 6, 49, 3}, {2, 16, 64, 4}, {1, 40, 33, 2}, {70, 2, 3, 1}, {1, 4, 2500, 2}, {1, 70, 8, 1}, {1, 2, 20'000, 1}})
    add(outer, channels, inner, groups, plain);
  for (std::int64_t inner : {1, 30, 32}) {
    add(3, 8, inner, 2, [&](Setting& s) { s.weight = other; });
    add(2, 8, inner, 2, [](Setting& s) { s.bare = true; });
    add(2, 9, inner, 3, [](Setting& s) { s.special = true; });
    add(2, 8, inner, 4, [](Setting& s) { s.shared_with = "input"; });
    if (backward) add(2, 8, inner, 4, [](Setting& s) { s.shared_with = "dout"; });
    if (!backward && (wide || signature[0] == ADJ_F32))
      add(2, 6, 20 * inner, 3, [](Setting& s) {
        s.center = 1e4;
        s.spread = 1e-2;
      });
  }
  if (level == Level::full)
    for (auto [outer, channels, inner, groups] :
         {std::tuple{4, 320, 4096, 32}, {8, 128, 49, 32}, {2, 1280, 64, 32}, {64, 256, 1, 8}, {1, 3, 1'000'003, 3}, {1, 2, 1 << 20, 1}, {3000, 8, 5, 2}})
      add(outer, channels, inner, groups, plain);
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(backward ? backward_case(s, signature, ++seed) : forward_case(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> group_norm_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) { return cases(signature, level, seed, false); }
std::vector<Case> group_norm_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) { return cases(signature, level, seed, true); }

}  // namespace harness

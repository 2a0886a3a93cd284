// Cases of softmax and log-softmax, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/softmax.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Settings of a case besides its shape.
struct Setting {
  bool in_place = false, special = false, masked = false, far = false;
  // A group's elements are the same behind the first 8192, among which every thread finds the largest: roundings of a long sum point one way.
  bool level = false;
};

template <class Descriptor, bool log>
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const Data& in = problem.tensor("input");
  std::vector<double> result(static_cast<std::size_t>(d.outer * d.extent * d.inner));
  for (std::int64_t group = 0; group < d.outer * d.inner; ++group) {
    const std::int64_t first = group / d.inner * d.extent * d.inner + group % d.inner;
    auto x = [&](std::int64_t c) { return in.get(first + c * d.inner); };
    double top = -kInfinity, sum = 0, spread = 0;
    for (std::int64_t c = 0; c < d.extent; ++c) top = std::max(top, x(c));
    for (std::int64_t c = 0; c < d.extent; ++c) {
      if (!(x(c) > -kInfinity)) continue;
      sum += std::exp(x(c) - top);
      spread += std::exp(x(c) - top) * (1 + std::fabs(x(c) - top));
    }
    for (std::int64_t c = 0; c < d.extent; ++c) {
      if (!(x(c) > -kInfinity)) continue;
      const double away = std::fabs(x(c) - top);
      result[static_cast<std::size_t>(first + c * d.inner)] =
          log ? away + std::fabs(std::log(sum)) + spread / sum : std::exp(-away) / sum * (1 + away + spread / sum);
    }
  }
  return {result};
}

template <class Descriptor, bool log>
Case make_case(std::int64_t outer, std::int64_t extent, std::int64_t inner, const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  d.outer = outer;
  d.extent = extent;
  d.inner = inner;
  d.element = signature[0];
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& in = problem->tensor("input");
  fill_normal(in, rng, s.far ? 30 : 2);
  for (std::int64_t group = 0; group < outer * inner; ++group) {
    const std::int64_t first = group / inner * extent * inner + group % inner;
    for (std::int64_t c = 0; s.level && c < extent; ++c) in.set(first + c * inner, c < 8192 && c % 4 == 0 ? 0 : -0.026 - 0.03 * static_cast<double>(group));
    for (std::int64_t c = 0; s.masked && c < extent; ++c)
      if (group % 3 == 0 || c % 2 == 1) in.set(first + c * inner, -kInfinity);
    if (s.special && extent > 0 && group % 3 != 0) in.set(first + extent / 2 * inner, group % 3 == 1 ? kNan : kInfinity);
  }
  if (s.in_place) problem->share("out", "input");
  return {fmt::format("{}x{}x{}{}{}{}{}{}", outer, extent, inner, s.in_place ? " in place" : "", s.special ? ", NaN and infinity" : "",
                      s.masked ? ", masked" : "", s.far ? ", far apart" : "", s.level ? ", level" : ""),
          std::move(problem), magnitudes<Descriptor, log>};
}

template <class Descriptor, bool log>
std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Case> list;
  auto add = [&](std::int64_t outer, std::int64_t extent, std::int64_t inner, Setting s) {
    list.push_back(make_case<Descriptor, log>(outer, extent, inner, s, signature, ++seed));
  };
  for (auto [outer, extent, inner] : {std::tuple{0, 5, 3}, {3, 0, 2}, {2, 3, 0}}) add(outer, extent, inner, {});
  for (std::int64_t extent : {std::int64_t{1}, std::int64_t{3}, unit, 3 * unit + 1, 5 * unit, 32 * unit + 1, 33 * unit, 128 * unit, 129 * unit + 1})
    add(extent < 100 ? 19 : 3, extent, 1, {});
  add(3, 701, 1, {});  // more than 512 elements, and not in whole units of any type
  add(15, 181, 1, {});  // where a warp takes seven rows, lanes have no row in its last turn
  for (std::int64_t extent : {1, 5, 64, 130})
    for (std::int64_t inner : {3, 33}) add(2, extent, inner, {});
  for (std::int64_t inner : {1, 3})
    for (std::int64_t extent : {3 * unit, 3 * unit + 1}) {
      add(5, extent, inner, {.in_place = true});
      add(5, extent, inner, {.special = true});
      add(5, extent, inner, {.masked = true});
      add(3, extent, inner, {.far = true});
    }
  for (std::int64_t inner : {1, 3}) {  // a group of one element is 1, or NaN
    add(5, 1, inner, {.special = true});
    add(5, 1, inner, {.masked = true});
  }
  // Rows longer than the threads hold.
  add(2, 2049 * unit, 1, {});
  add(2, 2048 * unit + 3, 1, {.in_place = true});
  add(1, 50'000, 4, {.level = true});
  if (level == Level::full) {
    add(4, 1'000'000, 1, {.level = true});
    for (std::int64_t extent : {1000, 4096, 4999, 50257}) add(37, extent, 1, {});
    for (std::int64_t extent : {512, 5000}) add(3, extent, 75, {.in_place = true});
    add(70'001, 2, 2, {});
    add(20'000, 77, 1, {});
  }
  return list;
}

}  // namespace

std::vector<Case> softmax_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_softmax_forward_descriptor, false>(signature, level, seed);
}
std::vector<Case> log_softmax_forward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_log_softmax_forward_descriptor, true>(signature, level, seed);
}

}  // namespace harness

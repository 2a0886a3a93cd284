// Cases of the gradients of softmax and log-softmax, and what their errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/softmax.h>

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = 1e-30;  // least magnitude of a term, as include/adjoint/ops/softmax.h counts them

// Settings of a case.
struct Setting {
  std::int64_t outer = 0, extent = 0, inner = 1;
  const char* shared_with = nullptr;
  bool nan = false;        // a NaN in group 1, an infinity in group 2
  bool masked = false;     // probability 0 for every other element
  bool all_masked = false; // also NaN throughout group 0, as the forward operator writes it when all scores are -Inf
  bool one_sided = false;  // dout of one sign, so that terms of the sum do not cancel
  std::string text() const {
    std::string t = fmt::format("{}x{}x{}", outer, extent, inner);
    if (shared_with) t += fmt::format(" in place of {}", shared_with);
    if (nan) t += ", NaN and infinity";
    if (masked) t += ", masked";
    if (all_masked) t += ", all masked";
    if (one_sided) t += ", one sign";
    return t;
  }
};

template <class Descriptor, bool log>
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string&) {
  const auto& d = *reinterpret_cast<const Descriptor*>(problem.descriptor());
  const Data& dout = problem.tensor("dout");
  const Data& out = problem.tensor("out");
  std::vector<double> result(static_cast<std::size_t>(d.outer * d.extent * d.inner));
  for (std::int64_t group = 0; group < d.outer * d.inner; ++group) {
    const std::int64_t first = group / d.inner * d.extent * d.inner + group % d.inner;
    double sum = 0;
    for (std::int64_t c = 0; c < d.extent; ++c) {
      const std::int64_t at = first + c * d.inner;
      sum += std::fabs(log ? dout.get(at) : dout.get(at) * out.get(at));
    }
    for (std::int64_t c = 0; c < d.extent; ++c) {
      const std::int64_t at = first + c * d.inner;
      const double g = std::fabs(dout.get(at)), y = out.get(at);
      double& m = result[static_cast<std::size_t>(at)];
      if (log) m = g + (y == -kInfinity ? kLeast : std::max(std::exp(y), kLeast) * (1 + std::fabs(y))) * sum;
      else m = std::max(std::fabs(y), kLeast) * (g + sum);
    }
  }
  return {result};
}

template <class Descriptor, bool log>
Case make_case(const Setting& s, const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  Descriptor d;
  d.outer = s.outer;
  d.extent = s.extent;
  d.inner = s.inner;
  d.element = signature[0];
  auto problem = std::make_shared<Problem>(Problem::of(d));
  Data& dout = problem->tensor("dout");
  Data& out = problem->tensor("out");
  if (s.one_sided) fill_uniform(dout, rng, 0.5, 1.5);
  else fill_normal(dout, rng);
  // `out` as a forward operator writes it.
  Normal draw(0, 2);
  std::vector<double> score(static_cast<std::size_t>(s.extent));
  for (std::int64_t group = 0; group < s.outer * s.inner; ++group) {
    const std::int64_t first = group / s.inner * s.extent * s.inner + group % s.inner;
    double top = -kInfinity, sum = 0;
    for (double& v : score) top = std::max(top, v = draw(rng));
    for (std::size_t c = 0; c < score.size(); ++c) {
      if (s.masked && c % 2 == 1) score[c] = -kInfinity;
      sum += std::exp(score[c] - top);
    }
    for (std::size_t c = 0; c < score.size(); ++c) {
      const double log_probability = s.all_masked && group == 0 ? kNan : score[c] - top - std::log(sum);
      out.set(first + static_cast<std::int64_t>(c) * s.inner, log ? log_probability : std::exp(log_probability));
    }
    const std::int64_t middle = first + s.extent / 2 * s.inner;
    if (s.nan && s.extent > 0 && group == 1) dout.set(middle, kNan);
    if (s.nan && s.extent > 0 && group == 2) dout.set(middle, kInfinity);
    // Probabilities that round to 0, in f32 and in f64.
    if (log && s.nan && s.extent > 5 && group == 2) out.set(first, -150), out.set(first + s.inner, -60000);
  }
  if (s.shared_with) problem->share("dinput", s.shared_with);
  return {s.text(), std::move(problem), magnitudes<Descriptor, log>};
}

template <class Descriptor, bool log>
std::vector<Case> cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  const std::int64_t unit = 16 / adj::size_of(signature[0]);
  std::vector<Setting> settings;
  auto add = [&](std::int64_t outer, std::int64_t extent, std::int64_t inner, auto change) {
    Setting s;
    s.outer = outer;
    s.extent = extent;
    s.inner = inner;
    change(s);
    settings.push_back(s);
  };
  auto plain = [](Setting&) {};
  for (auto [outer, extent, inner] : {std::tuple{0, 5, 3}, {3, 0, 2}, {2, 3, 0}}) add(outer, extent, inner, plain);

  // Extents on both sides of each change of the number of lanes, units or blocks; rows of whole units and not.
  std::vector<std::int64_t> extents{1,
                                    2,
                                    3,
                                    unit - 1,
                                    unit,
                                    unit + 1,
                                    3 * unit + 1,
                                    5 * unit,
                                    16 * unit,
                                    16 * unit + 3,
                                    77,
                                    32 * unit,
                                    32 * unit + 1,
                                    33 * unit,
                                    64 * unit - 1,
                                    65 * unit,
                                    128 * unit,
                                    129 * unit + 1};
  for (std::int64_t extent : extents) add(extent < 100 ? 19 : 5, extent, 1, plain);
  for (std::int64_t extent : {1, 5, 64, 65, 130})
    for (std::int64_t inner : {2, 33, 64, 70}) add(2, extent, inner, plain);
  for (std::int64_t extent : {257, 300}) add(1, extent, 32, plain);
  for (std::int64_t extent : {3 * unit, 3 * unit + 1, 33 * unit + 1})
    for (std::int64_t inner : {1, 3, 64, 67})
      for (const char* shared : {"dout", "out"}) add(3, extent, inner, [&](Setting& s) { s.shared_with = shared; });
  for (std::int64_t inner : {1, 3, 64}) {
    add(9, 2 * unit + 1, inner, [](Setting& s) { s.nan = true; });
    add(3, 130 * unit, inner == 64 ? 32 : inner, [](Setting& s) { s.nan = true; });
    add(4, 40, inner, [](Setting& s) { s.masked = true; });
    add(4, 40, inner, [](Setting& s) { s.all_masked = true; });
    add(9, 40, inner, [](Setting& s) { s.nan = s.masked = true; });  // an infinite sum, beside probabilities of 0
    add(2, 1000, inner == 64 ? 32 : inner, [](Setting& s) { s.one_sided = true; });
  }
  // Problems that need shared memory, more than four blocks, and more than four units of each thread of eight blocks.
  add(1, 600, 16 * unit / 4, plain);
  add(2, 16385 * unit, 1, [](Setting& s) { s.one_sided = true; });
  add(2, 16384 * (signature[0] == ADJ_F64 ? unit : 0) + 5, 1, plain);

  // More rows than there are clusters at a time.
  add(300, 2 * unit, 1, [](Setting& s) { s.shared_with = "dout"; });

  if (level == Level::full) {
    for (std::int64_t extent : {255, 1000, 1024, 1025, 4096, 4999, 5000}) add(37, extent, 1, plain);
    for (std::int64_t units : {2047, 2048, 2049, 4096, 8191, 16384, 16385, 32768}) add(5, units * unit, 1, [](Setting& s) { s.one_sided = true; });
    for (std::int64_t units : {2048, 2049, 16384, 32760}) add(3, units * unit - 1, 1, [](Setting& s) { s.shared_with = "dout"; });
    for (std::int64_t extent : {32768 * unit + 1, std::int64_t{1} << 20, std::int64_t{1'000'003}})
      for (const char* shared : {"", "out"})
        add(2, extent, 1, [&](Setting& s) {
          if (*shared) s.shared_with = shared;
          s.one_sided = true;
        });
    for (std::int64_t extent : {511, 512, 513, 1024, 2048, 2049, 4096, 4097})
      for (std::int64_t inner : {64, 96, 75})
        add(2, extent, inner, [&](Setting& s) {
          if (inner == 96) s.shared_with = "dout";
        });
    add(3, 100'000, 3, [](Setting& s) { s.one_sided = true; });
    add(100'003, 3, 1, plain);
    add(70'001, 2, 2, plain);
    add(20'000, 77, 1, plain);
    add(20'000, 64, 1, plain);
  }
  std::vector<Case> result;
  for (const Setting& s : settings) result.push_back(make_case<Descriptor, log>(s, signature, ++seed));
  return result;
}

}  // namespace

std::vector<Case> softmax_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_softmax_backward_descriptor, false>(signature, level, seed);
}
std::vector<Case> log_softmax_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  return cases<adj_log_softmax_backward_descriptor, true>(signature, level, seed);
}

}  // namespace harness

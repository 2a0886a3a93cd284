// Cases of div_backward, and what its errors are measured against.
#include <algorithm>
#include <cmath>
#include <limits>

#include <adjoint/ops/elementwise.h>
#include <fmt/ranges.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

using Shape = std::vector<std::int64_t>;

std::int64_t dim(const adj_shape& s, std::int64_t rank, std::int64_t i) {
  const std::int64_t own = i - (rank - s.rank);
  return own < 0 ? 1 : s.dims[own];
}

// Magnitudes: the sum of the absolute addends of each output.
std::vector<std::vector<double>> magnitudes(const Problem& problem, const std::string& output) {
  const auto& d = *reinterpret_cast<const adj_div_backward_descriptor*>(problem.descriptor());
  const bool of_b = output == "db";
  const Data& dout = problem.tensor("dout");
  const Data& b = problem.tensor("b");
  const std::int64_t rank = std::max(d.a_shape.rank, d.b_shape.rank);
  std::vector<double> sums(static_cast<std::size_t>(problem.tensor(output.c_str()).numel()));
  std::vector<std::int64_t> index(static_cast<std::size_t>(rank));
  for (std::int64_t at = 0; at < dout.numel(); ++at) {
    std::int64_t in_a = 0, in_b = 0;
    for (std::int64_t i = 0; i < rank; ++i) {
      const std::int64_t na = dim(d.a_shape, rank, i), nb = dim(d.b_shape, rank, i), k = index[static_cast<std::size_t>(i)];
      in_a = in_a * na + (na == 1 ? 0 : k);
      in_b = in_b * nb + (nb == 1 ? 0 : k);
    }
    double m = std::fabs(dout.get(at) / b.get(in_b));
    if (of_b) m *= std::fabs(problem.tensor("a").get(in_a) / b.get(in_b));
    if (std::isfinite(m)) sums[static_cast<std::size_t>(of_b ? in_b : in_a)] += m;
    for (std::size_t i = index.size(); i-- > 0;) {
      const auto k = static_cast<std::int64_t>(i);
      if (++index[i] < std::max(dim(d.a_shape, rank, k), dim(d.b_shape, rank, k))) break;
      index[i] = 0;
    }
  }
  return {sums};
}

struct Setting {
  Shape a, b;
  int skip = 0;  // 1: da, 2: db
  bool zeros = false;
};

adj_shape shape_of(const Shape& s) {
  adj_shape shape;
  shape.rank = static_cast<std::int64_t>(s.size());
  std::copy(s.begin(), s.end(), shape.dims);
  return shape;
}

}  // namespace

std::vector<Case> div_backward_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Setting> all{
      {{}, {}},
      {{0}, {0}},
      {{0, 3}, {3}},
      {{1}, {0}},
      {{7, 9}, {7, 9}},
      {{1030}, {1030}, 1},
      {{1031}, {1031}, 2},
      {{64}, {64}, 0, true},
      {{5, 40}, {40}},
      {{90, 40}, {40}, 1},
      {{90, 40}, {40}, 2},
      {{2080}, {2, 37, 2080}},
      {{65}, {40, 65}, 1},
      {{65}, {40, 65}, 2},
      {{5, 40}, {}},
      {{}, {700}},
      {{3000}, {1}},
      {{2, 3, 17}, {3, 1}},
      {{3, 1}, {2, 3, 17}, 2},
      {{6, 1, 5}, {1, 7, 1}},
      {{4, 1, 3, 1, 2}, {1, 5, 3, 4, 1}},
      {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 3}},
      {{300, 3}, {3}, 1},
      {{2, 600}, {2, 1}, 1, true},
      {{2, 2100}, {2, 1}, 1},  // two splits of several sums
      {{33, 65}, {33, 1}},
      {{5, 1}, {1, 300}},
  };
  if (level == Level::full)
    all.insert(
        all.end(),
        {{{1'000'003}, {1'000'003}}, {{4096, 1000}, {1000}}, {{1000, 4096}, {1000, 1}}, {{3'000'001}, {}}, {{16, 64, 900}, {64, 1}}, {{700, 1}, {1, 900}}});
  std::vector<Case> cases;
  for (const Setting& s : all) {
    Rng rng(++seed);
    adj_div_backward_descriptor d;
    d.a_shape = shape_of(s.a);
    d.b_shape = shape_of(s.b);
    d.skip_da = s.skip == 1;
    d.skip_db = s.skip == 2;
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(Problem::of(d));
    fill_normal(problem->tensor("dout"), rng);
    if (!d.skip_db) fill_normal(problem->tensor("a"), rng, 3);
    Data& b = problem->tensor("b");
    fill_uniform(b, rng, 0.25, 4);
    std::uniform_int_distribution<int> coin(0, 9);
    for (std::int64_t i = 0; i < b.numel(); ++i) {
      if (coin(rng) % 2) b.set(i, -b.get(i));
      if (s.zeros && coin(rng) == 0) b.set(i, 0);
    }
    cases.push_back({fmt::format("[{}] / [{}]{}{}", fmt::join(s.a, ", "), fmt::join(s.b, ", "),
                                 s.skip == 1   ? " without da"
                                 : s.skip == 2 ? " without db"
                                               : "",
                                 s.zeros ? ", zeros" : ""),
                     std::move(problem), magnitudes});
  }
  return cases;
}

}  // namespace harness

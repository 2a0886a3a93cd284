// Gradients of a division on the host stream: by hand, against central differences with broadcasting, and bad shapes.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/elementwise.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Shape = std::vector<std::int64_t>;
using Descriptor = adj_div_backward_descriptor;

adj_shape shape_of(const Shape& s) {
  adj_shape shape;
  shape.rank = static_cast<std::int64_t>(s.size());
  std::copy(s.begin(), s.end(), shape.dims);
  return shape;
}
std::int64_t volume(const Shape& s) {
  std::int64_t v = 1;
  for (std::int64_t n : s) v *= n;
  return v;
}
struct Gradients {
  std::vector<double> da, db;
};
Gradients gradients(const Shape& sa, const Shape& sb, std::vector<double> dout, std::vector<double> a, std::vector<double> b) {
  const Descriptor d{.a_shape = shape_of(sa), .b_shape = shape_of(sb), .element = ADJ_F64};
  Gradients g{std::vector<double>(a.size()), std::vector<double>(b.size())};
  adj_div_backward_args args;
  args.dout = tensor(dout);
  args.a = tensor(a, sa);
  args.b = tensor(b, sb);
  args.da = tensor(g.da);
  args.db = tensor(g.db);
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return g;
}
// Index, in an operand of three dimensions, of element `at` of the broadcast shape [2, 3, 4].
std::size_t place(const Shape& s, std::size_t at) {
  const std::size_t i[] = {at / 12, at / 4 % 3, at % 4};
  std::size_t own = 0;
  for (std::size_t k = 0; k < 3; ++k) own = own * static_cast<std::size_t>(s[k]) + (s[k] == 1 ? 0 : i[k]);
  return own;
}

}  // namespace

TEST_CASE("gradients of a division by hand") {
  const auto g = gradients({3}, {3}, {1, 2, 3}, {4, 5, 6}, {2, -4, 0});
  CHECK(g.da == std::vector<double>{0.5, -0.5, std::numeric_limits<double>::infinity()});
  CHECK(g.db == std::vector<double>{-1, -2 / -4.0 * (5 / -4.0), -std::numeric_limits<double>::infinity()});
  const auto scalar = gradients({2}, {}, {1, 3}, {4, 5}, {2});
  CHECK(scalar.da == std::vector<double>{0.5, 1.5});
  CHECK(scalar.db == std::vector<double>{-(0.5 * 2 + 1.5 * 2.5)});
  // Nothing to add.
  const auto none = gradients({1}, {0}, {}, {4}, {});
  CHECK(none.da == std::vector<double>{0});
}

TEST_CASE("gradients of a division agree with central differences, however the operands repeat") {
  for (const Shape& sa : {Shape{2, 3, 4}, {1, 3, 1}, {2, 1, 4}, {1, 1, 1}})
    for (const Shape& sb : {Shape{2, 3, 4}, {1, 3, 4}, {2, 1, 1}, {1, 3, 1}}) {
      if (sa != Shape{2, 3, 4} && sb != Shape{2, 3, 4}) continue;
      const auto a = wave(volume(sa), 0.2), dout = wave(24, 1);
      auto b = wave(volume(sb), 2);
      for (double& v : b) v += v < 0 ? -1 : 1;
      const auto got = gradients(sa, sb, dout, a, b);
      auto loss = [&](const std::vector<double>& x, const std::vector<double>& y) {
        double sum = 0;
        for (std::size_t i = 0; i < 24; ++i) sum += dout[i] * x[place(sa, i)] / y[place(sb, i)];
        return sum;
      };
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < a.size(); ++i) {
        auto up = a, down = a;
        up[i] += kStep;
        down[i] -= kStep;
        CHECK(std::fabs(got.da[i] - (loss(up, b) - loss(down, b)) / (2 * kStep)) < 1e-8);
      }
      for (std::size_t i = 0; i < b.size(); ++i) {
        auto up = b, down = b;
        up[i] += kStep;
        down[i] -= kStep;
        CHECK(std::fabs(got.db[i] - (loss(a, up) - loss(a, down)) / (2 * kStep)) < 1e-8);
      }
    }
}

TEST_CASE("gradients of a division keep their range in f16") {
  // b * b would overflow.
  std::vector<adj::f16> dout{adj::to_f16(1)}, a{adj::to_f16(1000)}, b{adj::to_f16(1000)}, db(1);
  adj_div_backward_args args;
  args.dout = tensor(dout);
  args.a = tensor(a);
  args.b = tensor(b);
  args.db = tensor(db);
  REQUIRE(run(Descriptor{.a_shape = shape_of({1}), .b_shape = shape_of({1}), .skip_da = 1, .element = ADJ_F16}, args).ok());
  CHECK(adj::to_double(db[0]) == adj::to_double(adj::to_f16(-0.001)));
}

TEST_CASE("gradients of a division refuse problems that cannot be") {
  std::string message;
  CHECK(select_status(Descriptor{.a_shape = shape_of({2, 3}), .b_shape = shape_of({2}), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("cannot be broadcast") != std::string::npos);
  CHECK(select_status(Descriptor{.skip_da = 1, .skip_db = 1, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(select_status(Descriptor{.a_shape = shape_of({huge, 1}), .b_shape = shape_of({1, huge}), .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.a_shape = shape_of({-2}), .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("gradients of a division refuse a row that repeats and takes more blocks than a grid has") {
  const auto refused = [](std::int64_t columns) {
    const Descriptor d{
        .a_shape = shape_of({2, columns}), .b_shape = shape_of({columns}), .skip_db = 1, .element = ADJ_F32};  // no sum, which has a limit of its own
    auto plan = select(d, *adj::offline_stream("sm_90a"));
    return plan.ok() ? "" : plan.error().message;
  };
  CHECK(refused(std::int64_t{1} << 38) == "");
  CHECK(refused(std::int64_t{1} << 42).find("has at most 2147483647 blocks, the row of 4398046511104 elements takes more") != std::string::npos);
}

// Fills and normal numbers on the host stream: rounding, the published blocks of Philox, moments, and parts of a tensor.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <adjoint/ops/fill.h>
#include <doctest/doctest.h>

#include "base/dtype.hpp"
#include "support.hpp"

namespace {

using namespace support;

std::vector<double> normal(std::int64_t numel, std::uint64_t seed, std::uint64_t offset, double mean = 0, double deviation = 1) {
  std::vector<double> out(static_cast<std::size_t>(numel));
  adj_normal_args a;
  a.mean.value = mean;
  a.std.value = deviation;
  a.random = {seed, offset, nullptr};
  a.out = tensor(out);
  auto ok = run(adj_normal_descriptor{.numel = numel, .element = ADJ_F64}, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return out;
}

}  // namespace

TEST_CASE("a fill writes its value, rounded once") {
  std::vector<adj::bf16> out(5);
  adj_fill_args a;
  a.value.value = 1 + 0x1p-8 + 0x1p-40;  // above the middle of 1 and 1 + 2^-7, which f32 would round to
  a.out = tensor(out);
  REQUIRE(run(adj_fill_descriptor{.numel = 5, .element = ADJ_BF16}, a).ok());
  for (const auto& v : out) CHECK(adj::to_double(v) == 1 + 0x1p-7);
  std::string message;
  CHECK(select_status(adj_fill_descriptor{.element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("numel was not given") != std::string::npos);
  CHECK(select_status(adj_fill_descriptor{.numel = 3, .element = ADJ_I32}) == ADJ_ERROR_UNSUPPORTED);
}

TEST_CASE("normal numbers follow from the published block of Philox, and a part of a tensor draws the same ones") {
  // Random123's known answer for a counter and a key of zeros.
  const std::uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const auto got = normal(4, 0, 0);
  for (std::size_t k = 0; k < 4; ++k) {
    const double radius = std::sqrt(-2 * std::log((words[k & ~std::size_t{1}] + 0.5) / 0x1p32));
    const double turn = 2 * std::numbers::pi * words[k | 1] / 0x1p32;
    CHECK(got[k] == doctest::Approx(radius * (k % 2 ? std::sin(turn) : std::cos(turn))).epsilon(1e-14));
  }
  const auto whole = normal(1000, 42, 16, -1, 3), part = normal(100, 42, 16 + 400, -1, 3);
  CHECK(std::vector<double>(whole.begin() + 400, whole.begin() + 500) == part);
  std::vector<double> out(4);
  adj_normal_args a;
  a.random = {1, 6, nullptr};
  a.out = tensor(out);
  const auto refused = run(adj_normal_descriptor{.numel = 4, .element = ADJ_F64}, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "normal: random.offset = 6 is not a multiple of 4");
  std::uint64_t state[] = {1, 6};
  a.random = {0, 0, state};  // in memory
  CHECK(run(adj_normal_descriptor{.numel = 4, .element = ADJ_F64}, a).error().message == "normal: random.offset = 6 is not a multiple of 4");
  CHECK(out == std::vector<double>(4));
  state[1] = 8;
  CHECK(run(adj_normal_descriptor{.numel = 4, .element = ADJ_F64}, a).ok());
  a.random = {};
  CHECK_FALSE(run(adj_normal_descriptor{.numel = 4, .element = ADJ_F64}, adj_normal_args{.out = tensor(out)}).ok());
}

TEST_CASE("normal numbers in f64 have a small relative error, also next to 0") {
  // An angle next to half a turn, beside a large radius. The exact value is from a computation with 40 digits.
  const double got = normal(129806, ~std::uint64_t{0}, 4, 0, 1e-6f)[129805];
  CHECK(std::fabs(got - -8.0988772445527729e-08) <= 2e-15 * 8.1e-08);
}

TEST_CASE("normal numbers have the moments of the normal distribution") {
  const auto n = normal(1'000'000, 7, 0);
  double sum = 0, squares = 0, fourth = 0, neighbours = 0, most = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    sum += n[i];
    squares += n[i] * n[i];
    fourth += n[i] * n[i] * n[i] * n[i];
    if (i % 2) neighbours += n[i] * n[i - 1];
    most = std::max(most, std::fabs(n[i]));
  }
  const double count = static_cast<double>(n.size());
  CHECK(std::fabs(sum / count) < 0.005);
  CHECK(std::fabs(squares / count - 1) < 0.007);
  CHECK(std::fabs(fourth / count - 3) < 0.05);
  CHECK(std::fabs(neighbours / count) < 0.005);
  CHECK(most < 6.77);
}

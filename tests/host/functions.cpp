// Functions of many numbers at a time: their errors beside the C library's long double, and the same bits with the registers that every processor has.
#include "host/functions.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/plans.hpp"
#include "processors.hpp"

namespace {

using namespace adj::host;

using OfMany = void (*)(std::span<double>);

// The largest error of results, in units of their size times 2^-53; `floor` is added to that size.
double largest_error(OfMany f, const std::vector<double>& at, const std::function<long double(long double)>& exact, long double floor = 0) {
  std::vector<double> found = at;
  f(found);
  long double largest = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const long double wanted = exact(at[i]);
    largest = std::max(largest, std::fabs(found[i] - wanted) / ((std::fabs(wanted) + floor) * 0x1p-53L));
  }
  return static_cast<double>(largest);
}

std::vector<double> between(double first, double last, int count) {
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> any(first, last);
  std::vector<double> values{first, last};
  while (static_cast<int>(values.size()) < count) values.push_back(any(rng));
  return values;
}
// f32 numbers, as activations have them.
std::vector<double> f32_between(double first, double last, int count) {
  std::vector<double> values = between(first, last, count);
  for (double& x : values) x = static_cast<float>(x);
  return values;
}

long double below(long double z) { return 0.5L * std::erfc(-z * 0.70710678118654752440L); }
long double density(long double z) { return 0.39894228040143267794L * std::exp(-0.5L * z * z); }

std::vector<std::uint64_t> bits(OfMany f, std::vector<double> values) {
  f(values);
  std::vector<std::uint64_t> found;
  for (const double v : values) found.push_back(std::bit_cast<std::uint64_t>(v));
  return found;
}

}  // namespace

TEST_CASE("functions: exponentials are right to two units in the last place, those far out too") {
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(largest_error(exp_all, between(-708, 700, 200'000), exact) <= 2);
  CHECK(largest_error(exp_all, between(-1, 1, 200'000), exact) <= 2);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> far{-infinity, -745, -709, -708.5, 0, -0.0, 1, 700.5, 709.7, 710, infinity, std::numeric_limits<double>::quiet_NaN()}, found = far;
  exp_all(found);
  for (std::size_t i = 0; i < far.size(); ++i) {
    CAPTURE(far[i]);
    if (std::isnan(far[i])) CHECK(std::isnan(found[i]));
    else CHECK((found[i] == std::exp(far[i]) || std::fabs(found[i] / std::exp(far[i]) - 1) <= 0x1p-52));
  }
}

TEST_CASE("functions: GELU and its slope are right to some units in the last place, in the tail too") {
  const auto slope = [](long double z) { return below(z) + z * density(z); };
  CHECK(largest_error(gelu_all, f32_between(-36, 0, 100'000), [](long double z) { return z * below(z); }) <= 16);
  CHECK(largest_error(gelu_all, f32_between(-1, 12, 100'000), [](long double z) { return z * below(z); }) <= 16);
  CHECK(largest_error(gelu_slope_all, f32_between(-36, -2, 100'000), slope) <= 16);
  CHECK(largest_error(gelu_slope_all, f32_between(-2, 12, 100'000), slope, 0.25L) <= 16);  // it is 0 near -0.75, and its terms are not
  std::vector<double> far{-3e38, -100, 100, 3e38}, slopes = far;
  gelu_all(far), gelu_slope_all(slopes);
  CHECK((far[0] <= 0 && far[0] > -1e-240 && far[1] <= 0 && far[1] > -1e-270 && far[2] == 100 && far[3] == 3e38));
  CHECK((slopes[0] < 0 && slopes[0] > -1e-270 && slopes[1] < 0 && slopes[1] > -1e-270 && slopes[2] == 1 && slopes[3] == 1));
}

TEST_CASE("functions: whether all numbers are within bounds") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t count : {1u, 3u, 4u, 9u})
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<double> values(count, 1);
      const auto within = [&](double v) { return values[at] = v, all_within(values, -2, 2); };
      CHECK((within(-2) && within(0) && within(2)));
      CHECK_FALSE((within(-2.1) || within(2.1) || within(infinity) || within(-infinity) || within(nan)));
    }
  CHECK(all_within({}, -2, 2));
}

TEST_CASE("functions: the bits are the same with the registers that every processor has") {
  for (const OfMany f : {OfMany{exp_all}, OfMany{gelu_all}, OfMany{gelu_slope_all}})
    for (const int count : {2, 3, 5, 8, 1000}) {
      const auto wide = bits(f, f32_between(-36, 9, count));
      support::narrow_registers = true;
      const auto narrow = bits(f, f32_between(-36, 9, count));
      support::narrow_registers = false;
      CHECK(wide == narrow);
    }
}

TEST_CASE("functions: every operator of the host has the same bits with the registers that every processor has" * doctest::test_suite("every operator")) {
  int compared = 0, seen_cases = 0;
  for (const adj::OpInfo* op : adj::all_ops()) {
    std::set<std::string> seen;  // one signature for each element type
    for (const adj::Sku& sku : adj::skus_of(*op)) {
      if (sku.variant->backend != ADJ_BACKEND_HOST || !seen.insert(fmt::format("{}{}", sku.signature.choice, static_cast<int>(sku.signature[0]))).second)
        continue;
      for (const harness::Case& c : harness::cases_of(op->id)(sku.signature, harness::Level::quick, 1)) {
        if (c.unspecified || seen_cases++ % 4 != 0) continue;  // the loops are few: a part of the cases has all of them
        const auto wide = harness::run_reference(*c.problem);
        support::narrow_registers = true;
        const auto narrow = harness::run_reference(*c.problem);
        support::narrow_registers = false;
        REQUIRE(wide.ok());
        REQUIRE(narrow.ok());
        CHECK_MESSAGE(harness::same_bits(*wide, *narrow), fmt::format("{} [{}]", sku.id, c.name));
        ++compared;
      }
    }
  }
  CHECK(compared > 1000);
}

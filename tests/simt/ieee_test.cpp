// The f32 functions of kernels/prelude/ieee.cuh against the C library in f64: their errors, special values and signs of zero.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#define ADJ_SIMT
#include "prelude/ieee.cuh"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double unit_at(double value) {
  const int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, exponent - 23);
}

// The largest error over every 1009th f32 number, in units in the last place.
template <class Function, class Exact>
double worst_error(Function function, Exact exact) {
  double worst = 0;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 1009) {
    const auto word = static_cast<std::uint32_t>(bits);
    float x;
    std::memcpy(&x, &word, sizeof x);
    const float got = function(x);
    const double want = exact(static_cast<double>(x));
    const auto rounded = static_cast<float>(want);
    CAPTURE(x);
    if (std::isnan(want)) {
      REQUIRE(std::isnan(got));
    } else if (std::isinf(rounded) || std::isinf(got)) {
      // Next to the largest number either is within a unit.
      REQUIRE((got == rounded || std::fabs(want) > 0x1.fffffcp127));
    } else {
      worst = std::max(worst, std::fabs(got - want) / unit_at(want));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("exponentials and logarithms without approximate instructions keep their errors") {
  CHECK(worst_error([](float x) { return ieee_exp(x); }, [](double x) { return std::exp(x); }) <= 1.0);
  CHECK(worst_error([](float x) { return ieee_expm1(x); }, [](double x) { return std::expm1(x); }) <= 1.5);
  CHECK(worst_error([](float x) { return ieee_log(x); }, [](double x) { return std::log(x); }) <= 0.9);
}

TEST_CASE("exponentials and logarithms without approximate instructions at special values") {
  CHECK(ieee_exp(0.0f) == 1.0f);
  CHECK(ieee_exp(-0.0f) == 1.0f);
  CHECK(ieee_exp(kInfinity) == kInfinity);
  CHECK(ieee_exp(-kInfinity) == 0.0f);
  CHECK(ieee_exp(-103.0f) == 0x1p-149f);
  CHECK(std::signbit(ieee_expm1(-0.0f)));
  CHECK(ieee_expm1(kInfinity) == kInfinity);
  CHECK(ieee_expm1(-kInfinity) == -1.0f);
  CHECK(ieee_log(1.0f) == 0.0f);
  CHECK(ieee_log(0.0f) == -kInfinity);
  CHECK(ieee_log(kInfinity) == kInfinity);
  CHECK(std::isnan(ieee_log(-1.0f)));
}

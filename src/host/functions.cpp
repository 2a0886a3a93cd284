#include "host/functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "host/wide.hpp"

namespace adj::host {

namespace {

// c[I] + c[I + 2] square + c[I + 4] square^2 + ...
template <std::size_t I, std::size_t N>
[[gnu::always_inline]] inline double every_second(const std::array<double, N>& c, double square) {
  if constexpr (I + 2 < N) return every_second<I + 2>(c, square) * square + c[I];
  else return c[I];
}
// The polynomial with these coefficients, that of x^0 first, in two chains of products.
template <std::size_t N>
[[gnu::always_inline]] inline double polynomial(const std::array<double, N>& c, double x) {
  return every_second<0>(c, x * x) + x * every_second<1>(c, x * x);
}

constexpr std::array<double, 12> kTaylor = {1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
                                            1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
// exp(x) for -708 <= x <= 700, with an error below one unit in the last place; no meaning elsewhere.
[[gnu::always_inline]] inline double exp_within(double x) {
  constexpr double kShift = 0x1.8p52, kHigh = 0x1.62e42fefa38p-1, kLow = 0x1.ef35793c7673p-45;  // the sum of the last two is the logarithm of 2
  const double shifted = x * 1.4426950408889634 + kShift, power = shifted - kShift;  // a whole number, which the low bits of `shifted` hold too
  const double r = (x - power * kHigh) - power * kLow;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52) * (1 + (r + r * r * polynomial(kTaylor, r)));
}

// Of (1 + t / 2) beyond / density, in (t - 5) / (t + 5): the sum of Chebyshev polynomials that agrees with it at 41 points between 0 and 38, to degree 22.
constexpr std::array<double, 23> kRatio = {
    0.6748283665036052,     -0.2945411512431622,     0.18436148227250965,    -0.08883681720523172,   0.026888989174427728,   0.0014075504300896425,
    -0.007744284267918054,  0.0051926763641531115,   -0.0018254791270642318, 0.00017805649683850171, 0.00015278741558556242, -6.598286730044103e-05,
    -4.075830081245319e-06, 9.764663478844088e-06,   -9.325475559270514e-07, -1.336752353245496e-06, 2.5302974381173084e-07, 2.001782442118766e-07,
    -4.139502963248518e-08, -3.3051484797904154e-08, 2.7771928125680437e-09, 4.3485204672456015e-09, 6.718769815977559e-10};

// Density of the normal distribution at t, and the probability of more than t, for 0 <= t <= 36: errors of some units in the last place.
struct NormalTail {
  double density, beyond;
};
[[gnu::always_inline]] inline NormalTail normal_tail(double t) {
  const double density = 0.3989422804014327 * exp_within(-0.5 * t * t);
  return {density, density * (polynomial(kRatio, (t - 5) / (t + 5)) / (1 + 0.5 * t))};
}

constexpr double kFarthest = 36;  // beyond, the tail is below 1e-282: 0 in f32, whatever finite number it is multiplied with

}  // namespace

bool all_within(std::span<const double> numbers, double least, double most) {
  const double* const x = numbers.data();
  const std::size_t count = numbers.size();
  std::uint64_t outside = 0;
  in_wide_registers([=, &outside]() ADJ_IN_PLACE {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += x[i] >= least && x[i] <= most ? 0u : 1u;
    outside = found;
  });
  return outside == 0;
}

void exp_all(std::span<double> numbers) {
  double* const x = numbers.data();
  const std::size_t count = numbers.size();
  if (all_within(numbers, -708, 700)) {
    in_wide_registers([=]() ADJ_IN_PLACE {
      for (std::size_t i = 0; i < count; ++i) x[i] = exp_within(x[i]);
    });
  } else {
    for (std::size_t i = 0; i < count; ++i) x[i] = x[i] >= -708 && x[i] <= 700 ? exp_within(x[i]) : std::exp(x[i]);
  }
}

void gelu_all(std::span<double> numbers) {
  double* const z = numbers.data();
  const std::size_t count = numbers.size();
  in_wide_registers([=]() ADJ_IN_PLACE {
    for (std::size_t i = 0; i < count; ++i) {
      const double left = normal_tail(std::min(std::fabs(z[i]), kFarthest)).beyond;
      z[i] *= z[i] < 0 ? left : 1 - left;
    }
  });
}

void gelu_slope_all(std::span<double> numbers) {
  double* const z = numbers.data();
  const std::size_t count = numbers.size();
  in_wide_registers([=]() ADJ_IN_PLACE {
    for (std::size_t i = 0; i < count; ++i) {
      const double t = std::min(std::fabs(z[i]), kFarthest);
      const NormalTail tail = normal_tail(t);
      const double left = tail.beyond - t * tail.density;
      z[i] = z[i] < 0 ? left : 1 - left;
    }
  });
}

}  // namespace adj::host

// Random numbers of cases. In place of the standard distributions, for which clang takes two logarithms of constants at every draw: a quarter of the time of
// making cases.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/harness.hpp"

namespace harness {

// Numbers of [low, high).
class Uniform {
 public:
  Uniform(double low, double high) : low_(low), high_(high) {}
  double operator()(Rng& rng) const { return unit(rng) * (high_ - low_) + low_; }
  // Number of [0, 1).
  static double unit(Rng& rng) { return std::min(static_cast<double>(rng()) * 0x1p-64, 0x1.fffffffffffffp-1); }

 private:
  double low_, high_;
};

// Numbers of a normal distribution, by Marsaglia's polar method, which makes two at a time.
class Normal {
 public:
  explicit Normal(double mean = 0, double sigma = 1) : mean_(mean), sigma_(sigma) {}
  double operator()(Rng& rng) {
    double number = kept_;
    if (!has_kept_) {
      double x, y, square;
      do {
        x = 2 * Uniform::unit(rng) - 1;
        y = 2 * Uniform::unit(rng) - 1;
        square = x * x + y * y;
      } while (square > 1 || square == 0);
      const double factor = std::sqrt(-2 * std::log(square) / square);
      kept_ = x * factor;
      number = y * factor;
    }
    has_kept_ = !has_kept_;
    return number * sigma_ + mean_;
  }

 private:
  double mean_, sigma_, kept_ = 0;
  bool has_kept_ = false;
};

}  // namespace harness

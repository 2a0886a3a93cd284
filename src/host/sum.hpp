// Sums in f64 whose error does not grow with the number of terms.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace adj::host {

// Neumaier's compensated summation: the rounding errors of all additions are collected and added last.
class Sum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

// Root of a sum of squares. Squares of large and of small numbers are summed apart and scaled, so that none overflows or vanishes.
class Norm {
 public:
  void add(double x) {
    const double size = std::fabs(x);
    nan_ |= std::isnan(size);
    infinite_ |= std::isinf(size);
    if (size > 0x1p450) large_.add(size * kDown * (size * kDown));
    else if (size < 0x1p-450) small_.add(size * kUp * (size * kUp));
    else middle_.add(size * size);
  }
  double value() const {
    if (nan_) return std::numeric_limits<double>::quiet_NaN();
    if (infinite_) return std::numeric_limits<double>::infinity();
    if (large_.value() > 0) return std::sqrt(large_.value() + middle_.value() * kDown * kDown) * kUp;
    if (middle_.value() > 0) return std::sqrt(middle_.value() + small_.value() * kDown * kDown);
    return std::sqrt(small_.value()) * kDown;
  }

 private:
  static constexpr double kUp = 0x1p600, kDown = 0x1p-600;
  Sum large_, middle_, small_;
  bool nan_ = false, infinite_ = false;
};

// Norm of all tensors of a list, from the norm of each. Sorted first, so that the order of the list does not matter.
inline double norm_of_list(std::vector<double> norms) {
  std::sort(norms.begin(), norms.end(), [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  Norm all;
  for (double norm : norms) all.add(norm);
  return all.value();
}

// N sums side by side, laid out for wide registers. Each has the bits that a Sum of its terms has.
template <std::size_t N>
class Sums {
 public:
  // Adds the term get(k) to sum k, for each k below count.
  template <class Get>
  void add(std::size_t count, Get get) {
    for (std::size_t k = 0; k < count; ++k) {
      const double x = get(k), sum = sum_[k], next = sum + x;
      const double from_sum = (sum - next) + x, from_x = (x - next) + sum;
      lost_[k] += std::fabs(sum) >= std::fabs(x) ? from_sum : from_x;
      sum_[k] = next;
    }
  }
  double value(std::size_t k) const { return std::isfinite(sum_[k]) ? sum_[k] + lost_[k] : sum_[k]; }

 private:
  std::array<double, N> sum_{}, lost_{};
};

}  // namespace adj::host

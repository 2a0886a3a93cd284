// Sums of many terms in f64 whose error does not grow with their number.
#pragma once

#include <cmath>

namespace adj::host {

// Neumaier's compensated summation: what each addition rounds away is collected and added last.
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

}  // namespace adj::host

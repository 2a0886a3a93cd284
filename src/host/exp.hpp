// Exponentials that are multiplied with a number that may be infinite.
#pragma once

#include <cmath>

namespace adj::host {

// exp(x), for a product with `factor`. Where that is infinite, a positive number for every finite x: the product is infinite then, also where exp(x) rounds
// to 0.
inline double exp_beside(double factor, double x) { return std::exp(std::isfinite(factor) ? x : x * 0x1p-1018); }

}  // namespace adj::host

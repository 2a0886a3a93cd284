// Makes the divisors of kernels/prelude/divide.h.
#pragma once

#include <cstdint>

#include "kernels/prelude/divide.h"

namespace adj {

// Returns 2^(base + shift) / divisor, rounded up, for the smallest `shift` with divisor <= 2^shift. Long division, bit by bit: the dividend
// may have more than 64 bits.
inline std::uint64_t inverse_for(std::uint64_t divisor, int base, int& shift) {
  shift = 0;
  while (std::uint64_t{1} << shift < divisor) ++shift;
  std::uint64_t quotient = divisor == 1, rest = divisor != 1;  // of 1, 2, 4, ... by the divisor
  for (int i = 0; i < base + shift; ++i) {
    quotient *= 2;
    rest *= 2;
    if (rest >= divisor) rest -= divisor, ++quotient;
  }
  return quotient + (rest != 0);
}
// Divisor, at least 1, of numbers below 2^31; divide_below_2_59 serves numbers below 2^59.
inline NarrowDivisor divide_below_2_31(std::int64_t divisor) {
  NarrowDivisor d{};
  d.multiplier = static_cast<unsigned>(inverse_for(static_cast<std::uint64_t>(divisor), 31, d.shift));
  return d;
}
inline WideDivisor divide_below_2_59(std::int64_t divisor) {
  WideDivisor d{};
  d.multiplier = inverse_for(static_cast<std::uint64_t>(divisor), 60, d.shift);
  return d;
}

}  // namespace adj

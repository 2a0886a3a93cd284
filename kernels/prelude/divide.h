/* Division of indices by a number that the plan knows, by multiplication. The planning side includes this file, too; kernels divide with
 * prelude/divide.cuh.
 *
 * n / d = n * m >> s, with m = 2^s / d rounded up: m * d exceeds 2^s by less than d, so the quotient is exact while n * d < 2^s. */
#pragma once

/* Divides numbers below 2^31: s = 31 + shift. */
struct NarrowDivisor {
  unsigned multiplier; /* m */
  int shift;           /* the smallest with divisor <= 2^shift */
};
/* Divides numbers below 2^59: s = 60 + shift. */
struct WideDivisor {
  unsigned long long multiplier; /* m */
  int shift;           /* the smallest with divisor <= 2^shift */
  int reserved;
};

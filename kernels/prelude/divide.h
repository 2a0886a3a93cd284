/* Division of indices by a number that the plan knows, by multiplication. Included by the planning side, too; kernels divide with
 * prelude/divide.cuh.
 *
 * n / d = n * m >> s, with m = 2^s / d rounded up: m * d exceeds 2^s by less than d, so the quotient is exact while n * d < 2^s. */
#pragma once

/* Of numbers below 2^31: s = 31 + shift. */
struct NarrowDivisor {
  unsigned multiplier;
  int shift;           /* the smallest with divisor <= 2^shift */
};
/* Of numbers below 2^59: s = 60 + shift. */
struct WideDivisor {
  unsigned long long multiplier;
  int shift;           /* as above */
  int reserved;
};

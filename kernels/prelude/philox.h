/* Included by both sides: only built-in types, no system header. */
#pragma once

/* adj_random as a kernel sees it. */
struct RandomParam {
  unsigned long long seed, offset;
  const unsigned long long* device; /* {seed, offset}, in place of the values; null: the values */
};

/* Random states as parameters. Planning and kernels include this file: only built-in types, no system header. */
#pragma once

/* adj_random as a kernel sees it. */
struct RandomParam {
  unsigned long long seed, offset;
  const unsigned long long* device; /* {seed, offset} in device memory, read in place of the values; may be null */
};

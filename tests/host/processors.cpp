#include "processors.hpp"

#include <algorithm>
#include <thread>

#include "host/parallel.hpp"
#include "host/wide.hpp"

unsigned adj::host::processors() { return support::threads_to_take ? support::threads_to_take : std::max(1u, std::thread::hardware_concurrency()); }

bool adj::host::has_wide_registers() {
#if defined(__x86_64__)
  return !support::narrow_registers && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// How many threads work is divided among, and with which registers. A file of its own, so that a test can have another one in its place.
#include <algorithm>
#include <thread>

#include "host/parallel.hpp"
#include "host/wide.hpp"

namespace adj::host {

unsigned processors() { return std::max(1u, std::thread::hardware_concurrency()); }

bool has_wide_registers() {
#if defined(__x86_64__)
  static const bool has_them = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_them;
#else
  return false;
#endif
}

}  // namespace adj::host

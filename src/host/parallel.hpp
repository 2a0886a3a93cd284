// Loops over independent pieces of work on the machine's threads, where there is enough of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace adj::host {

// Calls body(begin, end) on ranges that cover [0, count) once. Every call computes what it would alone, so results do not depend on how
// many threads there are. `cost` is about the nanoseconds that one of the count takes. Threads live for the call: nothing is left behind
// for a fork or the end of the process.
template <class Body>
void parallel_for(std::int64_t count, double cost, const Body& body) {
  constexpr double kLeast = 1e6;  // ns for a thread, many times what making one takes
  constexpr std::int64_t kRangesPerThread = 8, kMostThreads = 64;
  const double total = static_cast<double>(count) * cost;
  std::int64_t threads = std::min<std::int64_t>(static_cast<std::int64_t>(std::min(total / kLeast, 1e6)), kMostThreads);
  if (threads > 1) threads = std::min<std::int64_t>(threads, std::max(1u, std::thread::hardware_concurrency()));
  if (threads <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  const std::int64_t range = std::max<std::int64_t>(1, count / (threads * kRangesPerThread));
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t begin; (begin = next.fetch_add(range)) < count;) body(begin, std::min(begin + range, count));
  };
  std::vector<std::jthread> others;
  try {
    others.reserve(static_cast<std::size_t>(threads - 1));
    while (static_cast<std::int64_t>(others.size()) < threads - 1) others.emplace_back(work);
  } catch (...) {  // fewer threads do the same work
  }
  work();
}

}  // namespace adj::host

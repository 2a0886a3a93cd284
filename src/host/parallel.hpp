// Loops over independent work on the machine's threads, when there is enough of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace adj::host {

// Those of the machine, at least 1.
unsigned processors();

// Calls body(begin, end) on ranges that cover [0, count) once. Ranges must be independent: then results do not depend on the number of threads.
// `cost`: rough nanoseconds of one index. Threads live for this call only, so that neither a fork nor the end of the process meets one.
template <class Body>
void parallel_for(std::int64_t count, double cost, const Body& body) {
  constexpr double kLeast = 1e6;  // least nanoseconds of a thread's work: many times the cost of making the thread
  constexpr std::int64_t kRangesPerThread = 8, kMostThreads = 64;
  const double total = static_cast<double>(count) * cost;
  std::int64_t threads = std::min<std::int64_t>(static_cast<std::int64_t>(std::min(total / kLeast, 1e6)), kMostThreads);
  if (threads > 1) threads = std::min<std::int64_t>(threads, processors());
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
  } catch (...) {  // no more threads to be had: those that exist do all the work
  }
  work();
}

}  // namespace adj::host

// Plans by their problem, for engines that ask for a plan before every call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "plan/plan.hpp"

namespace adj {

// A hit takes no lock and waits for nobody; a miss selects. The number of plans is bounded: a new one takes the place of that of its set
// which was asked for least recently. Whoever received a plan keeps it.
class PlanCache {
 public:
  explicit PlanCache(std::size_t sets);  // a power of two
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // The plan of an equal problem: descriptor with its lists and texts, device of the stream and preference, after defaults were filled in.
  // The caller owns a reference. A descriptor that holds addresses of the caller's, or lists
  // of more than 256 KiB, is selected anew each time.
  Result<Plan*> acquire(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);

  static constexpr std::size_t kWays = 8;  // plans of a set

 private:
  struct Slot;
  Plan* find(std::uint64_t hash, std::span<const std::byte> key);
  Plan* keep(std::uint64_t hash, std::span<const std::byte> key, Plan* plan);

  std::size_t sets_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> inserted_{1};
  std::mutex mutex_;  // of those who insert
};

PlanCache& plan_cache();  // the process's

}  // namespace adj

// Cache of plans, keyed by problem, for engines that ask for a plan before every call.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "plan/plan.hpp"

namespace adj {

// A set-associative cache. A hit takes no lock and never waits; a miss calls select. A new plan replaces the least recently requested plan
// of its set. Plans are counted by reference, so a replaced plan stays valid for its holders.
class PlanCache {
 public:
  explicit PlanCache(std::size_t sets);  // a power of two
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // Returns the plan of an equal problem; the caller owns a reference. Problems are equal when descriptor (with lists and texts), device of
  // the stream and preference are, after defaults were filled in. A descriptor with addresses of the caller, or with more than 256 KiB, is
  // selected anew each time.
  Result<Plan*> acquire(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);

  static constexpr std::size_t kWays = 8;  // plans in a set

 private:
  struct Slot;
  Plan* find(std::uint64_t hash, std::span<const std::byte> key);
  Plan* keep(std::uint64_t hash, std::span<const std::byte> key, Plan* plan);

  std::size_t sets_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> inserted_{1};
  std::mutex mutex_;  // held while a plan is inserted
};

PlanCache& plan_cache();  // the one cache of the process

}  // namespace adj

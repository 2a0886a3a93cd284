// Cache of plans, keyed by problem, for engines that ask for a plan before every call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/process.hpp"
#include "plan/plan.hpp"

namespace adj {

// Bytes of host memory that a plan holds, about: code and strings of the SKU tables and the state of libraries are not counted.
std::size_t memory_of(const Plan& plan);

// A set-associative cache. A hit takes no lock and never waits; a miss calls select. A new plan replaces the least recently requested plan
// of its set. When all plans and keys together exceed `most_bytes`, the least recently requested plans leave until they do not; a plan that is
// larger than a quarter of that is not kept. Plans are counted by reference, so a replaced plan stays valid for its holders.
class PlanCache {
 public:
  explicit PlanCache(std::size_t sets, std::size_t most_bytes = kMostBytesOfPlans);  // sets: a power of two
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // Returns the plan of an equal problem; the caller owns a reference. Problems are equal when descriptor (with lists and texts), device of
  // the stream and preference are, after defaults were filled in. A descriptor with addresses of the caller, or with more than 256 KiB, is
  // selected anew each time.
  Result<Plan*> acquire(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);

  static constexpr std::size_t kWays = 8;  // plans in a set
  static constexpr std::size_t kMostBytesOfPlans = std::size_t{64} << 20;
  std::size_t bytes() const;  // of the plans and keys that it holds

 private:
  struct Slot;
  Plan* find(std::uint64_t hash, std::span<const std::byte> key);
  Plan* keep(std::uint64_t hash, std::span<const std::byte> key, Plan* plan);
  void shrink(const Slot* newest, std::vector<Plan*>& dropped);  // with lock_ held

  std::size_t sets_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> inserted_{1};
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;     // guarded by lock_
  mutable ProcessLock lock_;  // held while plans are inserted or dropped
};

PlanCache& plan_cache();  // the one cache of the process

}  // namespace adj

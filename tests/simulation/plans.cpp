// Threads that ask a small cache of plans for more plans than it keeps. The source of the cache is compiled once more here, with other atomics, another lock,
// and a selection that may fail: each lets other threads go on first. What is found is found under sequential consistency; tests/threads has the rest.
#include <fmt/format.h>

#include <adjoint/adjoint.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "plan/plan.hpp"
#include "plan/descriptor.hpp"
#include "plan/structs.hpp"
#include "simulated.hpp"

namespace adj {
namespace {

bool selection_fails = false;  // now and then
Result<Plan*> simulated_select(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference) {
  simulation::Scheduler::step("select");
  if (selection_fails && simulation::Scheduler::current->random.one_in(6)) return fail(ADJ_ERROR_OUT_OF_MEMORY, "the selection fails");
  return select_plan(stream, descriptor, preference);
}
void simulated_retain(Plan& plan) {
  simulation::Scheduler::step("retain");
  retain(plan);
}

}  // namespace
}  // namespace adj

#define std simulated_std
#define ProcessLock SimulatedLock
#define PlanCache SimulatedPlanCache
#define plan_cache simulated_plan_cache
#define memory_of simulated_memory_of
#define select_plan simulated_select
#define retain simulated_retain
#include "plan/plan_cache.cpp"
#undef std
#undef ProcessLock
#undef PlanCache
#undef plan_cache
#undef memory_of
#undef select_plan
#undef retain

namespace simulation {

namespace {

constexpr int kLengths = 3;  // of lists; a list makes a plan larger
std::int64_t length_of(int problem) { return std::int64_t{1} << (5 * (problem % kLengths)); }

const adjoint::AdamDescriptor& descriptor_of(const adj::Plan* plan) { return *static_cast<const adjoint::AdamDescriptor*>(plan->descriptor.get()); }

}  // namespace

std::string plans(std::uint64_t seed, bool trace, bool planted) {
  Scheduler scheduler(seed, trace);
  Random& random = scheduler.random;
  adj::SimulatedLock::admits_all = planted;
  adj::selection_fails = random.one_in(3);

  const adj_stream host = adj_stream_host();
  static const std::vector<std::int64_t> numel(1 << (5 * (kLengths - 1)), 7);
  const int problems = static_cast<int>(random.one_of<std::uint64_t>({3, 12, 30}));
  auto acquire = [&](adj::SimulatedPlanCache& cache, int problem) {
    const adjoint::AdamDescriptor d{.count = length_of(problem), .numel = numel.data(), .epsilon = 1.0 + problem, .param = ADJ_F32};
    return cache.acquire(host, &d.header, nullptr);
  };
  // Bytes of a plan and its key, by the length of its list.
  static const std::vector<std::size_t> sizes = [&] {
    std::vector<std::size_t> found;
    for (int problem = 0; problem < kLengths; ++problem) {
      adj::SimulatedPlanCache cache(1);
      adj::release(*acquire(cache, problem));
      found.push_back(cache.bytes());
    }
    return found;
  }();
  const std::size_t largest = sizes.back();
  const std::size_t most = largest * random.one_of<std::uint64_t>({4, 5, 9, 1000});
  auto cache = std::make_unique<adj::SimulatedPlanCache>(random.one_of<std::size_t>({1, 2}), most);

  // A witness holds one more reference to every plan, so that one that is released too often is seen before it is gone.
  std::map<adj::Plan*, int> held;  // references of the actors
  scheduler.after_step = [&] {
    for (const auto& [plan, count] : held)
      if (plan->references < 1 + count) return scheduler.fail(fmt::format("a plan has {} references, and {} holders", plan->references.load(), 1 + count));
  };
  const std::uint64_t actors = 2 + random.below(3);
  for (std::uint64_t i = 0; i < actors; ++i)
    scheduler.add([&] {
      std::vector<adj::Plan*> own;
      for (std::uint64_t n = 4 + random.below(12); n > 0; --n) {
        const int problem = static_cast<int>(random.one_in(3) ? 0 : random.below(static_cast<std::uint64_t>(problems)));
        auto plan = acquire(*cache, problem);
        if (!plan) {
          if (plan.error().message != "the selection fails") scheduler.fail(plan.error().message);
          continue;
        }
        if (held.emplace(*plan, 0).second) adj::retain(**plan);  // the witness
        ++held[*plan];
        own.push_back(*plan);
        const adjoint::AdamDescriptor& d = descriptor_of(*plan);
        if (d.epsilon != 1.0 + problem || d.count != length_of(problem)) scheduler.fail(fmt::format("the plan of another problem than {}", problem));
        Scheduler::step("use");
        if (!random.one_in(3)) continue;
        const std::size_t which = random.below(own.size());
        --held[own[which]];
        adj::release(own[which]);
        own.erase(own.begin() + static_cast<std::ptrdiff_t>(which));
      }
      for (adj::Plan* plan : own) --held[plan], adj::release(plan);
    });
  if (std::string problem = scheduler.run(); !problem.empty()) {
    static_cast<void>(cache.release());  // actors are in the middle of it
    return problem;
  }

  // Nobody reads now: one more insertion brings the bytes below the limit.
  adj::selection_fails = false;
  adj::Plan* const last = *acquire(*cache, problems);
  held.emplace(last, 0);
  std::size_t bytes = 0;
  std::set<double> kept;  // problems
  for (const auto& [plan, count] : held) {
    if (plan->references == 1) continue;
    if (plan->references != 2) return fmt::format("a plan of the cache has {} references", plan->references.load());
    const double problem = descriptor_of(plan).epsilon;
    if (!kept.insert(problem).second) return fmt::format("the cache has two plans of problem {}", problem - 1);
    bytes += sizes[static_cast<std::size_t>(problem - 1) % kLengths];
  }
  if (cache->bytes() > most) return fmt::format("{} bytes are kept, the limit is {}", cache->bytes(), most);
  if (cache->bytes() != bytes) return fmt::format("{} bytes are counted, the plans and their keys have {}", cache->bytes(), bytes);
  cache.reset();
  for (const auto& [plan, count] : held)
    if (plan->references != 1) return fmt::format("a plan has {} references after the end of the cache", plan->references.load());
  for (const auto& [plan, count] : held) adj::release(plan);
  return {};
}

}  // namespace simulation

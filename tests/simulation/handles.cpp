// Threads that borrow handles of cuDNN from one pool. The source of the pool is compiled once more here, with other atomics and another lock, which let other
// threads go on first, and with a driver and a cuDNN of a few lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "base/process.hpp"
#include "driver/device.hpp"
#include "driver/libraries.hpp"
#include "simulated.hpp"

namespace adj {
namespace {

// The stand-ins. A handle is a number.
std::set<std::intptr_t> made;
std::intptr_t numbers = 0;
bool creation_fails = false, stream_fails = false;  // now and then
constexpr cu::CudnnStatus kPlanted = 4000;
cu::CudnnStatus outcome(bool may_fail) { return may_fail && simulation::Scheduler::self() && simulation::Scheduler::current->random.one_in(5) ? kPlanted : 0; }
std::intptr_t number_of(cu::CudnnHandle handle) { return reinterpret_cast<std::intptr_t>(handle); }

Result<const cu::CudnnApi*> simulated_cudnn() {
  static const cu::CudnnApi api = [] {
    cu::CudnnApi a;
    a.create = [](cu::CudnnHandle* handle) -> cu::CudnnStatus {
      simulation::Scheduler::step("create a handle");
      if (const auto status = outcome(creation_fails)) return status;
      made.insert(++numbers);
      *handle = reinterpret_cast<cu::CudnnHandle>(numbers);
      return 0;
    };
    a.destroy = [](cu::CudnnHandle handle) -> cu::CudnnStatus {
      simulation::Scheduler::step("destroy a handle");
      return made.erase(number_of(handle)) == 1 ? 0 : kPlanted;
    };
    a.set_stream = [](cu::CudnnHandle, cu::Stream) -> cu::CudnnStatus {
      simulation::Scheduler::step("set the stream");
      return outcome(stream_fails);
    };
    a.error_string = [](cu::CudnnStatus) -> const char* { return "planted"; };
    a.last_error = [](char*, std::size_t) {};
    return a;
  }();
  return &api;
}
Result<const cu::Api*> simulated_cuda() {
  static const cu::Api api = [] {
    cu::Api a;
    a.context_push = [](cu::Context) -> cu::Result { return cu::kSuccess; };
    a.context_pop = [](cu::Context*) -> cu::Result { return cu::kSuccess; };
    a.exchange_capture_mode = [](int*) -> cu::Result { return cu::kSuccess; };
    return a;
  }();
  return &api;
}

}  // namespace
}  // namespace adj

#define std simulated_std
#define ProcessLock SimulatedLock
#define CudnnPool SimulatedCudnnPool
#define cudnn simulated_cudnn
#define cuda simulated_cuda
#include "driver/cudnn.cpp"
#undef std
#undef ProcessLock
#undef CudnnPool
#undef cudnn
#undef cuda

namespace simulation {

std::string handles(std::uint64_t seed, bool trace, bool planted) {
  Scheduler scheduler(seed, trace);
  Random& random = scheduler.random;
  torn_exchange = planted;
  adj::SimulatedLock::admits_all = false;
  adj::creation_fails = random.one_in(3);
  adj::stream_fails = random.one_in(3);
  adj::made.clear();
  adj::numbers = 0;
  adj::pools.get().of_device.clear();

  adj::Device device;
  device.ordinal = 0;
  adj::SimulatedCudnnPool* pool = nullptr;
  std::set<std::intptr_t> used;  // numbers of handles
  int users = 0, most_users = 0;
  auto use = [&](adj::cu::CudnnHandle handle) -> adj::Result<void> {
    const std::intptr_t number = adj::number_of(handle);
    if (!adj::made.contains(number)) scheduler.fail("a handle is used that was destroyed");
    else if (!used.insert(number).second) scheduler.fail(fmt::format("handle {} has two users", number));
    Scheduler::step("use");
    Scheduler::step("use");
    if (!adj::made.contains(number)) scheduler.fail(fmt::format("handle {} is destroyed while it is used", number));
    used.erase(number);
    return {};
  };
  auto tolerated = [&](const adj::Error& error) {
    if (error.message.find("planted") == std::string::npos) scheduler.fail(error.message);
  };
  const std::uint64_t actors = 2 + random.below(4);
  for (std::uint64_t i = 0; i < actors; ++i)
    scheduler.add([&] {
      for (std::uint64_t n = 3 + random.below(8); n > 0; --n) {
        most_users = std::max(most_users, ++users);
        if (auto found = adj::SimulatedCudnnPool::of(device); !found) tolerated(found.error());
        else if (pool && *found != pool) scheduler.fail("the device has two pools");
        else {
          pool = *found;
          if (auto ok = random.one_in(4) ? pool->prepare(use) : pool->run(nullptr, use); !ok) tolerated(ok.error());
        }
        --users;
      }
    });
  if (std::string problem = scheduler.run(); !problem.empty()) return problem;

  // All handles are idle: as many users as there are handles get them all, and none is made.
  adj::creation_fails = adj::stream_fails = false;
  if (!pool) return {};
  const std::size_t handles = adj::made.size();
  constexpr int kReady = 2;  // made before the first call
  if (handles > static_cast<std::size_t>(std::max(kReady, most_users))) return fmt::format("{} handles for {} users", handles, most_users);
  std::function<adj::Result<void>(adj::cu::CudnnHandle)> take_all = [&](adj::cu::CudnnHandle handle) -> adj::Result<void> {
    if (!used.insert(adj::number_of(handle)).second) return adj::fail(ADJ_ERROR_INTERNAL, "a handle is given out twice");
    return used.size() < handles ? pool->run(nullptr, take_all) : adj::Result<void>();
  };
  if (handles)
    if (auto ok = pool->run(nullptr, take_all); !ok) return ok.error().message;
  if (adj::made.size() != handles) return fmt::format("{} of {} handles are lost", adj::made.size() - handles, handles);
  delete pool;
  return {};
}

}  // namespace simulation

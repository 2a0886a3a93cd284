// Actors that take turns by a seed. An actor runs until it calls step(); the seed then decides who goes on. So a run is repeated exactly by its seed.
#pragma once

#include <boost/context/fiber.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x2545f4914f6cdd1d + 1) {}
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

// A thread, or a process with one thread.
struct Actor {
  int number = 0;
  std::function<void()> body;
  boost::context::fiber fiber{};
  std::uint64_t steps = 0;
  std::uint64_t dies_at = UINT64_MAX, stops_at = UINT64_MAX;  // steps
  // dead: a process that was killed. It runs on to its end, since its stack has to be unwound, but no call of it has an effect.
  // stopped: goes on when all others have ended.
  bool ended = false, dead = false, stopped = false;
};

class Scheduler {
 public:
  Scheduler(std::uint64_t seed, bool trace);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  Random random;
  std::function<void()> after_step = [] {};
  Actor& add(std::function<void()> body);
  std::string run();  // returns the first problem, "" for none
  void fail(const std::string& problem);
  void kill_all();

  static Scheduler* current;  // the one that exists
  // The running actor; null outside of run().
  static Actor* self();
  // Lets others go on before the running actor does `what`, to `whom`. Does nothing where no actor runs.
  static void step(const char* what, const char* whom = "");
  // True when the running actor is dead.
  static bool dead() { return self() && self()->dead; }

 private:
  Actor* choose();

  static constexpr std::uint64_t kMostSteps = 200'000;
  std::vector<std::unique_ptr<Actor>> actors_;
  Actor *self_ = nullptr, *last_ = nullptr;
  boost::context::fiber caller_;
  std::uint64_t steps_ = 0, stays_;  // stays_: out of 8 steps, so many on the average are of the actor that had the last one
  std::string problem_;
  bool trace_;
};

// The parts: each runs one seed and returns its first problem. `planted`: a stand-in of the part breaks its promise, which must be found.
using Part = std::string (*)(std::uint64_t seed, bool trace, bool planted);
std::string disk(std::uint64_t seed, bool trace, bool planted);
std::string plans(std::uint64_t seed, bool trace, bool planted);
std::string handles(std::uint64_t seed, bool trace, bool planted);

}  // namespace simulation

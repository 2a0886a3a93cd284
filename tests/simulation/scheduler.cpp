#include "scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace simulation {

Scheduler* Scheduler::current = nullptr;

Scheduler::Scheduler(std::uint64_t seed, bool trace) : random(seed), stays_(random.one_of<std::uint64_t>({0, 4, 7})), trace_(trace) { current = this; }

Scheduler::~Scheduler() {
  current = nullptr;
  // After a problem actors are in the middle of calls. Their stacks are left as they are: unwinding them would run what the problem has broken.
  for (auto& actor : actors_)
    if (!actor->ended) static_cast<void>(actor.release());
}

Actor* Scheduler::self() { return current ? current->self_ : nullptr; }

Actor& Scheduler::add(std::function<void()> body) {
  actors_.push_back(std::make_unique<Actor>(Actor{.number = static_cast<int>(actors_.size()), .body = std::move(body)}));
  Actor& actor = *actors_.back();
  actor.fiber = boost::context::fiber([this, &actor](boost::context::fiber&& from) {
    caller_ = std::move(from);
    try {
      actor.body();
    } catch (const std::exception& e) { fail(std::string("exception: ") + e.what()); }
    actor.ended = true;
    return std::move(caller_);
  });
  return actor;
}

void Scheduler::fail(const std::string& problem) {
  if (problem_.empty()) problem_ = fmt::format("step {}, actor {}: {}", steps_, self_ ? self_->number : -1, problem);
}

void Scheduler::kill_all() {
  for (auto& actor : actors_) actor->dead = true, actor->stopped = false;
}

void Scheduler::step(const char* what, const char* whom) {
  Actor* const actor = self();
  if (!actor || actor->dead) return;
  Scheduler& own = *current;
  ++actor->steps;
  if (actor->steps == actor->stops_at) actor->stopped = true;
  own.caller_ = std::move(own.caller_).resume();
  if (actor->steps == actor->dies_at) actor->dead = true;
  if (own.trace_)
    std::printf("step %llu, actor %d: %s %s%s\n", static_cast<unsigned long long>(own.steps_), actor->number, what, whom, actor->dead ? ", dies" : "");
}

Actor* Scheduler::choose() {
  std::vector<Actor*> ready;
  for (auto& actor : actors_)
    if (!actor->ended && !actor->stopped) ready.push_back(actor.get());
  if (ready.empty())
    for (auto& actor : actors_) {
      actor->stopped = false;
      if (!actor->ended) ready.push_back(actor.get());
    }
  if (ready.empty()) return nullptr;
  if (std::find(ready.begin(), ready.end(), last_) != ready.end() && random.below(8) < stays_) return last_;
  return ready[random.below(ready.size())];
}

std::string Scheduler::run() {
  while (problem_.empty() && (self_ = last_ = choose())) {
    if (++steps_ > kMostSteps) fail("the actors do not end");
    self_->fiber = std::move(self_->fiber).resume();
    after_step();
  }
  self_ = nullptr;
  return problem_;
}

}  // namespace simulation

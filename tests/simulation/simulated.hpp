// What a source of the library is compiled with for a simulation: atomics and a lock, each of whose operations lets other actors go on first. The source
// is included with `std` and `ProcessLock` defined as the names here, after every header that it includes.
#pragma once

#include <atomic>
#include <cstring>
#include <utility>

#include "scheduler.hpp"

namespace simulation {
// A fault that is planted: an exchange in two steps, between which others go on.
inline bool torn_exchange = false;
}  // namespace simulation

namespace simulated_std {

using namespace std;

template <class T>
class atomic {
 public:
  atomic() = default;
  atomic(T value) : value_(value) {}
  T load(memory_order = memory_order_seq_cst) const { return stepped(), value_; }
  void store(T value, memory_order = memory_order_seq_cst) { stepped(), value_ = value; }
  T exchange(T value, memory_order = memory_order_seq_cst) {
    stepped();
    const T old = value_;
    if (simulation::torn_exchange) stepped();
    value_ = value;
    return old;
  }
  T fetch_add(T n, memory_order = memory_order_seq_cst) {
    stepped();
    return std::exchange(value_, value_ + n);
  }
  T fetch_sub(T n, memory_order = memory_order_seq_cst) { return fetch_add(T{} - n); }
  bool compare_exchange_strong(T& expected, T desired, memory_order = memory_order_seq_cst, memory_order = memory_order_seq_cst) {
    stepped();
    if (value_ != expected) return expected = value_, false;
    value_ = desired;
    return true;
  }
  operator T() const { return load(); }
  T operator++() { return fetch_add(1) + 1; }
  T operator--() { return fetch_sub(1) - 1; }

 private:
  static void stepped() { simulation::Scheduler::step("atomic"); }
  T value_{};
};

// Others may go on between the comparison and what is done about it.
inline int memcmp(const void* a, const void* b, size_t n) {
  const int order = std::memcmp(a, b, n);
  simulation::Scheduler::step("compared");
  return order;
}

}  // namespace simulated_std

namespace adj {

class SimulatedLock {
 public:
  static inline bool admits_all = false;  // a fault that is planted
  void lock() {
    do simulation::Scheduler::step("lock");
    while (locked_ && !admits_all);
    locked_ = true;
  }
  void unlock() {
    simulation::Scheduler::step("unlock");
    locked_ = false;
  }

 private:
  bool locked_ = false;
};

}  // namespace adj

// State that lives as long as the process, and fork. A thread may fork while other threads are in the library: fork waits until no thread
// makes a Lazy object and no ProcessLock is held, so a child finds every object whole and every lock free.
#pragma once

#include <pthread.h>

#include <atomic>

#include "base/log.hpp"

namespace adj {

// Number of forks between the first process and this one.
int forks() noexcept;

// Reader-writer lock that prefers writers. A thread holds at most one (asserted), and makes no Lazy object while it holds one (asserted).
class ProcessLock {
 public:
  ProcessLock() noexcept;
  ~ProcessLock();
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;

  void lock() noexcept;
  void unlock() noexcept;
  void lock_shared() noexcept;
  void unlock_shared() noexcept;

 private:
  friend struct Fork;
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  ProcessLock *previous_ = nullptr, *next_ = nullptr;  // list of all locks
};

// The scope in which a thread makes a Lazy object. All threads share one recursive lock for it.
class Initialising {
 public:
  Initialising() noexcept;
  ~Initialising();
  Initialising(const Initialising&) = delete;
  Initialising& operator=(const Initialising&) = delete;
};

// An object that is made when it is first needed and never destroyed, since it may be used until the process ends. When making it throws, the
// next call tries again. A function's static variable would do the same, but its guard stays taken in the child of a fork.
template <class T>
class Lazy {
 public:
  constexpr Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  T& get() {
    return get([] { return T(); });
  }
  template <class Make>
  T& get(Make make) {
    T* object = object_.load(std::memory_order_acquire);
    return object ? *object : make_once(make);
  }

 private:
  template <class Make>
  [[gnu::noinline]] T& make_once(Make& make) {
    const LogHold hold;
    const Initialising scope;
    T* object = object_.load(std::memory_order_relaxed);
    if (!object) {
      object = new T(make());
      object_.store(object, std::memory_order_release);
    }
    return *object;
  }
  std::atomic<T*> object_{nullptr};
};

}  // namespace adj

#include "base/process.hpp"

#include <cassert>

namespace adj {

namespace {

pthread_mutex_t initialising = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
ProcessLock* first = nullptr;  // list of all locks, under `listing`
std::atomic<int> generation{0};

[[maybe_unused]] thread_local int held = 0;  // locks that this thread holds

}  // namespace

struct Fork {
  template <class Fn>
  static void each(Fn fn) {
    for (ProcessLock* lock = first; lock; lock = lock->next_) fn(lock->lock_);
  }
  static void before() {
    pthread_mutex_lock(&initialising);
    pthread_mutex_lock(&listing);
    each([](pthread_rwlock_t& lock) { pthread_rwlock_wrlock(&lock); });
  }
  static void in_parent() {
    each([](pthread_rwlock_t& lock) { pthread_rwlock_unlock(&lock); });
    pthread_mutex_unlock(&listing);
    pthread_mutex_unlock(&initialising);
  }
  // The locks name the parent's thread as their owner, so they are made anew.
  static void in_child() {
    each([](pthread_rwlock_t& lock) { lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP; });
    listing = PTHREAD_MUTEX_INITIALIZER;
    initialising = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    generation.fetch_add(1, std::memory_order_relaxed);
  }
  static void add(ProcessLock& lock) {
    pthread_mutex_lock(&listing);
    lock.next_ = first;
    if (first) first->previous_ = &lock;
    first = &lock;
    pthread_mutex_unlock(&listing);
  }
  static void remove(ProcessLock& lock) {
    pthread_mutex_lock(&listing);
    (lock.previous_ ? lock.previous_->next_ : first) = lock.next_;
    if (lock.next_) lock.next_->previous_ = lock.previous_;
    pthread_mutex_unlock(&listing);
  }
};

namespace {
[[gnu::constructor]] void watch_forks() { pthread_atfork(Fork::before, Fork::in_parent, Fork::in_child); }
}  // namespace

int forks() noexcept { return generation.load(std::memory_order_relaxed); }

ProcessLock::ProcessLock() noexcept { Fork::add(*this); }
ProcessLock::~ProcessLock() { Fork::remove(*this); }
void ProcessLock::lock() noexcept {
  assert(held == 0);
  pthread_rwlock_wrlock(&lock_);
  ++held;
}
void ProcessLock::unlock() noexcept {
  --held;
  pthread_rwlock_unlock(&lock_);
}
void ProcessLock::lock_shared() noexcept {
  assert(held == 0);
  pthread_rwlock_rdlock(&lock_);
  ++held;
}
void ProcessLock::unlock_shared() noexcept {
  --held;
  pthread_rwlock_unlock(&lock_);
}

Initialising::Initialising() noexcept {
  assert(held == 0);
  pthread_mutex_lock(&initialising);
}
Initialising::~Initialising() { pthread_mutex_unlock(&initialising); }

}  // namespace adj

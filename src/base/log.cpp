#include "base/log.hpp"

#include <mutex>

#include "base/process.hpp"

namespace adj {

std::atomic<void (*)(std::int32_t level, const std::string& message) noexcept> log_writer{nullptr};

namespace {

struct Sink {
  ProcessLock lock;
  void (*fn)(void*, std::int32_t, const char*) = nullptr;
  void* user = nullptr;
};
constinit Lazy<Sink> sink;

thread_local LogHold* outermost = nullptr;

void send(std::int32_t level, const std::string& message) {
  if (const auto write = log_writer.load(std::memory_order_acquire)) write(level, message);
  void (*fn)(void*, std::int32_t, const char*);
  void* user;
  {
    std::lock_guard lock(sink.get().lock);
    fn = sink.get().fn;
    user = sink.get().user;
  }
  // Called without the lock, because the callback may itself log or call set_log.
  if (fn) fn(user, level, message.c_str());
}

}  // namespace

void set_log(void (*fn)(void*, std::int32_t, const char*), void* user) {
  std::lock_guard lock(sink.get().lock);
  sink.get().fn = fn;
  sink.get().user = user;
}

void log(std::int32_t level, const std::string& message) {
  if (outermost) outermost->messages_.emplace_back(level, message);
  else send(level, message);
}

LogHold::LogHold() noexcept {
  if (!outermost) outermost = this;
}
LogHold::~LogHold() {
  if (outermost != this) return;
  outermost = nullptr;  // before the messages are sent: the callback may log
  try {
    for (const auto& [level, message] : messages_) send(level, message);
  } catch (...) {  // out of memory: the messages are lost
  }
}

}  // namespace adj

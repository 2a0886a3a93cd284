// How the library's messages (log, base/error.hpp) reach the callback of adj_set_log. Level 0: information, level 1: warning.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace adj {

// log() sends a message to the writer and to the callback. It keeps the message back while the thread has a LogHold.
// Function that writes messages to the log of ADJOINT_LOG (driver/trace.cpp sets it); may be null.
extern std::atomic<void (*)(std::int32_t level, const std::string& message) noexcept> log_writer;

// Keeps this thread's messages back until the outermost hold ends. The callback may call the library, so no message may be sent under a lock
// or within an initialiser: such code has a hold around it.
class LogHold {
 public:
  LogHold() noexcept;
  ~LogHold();
  LogHold(const LogHold&) = delete;
  LogHold& operator=(const LogHold&) = delete;

 private:
  friend void log(std::int32_t level, const std::string& message);
  std::vector<std::pair<std::int32_t, std::string>> messages_;
};

}  // namespace adj

// What ADJOINT_LOG asks for: a line for each select, compile and run, and ranges for profilers.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

namespace adj::trace {

enum : int { kSelect = 1, kCompile = 2, kRun = 4, kNvtx = 8 };

// The events that are wanted; -1 until the environment has been read.
extern std::atomic<int> events;
int read_environment();

// Whether one of these events is wanted: when none is, one load and one branch.
inline bool wants(int which) {
  int now = events.load(std::memory_order_relaxed);
  if (now == 0) [[likely]]
    return false;
  if (now < 0) now = read_environment();
  return (now & which) != 0;
}

// Appends a line to ADJOINT_LOG_FILE, or to standard error, in one piece. Never fails.
void write(std::string_view line) noexcept;

// Time since it was made, and a range of that name for profilers where these are wanted.
class Span {
 public:
  explicit Span(const char* name);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  std::string time() const;  // "time=0.123ms"

 private:
  bool ranged_;
  std::chrono::steady_clock::time_point start_;
};

// Runs a function that makes a line and writes that; what it throws is lost, the line too.
template <class Line>
void write_line(Line&& line) noexcept {
  try {
    write(line());
  } catch (...) {
  }
}

}  // namespace adj::trace

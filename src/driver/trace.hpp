// Tracing as ADJOINT_LOG requests it: a line for each select, compile, run and warning, and ranges for profilers.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

namespace adj::trace {

enum : int { kSelect = 1, kCompile = 2, kRun = 4, kNvtx = 8, kWarning = 16 };

// Bit set of the wanted events; -1 until the environment has been read.
extern std::atomic<int> events;
int read_environment();

// True when one of the events in `which` is wanted. Costs one load and one branch when tracing is off.
inline bool wants(int which) {
  int now = events.load(std::memory_order_relaxed);
  if (now == 0) [[likely]]
    return false;
  if (now < 0) now = read_environment();
  return (now & which) != 0;
}

// Appends a line to ADJOINT_LOG_FILE or standard error, normally in one write. Errors are ignored.
void write(std::string_view line) noexcept;

// Measures the time since its construction. With ADJOINT_LOG=nvtx it is also a profiler range of that name.
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

// Writes the line that a function returns. If the function throws, nothing is written and the exception is dropped.
template <class Line>
void write_line(Line&& line) noexcept {
  try {
    write(line());
  } catch (...) {}
}

}  // namespace adj::trace

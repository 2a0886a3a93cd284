// Cases in processes of their own: changes to the library's once-per-process state, and crashes, stay there.
#pragma once

#include <functional>
#include <string>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADJ_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ADJ_ASAN 1
#endif

namespace faults {

// True when the end of a case takes many times longer than the case: AddressSanitizer searches for leaks, coverage writes counters.
#if defined(ADJ_ASAN) || defined(ADJ_COVERAGE)
constexpr bool kSlowCases = true;
#else
constexpr bool kSlowCases = false;
#endif

// beside_threads: other threads of the process are at work. What they hold is lost in the child, which searches for no leaks and counts no lines.
enum class Fork { alone, beside_threads };

// Runs body in a forked child and returns its complaint, "" for none. A crash, an endless wait and, under AddressSanitizer, a leak are
// complaints as well.
std::string in_child(const std::function<std::string()>& body, Fork fork = Fork::alone);

// Counts cases and prints "NAME: cases tried, survived" at its end. Every failure is a failed check of the running test.
class Tally {
 public:
  explicit Tally(std::string name) : name_(std::move(name)) {}
  ~Tally();
  void add(const std::string& what, const std::string& problem);

 private:
  std::string name_;
  int tried_ = 0, survived_ = 0;
};

}  // namespace faults

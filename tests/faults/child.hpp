// Cases in processes of their own: changes to the library's once-per-process state, and crashes, stay there.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "../slow.hpp"

namespace faults {

// Which of a row of alike calls follows call n when each is refused once. Where cases are slow, the later ones at growing distances.
inline int next_call(int n) { return n + (kSlowCases && n >= 8 ? n / 4 : 1); }

// beside_threads: other threads of the process are at work. What they hold is lost in the child, which searches for no leaks and counts no lines.
// repeated: a body that many other cases run too; nothing is searched for and counted either.
enum class Fork { alone, beside_threads, repeated };

// Runs body in a forked child and returns its complaint, "" for none. A crash, an endless wait and, under AddressSanitizer, a leak are
// complaints as well.
std::string in_child(const std::function<std::string()>& body, Fork fork = Fork::alone);

constexpr uid_t kNobody = 65534;
// Runs body, in a child, as a user from whom permissions of files keep what they forbid: where the process is root's, as kNobody. Returns its complaint.
std::string as_nobody(const std::function<std::string()>& body);

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

#include "child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>

#ifdef ADJ_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#ifdef ADJ_COVERAGE
extern "C" void __gcov_dump();  // a child leaves without exit
#endif

namespace faults {

namespace {
constexpr unsigned kSeconds = 30;  // limit; a case takes a second or two
}

std::string in_child(const std::function<std::string()>& body, [[maybe_unused]] Fork fork) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::string("pipe2: ") + std::strerror(errno);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return std::string("fork: ") + std::strerror(errno);
  if (child == 0) {
    ::alarm(kSeconds);
    std::string problem;
    try {
      problem = body();
    } catch (const std::exception& e) { problem = std::string("exception: ") + e.what(); }
#ifdef ADJ_ASAN
    if (fork == Fork::alone && problem.empty() && __lsan_do_recoverable_leak_check()) problem = "memory is leaked";
#endif
    if (::write(ends[1], problem.data(), problem.size()) != static_cast<ssize_t>(problem.size())) ::_exit(2);
#ifdef ADJ_COVERAGE
    if (fork == Fork::alone) __gcov_dump();
#endif
    ::_exit(problem.empty() ? 0 : 1);
  }
  ::close(ends[1]);
  std::string problem;
  char bytes[512];
  for (ssize_t n; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;) problem.append(bytes, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return std::string("killed by signal: ") + ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0 && problem.empty()) return "exit code " + std::to_string(WEXITSTATUS(status));
  return problem;
}

std::string as_nobody(const std::function<std::string()>& body) {
  const bool root = ::geteuid() == 0;
  if (root && ::seteuid(kNobody) != 0) return std::string("seteuid: ") + std::strerror(errno);
  std::string problem = body();
  if (root && ::seteuid(0) != 0) return std::string("seteuid: ") + std::strerror(errno);
  ::prctl(PR_SET_DUMPABLE, 1);  // the leak check needs this; the change of user took it away
  return problem;
}

Tally::~Tally() { std::printf("%-48s %6d cases tried, %6d survived\n", name_.c_str(), tried_, survived_); }

void Tally::add(const std::string& what, const std::string& problem) {
  ++tried_;
  survived_ += problem.empty();
  CHECK_MESSAGE(problem.empty(), (name_ + ": " + what + ": " + problem));
}

}  // namespace faults

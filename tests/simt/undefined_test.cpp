// Planted faults that the sanitizers must find in a child process; the report must name kernel, block and thread.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS  // the machine has a handler of its own
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "faults/params.h"
#include "machine.hpp"
#include "registry.hpp"

namespace {

struct Ending {
  int status = 0;
  std::string words;
};

Ending run(int fault) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    const std::string defines = "ADJ_FAULT=" + std::to_string(fault);
    const simt::Kernel* kernel = nullptr;
    for (int i = 0; i < simt::kKernelCount; ++i)
      if (simt::kKernels[i].defines == defines) kernel = &simt::kKernels[i];
    FaultParams p{};
    p.n = 50;
    auto* in = static_cast<float*>(simt::allocate("in", 200, 0, simt::Contents::read_only));
    std::memset(in, 0, 200);
    p.in = in;
    p.out = static_cast<float*>(simt::allocate("out", 200, 0, simt::Contents::uninitialised));
    simt::Launch l;
    l.name = "undefined.cu:planted_undefined";
    l.call = kernel->call;
    l.params = &p;
    l.param_bytes = sizeof p;
    l.grid[0] = 2;
    l.block = 32;
    _exit(simt::launch(l, 1) ? 3 : 0);
  }
  close(ends[1]);
  Ending ending;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) ending.words.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, &ending.status, 0);
  return ending;
}

void expect(int fault, const std::string& report, const std::string& thread) {
  const Ending ending = run(fault);
  INFO(ending.words);
  CHECK((!WIFEXITED(ending.status) || WEXITSTATUS(ending.status) != 0));
  CHECK(ending.words.find(report) != std::string::npos);
  CHECK(ending.words.find("simt: undefined.cu:planted_undefined block (") != std::string::npos);
  CHECK(ending.words.find(thread) != std::string::npos);
}

}  // namespace

TEST_CASE("the sanitizers see what kernels do to memory and numbers") {
  const Ending clean = run(0);
  INFO(clean.words);
  CHECK(WIFEXITED(clean.status));
  CHECK(WEXITSTATUS(clean.status) == 0);
  expect(1, "stack-buffer-overflow", "thread 7");
  expect(2, "signed integer overflow", "thread 7");
  expect(3, "shift exponent 32", "thread 7");
  expect(4, "use-after-poison", "block (1,0,0) thread 18");
}

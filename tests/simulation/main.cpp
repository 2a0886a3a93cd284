// Seeded simulations of the disk cache, of the cache of plans and of the pool of cuDNN handles.
// simulation_test PART [--seeds N] [--seed N] [--planted]
#include <adjoint.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "scheduler.hpp"

namespace {

using namespace simulation;

const std::map<std::string, Part> kParts{{"disk", disk}, {"plans", plans}, {"handles", handles}};
// Seeds that found a fault and are tried after those that --seeds names.
const std::map<std::string, std::vector<std::uint64_t>> kFaultFinders{{"disk", {433089}}};

// The seed that runs, for a crash.
char running[200];
void crashed(int signal) {
  static_cast<void>(!::write(STDOUT_FILENO, running, std::strlen(running)));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int misuse() {
  std::fputs(
      "simulation_test PART [--seeds N] [--seed N] [--planted]\n"
      "  PART       disk, plans or handles\n"
      "  --seeds N  how many seeds are tried, from 1 (default 1000), and those that found a fault before\n"
      "  --seed N   tries one seed and prints its steps\n"
      "  --planted  a stand-in breaks its promise: fails unless a seed finds that\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  adj_set_log([](void*, std::int32_t, const char*) {}, nullptr);
  const auto part = argc < 2 ? kParts.end() : kParts.find(argv[1]);
  if (part == kParts.end()) return misuse();
  std::uint64_t first = 1, count = 1000;
  bool trace = false, planted = false;
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--planted") {
      planted = true;
      continue;
    }
    if (++i == argc) return misuse();
    if (option == "--seed") first = std::strtoull(argv[i], nullptr, 10), count = 1, trace = true;
    else if (option == "--seeds") count = std::strtoull(argv[i], nullptr, 10);
    else return misuse();
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, crashed);
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first);
  if (const auto found = kFaultFinders.find(part->first); found != kFaultFinders.end() && !trace && !planted)
    seeds.insert(seeds.end(), found->second.begin(), found->second.end());
  for (const std::uint64_t seed : seeds) {
    *fmt::format_to_n(running, sizeof running - 1, "{0}, seed {1}: a crash\nrepeat it with: simulation_test {0} --seed {1}\n", part->first, seed).out = '\0';
    const std::string problem = part->second(seed, trace, planted);
    if (problem.empty()) continue;
    fmt::print("{}, seed {}: {}\n", part->first, seed, problem);
    if (planted) return fmt::print("the planted fault was found by {} seeds\n", seed - first + 1), 0;
    fmt::print("repeat it with: simulation_test {} --seed {}\n", part->first, seed);
    return 1;
  }
  fmt::print("{}: {} seeds from {}, no problem{}\n", part->first, seeds.size(), first, planted ? ": the planted fault was not found" : "");
  return planted;
}

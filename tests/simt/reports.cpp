// What the machine says of a fault: where, by whom, and what the threads wait for.
#include "simulator.hpp"

#include <unistd.h>

#include <cstdio>

#include <dlfcn.h>

namespace simt {

namespace {

std::string ranges(const std::vector<u32>& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1) ++j;
    if (!text.empty()) text += ", ";
    text += i == j ? fmt::format("{}", sorted[i]) : fmt::format("{}..{}", sorted[i], sorted[j]);
    i = j + 1;
  }
  return text.empty() ? "none" : text;
}

std::string waiting_where(const Block& b) {
  std::map<std::string, std::vector<u32>> places;
  for (const Thread& t : b.threads) {
    std::string place;
    switch (t.wait) {
      case Wait::none: place = "running"; break;
      case Wait::block_barrier: place = "at the block barrier"; break;
      case Wait::named_barrier: place = fmt::format("at named barrier {}", t.barrier); break;
      case Wait::cluster_barrier: place = "at the cluster barrier"; break;
      case Wait::counting_barrier: place = "at a barrier in shared memory"; break;
      case Wait::registers: place = "for registers"; break;
      case Wait::warp: place = fmt::format("at a warp {} of mask {:#010x}", t.barrier_only ? "barrier" : "exchange", t.mask); break;
      case Wait::done: place = "ended"; break;
    }
    places[place].push_back(t.index);
  }
  std::string text;
  for (const auto& [place, threads] : places) text += fmt::format("{}threads {} {}", text.empty() ? "" : "; ", ranges(threads), place);
  return text;
}

}  // namespace

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::none: return "no fault";
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::uninitialised: return "uninitialised read";
    case FaultKind::read_only: return "write to an input";
    case FaultKind::race: return "race";
    case FaultKind::misaligned: return "misaligned access";
    case FaultKind::partial_barrier: return "partial barrier";
    case FaultKind::partial_warp: return "partial warp operation";
    case FaultKind::bad_lane: return "bad lane";
    case FaultKind::deadlock: return "deadlock";
    case FaultKind::no_end: return "no end";
    case FaultKind::bad_launch: return "bad launch";
    case FaultKind::canary: return "canary";
    case FaultKind::early: return "early";
    case FaultKind::trap: return "trap";
  }
  return "?";
}

[[noreturn]] void Machine::fail(FaultKind kind, const std::string& what) {
  report(kind, *self_, what + source_of_caller());
  self_->failed = true;
  for (;;) suspend();
}

std::string Machine::position(const Thread& t) const {
  const u32 n = t.block->number;
  const unsigned* grid = launch_->grid;
  return fmt::format("{} block ({},{},{}) thread {}", launch_->name, n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1], t.index);
}

void Machine::report(FaultKind kind, const Thread& t, const std::string& what) {
  if (!fault_) fault_ = Fault{kind, fmt::format("{}: {}: {}", position(t), fault_name(kind), what)};
}

void Machine::check_time() {
  if (std::clock() < deadline_) return;
  if (self_) fail(FaultKind::no_end, fmt::format("still running after {} s of processor time", launch_->seconds));
  for (const Block& b : blocks_)
    if (b.active) return report(FaultKind::no_end, b.threads[0], fmt::format("its launch is still running after {} s of processor time", launch_->seconds));
}

void Machine::end_long_launch() {
  static u64 switches = 0;
  if (self_ && counters_.switches == switches) check_time();
  switches = counters_.switches;
}

[[noreturn]] void Machine::partial_barrier(const Block& b, const char* what) {
  fail(FaultKind::partial_barrier, fmt::format("{} reached by part of the block: {}", what, waiting_where(b)));
}

void Machine::report_deadlock() {
  for (Wait place : {Wait::registers, Wait::warp, Wait::block_barrier, Wait::named_barrier, Wait::cluster_barrier, Wait::counting_barrier})
    for (const Block& b : blocks_) {
      if (!b.active) continue;
      for (const Thread& t : b.threads) {
        if (t.wait != place) continue;
        const FaultKind kind = place == Wait::warp ? FaultKind::partial_warp : FaultKind::partial_barrier;
        return report(kind, t, fmt::format("waits for ever: {}", waiting_where(b)));
      }
    }
  fault_ = Fault{FaultKind::deadlock, fmt::format("{}: nobody can go on", launch_->name)};
}

std::string Machine::describe(std::uintptr_t address) const {
  const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(base_);
  if (const std::size_t at = address - reinterpret_cast<std::uintptr_t>(launch_->params); at < launch_->param_bytes + 64)
    return fmt::format("parameters + {} (of {} bytes)", at, launch_->param_bytes);
  if (offset >= kArenaBytes) return fmt::format("{:#x}, which is no buffer", address);
  if (offset < kSharedBytes) {
    const std::size_t at = offset % kSlotBytes;
    const Block& b = blocks_[offset / kSlotBytes];
    const std::string whose = self_ && b.slot == self_->block->slot ? "" : fmt::format(" of block {}", b.number);
    if (at + 64 >= kDynamicOffset)
      return fmt::format("dynamic shared memory{} + {} (of {} bytes)", whose, static_cast<long long>(at) - static_cast<long long>(kDynamicOffset),
                         launch_->shared_bytes);
    const Site* best = nullptr;
    long long distance = 0;
    for (const auto& [key, site] : sites_) {
      const auto d = static_cast<long long>(at) - static_cast<long long>(site.offset);
      const long long past = d < 0 ? -d : std::max<long long>(0, d - static_cast<long long>(site.bytes));
      if (!best || past < distance) best = &site, distance = past;
    }
    if (best)
      return fmt::format("shared {}{} + {} (of {} bytes)", best->name, whose, static_cast<long long>(at) - static_cast<long long>(best->offset), best->bytes);
    return fmt::format("shared memory{} + {}", whose, at);
  }
  const Buffer* best = nullptr;
  long long distance = 0;
  for (const Buffer& b : buffers_) {
    const auto d = static_cast<long long>(offset) - static_cast<long long>(b.offset);
    const long long past = d < 0 ? -d : std::max<long long>(0, d - static_cast<long long>(b.bytes) + 1);
    if (!best || past < distance) best = &b, distance = past;
  }
  if (!best) return fmt::format("global memory + {}, which is no buffer", offset);
  return fmt::format("{} + {} (of {} bytes)", best->name, static_cast<long long>(offset) - static_cast<long long>(best->offset), best->bytes);
}

std::string Machine::source_of_caller() const {
  const auto low = reinterpret_cast<std::uintptr_t>(self_->worker->stack);
  auto* frame = static_cast<void**>(__builtin_frame_address(0));
  std::string addresses;
  for (int depth = 0; depth < 16; ++depth) {
    const auto at = reinterpret_cast<std::uintptr_t>(frame);
    if (at < low || at + 16 > low + kStackBytes || at % 8 != 0) break;
    Dl_info info{};
    if (!dladdr(frame[1], &info) || !info.dli_fbase) break;
    addresses += fmt::format(" {:#x}", reinterpret_cast<std::uintptr_t>(frame[1]) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1);
    frame = static_cast<void**>(frame[0]);
  }
  char exe[512];
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (addresses.empty() || n <= 0) return "";
  exe[n] = '\0';
  const std::string command = fmt::format("addr2line -i -e '{}'{} 2>/dev/null", exe, addresses);
  std::string result;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) {
      std::string text(line);
      const std::size_t end = text.find_first_of(" \n");
      text.resize(std::min(end, text.size()));
      const std::size_t kernels = text.rfind(".cu");
      if (kernels == std::string::npos) continue;
      const std::size_t slash = text.rfind('/', kernels);
      result += (result.empty() ? " [" : " < ") + text.substr(slash == std::string::npos ? 0 : slash + 1);
    }
    pclose(pipe);
  }
  return result.empty() ? "" : result + "]";
}

}  // namespace simt

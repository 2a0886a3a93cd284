// What finding, compiling and loading a program share.
#pragma once

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "driver/libraries.hpp"
#include "jit/cache.hpp"
#include "jit/program.hpp"

namespace adj {

struct Counters {
  std::atomic<std::int64_t> memory_hits{0}, pack_hits{0}, disk_hits{0}, compiles{0};
};
extern constinit Counters counters;

struct ProgramLocks {
  ProcessLock loaded;     // of the table of loaded kernels of every program
  ProcessLock compiling;  // shared by the calls of NVRTC, so that fork waits for them
};
extern constinit Lazy<ProgramLocks> program_locks;

// Places in which a search looks.
struct Program::Search {
  const Device* device = nullptr;  // the device that will load the image; null: none of this machine
  bool packs = true;
  std::set<int> without{};  // major versions of NVRTC whose disk entries the device has refused
};
// An image, the key of its program, and the lock of its disk entries while it has been compiled and not yet stored.
struct Program::Candidate {
  Image image;
  std::string key;
  DiskCache::Lock lock{};
};

inline int major_of(const Image& image) { return std::atoi(image.compiler.c_str()); }

// True when this NVRTC compiles for the compute capability.
bool knows(const cu::NvrtcApi& api, int cc);
std::string join(const std::vector<std::string>& parts, char separator);

}  // namespace adj

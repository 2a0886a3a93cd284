// Blocks of a program that a multiprocessor holds at a time, from what its launch asks for and what its machine code states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/descriptor.hpp"
#include "driver/device.hpp"
#include "jit/code.hpp"
#include "plan/plan.hpp"

namespace resident {

constexpr std::uint32_t kRegisters = 64 << 10;  // of a multiprocessor, in four equal parts
constexpr std::uint32_t kParts = 4, kWarp = 32;
constexpr std::uint32_t kReserved = 1 << 10;                          // bytes of shared memory that the driver keeps of a block
constexpr std::uint32_t kSharedUnit = 128, kRegistersUnit = 256;      // of what a block, and a warp, gets

constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

// What a multiprocessor of an architecture holds: the CUDA C++ Programming Guide's table of technical specifications.
struct Limits {
  std::uint32_t threads, blocks, shared;
};
inline Limits limits_of(int cc) {
  const bool full = cc == 80 || cc / 10 == 9 || cc / 10 == 10;
  const std::uint32_t blocks = full ? 32 : cc < 89 ? 16 : 24;
  return {full ? 2048U : 1536U, blocks, (*adj::offline_device(cc))->shared_optin + kReserved};
}

struct Use {
  std::uint32_t threads, registers, dynamic, own;  // own: shared memory that the program declares, with what the driver keeps of a block

  std::uint32_t by_threads(const Limits& limits) const {
    const std::uint32_t warps = round_up(threads, kWarp) / kWarp;
    const std::uint32_t by_registers = kRegisters / kParts / round_up(std::max(registers, 1U) * kWarp, kRegistersUnit) * kParts / warps;
    return std::min({limits.threads / kWarp / warps, by_registers, limits.blocks});
  }
  static std::uint32_t by_shared(const Limits& limits, std::uint32_t bytes) { return limits.shared / round_up(bytes, kSharedUnit); }
  std::uint32_t blocks(const Limits& limits) const { return std::min(by_threads(limits), by_shared(limits, dynamic + own)); }
};

// The program's shared memory and what the driver keeps. Machine code for sm_90 and later states both as one, where it states any.
inline std::uint32_t own_shared(const adj::KernelResources& r, int cc) {
  const auto stated = static_cast<std::uint32_t>(r.static_shared_bytes);
  return cc < 90 ? stated + kReserved : std::max(stated, kReserved);
}

// Of the disk cache, where it has the program.
inline adj::Result<adj::KernelResources> resources_of(const adj::Program& program, int cc) {
  static std::map<std::pair<const adj::Program*, int>, adj::KernelResources> known;
  auto found = known.find({&program, cc});
  if (found != known.end()) return found->second;
  auto image = program.image(cc, ADJ_JIT_DEFAULT);
  if (!image) return image.take_error();
  auto resources = adj::read_resources(image->bytes, program.entry());
  if (resources) known.emplace(std::pair{&program, cc}, *resources);
  return resources;
}

// The plan of a problem in words on an offline device, of our own kernels alone: cuBLASLt and cuDNN decide on the device itself.
inline adj::Result<adj::Plan*> plan_of(const std::string& problem, const std::string& arch) {
  const std::vector<std::string> words = adj::split(problem, ' ');
  cli::Descriptor d(words[0]);
  for (std::size_t i = 1; i < words.size(); ++i) d.set(words[i]);
  adj_preference own;
  own.backend = ADJ_BACKEND_BESPOKE;
  return adj::select_plan(*adj::offline_stream(arch), d.header(), &own);
}

}  // namespace resident

// Memory, arguments, a stream and a clock for runs of a problem that nobody's results depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/libraries.hpp"
#include "plan/plan.hpp"

namespace adj {

// Belongs to one thread, which has made the device's primary context current. Everything is given back at the end.
class Scratch {
 public:
  Scratch(const cu::Api& api, const Device& device) : api_(api), device_(device) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  // Makes arguments for calls of `plan`, and `workspace` bytes. Inputs are filled: numbers lie in [0.25, 1), integers are uniform below the limit that
  // the operator states (OpRules::integers_below), scalars are 0.5 or 1. Optional arguments are left out. Returns why such calls would say nothing about
  // those of a program, or why there is no memory for them; empty when all is there. An error is the driver's.
  Result<std::string> open(const Plan& plan, std::uint64_t workspace);

  // Device time of one run in microseconds. Arguments that are read and written are filled anew, and the level-2 cache is overwritten before.
  // `failure` receives the error of the run itself; the error that is returned is the driver's.
  Result<double> time(const Plan& plan, std::optional<Error>& failure);

 private:
  // A part of the allocation.
  struct Block {
    std::size_t argument, entry;
    std::uint64_t offset, bytes;
    std::size_t pattern;  // index of the contents; kZeros: none
    bool again;           // filled anew before every run
  };
  struct Pattern {
    adj_dtype dtype;
    std::int64_t below;  // > 0: integers in [0, below)
    std::uint64_t offset;
  };
  static constexpr std::size_t kZeros = static_cast<std::size_t>(-1);

  std::string lay_out(const Plan& plan);
  std::size_t pattern_of(adj_dtype dtype, std::int64_t below);
  std::uint64_t book(std::uint64_t bytes);
  Result<void> fill(const Block& block) const;
  void bind_arguments(const Plan& plan);
  cu::DevicePtr at(std::uint64_t offset) const { return memory_ + offset; }

  const cu::Api& api_;
  const Device& device_;
  cu::DevicePtr memory_ = 0;
  cu::Stream stream_ = nullptr;
  cu::Event start_ = nullptr, stop_ = nullptr;
  std::uint64_t total_ = 0, flush_ = 0, flush_bytes_ = 0;
  unsigned char round_ = 0;
  std::vector<Block> blocks_;
  std::vector<Pattern> patterns_;
  std::vector<std::uint64_t> args_;
  std::vector<std::vector<void*>> pointers_;           // by argument, of lists
  std::vector<std::vector<std::uint64_t>> capacities_;
  std::vector<std::vector<std::byte>> host_;           // arguments in ordinary memory
  adj_workspace workspace_{};
};

}  // namespace adj

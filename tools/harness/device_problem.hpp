// The buffers of a problem in device memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/arguments.hpp"
#include "harness/gpu.hpp"

namespace harness {

// Buffers of a problem on a device, with guard regions around each.
class DeviceProblem {
 public:
  // misalign: elements by which every buffer is moved off its alignment. apart: every buffer is an allocation of its own, so that
  // compute-sanitizer sees accesses beyond it; else all buffers share one allocation, which is much faster for long lists.
  DeviceProblem(const Gpu& gpu, const Problem& problem, std::uint64_t misalign, bool apart);

  void upload(unsigned char poison);  // uploads the contents of the problem; outputs that are not read are filled with `poison`
  Outputs download();
  const std::string& broken_guard() const { return broken_guard_; }  // argument beside which the last download found a changed guard
  const adj_header* args() const { return args_->get(); }

 private:
  struct Region {
    std::vector<std::byte> image;
    std::unique_ptr<DeviceBuffer> memory;
  };
  struct Place {
    std::size_t region, offset;
  };
  struct Guard {
    std::size_t region, begin, end, argument;
  };

  const Problem* problem_;
  std::vector<Region> regions_;
  std::vector<std::vector<Place>> places_;
  std::vector<Guard> guards_;
  std::string broken_guard_;
  unsigned char poison_ = 0;  // of the last upload
  std::vector<std::vector<Data>> host_;  // arguments that are always in ordinary memory; outputs are poisoned once
  std::vector<std::vector<void*>> addresses_;
  std::unique_ptr<Arguments> args_;
};

}  // namespace harness

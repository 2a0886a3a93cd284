// The machine on which a program trains: a GPU, or the host with ordinary memory. It stands for the allocator and the streams that an engine has.
#pragma once

#include <adjoint/adjoint.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/gpu.hpp"

class Machine {
 public:
  static constexpr int kHost = -1;
  explicit Machine(int device);  // the number of a GPU, or kHost

  const adjoint::Stream& stream() const { return stream_; }
  const char* description() const { return description_.c_str(); }
  std::uint64_t allocated() const { return allocated_; }  // bytes of allocate() so far

  void* allocate(std::uint64_t bytes);  // zero-filled, 256-byte aligned, freed with the machine
  void upload(void* to, const void* from, std::uint64_t bytes);
  void download(void* to, const void* from, std::uint64_t bytes);
  void copy(void* to, const void* from, std::uint64_t bytes);  // within the memory of the stream, in stream order
  double milliseconds(const std::function<void()>& work);      // time of the work on the stream

  // Returns a function that repeats the work of step(). On a GPU the work is captured as a CUDA graph.
  std::function<void()> record(std::function<void()> step);

 private:
  std::unique_ptr<harness::Gpu> gpu_;
  adjoint::Stream stream_;
  std::string description_;
  std::uint64_t allocated_ = 0;
  std::vector<harness::DeviceBuffer> device_memory_;
  std::vector<std::unique_ptr<std::byte[]>> host_memory_;
};

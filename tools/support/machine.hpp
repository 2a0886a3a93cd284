// The machine on which a program trains: a GPU, or the host with ordinary memory. It stands for the allocator and the streams that an engine has.
#pragma once

#include <adjoint/adjoint.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu.hpp"

class Machine {
 public:
  static constexpr int kHost = -1;
  explicit Machine(int device);  // the number of a GPU, or kHost
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const adjoint::Stream& stream() const { return stream_; }
  // A second stream, made when it is first asked for; the host has one stream only. Its work and that of stream() wait for each other where fork() and join()
  // say so.
  const adjoint::Stream& side();
  void fork();  // what the side stream gets from now on waits for what stream() has
  void join();  // and the other way round
  const char* description() const { return description_.c_str(); }
  // Bytes of allocate() so far: of all purposes, and of each one in the order of their first use. Nothing is freed before the machine, so this is the peak.
  std::uint64_t allocated() const;
  const std::vector<std::pair<std::string, std::uint64_t>>& memory() const { return memory_; }

  void* allocate(std::uint64_t bytes, const char* purpose = "buffers");  // zero-filled, 256-byte aligned, freed with the machine
  void upload(void* to, const void* from, std::uint64_t bytes);
  void download(void* to, const void* from, std::uint64_t bytes);
  void copy(void* to, const void* from, std::uint64_t bytes);  // within the memory of the stream, in stream order
  double milliseconds(const std::function<void()>& work);  // time of the work on the stream

  // Returns a function that repeats the work of step(). On a GPU the work is captured as a CUDA graph.
  std::function<void()> record(std::function<void()> step);

 private:
  void order(adj::cu::Stream first, adj::cu::Stream then);

  std::unique_ptr<harness::Gpu> gpu_, side_gpu_;
  adjoint::Stream stream_, side_;
  adj::cu::Event order_ = nullptr;
  std::string description_;
  std::vector<std::pair<std::string, std::uint64_t>> memory_;
  std::vector<harness::DeviceBuffer> device_memory_;
  std::vector<std::unique_ptr<std::byte[]>> host_memory_;
};

// Device memory, streams and graphs for tools and tests. The library itself never allocates device memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/device.hpp"
#include "driver/libraries.hpp"

namespace harness {

// Throws std::runtime_error with the driver's words when a call failed.
void check(adj::cu::Result result, const char* call);

// The libraries that this process uses, with their versions; loads all of them. In one line.
std::string versions_of_libraries();

// Device with its primary context current on this thread, and one stream. Belongs to one thread.
class Gpu {
 public:
  explicit Gpu(int ordinal = 0);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const adj::Device& device() const { return *device_; }
  const adj::cu::Api& api() const { return *api_; }
  adj::cu::Stream handle() const { return stream_; }
  adj_stream stream() const;
  void synchronize() const;

  // Device memory. Blocks of moderate size are kept for later requests: allocating and freeing synchronise the device, which would take most
  // of the time of tests of many small problems.
  adj::cu::DevicePtr allocate(std::uint64_t bytes) const;
  void release(adj::cu::DevicePtr block) const noexcept;
  // Makes one allocation of up to `bytes`, from which later blocks come, each at the first place where it fits. The speed of kernels depends on
  // addresses; these then follow from the blocks in use, not from earlier allocations.
  void reserve(std::uint64_t bytes);

 private:
  mutable std::map<adj::cu::DevicePtr, std::uint64_t> gaps_;  // free ranges of the reserved allocation
  adj::cu::DevicePtr reserved_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  mutable std::multimap<std::uint64_t, adj::cu::DevicePtr> free_;
  mutable std::map<adj::cu::DevicePtr, std::uint64_t> sizes_;
  const adj::Device* device_ = nullptr;
  const adj::cu::Api* api_ = nullptr;
  adj::cu::Stream stream_ = nullptr;
};

// Device memory with guard regions on both sides.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(const Gpu& gpu, std::uint64_t bytes, bool fresh = false);  // fresh: an allocation of exactly this size
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  void* data() const { return reinterpret_cast<void*>(base_ + kGuard); }
  std::uint64_t bytes() const { return bytes_; }
  void upload(const void* source) const;
  void download(void* target) const;
  void fill(unsigned char value) const;
  bool guards_intact() const;

  static constexpr std::uint64_t kGuard = 1024;
  static constexpr unsigned char kGuardByte = 0xA5;

 private:
  const Gpu* gpu_;
  adj::cu::DevicePtr base_ = 0;
  std::uint64_t bytes_;
  bool fresh_;
};

// Captured sequence that can be replayed.
class Graph {
 public:
  // Captures the work that record() puts on the stream.
  Graph(const Gpu& gpu, const std::function<void()>& record);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch() const;

 private:
  const Gpu* gpu_;
  adj::cu::Graph graph_ = nullptr;
  adj::cu::GraphExec exec_ = nullptr;
};

}  // namespace harness

#include "machine.hpp"

#include <cstring>
#include <stdexcept>

namespace {
constexpr std::size_t kAlignment = 256;

adjoint::Stream open_stream(const harness::Gpu* gpu) {
  if (!gpu) return adjoint::Stream::host();
  auto stream = adjoint::Stream::wrap(gpu->handle());
  if (!stream) throw std::runtime_error(stream.error().message);
  return *stream;
}
}  // namespace

Machine::Machine(int device)
    : gpu_(device == kHost ? nullptr : std::make_unique<harness::Gpu>(device)),
      stream_(open_stream(gpu_.get())),
      description_(gpu_ ? gpu_->device().name + ", CUDA graph" : "host backend") {}

void* Machine::allocate(std::uint64_t bytes) {
  if (gpu_) {
    device_memory_.emplace_back(*gpu_, bytes).fill(0);
    return device_memory_.back().data();
  }
  std::size_t space = bytes + kAlignment;
  host_memory_.push_back(std::make_unique<std::byte[]>(space));  // value-initialised: zeros
  void* aligned = host_memory_.back().get();
  return std::align(kAlignment, bytes, aligned, space);
}

void Machine::upload(void* to, const void* from, std::uint64_t bytes) {
  if (!gpu_) {
    std::memcpy(to, from, bytes);
    return;
  }
  harness::check(gpu_->api().memcpy_htod_async(reinterpret_cast<adj::cu::DevicePtr>(to), from, bytes, gpu_->handle()), "cuMemcpyHtoDAsync");
  gpu_->synchronize();
}

void Machine::download(void* to, const void* from, std::uint64_t bytes) {
  if (!gpu_) {
    std::memcpy(to, from, bytes);
    return;
  }
  harness::check(gpu_->api().memcpy_dtoh_async(to, reinterpret_cast<adj::cu::DevicePtr>(from), bytes, gpu_->handle()), "cuMemcpyDtoHAsync");
  gpu_->synchronize();
}

std::function<void()> Machine::record(std::function<void()> step) {
  if (!gpu_) return step;
  auto graph = std::make_shared<harness::Graph>(*gpu_, step);
  return [graph] { graph->launch(); };
}

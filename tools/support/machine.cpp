#include "support/machine.hpp"

#include <algorithm>
#include <chrono>
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
      side_(stream_),
      description_(gpu_ ? gpu_->device().name : "host backend") {}

Machine::~Machine() {
  if (order_) gpu_->api().event_destroy(order_);
}

const adjoint::Stream& Machine::side() {
  if (gpu_ && !side_gpu_) {
    constexpr unsigned kDisableTiming = 2;
    harness::check(gpu_->api().event_create(&order_, kDisableTiming), "cuEventCreate");
    side_gpu_ = std::make_unique<harness::Gpu>(gpu_->device().ordinal);
    side_ = open_stream(side_gpu_.get());
  }
  return side_;
}

void Machine::order(adj::cu::Stream first, adj::cu::Stream then) {
  harness::check(gpu_->api().event_record(order_, first), "cuEventRecord");
  harness::check(gpu_->api().stream_wait_event(then, order_, 0), "cuStreamWaitEvent");
}
void Machine::fork() {
  if (side_gpu_) order(gpu_->handle(), side_gpu_->handle());
}
void Machine::join() {
  if (side_gpu_) order(side_gpu_->handle(), gpu_->handle());
}

std::uint64_t Machine::allocated() const {
  std::uint64_t sum = 0;
  for (const auto& [purpose, bytes] : memory_) sum += bytes;
  return sum;
}

void* Machine::allocate(std::uint64_t bytes, const char* purpose) {
  auto known = std::find_if(memory_.begin(), memory_.end(), [&](const auto& entry) { return entry.first == purpose; });
  if (known == memory_.end()) known = memory_.insert(memory_.end(), {purpose, 0});
  known->second += bytes;
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

void Machine::copy(void* to, const void* from, std::uint64_t bytes) {
  if (!gpu_) {
    std::memcpy(to, from, bytes);
    return;
  }
  harness::check(gpu_->api().memcpy_dtod_async(reinterpret_cast<adj::cu::DevicePtr>(to), reinterpret_cast<adj::cu::DevicePtr>(from), bytes, gpu_->handle()),
                 "cuMemcpyDtoDAsync");
}

double Machine::milliseconds(const std::function<void()>& work) {
  if (!gpu_) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  const adj::cu::Api& api = gpu_->api();
  adj::cu::Event first = nullptr, last = nullptr;
  harness::check(api.event_create(&first, 0), "cuEventCreate");
  harness::check(api.event_create(&last, 0), "cuEventCreate");
  harness::check(api.event_record(first, gpu_->handle()), "cuEventRecord");
  work();
  harness::check(api.event_record(last, gpu_->handle()), "cuEventRecord");
  harness::check(api.event_synchronize(last), "cuEventSynchronize");
  float elapsed = 0;
  harness::check(api.event_elapsed(&elapsed, first, last), "cuEventElapsedTime");
  api.event_destroy(first);
  api.event_destroy(last);
  return elapsed;
}

std::function<void()> Machine::record(std::function<void()> step) {
  if (!gpu_) return step;
  auto graph = std::make_shared<harness::Graph>(*gpu_, step);
  return [graph] { graph->launch(); };
}

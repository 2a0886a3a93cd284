#include "harness/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace harness {

void check(adj::cu::Result result, const char* call) {
  if (result == adj::cu::kSuccess) return;
  throw std::runtime_error(adj::cuda_error(**adj::cuda(), result, call).message);
}

std::string versions_of_libraries() {
  std::string text;
  for (const adj::LibraryReport& library : adj::library_reports())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", library.name, library.available ? library.version : "none");
  return text;
}

Gpu::Gpu(int ordinal) {
  auto api = adj::cuda();
  if (!api) throw std::runtime_error(api.error().message);
  api_ = *api;
  auto device = adj::device(ordinal);
  if (!device) throw std::runtime_error(device.error().message);
  device_ = *device;
  harness::check(api_->context_push(device_->context), "cuCtxPushCurrent");
  harness::check(api_->stream_create(&stream_, adj::cu::kStreamNonBlocking), "cuStreamCreate");
}
Gpu::~Gpu() {
  api_->stream_synchronize(stream_);
  for (const auto& [bytes, block] : free_) api_->mem_free(block);
  if (reserved_) api_->mem_free(reserved_);
  api_->stream_destroy(stream_);
  adj::cu::Context ignored = nullptr;
  api_->context_pop(&ignored);
}
adj_stream Gpu::stream() const {
  auto stream = adj::wrap_stream(stream_);
  if (!stream) throw std::runtime_error(stream.error().message);
  return *stream;
}
void Gpu::synchronize() const { harness::check(api_->stream_synchronize(stream_), "cuStreamSynchronize"); }

void Gpu::reserve(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;
  while (!reserved_ && bytes >= kLeast && api_->mem_alloc(&reserved_, bytes) != adj::cu::kSuccess) reserved_ = 0, bytes /= 2;
  if (reserved_) gaps_[reserved_] = reserved_bytes_ = bytes;
}
adj::cu::DevicePtr Gpu::allocate(std::uint64_t bytes) const {
  constexpr std::uint64_t kSmallest = 1 << 16;
  bytes = std::max(bytes, kSmallest);
  const std::uint64_t units = (bytes + kSmallest - 1) / kSmallest * kSmallest;
  if (const auto it = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& gap) { return gap.second >= units; }); it != gaps_.end()) {
    const auto [block, size] = *it;
    gaps_.erase(it);
    if (size > units) gaps_[block + units] = size - units;
    sizes_[block] = units;
    return block;
  }
  if (const auto it = free_.lower_bound(bytes); it != free_.end() && it->first <= 4 * bytes) {
    const adj::cu::DevicePtr block = it->second;
    free_.erase(it);
    return block;
  }
  adj::cu::DevicePtr block = 0;
  harness::check(api_->mem_alloc(&block, bytes), "cuMemAlloc");
  sizes_[block] = bytes;
  return block;
}
void Gpu::release(adj::cu::DevicePtr block) const noexcept {
  constexpr std::uint64_t kLargestKept = std::uint64_t{64} << 20;
  const auto it = sizes_.find(block);
  if (block - reserved_ < reserved_bytes_) {
    auto gap = gaps_.emplace(block, it->second).first;
    sizes_.erase(it);
    if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap != gaps_.begin())
      if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
        before->second += gap->second;
        gaps_.erase(gap);
      }
    return;
  }
  if (it->second <= kLargestKept) {
    free_.emplace(it->second, block);
    return;
  }
  sizes_.erase(it);
  api_->mem_free(block);
}

DeviceBuffer::DeviceBuffer(const Gpu& gpu, std::uint64_t bytes, bool fresh) : gpu_(&gpu), bytes_(bytes), fresh_(fresh) {
  if (fresh) harness::check(gpu.api().mem_alloc(&base_, bytes + 2 * kGuard), "cuMemAlloc");
  else base_ = gpu.allocate(bytes + 2 * kGuard);
  harness::check(gpu.api().memset_d8_async(base_, kGuardByte, kGuard, gpu.handle()), "cuMemsetD8Async");
  harness::check(gpu.api().memset_d8_async(base_ + kGuard + bytes, kGuardByte, kGuard, gpu.handle()), "cuMemsetD8Async");
}
DeviceBuffer::~DeviceBuffer() {
  if (!base_) return;
  if (fresh_) gpu_->api().mem_free(base_);
  else gpu_->release(base_);
}
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept : gpu_(other.gpu_), base_(other.base_), bytes_(other.bytes_), fresh_(other.fresh_) {
  other.base_ = 0;
}
void DeviceBuffer::upload(const void* source) const {
  if (!bytes_) return;
  harness::check(gpu_->api().memcpy_htod_async(reinterpret_cast<adj::cu::DevicePtr>(data()), source, bytes_, gpu_->handle()), "cuMemcpyHtoDAsync");
  gpu_->synchronize();
}
void DeviceBuffer::download(void* target) const {
  if (!bytes_) return;
  harness::check(gpu_->api().memcpy_dtoh_async(target, reinterpret_cast<adj::cu::DevicePtr>(data()), bytes_, gpu_->handle()), "cuMemcpyDtoHAsync");
  gpu_->synchronize();
}
void DeviceBuffer::fill(unsigned char value) const {
  if (bytes_) harness::check(gpu_->api().memset_d8_async(reinterpret_cast<adj::cu::DevicePtr>(data()), value, bytes_, gpu_->handle()), "cuMemsetD8Async");
}
bool DeviceBuffer::guards_intact() const {
  std::vector<unsigned char> front(kGuard), back(kGuard);
  harness::check(gpu_->api().memcpy_dtoh_async(front.data(), base_, front.size(), gpu_->handle()), "cuMemcpyDtoHAsync");
  harness::check(gpu_->api().memcpy_dtoh_async(back.data(), base_ + kGuard + bytes_, back.size(), gpu_->handle()), "cuMemcpyDtoHAsync");
  gpu_->synchronize();
  for (const auto* guard : {&front, &back})
    for (unsigned char byte : *guard)
      if (byte != kGuardByte) return false;
  return true;
}

Graph::Graph(const Gpu& gpu, const std::function<void()>& record) : gpu_(&gpu) {
  harness::check(gpu.api().stream_begin_capture(gpu.handle(), adj::cu::kCaptureModeThreadLocal), "cuStreamBeginCapture");
  try {
    record();
  } catch (...) {
    gpu.api().stream_end_capture(gpu.handle(), &graph_);
    if (graph_) gpu.api().graph_destroy(graph_);
    throw;
  }
  harness::check(gpu.api().stream_end_capture(gpu.handle(), &graph_), "cuStreamEndCapture");
  harness::check(gpu.api().graph_instantiate(&exec_, graph_, 0), "cuGraphInstantiateWithFlags");
}
Graph::~Graph() {
  if (exec_) gpu_->api().graph_exec_destroy(exec_);
  if (graph_) gpu_->api().graph_destroy(graph_);
}
void Graph::launch() const { harness::check(gpu_->api().graph_launch(exec_, gpu_->handle()), "cuGraphLaunch"); }

}  // namespace harness

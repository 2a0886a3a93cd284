#include "driver/cudnn.hpp"

#include <map>
#include <mutex>

namespace adj {

namespace {

// Handles created before the first call: enough for two threads, such as a forward and a backward pass.
constexpr int kReady = 2;

struct Pools {
  ProcessLock lock;
  std::map<int, CudnnPool*> of_device;  // never erased
};
constinit Lazy<Pools> pools;

}  // namespace

Result<CudnnPool*> CudnnPool::of(const Device& device) {
  auto api = cudnn();
  if (!api) return api.take_error();
  auto driver = cuda();
  if (!driver) return driver.take_error();
  CudnnPool* pool = nullptr;
  {
    std::lock_guard lock(pools.get().lock);
    CudnnPool*& found = pools.get().of_device[device.ordinal];
    if (!found) found = new CudnnPool(**driver, **api, device);
    pool = found;
  }
  if (auto ok = pool->fill(); !ok) return ok.take_error();
  return pool;
}

Result<void> CudnnPool::fill() {
  if (created_ >= kReady) return {};
  std::lock_guard lock(filling_);
  const ContextScope context(cuda_, device_);
  if (auto rc = context.result()) return cuda_error(cuda_, rc, "cuCtxPushCurrent");
  while (created_ < kReady) {
    auto handle = create();
    if (!handle) return handle.take_error();
    give(*handle);
  }
  return {};
}

Result<cu::CudnnHandle> CudnnPool::create() {
  const RelaxedCapture relaxed(cuda_);
  cu::CudnnHandle handle = nullptr;
  if (auto status = api_.create(&handle)) {
    Error error = cudnn_error(api_, status, "cudnnCreate");
    // A status below kCudnnBadParam: parts of the library are missing or of another version, so it counts as absent.
    if (status < cu::kCudnnBadParam) error.code = ADJ_ERROR_BACKEND_UNAVAILABLE;
    return error;
  }
  ++created_;
  return handle;
}

cu::CudnnHandle CudnnPool::take() {
  for (auto& place : idle_)
    if (place.load(std::memory_order_relaxed))
      if (cu::CudnnHandle handle = place.exchange(nullptr, std::memory_order_acquire)) return handle;
  return nullptr;
}

void CudnnPool::give(cu::CudnnHandle handle) {
  for (auto& place : idle_) {
    cu::CudnnHandle empty = nullptr;
    if (place.compare_exchange_strong(empty, handle, std::memory_order_release, std::memory_order_relaxed)) return;
  }
  --created_;
  api_.destroy(handle);
}

Result<void> CudnnPool::Lease::open() {
  if (auto rc = context.result()) return cuda_error(pool.cuda_, rc, "cuCtxPushCurrent");
  handle = pool.take();
  if (handle) return {};
  auto made = pool.create();
  if (!made) return made.take_error();
  handle = *made;
  return {};
}

}  // namespace adj

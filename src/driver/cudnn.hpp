// Pools of cuDNN handles, one pool for each device. A handle holds a stream and serves one call at a time, so a call borrows one.
#pragma once

#include <array>
#include <atomic>

#include "base/process.hpp"
#include "driver/device.hpp"
#include "driver/libraries.hpp"

namespace adj {

class CudnnPool {
 public:
  // The pool of a device, filled with the handles that calls usually need. Neither the pool nor its handles are destroyed at exit: a program
  // may end with work in flight.
  static Result<CudnnPool*> of(const Device& device);

  const cu::CudnnApi& api() const { return api_; }

  // Calls fn(handle) with the device's primary context current. The stream of the handle is unspecified.
  template <class Fn>
  auto prepare(Fn fn) -> decltype(fn(cu::CudnnHandle())) {
    const RelaxedCapture relaxed(cuda_);
    Lease lease(*this);
    if (auto ok = lease.open(); !ok) return ok.take_error();
    return fn(lease.handle);
  }
  // Calls fn(handle) with the device's primary context current and the handle on `stream`. Takes no lock. Creates a handle when more
  // threads are in here than ever before.
  template <class Fn>
  Result<void> run(cu::Stream stream, Fn fn) {
    Lease lease(*this);
    if (auto ok = lease.open(); !ok) return ok;
    if (auto status = api_.set_stream(lease.handle, stream)) return cudnn_error(api_, status, "cudnnSetStream");
    return fn(lease.handle);
  }

 private:
  struct Lease {
    explicit Lease(CudnnPool& owner) : pool(owner), context(owner.cuda_, owner.device_) {}
    ~Lease() {
      if (handle) pool.give(handle);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Result<void> open();

    CudnnPool& pool;
    ContextScope context;
    cu::CudnnHandle handle = nullptr;
  };

  CudnnPool(const cu::Api& cuda, const cu::CudnnApi& api, const Device& device) : cuda_(cuda), api_(api), device_(device) {}
  Result<void> fill();
  Result<cu::CudnnHandle> create();
  cu::CudnnHandle take();  // null when no handle is idle
  void give(cu::CudnnHandle handle);

  const cu::Api& cuda_;
  const cu::CudnnApi& api_;
  const Device& device_;
  ProcessLock filling_;
  std::atomic<int> created_{0};
  std::array<std::atomic<cu::CudnnHandle>, 64> idle_{};  // null: an empty place
};

}  // namespace adj

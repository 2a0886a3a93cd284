// Handles of cuBLASLt, one for each device. Unlike a handle of cuDNN it has no stream, and threads share it.
#pragma once

#include "base/process.hpp"
#include "driver/device.hpp"
#include "driver/libraries.hpp"

namespace adj {

// Configuration of an algorithm, as far as this library judges it.
struct BlasConfig {
  std::int32_t id = 0, splits = 1;  // splits: parts of k that are added on their own
  std::uint32_t reduction = 0;      // how the parts are added up: cublasLtReductionScheme_t
};
// Fails with ADJ_ERROR_CUDA.
Result<BlasConfig> config_of(const cu::BlasApi& api, const cu::BlasAlgo& algo);
// Why this library does not take an algorithm for products of `k` terms of that type, followed by `epilogue` (cublasLtEpilogue_t); null: it does.
// src/driver/README.md has the faults.
const char* distrust_of(const BlasConfig& config, adj_dtype element, std::int64_t k, std::uint32_t epilogue);

class BlasDevice {
 public:
  // The handle of a device, made on the first call. Never destroyed: a program may end with work in flight.
  static Result<BlasDevice*> of(const Device& device);

  const cu::BlasApi& api() const { return api_; }

  // Calls fn(handle) with the device's primary context current.
  template <class Fn>
  Result<void> run(Fn fn) {
    const ContextScope context(cuda_, device_);
    if (auto rc = context.result()) return cuda_error(cuda_, rc, "cuCtxPushCurrent");
    return fn(handle_);
  }
  // The same while a plan is made: calls that a capture of another thread does not allow are allowed.
  template <class Fn>
  Result<void> prepare(Fn fn) {
    const RelaxedCapture relaxed(cuda_);
    return run(fn);
  }

 private:
  BlasDevice(const cu::Api& cuda, const cu::BlasApi& api, const Device& device) : cuda_(cuda), api_(api), device_(device) {}

  const cu::Api& cuda_;
  const cu::BlasApi& api_;
  const Device& device_;
  cu::BlasHandle handle_ = nullptr;  // set before the first call of `of` returns
};

}  // namespace adj

// Device facts, real or assumed (offline), and the streams that name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "driver/cuda_abi.hpp"

namespace adj {

namespace cu {
struct Api;
}

struct Device {
  int ordinal = -1;             // -1: offline or host
  int cc = 0;                   // compute capability times ten
  int multiprocessors = 0;
  std::int64_t grid_limit = std::numeric_limits<std::int64_t>::max();  // of grids whose blocks take more than one piece of work
  std::uint32_t shared_optin = 0;  // bytes of shared memory one block may ask for
  std::uint32_t param_bytes = 0;   // limit of a kernel's parameters
  std::uint64_t memory = 0;
  bool early_launches = false;     // a grid may begin before the one before it has ended, captured in graphs as well
  std::string name, arch;       // arch: what kernels are compiled for on it
  cu::Context context = nullptr;   // primary context, retained

  bool real() const { return ordinal >= 0; }
};

// What code for a compute capability is compiled for. Capability 9.0 gets its architecture-specific features, which
// every device of that capability has.
std::string arch_name(int cc);

Result<int> device_count();  // 0 without a driver
Result<const Device*> device(int ordinal);          // cached; retains the primary context on first use
Result<const Device*> offline_device(int cc);
// For tests: small problems are planned as if they were too large for a grid. Not to be called beside anything else.
void limit_offline_grids(std::int64_t blocks);
Result<int> parse_arch(std::string_view arch);      // "sm_90a" -> 90
std::vector<int> known_capabilities();              // for which kernels are compiled ahead of time

adj_stream host_stream();
// Whether a handle names a default stream (null, legacy, per thread), which is that of whichever device is current.
bool follows_current_device(const void* cuda_stream);
Result<adj_stream> wrap_stream(void* cuda_stream);
Result<adj_stream> offline_stream(std::string_view arch);
// The device of a CUDA or offline stream; null for the host stream.
Result<const Device*> stream_device(const adj_stream& stream);

// Makes a device's primary context current for a scope and restores what was current before.
class ContextScope {
 public:
  ContextScope(const cu::Api& api, const Device& device);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  cu::Result result() const { return result_; }  // of making it current

 private:
  const cu::Api& api_;
  cu::Result result_;
};

// Lets this thread load and allocate for a scope without disturbing a capture that another thread has under way.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const cu::Api& api);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const cu::Api& api_;
  int mode_ = cu::kCaptureModeRelaxed;
  bool changed_;
};

}  // namespace adj

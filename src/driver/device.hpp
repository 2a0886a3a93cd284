// Devices: their facts, read from the driver or assumed (offline), and the streams that name them.
#pragma once

#include <functional>
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
  std::int64_t grid_limit = std::numeric_limits<std::int64_t>::max();  // most blocks of a grid that strides over its work; lower in tests only
  std::uint32_t shared_optin = 0;  // most bytes of shared memory of a block
  std::uint32_t param_bytes = 0;   // most bytes of a kernel's parameters
  std::uint64_t memory = 0;        // bytes of device memory; 0 offline
  bool early_launches = false;     // true: a grid may begin before the previous one has ended (programmatic launch), in graphs as well
  std::string name, arch;       // arch: architecture that kernels are compiled for, "sm_90a"
  cu::Context context = nullptr;   // primary context, retained by device(); device_facts() does not set it

  bool real() const { return ordinal >= 0; }
};

// Name of the architecture that code for a compute capability is compiled for. Capability 9.0 is compiled for sm_90a: every device of that
// capability has the architecture-specific features.
std::string arch_name(int cc);

Result<int> device_count();  // 0 without a driver
Result<const Device*> device(int ordinal);        // cached; retains the primary context on first use
Result<const Device*> device_facts(int ordinal);  // cached; retains nothing, `context` may be null
Result<const Device*> offline_device(int cc);
// For tests: changes the facts of the offline devices, such as grid_limit, so that small problems are planned as if they were too large for a grid.
// Not thread-safe.
void change_offline_devices(const std::function<void(Device&)>& change);
Result<int> parse_arch(std::string_view arch);      // "sm_90a" -> 90
std::vector<int> known_capabilities();              // of the table; other offline devices are put together from these

adj_stream host_stream();
// True when a handle names a default stream (null, legacy or per thread). A default stream belongs to the device that is current.
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

  cu::Result result() const { return result_; }  // status of the attempt to make the context current

 private:
  const cu::Api& api_;
  cu::Result result_;
};

// Allows this thread to load code and allocate within a scope while another thread captures a stream.
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

// The shared memory of a block.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "driver/device.hpp"

namespace adj {

// Fails where a block of the device cannot have `bytes` of shared memory: what a launch asks for and the static variables of its programs.
inline Result<void> check_shared(const Device& device, std::int64_t bytes) {
  if (bytes <= device.shared_optin) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "needs {} bytes of shared memory, the device has {} per block", bytes, device.shared_optin);
}

}  // namespace adj

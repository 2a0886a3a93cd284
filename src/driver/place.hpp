// Where a device sits on the bus, which names it alike in every process. Ordinals do not: CUDA_VISIBLE_DEVICES changes them.
#pragma once

#include <string>

#include "base/error.hpp"

namespace adj {

struct Device;
namespace cu {
struct Api;
constexpr int kAttributePciBus = 33, kAttributePciDevice = 34, kAttributePciDomain = 50;
}  // namespace cu

// "0000:1b:00": domain, bus, device. Slices of one GPU (MIG) share it.
Result<std::string> place_of(const cu::Api& api, const Device& device);

}  // namespace adj

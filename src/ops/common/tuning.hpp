// Numbers of a device that work is split for, whatever the device has, so that sums depend on the shape alone.
#pragma once

#include <cstdint>

namespace adj::tuning {

constexpr std::int64_t kMultiprocessors = 132;  // of an H200

}  // namespace adj::tuning

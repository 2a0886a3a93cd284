// Lists of tensors in descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace adj {

// Element counts of the tensors of a list: members `count` and `numel` of a descriptor.
template <class Descriptor>
std::span<const std::int64_t> numel_of(const Descriptor& d) {
  return {d.numel, static_cast<std::size_t>(d.count)};
}

}  // namespace adj

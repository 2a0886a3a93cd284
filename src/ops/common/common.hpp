// Checks shared by the operators' validate functions, and the casts of their tables.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <span>

#include "plan/plan.hpp"

namespace adj {

// Note of registrations whose tensors may differ in type (OnnxBinding::note). tests/host/control.cpp runs such a list.
inline constexpr const char* kMixedTypes = "Tensors of several types are described as element=u8, with sizes in bytes.";

// Most elements of a tensor: 2^62 bytes at 8 bytes an element, which leaves room for sums of offsets in 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 59;

// Checks that the product of the extents other than 0 is at most kMostElements. The signs have been checked.
Result<void> check_volume_beside_zeros(const char* op, const char* tensor, std::span<const std::int64_t> extents);
// The same of a tensor that has elements. One without any may have extents of any size.
inline Result<void> check_volume(const char* op, const char* tensor, std::initializer_list<std::int64_t> extents) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
  return check_volume_beside_zeros(op, tensor, {extents.begin(), extents.size()});
}

// Checks that an offset of random words that is passed by value begins a block of four.
Result<void> check_offset(const char* op, const adj_random& random);

// Adapts a typed host function to HostFunction.
template <class Descriptor, class Args, void (*function)(const Descriptor&, const Args&, void*)>
void host_call(const void* descriptor, const void* args, void* workspace) {
  function(*static_cast<const Descriptor*>(descriptor), *static_cast<const Args*>(args), workspace);
}

// One signature for each floating-point type; all_element_signatures has one for each element type.
const std::vector<Signature>& float_signatures();
const std::vector<Signature>& all_element_signatures();
// Signature of a descriptor whose only type is `element`.
template <class Descriptor>
Signature element_signature(const void* descriptor) {
  return {static_cast<const Descriptor*>(descriptor)->element};
}

// Signature {element, output}. output = 0 stands for the element type.
template <class Descriptor>
Signature element_output_signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.output ? d.output : d.element};
}

constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();  // limit of a grid's first dimension

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Blocks of a grid: enough to fill the device `waves` times at `per_multiprocessor` resident blocks, at most `blocks_of_work`.
inline std::int64_t grid_for(const Device& device, std::int64_t blocks_of_work, int per_multiprocessor, int waves = 1) {
  return std::min({blocks_of_work, std::int64_t{device.multiprocessors} * per_multiprocessor * waves, device.grid_limit});
}

// Blocks of a grid that strides over its work: one for each part of it, up to the largest grid.
inline std::int64_t strided_grid(const Device& device, std::int64_t blocks_of_work) { return std::min({blocks_of_work, kMostBlocks, device.grid_limit}); }
// The same in whole clusters, of which there is at least one.
inline std::int64_t strided_grid_of_clusters(const Device& device, std::int64_t clusters_of_work, std::int64_t cluster) {
  return std::min(clusters_of_work, std::max<std::int64_t>(1, strided_grid(device, kMostBlocks) / cluster)) * cluster;
}

// Runs checks in order and returns the first failure.
#define ADJ_TRY(expression) \
  if (auto adj_try_result = (expression); !adj_try_result) return adj_try_result.take_error()

}  // namespace adj

// Shapes and axes of descriptors, normalised once. Planning then works on a few merged dimensions.
#pragma once

#include <array>
#include <span>

#include "ops/common/common.hpp"

namespace adj {

inline std::span<const std::int64_t> dims_of(const adj_shape& shape) { return {shape.dims, static_cast<std::size_t>(shape.rank)}; }

// Elements of a checked shape.
inline std::int64_t volume_of(std::span<const std::int64_t> dims) {
  std::int64_t volume = 1;
  for (std::int64_t n : dims) volume *= n;
  return volume;
}

// Axis counted from 0; a negative axis counts from the end. Fails when it is outside of the rank.
inline Result<int> normalise_axis(const char* op, const char* field, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is outside of the rank {}", op, field, axis, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Mask with bit i set when axis i is in the list. Fails on duplicates.
Result<unsigned> axes_mask(const char* op, const char* field, const adj_axes& axes, std::int64_t rank);

// Dimensions after merging: dimensions of one element are dropped, and neighbours with the same mark are multiplied into one. The marks of
// the merged dimensions alternate.
struct Merged {
  int rank = 0;
  std::array<std::int64_t, ADJ_MAX_RANK> dims{};
  std::array<bool, ADJ_MAX_RANK> marked{};
};
Merged merge_dims(std::span<const std::int64_t> dims, unsigned mask);

// Spec of a tensor with the dimensions `dims`, of any rank.
ArgumentSpec tensor_of(adj_dtype dtype, std::span<const std::int64_t> dims, Presence presence = Presence::required);

}  // namespace adj

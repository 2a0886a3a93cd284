// Shapes and axes of descriptors, normalised once. Planning then works on a few merged dimensions.
#pragma once

#include <algorithm>
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

// Checks that the product of the dimensions other than 0 is at most kMostElements, so the product of any of them is, too. The engine has checked
// the rank and the signs.
inline Result<void> check_shape(const char* op, const char* field, const adj_shape& shape) {
  std::int64_t volume = 1;
  for (std::int64_t n : dims_of(shape)) ADJ_TRY(check_extent(op, field, n));
  for (std::int64_t n : dims_of(shape)) {
    if (n == 0) continue;
    if (n > kMostElements / volume)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the shape [{}] of {} overflows 64 bits", op, fmt::join(dims_of(shape), ", "), field);
    volume *= n;
  }
  return {};
}

// Axis counted from 0; a negative axis counts from the end. Fails when it is outside of the rank.
inline Result<int> normalise_axis(const char* op, const char* field, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is outside of the rank {}", op, field, axis, rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Mask with bit i set when axis i is in the list. Fails on duplicates.
inline Result<unsigned> axes_mask(const char* op, const char* field, const adj_axes& axes, std::int64_t rank) {
  unsigned mask = 0;
  for (std::int64_t i = 0; i < axes.count; ++i) {
    auto axis = normalise_axis(op, field, axes.at[i], rank);
    if (!axis) return axis.take_error();
    if (mask >> *axis & 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[{}] = {} names axis {} again", op, field, i, axes.at[i], *axis);
    mask |= 1u << *axis;
  }
  return mask;
}

// Dimensions after merging: dimensions of one element are dropped, and neighbours with the same mark are multiplied into one. The marks of
// the merged dimensions alternate.
struct Merged {
  int rank = 0;
  std::array<std::int64_t, ADJ_MAX_RANK> dims{};
  std::array<bool, ADJ_MAX_RANK> marked{};
};
inline Merged merge_dims(std::span<const std::int64_t> dims, unsigned mask) {
  Merged m;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const bool marked = mask >> i & 1;
    const auto last = static_cast<std::size_t>(m.rank) - 1;
    if (m.rank > 0 && m.marked[last] == marked) {
      m.dims[last] *= dims[i];
    } else {
      m.dims[last + 1] = dims[i];
      m.marked[last + 1] = marked;
      ++m.rank;
    }
  }
  return m;
}

// Spec of a tensor with the dimensions `dims`, of any rank.
inline SlotSpec tensor_of(adj_dtype dtype, std::span<const std::int64_t> dims, Presence presence = Presence::required) {
  SlotSpec spec = SlotSpec::tensor(dtype, {}, presence);
  spec.rank = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), spec.shape.begin());
  spec.bytes = static_cast<std::uint64_t>(volume_of(dims)) * size_of(dtype);
  return spec;
}

}  // namespace adj

// Rows of a gradient that the positions of an index tensor name: the host's counterpart of kernels/segment_sum/keys.cu.
#pragma once

#include <adjoint/types.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace adj::host {

inline std::int64_t volume(const adj_shape& s, std::int64_t begin, std::int64_t end) {
  std::int64_t v = 1;
  for (std::int64_t i = begin; i < end; ++i) v *= s.dims[i];
  return v;
}
inline std::int64_t volume(const adj_shape& s) { return volume(s, 0, s.rank); }

// Index from 0 on; a negative index counts from the end. -1 when it is outside [0, extent).
inline std::int64_t wrapped(std::int64_t index, std::int64_t extent) {
  if (index < 0) index += extent;
  return index >= 0 && index < extent ? index : -1;
}

// Calls take(position, row) for every slice of gather_nd_backward. The row is -1 when an index is outside its axis.
template <class I, class Take>
void for_each_slice(const adj_shape& input, const adj_shape& shape, std::int64_t b, const I* indices, Take take) {
  const std::int64_t depth = shape.dims[shape.rank - 1], batches = volume(input, 0, b), slices = volume(shape, 0, shape.rank - 1);
  const std::int64_t of_batch = volume(input, b, b + depth);
  for (std::int64_t m = 0; m < slices; ++m) {
    std::int64_t at = 0;
    bool inside = true;
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::int64_t extent = input.dims[b + k], i = wrapped(indices[m * depth + k], extent);
      inside = inside && i >= 0;
      at = at * extent + std::max<std::int64_t>(i, 0);
    }
    take(m, inside ? m / (slices / batches) * of_batch + at : -1);
  }
}

// Calls take(position, row) for every index of gather_elements_backward. The row is -1 when the index is outside its axis.
template <class I, class Take>
void for_each_element(const adj_shape& input, const adj_shape& shape, std::int64_t given_axis, const I* indices, Take take) {
  const std::int64_t r = input.rank, axis = given_axis < 0 ? given_axis + r : given_axis, count = volume(shape);
  std::array<std::int64_t, ADJ_MAX_RANK> at{};
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t i = wrapped(indices[n], input.dims[axis]);
    std::int64_t element = 0;
    for (std::int64_t k = 0; k < r; ++k) element = element * input.dims[k] + (k == axis ? std::max<std::int64_t>(i, 0) : at[static_cast<std::size_t>(k)]);
    take(n, i >= 0 ? element : -1);
    for (std::int64_t k = r - 1; k >= 0; --k) {
      auto& c = at[static_cast<std::size_t>(k)];
      if (++c < shape.dims[k]) break;
      c = 0;
    }
  }
}

// Calls take(position, row) for the occurrences of an index plan. Entries that are out of range are left out: the caller's memory may hold
// anything.
template <class Take>
void for_each_planned(const adj_tensor& sorted_rows, const adj_tensor& order, std::int64_t rows, std::int64_t positions, Take take) {
  const auto* row = static_cast<const std::int32_t*>(sorted_rows.data);
  const auto* position = static_cast<const std::int32_t*>(order.data);
  for (std::int64_t i = 0; i < positions; ++i)
    if (row[i] >= 0 && row[i] < rows && position[i] >= 0 && position[i] < positions) take(position[i], row[i]);
}

}  // namespace adj::host

// Strides of tensors whose elements need not lie side by side.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "ops/common/common.hpp"

namespace adj {

// Elements from the first of a tensor to its last; 0 without elements. `run`: elements that lie side by side at each place.
template <std::size_t rank>
std::int64_t span_of(const std::array<std::int64_t, rank>& extents, const std::array<std::int64_t, rank>& strides, std::int64_t run) {
  std::int64_t span = run;
  for (std::size_t i = 0; i < rank; ++i) {
    if (extents[i] == 0) return 0;
    span += (extents[i] - 1) * strides[i];
  }
  return span;
}

// Checks that no two elements share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those
// below it.
template <std::size_t rank>
Result<void> check_strides(const char* op, const char* field, const std::array<std::int64_t, rank>& extents,
                           const std::array<std::int64_t, rank>& strides, std::int64_t run) {
  std::array<std::pair<std::int64_t, std::int64_t>, rank> by_stride;
  for (std::size_t i = 0; i < rank; ++i) {
    if (extents[i] == 0) return {};
    by_stride[i] = {strides[i], extents[i]};
  }
  std::sort(by_stride.begin(), by_stride.end());
  std::int64_t span = run;
  for (auto [stride, extent] : by_stride) {
    if (extent == 1) continue;
    if (stride < span)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = [{}] for extents [{}]: elements share places, a stride of {} is below {}", op, field,
                  fmt::join(strides, ", "), fmt::join(extents, ", "), stride, span);
    if (stride > (kMostElements - span) / (extent - 1))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = [{}] for extents [{}] overflows 64 bits", op, field, fmt::join(strides, ", "), fmt::join(extents, ", "));
    span += (extent - 1) * stride;
  }
  return {};
}

}  // namespace adj

// Strides of tensors whose elements need not lie side by side.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "ops/common/common.hpp"

namespace adj {

// Tensor whose elements lie in runs of `run` elements, a run at each place that the strides give.
template <std::size_t rank>
struct Strided {
  std::array<std::int64_t, rank> extents, strides;
  std::int64_t run;
};

// Checks a list of strides of sequences, tokens and heads: none, or three from 0 to kMostElements. A stride of 0 has its packed value, which for
// sequences is `tokens` times the stride of tokens.
inline Result<void> check_stride_list(const char* op, const char* field, const adj_axes& given, std::int64_t tokens) {
  if (given.count != 0 && given.count != 3)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} numbers, expected none or 3 (sequences, tokens, heads)", op, field, given.count);
  for (std::int64_t i = 0; i < given.count; ++i)
    if (given.at[i] < 0 || given.at[i] > kMostElements)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[{}] = {} is not in 0 to {}", op, field, i, given.at[i], kMostElements);
  if (given.count && given.at[0] == 0 && given.at[1] != 0 && tokens > kMostElements / given.at[1])
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[1] = {} for {} tokens overflows 64 bits", op, field, given.at[1], tokens);
  return {};
}

// Checks that no two elements share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those
// below it.
template <std::size_t rank>
Result<void> check_strides(const char* op, const char* field, const Strided<rank>& t) {
  std::array<std::pair<std::int64_t, std::int64_t>, rank> by_stride;
  for (std::size_t i = 0; i < rank; ++i) {
    if (t.extents[i] == 0) return {};
    by_stride[i] = {t.strides[i], t.extents[i]};
  }
  std::sort(by_stride.begin(), by_stride.end());
  std::int64_t span = t.run;
  for (auto [stride, extent] : by_stride) {
    if (extent == 1) continue;
    if (stride < span)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = [{}] for extents [{}]: elements share places, a stride of {} is below {}", op, field,
                  fmt::join(t.strides, ", "), fmt::join(t.extents, ", "), stride, span);
    if (stride > (kMostElements - span) / (extent - 1))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = [{}] for extents [{}] overflows 64 bits", op, field, fmt::join(t.strides, ", "),
                  fmt::join(t.extents, ", "));
    span += (extent - 1) * stride;
  }
  return {};
}

// Spec of a checked tensor with strides: a buffer from its first element to its last. Where the places between its elements repeat, another tensor may
// lie in them (ArgumentSpec::pitch).
template <std::size_t rank>
ArgumentSpec strided_tensor(adj_dtype dtype, const Strided<rank>& t) {
  std::array<std::pair<std::int64_t, std::int64_t>, rank> by_stride;
  std::int64_t span = t.run;
  for (std::size_t i = 0; i < rank; ++i) {
    if (t.extents[i] == 0) return ArgumentSpec::tensor(dtype, {0});
    by_stride[i] = {t.strides[i], t.extents[i]};
    span += (t.extents[i] - 1) * t.strides[i];
  }
  std::sort(by_stride.begin(), by_stride.end());
  ArgumentSpec spec = ArgumentSpec::tensor(dtype, {span});
  std::int64_t width = t.run, pitch = 0;
  for (auto [stride, extent] : by_stride) {
    if (extent == 1) continue;
    if (pitch == 0 && stride == width) width *= extent;
    else pitch = std::gcd(pitch, stride);
  }
  if (pitch < width) return spec;
  spec.pitch = static_cast<std::uint64_t>(pitch) * size_of(dtype);
  spec.width = static_cast<std::uint64_t>(width) * size_of(dtype);
  return spec;
}

}  // namespace adj

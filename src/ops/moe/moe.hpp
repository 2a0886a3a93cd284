// Checks that operators of mixtures of experts share.
#pragma once

#include "kernels/moe/params.h"
#include "ops/common/common.hpp"

namespace adj {

constexpr std::int64_t kMostPairs = (std::int64_t{1} << 30) - 1;  // with the rows that groups are rounded up by, below 2^31

inline Result<void> check_range(const char* op, const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
  ADJ_TRY(check_extent(op, field, value, high));
  if (value < low) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {}, expected {} to {}", op, field, value, low, high);
  return {};
}
inline Result<void> check_pairs(const char* op, std::int64_t tokens, std::int64_t top_k) {
  ADJ_TRY(check_range(op, "top_k", top_k, 1, kMoeMostTopK));
  return check_extent(op, "tokens", tokens, kMostPairs / top_k);
}

}  // namespace adj

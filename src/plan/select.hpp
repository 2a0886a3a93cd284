// Parts of selection that the cache of plans shares.
#pragma once

#include "plan/op.hpp"

namespace adj {

// Most elements a list of a descriptor may have; far above any model, far below what would exhaust memory.
constexpr std::int64_t kLongestList = std::int64_t{1} << 24;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // the same of bytes

// Of full size, defaults filled in.
Result<adj_preference> read_preference(const adj_preference* given);

}  // namespace adj

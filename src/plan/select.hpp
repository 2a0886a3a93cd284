// Parts of selection that the plan cache uses as well.
#pragma once

#include "plan/op.hpp"

namespace adj {

// Most elements of a list in a descriptor: far more than any model needs, far fewer than would exhaust memory.
constexpr std::int64_t kLongestList = std::int64_t{1} << 24;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // most bytes of a kFieldBytes field

// Checks a preference (null: the default one) and returns it at full size with defaults filled in.
Result<adj_preference> read_preference(const adj_preference* given);

}  // namespace adj

// Which rank owns a tensor in the layout ADJ_SHARD_LAYOUT_WHOLE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"

namespace adj {

// owners[i] is the rank that owns tensor i; an error names the tensor that goes beyond the end of its rank's elements.
inline Result<std::vector<int>> owners_of(const char* op, std::span<const std::int64_t> numel, std::int64_t ranks) {
  std::int64_t total = 0;
  for (std::int64_t n : numel) total += n;
  const std::int64_t unit = 32 * ranks, padded = total + unit - total % unit, shard = padded / ranks;
  std::vector<int> owners;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < numel.size(); ++i) {
    // An empty tensor on the last border belongs to the last rank.
    const std::int64_t owner = begin / shard < ranks ? begin / shard : ranks - 1;
    if (begin + numel[i] > (owner + 1) * shard)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: numel[{}] = {} goes from element {} beyond {}, the end of the elements of rank {} of {}", op, i, numel[i],
                  begin, (owner + 1) * shard, owner, ranks);
    owners.push_back(static_cast<int>(owner));
    begin += numel[i];
  }
  return owners;
}

}  // namespace adj

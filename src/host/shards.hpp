// Owners of tensors in the layout ADJ_SHARD_LAYOUT_WHOLE, and of parts of a tensor in ADJ_SHARD_LAYOUT_EVEN.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"

namespace adj {

// Returns the rank that owns each tensor. Fails when a tensor goes beyond the end of its rank's elements.
inline Result<std::vector<int>> owners_of(const char* op, std::span<const std::int64_t> numel, std::int64_t ranks) {
  std::int64_t total = 0;
  for (std::int64_t n : numel) total += n;
  const std::int64_t unit = 32 * ranks, padded = total + unit - total % unit, shard = padded / ranks;
  std::vector<int> owners;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < numel.size(); ++i) {
    // An empty tensor that begins at the very end belongs to the last rank.
    const std::int64_t owner = begin / shard < ranks ? begin / shard : ranks - 1;
    if (begin + numel[i] > (owner + 1) * shard)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: numel[{}] = {} goes from element {} beyond {}, the end of the elements of rank {} of {}", op, i, numel[i],
                  begin, (owner + 1) * shard, owner, ranks);
    owners.push_back(static_cast<int>(owner));
    begin += numel[i];
  }
  return owners;
}

// Fails when parts[i], this rank's tensor, lies in wholes[i], the tensor of all ranks, in the place of another rank. `numel`: elements of a part.
inline Result<void> check_own_parts(const char* op, const char* part_name, const char* whole_name, std::span<const std::int64_t> numel, adj_dtype element,
                                    void* const* parts, void* const* wholes, int rank, std::int64_t ranks) {
  for (std::size_t i = 0; i < numel.size(); ++i) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(numel[i]) * size_of(element);
    if (bytes == 0) continue;
    const std::uint64_t part = (reinterpret_cast<std::uintptr_t>(parts[i]) - reinterpret_cast<std::uintptr_t>(wholes[i])) / bytes;
    if (part < static_cast<std::uint64_t>(ranks) && part != static_cast<std::uint64_t>(rank))
      return fail(ADJ_ERROR_ALIASING, "{}: {}[{}] is part {} of {}[{}], that of this rank is {}", op, part_name, i, part, whole_name, i, rank);
  }
  return {};
}

}  // namespace adj

// Sort of occurrences by row (kernels/segment_sum/sort.cu).
#pragma once

#include <bit>
#include <optional>
#include <utility>

#include "kernels/segment_sum/sort.h"
#include "kernels/segment_sum/sum.h"
#include "ops/segment_sum/segment_sum.hpp"

namespace adj {

inline PlanBuilder::Kernel bind_place(PlanBuilder::Kernel kernel, std::size_t member, const Place& place) {
  return place.kind == Place::argument ? kernel.tensor(member, place.which, place.offset) : kernel.workspace(member, place.offset);
}

// Sorted occurrences: their rows and positions.
struct Occurrences {
  Place rows, order;

  static Occurrences in_workspace(std::int64_t indices, PlanBuilder& builder) {
    const auto bytes = static_cast<std::uint64_t>(indices) * sizeof(unsigned);
    const std::uint64_t rows = builder.book(bytes), order = builder.book(bytes);
    return {Place::in_workspace(rows), Place::in_workspace(order)};
  }
  static Occurrences of_plan(const RowSums::Arguments& arguments) { return {Place::of(arguments.sorted_rows), Place::of(arguments.order)}; }
};

// True when zeros go to all rows, not only to rows without occurrences. For short rows that is faster than asking which rows occur.
inline bool fills_all_rows(const RowSums& d) { return !d.accumulate && d.columns * size_of(d.element) < kRowsLeastBytes; }

// Launches of the sort: a single one for up to kSortSmall occurrences; else one that makes the keys, and one for each digit of the keys.
struct SortLayout {
  bool small;
  int bits, passes;     // bits of a digit, and number of digits
  int rounds = 1;       // keys of a tile for each thread, when there are several launches
  unsigned tiles;       // tiles that a block takes then
  std::int64_t blocks;  // blocks of a launch
  unsigned shared;      // bytes of shared memory of the first launch, without the presence bitmap

  SortLayout(const RowSums& d, const Device& device) : small(d.indices <= kSortSmall) {
    const int width = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d.rows))));  // bits of a key: a row, or `rows` for none
    const int most_bits = small ? kSortSmallBits : sort_scatter_bytes(kSortBits) <= device.shared_optin ? kSortBits : kSortBits - 1;
    passes = static_cast<int>(ceil_div(width, most_bits));
    bits = std::max<int>(kSortLeastBits, static_cast<int>(ceil_div(width, passes)));
    const auto tiles_of = [&](int keys) { return ceil_div(d.indices, keys * std::int64_t{kSortBlock}); };
    while (rounds < kSortTile / kSortBlock && tiles_of(rounds) > kSortFewBlocks * rounds) rounds *= 2;
    const std::int64_t all_tiles = tiles_of(rounds);
    // Every block reads the bins of all blocks. Long digits have many bins: half as many blocks, unless each would get over four tiles.
    const std::int64_t most_blocks = bits > 8 && all_tiles <= 2 * kSortBlocks ? kSortBlocks / 2 : kSortBlocks;
    tiles = static_cast<unsigned>(ceil_div(all_tiles, std::min<std::int64_t>(most_blocks, kSortMostBins / (passes << bits))));
    blocks = small ? 1 : ceil_div(all_tiles, tiles);
    shared = small ? sort_order_bytes(bits, kSortSmallBlock) : 0;
  }

  // Bytes of the presence bitmaps: one bitmap of `rows` bits for each block of the sort.
  std::uint64_t presence_bytes(std::int64_t rows) const { return static_cast<std::uint64_t>(blocks * present_words(rows)) * sizeof(unsigned); }
  // True when a block's bitmap fits its shared memory.
  bool takes_presence(std::int64_t rows, const Device& device) const {
    constexpr unsigned kStatic = sizeof(unsigned) << kSortBits;
    return rows <= kSortMostPresent && shared + kStatic + static_cast<unsigned>(present_words(rows)) * sizeof(unsigned) <= device.shared_optin;
  }
};

// Workspace that is free again after a sort. `book` takes from it while it lasts, then from the builder.
struct Spare {
  std::uint64_t begin = 0, end = 0;

  std::uint64_t book(std::uint64_t bytes, PlanBuilder& builder) {
    if (bytes > end - begin) return builder.book(bytes);
    return std::exchange(begin, std::min(end, align_workspace(begin + bytes)));
  }
};
// Adds the launches of the sort; returns the workspace that is free after it. With more than one launch it books 8 N bytes for N indices, and
// for every block (at least kSortBlock indices each, at most kSortBlocks) and digit one word for each value of the digit.
// `counters`: offset of kCounters words that the sort clears. `presence`: offset of the presence bitmaps that it writes.
Spare sort_indices(const RowSums& d, const SortLayout& layout, const Device& device, PlanBuilder& builder, const Occurrences& result,
                   std::optional<std::uint64_t> counters = {}, std::optional<std::uint64_t> presence = {});

}  // namespace adj

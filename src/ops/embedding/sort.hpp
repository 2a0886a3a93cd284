// How occurrences are sorted by row.
#pragma once

#include <bit>
#include <optional>
#include <utility>

#include "kernels/index/sort.h"
#include "kernels/index/sum.h"
#include "ops/embedding/embedding.hpp"

namespace adj {

// A buffer of kernels: an argument, or part of the workspace.
struct Place {
  int slot = -1;
  std::uint64_t offset = 0;
};
inline PlanBuilder::Kernel patch_place(PlanBuilder::Kernel kernel, std::size_t member, const Place& place) {
  return place.slot >= 0 ? kernel.tensor(member, place.slot) : kernel.workspace(member, place.offset);
}

// Sorted occurrences: their rows and positions.
struct Occurrences {
  Place rows, order;

  static Occurrences in_workspace(std::int64_t indices, PlanBuilder& builder) {
    const auto bytes = static_cast<std::uint64_t>(indices) * sizeof(unsigned);
    const std::uint64_t rows = builder.book(bytes), order = builder.book(bytes);
    return {{.offset = rows}, {.offset = order}};
  }
  static Occurrences of_plan(const RowSums::Slots& slots) { return {{.slot = slots.sorted_rows}, {.slot = slots.order}}; }
};

// Rather than those without occurrences: of short rows.
inline bool fills_all_rows(const RowSums& d) { return !d.accumulate && d.columns * size_of(d.element) < kRowsLeastBytes; }

// How the occurrences are sorted: one launch for up to kSortSmall of them, else one for the keys and one for every digit of theirs.
struct SortLayout {
  bool small;
  int bits, passes;
  int rounds = 1;       // keys of a thread and tile of several passes,
  unsigned tiles;       // which a block takes
  std::int64_t blocks;  // of the first launch
  unsigned shared;      // bytes of it

  SortLayout(const RowSums& d, const Device& device) : small(d.indices <= kSortSmall) {
    const int width = std::max<int>(1, std::bit_width(static_cast<std::uint64_t>(d.rows)));  // of a key: a row, or their number
    const int most_bits = small ? kSortSmallBits : sort_scatter_bytes(kSortBits) <= device.shared_optin ? kSortBits : kSortBits - 1;
    passes = static_cast<int>(ceil_div(width, most_bits));
    bits = std::max<int>(kSortLeastBits, static_cast<int>(ceil_div(width, passes)));
    const auto tiles_of = [&](int keys) { return ceil_div(d.indices, keys * std::int64_t{kSortBlock}); };
    while (rounds < kSortTile / kSortBlock && tiles_of(rounds) > kSortFewBlocks * rounds) rounds *= 2;
    const std::int64_t all_tiles = tiles_of(rounds);
    // Every block reads the bins of all: of long digits fewer, unless that leaves each with many tiles.
    const std::int64_t most_blocks = bits > 8 && all_tiles <= 2 * kSortBlocks ? kSortBlocks / 2 : kSortBlocks;
    tiles = static_cast<unsigned>(ceil_div(all_tiles, std::min<std::int64_t>(most_blocks, kSortMostBins / (passes << bits))));
    blocks = small ? 1 : ceil_div(all_tiles, tiles);
    shared = small ? sort_order_bytes(bits, kSortSmallBlock) : 0;
  }

  // Of the notes which of `rows` rows occur, one of every block.
  std::uint64_t note_bytes(std::int64_t rows) const { return static_cast<std::uint64_t>(blocks * present_words(rows)) * sizeof(unsigned); }
  bool takes_notes(std::int64_t rows, const Device& device) const {
    constexpr unsigned kStatic = sizeof(unsigned) << kSortBits;
    return rows <= kSortMostPresent && shared + kStatic + static_cast<unsigned>(present_words(rows)) * sizeof(unsigned) <= device.shared_optin;
  }
};

// Workspace that a sort does not need any more.
struct Spare {
  std::uint64_t begin = 0, end = 0;

  std::uint64_t book(std::uint64_t bytes, PlanBuilder& builder) {
    if (bytes > end - begin) return builder.book(bytes);
    return std::exchange(begin, std::min(end, align_workspace(begin + bytes)));
  }
};
// Workspace for N indices besides the result's: none for one launch; else 8 N bytes, and for every block and digit a word for each of the
// digit's values; a block takes at least kSortBlock indices, and there are at most kSortBlocks. `counters`: kCounters words of the workspace
// that are cleared on the way; `notes`: where it is noted there which rows occur.
Spare sort_indices(const RowSums& d, const SortLayout& layout, const Device& device, PlanBuilder& builder, const Occurrences& result,
                   std::optional<std::uint64_t> counters = {}, std::optional<std::uint64_t> notes = {});

}  // namespace adj

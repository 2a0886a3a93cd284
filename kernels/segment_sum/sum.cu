// Gradients of row lookups: the light rows. README.md defines the words.
//
// Computes: dweight[o, r, :] (=|+=) the sum of the addends of row r, divided by their number with p.scale_by_count. heavy.cu writes the rows
// with more than p.light occurrences, rows.cu those with none.
// Work split: a block has items in one dimension of the grid and occurrences in the other. A warp takes p.batch sorted occurrences, lists
// the addends of the rows that begin among them, and each of its lane groups sums about as many entries of the list.
// Memory: the sorted occurrences are read once for every item; dout is read once, the light rows of dweight are written once.
// Order of additions: ascending positions; then, where the plan accumulates, the row of dweight itself.
// Limits: rows below 2^32 - 1, stretches of a row below 2^31; the plan checks them. Needs the occurrences sorted by row (segment_sum/sort.cu).
//
// Macros: ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG and ADJ_CLOSES are the template parameters of RowSums in segment_sum/row_sums.cuh.
#include "segment_sum/row_sums.cuh"

typedef RowSums<ADJ_T, ADJ_ROWS, ADJ_GATHER, ADJ_BAG, ADJ_CLOSES> Sums;

// Appends to the list, which has `listed` entries, the light rows that begin among the `batch` (at most 32) occurrences from `first` on.
// Returns the new number of entries. The whole warp takes part.
__device__ __forceinline__ u32 list_rows(const EmbeddingSumParams& p, u32 first, int batch, Sums::Entries& list, u32 listed) {
  const u32 lane = static_cast<u32>(lane_index()), at = first + lane, beyond = at + kWarp;
  constexpr u32 closing = ADJ_CLOSES;  // 1: a closing entry follows the occurrences of a row
  const auto row_at = [&](u32 i) { return i < p.num_indices ? p.rows[i] : kNone; };
  const u32 row = row_at(at), far = row_at(at + p.light), next = row_at(beyond);
  const u32 before = at > 0 && at <= p.num_indices ? p.rows[at - 1] : kNone;
  Sums::Source source = {}, second = {};
  if (at < p.num_indices) source = Sums::source_at(p, at);
  if (lane < p.light && beyond < p.num_indices) second = Sums::source_at(p, beyond);

  const bool begins = row != before;
  const u32 starts = ballot(begins), behind = starts & ~lanes_below() & ~(1u << lane);
  // The last row may go on behind these 32 occurrences: lane k looks at occurrence 32 + k, too.
  const u32 last = shuffle(row, kWarp - 1);
  const u32 ends = ~ballot(next == last && lane < p.light), more = ends ? static_cast<u32>(lowest_bit(ends)) : kWarp;
  const u32 count = behind ? static_cast<u32>(lowest_bit(behind)) - lane : kWarp - lane + more;
  const bool takes = begins && static_cast<int>(lane) < batch && row < p.num_embeddings && far != row;
  const u32 length = takes ? count + closing : 0;
  u32 place = length;
#pragma unroll 1
  for (int delta = 1; delta < kWarp; delta *= 2) {
    const u32 other = shuffle_up(place, delta);
    if (static_cast<int>(lane) >= delta) place += other;
  }
  const u32 total = listed + shuffle(place, kWarp - 1);
  place += listed - length;
  // Every occurrence becomes an entry, in the order of the occurrences of its row.
  const u32 own = starts & (lanes_below() | 1u << lane);
  const int start = own ? highest_bit(own) : 0, end_start = starts ? highest_bit(starts) : 0;
  const u32 row_place = shuffle(place, start), row_length = shuffle(length, start);
  const u32 end_place = shuffle(place, end_start), end_length = shuffle(length, end_start);
  const u32 order = lane - static_cast<u32>(start), end_order = beyond - first - static_cast<u32>(end_start);
  const auto put = [&](u32 at, const Sums::Source& from, u32 complete) {
    list.entry[at] = {from.row, complete};
    Sums::put_addend(list, at, from);
  };
  if (own && row_length) put(row_place + order, source, !closing && order + 1 == row_length ? row : kNone);
  if (starts && end_length && lane < more) put(end_place + end_order, second, !closing && end_order + 1 == end_length ? last : kNone);
  if (takes && closing) put(place + count, {row, 0, 1}, row);
  return total;
}

// Returns the first entry at or behind `entry` with which a row begins; `total` if there is none.
__device__ __forceinline__ int row_begin(const Sums::Entries& list, int entry, int total) {
#pragma unroll 1
  for (; entry > 0 && entry < total && list.entry[entry - 1].row == kNone; ++entry) {}
  return entry;
}

// Items lie along x with one matrix, along y with ADJ_GATHER: there neighbouring blocks then read the same matrices.
extern "C" __global__ void __launch_bounds__(kRowSumBlock, Sums::kResident) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  ADJ_SHARED(Sums::Entries, lists, Sums::kWarps);
  let_next_grid_begin();
  begin_beside_last_grids();  // they write other rows
  Sums::Entries& list = lists[warp_index()];
  const int lanes = p.row_lanes, lane = lane_index() & (lanes - 1), lanes_log2 = lowest_bit(static_cast<u32>(lanes));
  const int groups = kWarp >> lanes_log2, group = lane_index() >> lanes_log2;  // lane groups
  const i64 warp_rows = Sums::kWarps * p.batch;
  const u32 item_blocks = static_cast<u32>(ADJ_GATHER ? grid_blocks_y() : grid_blocks());
  const i64 row_block = ADJ_GATHER ? block_index() : block_index_y(), row_blocks = ADJ_GATHER ? grid_blocks() : grid_blocks_y();
#pragma unroll 1
  for (u32 item = static_cast<u32>(ADJ_GATHER ? block_index_y() : block_index()); item < p.items; item += item_blocks) {
    const Sums::Part part = Sums::part_at(p, item);
#pragma unroll 1
    for (i64 first = row_block * warp_rows + warp_index() * p.batch; first < p.num_indices; first += row_blocks * warp_rows) {
      u32 total = 0;
      warp_barrier();  // every lane has read the previous list
#pragma unroll 1
      for (int chunk = 0; chunk < p.batch; chunk += kWarp)
        total = list_rows(p, static_cast<u32>(first) + static_cast<u32>(chunk), min_of(p.batch - chunk, kWarp), list, total);
      warp_barrier();
      // Every lane group takes about as many entries.
      const int entries = static_cast<int>(total);
      const int list_begin = row_begin(list, entries * group / groups, entries), next = (group + 1) << lanes_log2;
      const int after = shuffle(list_begin, next & (kWarp - 1)), list_end = next < kWarp ? after : entries;
#pragma unroll 1
      for (i64 outer = part.outer; outer < part.outer_end; outer += Sums::kMatrices) {
        // One turn covers the stretch, but not where the program for any rows runs with a plan for aligned ones.
#pragma unroll 1
        for (i64 begin = part.begin; begin < part.end; begin += lanes * Sums::kPieces) {
          Sums::Pieces pieces = Sums::pieces_at(part, outer, begin, lane, lanes);
          if (pieces.count == 0) pieces.column = begin;
          Sums::write_rows(p, list, list_begin, list_end, pieces);
          if (ADJ_ROWS != kRowsAny) break;
        }
      }
    }
  }
  // One waiting block is enough to end after the earlier grids; the rest end and leave room for blocks that have not begun.
  if (block_index() == 0 && block_index_y() == 0) wait_for_earlier_grids();
}

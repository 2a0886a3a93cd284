// Gradients of row lookups: zeros for rows without occurrences, and the lists of heavy rows. README.md defines the words.
//
// Computes: zeros in every row of dweight that no occurrence names, unless the plan accumulates; p.shares and p.heavy, the work of heavy.cu. With
// p.copied_bytes also all of dweight as a copy of p.copied, to which the sums are added later.
// Work split: a warp lists the heavy rows that begin among 32 occurrences, and fills batches of neighbouring rows in several matrices.
// Memory: every absent row is written once. With p.filled_bytes (very short rows) all of dweight is filled; sum.cu and heavy.cu, which come
// later, write the rows with occurrences again.
// Order of additions: none. The order of the lists is that of arrival; the contents of a share depend on the indices alone.
// Limits: rows below 2^32 - 1, checked by the plan. A caller's order of occurrences may hold anything: all places are clamped.
//
// The first launch may begin while segment_sum/sort.cu still sorts. With the sort's presence bitmaps it fills rows before the sort ends, and a
// second launch fills the rest beside the sums. Without bitmaps it searches the sorted rows.
#include "segment_sum/sum.h"
#include "prelude/memory.cuh"
#include "prelude/search.cuh"

// Clears `bytes` bytes at `to`; both are even. Thread `thread` of `threads` writes its part of the vectors of 16 bytes, and of the edges.
__device__ __noinline__ void fill(u8* to, i64 bytes, i64 thread, i64 threads) {
  const i64 head = min_of<i64>(-reinterpret_cast<u64>(to) & 15, bytes), vectors = (bytes - head) / 16, edges = (bytes - vectors * 16) / 2;
  u16* edge = reinterpret_cast<u16*>(to);
#pragma unroll 1
  for (i64 i = thread; i < edges; i += threads) edge[i < head / 2 ? i : i + vectors * 8] = 0;
  Words4* vector = reinterpret_cast<Words4*>(to + head);
#pragma unroll 1
  for (i64 i = thread; i < vectors; i += threads) store_streaming(vector + i, Words4{0, 0, 0, 0});
}

// Copies `bytes` bytes, an even number, in the same way. Loads of four vectors are in flight.
__device__ __noinline__ void copy(u8* to, const u8* from, i64 bytes, i64 thread, i64 threads) {
  const u64 skew = reinterpret_cast<u64>(to) & 15;
  const bool together = skew == (reinterpret_cast<u64>(from) & 15);
  const i64 head = together ? min_of<i64>(-skew & 15, bytes) : bytes, vectors = (bytes - head) / 16, edges = (bytes - vectors * 16) / 2;
#pragma unroll 1
  for (i64 i = thread; i < edges; i += threads) {
    const i64 at = i < head / 2 ? i : i + vectors * 8;
    reinterpret_cast<u16*>(to)[at] = reinterpret_cast<const u16*>(from)[at];
  }
  const Words4* const source = reinterpret_cast<const Words4*>(from + head);
  Words4* const target = reinterpret_cast<Words4*>(to + head);
#pragma unroll 4
  for (i64 i = thread; i < vectors; i += threads) store_words(target + i, load_words(source + i));
}

// Puts the shares of the heavy row that begins with occurrence `start` on the lists for heavy.cu; by a whole warp. The places on the lists
// depend on the order of arrival, the division of the row into shares does not.
__device__ __forceinline__ void list_shares(const EmbeddingRowsParams& p, u32 start, u32 row) {
  u32 low[] = {start}, high[] = {p.num_indices};
  lower_bounds<1, 4>(p.rows, low, high, {row + 1});
  const u32 count = low[0] - start, length = p.share;
  const bool much = count >= kRowSumManyShares * length && (count <= p.num_indices / 4 || count >= kRowSumVeryManyShares * length);
  const u32 large = p.large_share && much ? (count - count / 4) / p.large_share : 0;
  const u32 large_end = large * p.large_share, shares = large + max_of((count - large_end) / length, 1u);
  // Lane 0 reserves shares, lane 1 partial sums, lane 2 an entry of p.heavy.
  const bool many = shares > kCombineFew;
  const int counter = lane_index() == 0 ? kCountShares : lane_index() == 1 ? kCountPartials : many ? kCountMany : kCountFew;
  u32 place = 0;
  if (lane_index() < (shares > 1 ? 3 : 1)) place = atomic_add(p.counters + counter, lane_index() < 2 ? shares : 1u);
  const u32 partial = shuffle(place, 1);
  if (lane_index() == 2 && shares > 1 && place < p.most_heavy) p.heavy[many ? p.most_heavy - 1 - place : place] = {row, count, partial, shares};
  place = shuffle(place, 0);
  // The rows of a caller's index plan may hold anything, even more shares than there is room for.
  u32 end = min_of(shares, p.most_shares - min_of(place, p.most_shares));
  if (shares > 1) end = min_of(end, p.most_partials - min_of(partial, p.most_partials));
  EmbeddingShare* const to = p.shares + place;
#pragma unroll 1
  for (u32 s = static_cast<u32>(lane_index()); s < end; s += kWarp) {
    const u32 before = s < large ? s * p.large_share : large_end + (s - large) * length;
    to[s] = {start + before, s < large ? p.large_share : s + 1 < shares ? length : count - before, row, shares > 1 ? partial + s : kNone};
  }
}

// Lists the heavy rows.
__device__ __forceinline__ void list_rows(const EmbeddingRowsParams& p) {
  if (p.most_shares == 0) return;
  const auto row_at = [&](u32 i) { return i < p.num_indices ? p.rows[i] : kNone; };
#pragma unroll 1
  for (i64 first = global_thread() / kWarp * kWarp; first < p.num_indices; first += global_threads()) {
    const u32 at = static_cast<u32>(first) + static_cast<u32>(lane_index()), row = row_at(at), before = at > 0 ? row_at(at - 1) : kNone;
#pragma unroll 1
    for (u32 left = ballot(row != before && row < p.num_embeddings && row_at(at + p.light) == row); left; left &= left - 1) {
      const int from = lowest_bit(left);
      list_shares(p, static_cast<u32>(first) + static_cast<u32>(from), shuffle(row, from));
    }
  }
}

// Returns the bits of 32 rows around `first` in the presence bitmaps of every 32nd source, from this lane on.
__device__ __forceinline__ u32 presence_of(const EmbeddingRowsParams& p, u32 first) {
  u32 bits = 0;
#pragma unroll 4
  for (int s = lane_index(); s < p.present_sources; s += kWarp) bits |= p.present[s * p.present_words + static_cast<int>(first / 32)];
  return bits;
}
// Returns a bit for each of the `rows` rows from `first` on, 1 where the row has no occurrence; by a whole warp. `presence`: from presence_of.
__device__ __forceinline__ u32 absent_rows(const EmbeddingRowsParams& p, u32 first, u32 rows, u32 presence) {
  const u32 row = first + static_cast<u32>(lane_index());
  const u32 all = rows == kWarp ? ~0u : (1u << rows) - 1;
  if (p.present) return all & ~(warp_or(presence) >> first % 32);
  u32 low[] = {0, 0}, high[] = {p.num_indices, p.num_indices};
  lower_bounds<2>(p.rows, low, high, {first, first + rows});
  if (rows > 1 && low[1] - low[0] <= kWarp) {
    const u32 at = low[0] + static_cast<u32>(lane_index());
    return all & ~warp_or(at < low[1] ? 1u << (p.rows[at] - first & (kWarp - 1)) : 0);
  }
  u32 begin = low[0], end = low[1];
#pragma unroll 1
  while (begin < end) {
    const u32 middle = begin + (end - begin) / 2;
    if (p.rows[middle] < row) begin = middle + 1;
    else end = middle;
  }
  return all & ballot(begin >= low[1] || p.rows[begin] != row);
}

// Writes zeros to rows without occurrences; a warp takes a batch of neighbouring rows in p.outer_step matrices.
__device__ __forceinline__ void fill_rows(const EmbeddingRowsParams& p) {
  u8* const dweight = static_cast<u8*>(p.dweight);
  const i64 warps = global_threads() / kWarp;
  const bool short_rows = p.vectors > 0 && aligned16(dweight);
  i64 next_share = 0;
  u32 next_first = 0, next_presence = 0;
#pragma unroll 1
  for (i64 item = global_thread() / kWarp - warps; item < p.items; item += warps) {
    // The bitmap words of the next batch are loaded while this one is filled.
    const i64 share = next_share;
    const u32 first = next_first, presence = next_presence;
    if (item + warps < p.items) {
      const i64 next = p.first_item + item + warps;
      next_share = next / p.batches;
      next_first = static_cast<u32>((next - next_share * p.batches) * p.batch);
      next_presence = presence_of(p, next_first);
    }
    if (item < 0) continue;
    const u32 absences = absent_rows(p, first, static_cast<u32>(min_of<i64>(p.batch, p.num_embeddings - first)), presence);
    const i64 outer_begin = share * p.outer_step, outer_end = min_of(p.outer, outer_begin + p.outer_step);
#pragma unroll 1
    for (i64 outer = outer_begin; outer < outer_end; ++outer) {
      u8* const to = dweight + (outer * p.num_embeddings + first) * p.row_bytes;
      if (short_rows) {
#pragma unroll 1
        for (u32 u = static_cast<u32>(lane_index()); u < kWarp * static_cast<u32>(p.vectors); u += kWarp)
          if (absences >> (u * p.inverse_vectors >> 16) & 1) store_streaming(reinterpret_cast<Words4*>(to) + u, Words4{0, 0, 0, 0});
        continue;
      }
#pragma unroll 1
      for (u32 left = absences; left;) {
        const int from = lowest_bit(left);
        const u32 others = ~(left >> from);
        const int length = others ? lowest_bit(others) : kWarp;
        left &= length + from < kWarp ? ~0u << (from + length) : 0;
        fill(to + from * p.row_bytes, length * p.row_bytes, lane_index(), kWarp);
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, kRowsBlocks) ADJ_ENTRY(const __grid_constant__ EmbeddingRowsParams p) {
  let_next_grid_begin();
  prefetch(static_cast<const u8*>(p.prefetched), p.prefetched_bytes, global_thread(), global_threads());
  fill(static_cast<u8*>(p.dweight), p.filled_bytes, global_thread(), global_threads());
  if (p.beside || p.copied_bytes) begin_beside_last_grids();
  if (p.copied != p.dweight) copy(static_cast<u8*>(p.dweight), static_cast<const u8*>(p.copied), p.copied_bytes, global_thread(), global_threads());
  // With p.beside the bitmaps are complete before the sort ends: rows are filled first, then the lists wait for the sort.
#pragma unroll 1
  for (bool lists = !p.beside;; lists = !lists) {
    if (lists) {
      wait_for_earlier_grids();
      list_rows(p);
    } else {
      fill_rows(p);
    }
    if (lists == (p.beside != 0)) break;
  }
}

// Gradients of row lookups, the rows that kernels/embedding_sum.cu leaves out: zeros for those without occurrences, where the gradient
// overwrites, and lists of those with more than p.light for kernels/embedding_heavy.cu.
//
// It may begin while the occurrences are still being sorted (kernels/index_sort.cu). Until that is done it fills the leading rows without
// asking; the sums, which come after it, write those again that have occurrences. Of the other rows it fills those that do not occur.
#include "params/embedding_sum.h"
#include "prelude/memory.cuh"
#include "prelude/search.cuh"

// Zeros for `bytes`, an even number, at an even address: units of 16 bytes by the `threads` threads of a group, from `thread` on, with
// what is before and after them.
__device__ __noinline__ void fill(u8* to, i64 bytes, i64 thread, i64 threads) {
  const i64 head = min_of<i64>(-reinterpret_cast<u64>(to) & 15, bytes), units = (bytes - head) / 16, edges = (bytes - units * 16) / 2;
  u16* edge = reinterpret_cast<u16*>(to);
#pragma unroll 1
  for (i64 i = thread; i < edges; i += threads) edge[i < head / 2 ? i : i + units * 8] = 0;
  Words4* unit = reinterpret_cast<Words4*>(to + head);
#pragma unroll 4
  for (i64 i = thread; i < units; i += threads) store_streaming(unit + i, Words4{0, 0, 0, 0});
}

// Puts a row that begins with occurrence `start` on the lists for kernels/embedding_heavy.cu; by a whole warp. Where on them rows come
// depends on the order of arrival, what is added up to what does not.
__device__ __forceinline__ void list_shares(const EmbeddingRowsParams& p, u32 start, u32 row) {
  u32 low[] = {start}, high[] = {p.num_indices};
  lower_bounds<1>(p.rows, low, high, {row + 1});
  const u32 count = low[0] - start, shares = max_of(count / p.share, 1u);
  u32 place = 0, partial = 0;
  if (lane_index() == 0) {
    place = atomic_add(p.counters + kCountShares, shares);
    if (shares > 1) {
      partial = atomic_add(p.counters + kCountPartials, shares);
      const bool many = shares > kCombineFew;
      const u32 entry = atomic_add(p.counters + (many ? kCountMany : kCountFew), 1u);
      if (entry < p.most_heavy) p.heavy[many ? p.most_heavy - 1 - entry : entry] = {row, count, partial, shares};
    }
  }
  place = shuffle(place, 0);
  partial = shuffle(partial, 0);
#pragma unroll 1
  for (u32 s = static_cast<u32>(lane_index()); s < shares; s += kWarp) {
    // A caller's order of the rows may hold anything.
    if (place + s >= p.most_shares || partial + s >= p.most_partials + (shares == 1)) break;
    const u32 before = s * p.share;
    p.shares[place + s] = {start + before, s + 1 < shares ? p.share : count - before, row, shares > 1 ? partial + s : kNone};
  }
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, kRowsBlocks) ADJ_ENTRY(const __grid_constant__ EmbeddingRowsParams p) {
  let_next_grid_begin();
  u8* const dweight = static_cast<u8*>(p.dweight);
  prefetch(static_cast<const u8*>(p.prefetched), p.prefetched_bytes, global_thread(), global_threads());
  fill(dweight, p.leading_bytes, global_thread(), global_threads());
  wait_for_earlier_grids();

  const i64 warps = global_threads() / kWarp;
  const auto row_at = [&](u32 i) { return i < p.num_indices ? p.rows[i] : kNone; };
#pragma unroll 1
  for (i64 first = p.most_shares ? global_thread() / kWarp * kWarp : p.num_indices; first < p.num_indices; first += warps * kWarp) {
    const u32 at = static_cast<u32>(first) + static_cast<u32>(lane_index()), row = row_at(at), before = at > 0 ? row_at(at - 1) : kNone;
#pragma unroll 1
    for (u32 left = ballot(row != before && row < p.num_embeddings && row_at(at + p.light) == row); left; left &= left - 1) {
      const int from = lowest_bit(left);
      list_shares(p, static_cast<u32>(first) + static_cast<u32>(from), shuffle(row, from));
    }
  }
#pragma unroll 1
  for (i64 item = global_thread() / kWarp; item < p.items; item += warps) {
    const i64 share = item / p.batches, first = p.leading_rows + (item - share * p.batches) * p.batch;
    const u32 rows = static_cast<u32>(min_of<i64>(p.batch, p.num_embeddings - first));
    const u32 row = static_cast<u32>(first) + static_cast<u32>(lane_index());
    // Which of the rows do not occur.
    u32 low[] = {0, 0}, high[] = {p.num_indices, p.num_indices};
    lower_bounds<2>(p.rows, low, high, {static_cast<u32>(first), static_cast<u32>(first) + rows});
    u32 absences = rows == kWarp ? ~0u : (1u << rows) - 1;
    if (rows > 1 && low[1] - low[0] <= kWarp) {
      const u32 at = low[0] + static_cast<u32>(lane_index());
      absences &= ~warp_or(at < low[1] ? 1u << (p.rows[at] - static_cast<u32>(first) & (kWarp - 1)) : 0);
    } else if (low[0] < low[1]) {
      u32 begin = low[0], end = low[1];
#pragma unroll 1
      while (begin < end) {
        const u32 middle = begin + (end - begin) / 2;
        if (p.rows[middle] < row) begin = middle + 1;
        else end = middle;
      }
      absences &= ballot(begin >= low[1] || p.rows[begin] != row);
    }
    const i64 outer_begin = p.leading_matrices + share * p.outer_step, outer_end = min_of(p.outer, outer_begin + p.outer_step);
#pragma unroll 1
    for (i64 outer = outer_begin; outer < outer_end; ++outer) {
      u8* const to = dweight + (outer * p.num_embeddings + first) * p.row_bytes;
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

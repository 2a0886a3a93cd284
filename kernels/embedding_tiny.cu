// Gradient of Gather from many matrices whose rows have less than 16 bytes. Reads what kernels/embedding_sum.cu and
// kernels/embedding_heavy.cu read; here every lane takes an occurrence, of several matrices, and rows are summed up between lanes.
//
// ADJ_STAGE picks the program:
//   0  sum     rows with up to kRowSumLight occurrences
//   1  shares  those of the other rows that kernels/embedding_rows.cu has listed; kernels/embedding_heavy.cu combines partial sums
//
// Macros: ADJ_T element type.
#include "params/embedding_sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;
constexpr int kMatrices = row_sum_pieces(kRowsTiny), kWarps = kRowSumBlock / kWarp;

// A caller's order of the occurrences may hold anything.
__device__ __forceinline__ u32 position_at(const EmbeddingSumParams& p, u32 i) { return min_of(p.order[i], p.num_indices - 1); }

// Adds the elements of one position in `count` matrices.
__device__ __forceinline__ void add_elements(const EmbeddingSumParams& p, i64 outer, u32 position, i64 column, int count, A (&sum)[kMatrices]) {
  const T* from = static_cast<const T*>(p.dout) + outer * p.dout_matrix + position * p.embedding_dim + column;
  T element[kMatrices] = {};
#pragma unroll
  for (int u = 0; u < kMatrices; ++u)
    if (u < count) element[u] = from[u * p.dout_matrix];
#pragma unroll
  for (int u = 0; u < kMatrices; ++u) sum[u] += to_acc(element[u]);
}

__device__ __forceinline__ void write(const EmbeddingSumParams& p, i64 outer, u32 row, i64 column, A sum) {
  T* to = static_cast<T*>(p.dweight) + outer * p.dweight_matrix + row * p.embedding_dim + column;
  *to = from_acc<T>(p.accumulate ? sum + to_acc(*to) : sum);
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, sizeof(T) == 8 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  const u32 lane = static_cast<u32>(lane_index());
#if ADJ_STAGE == 1
  const u32 shares = min_of(p.counters[kCountShares], p.most_shares);
#endif
#if ADJ_STAGE == 0
#pragma unroll 1
  for (u32 item = static_cast<u32>(block_index_y()); item < p.items; item += static_cast<u32>(grid_blocks_y())) {
    const i64 first_outer = item * p.outer_step, end_outer = min_of(p.outer, first_outer + p.outer_step);
    const i64 step = grid_blocks() * kRowSumBlock;
#pragma unroll 1
    for (i64 first = (block_index() * kWarps + warp_index()) * kWarp; first < p.num_indices; first += step) {
      const u32 at = static_cast<u32>(first) + lane, beyond = at + kWarp;
      const auto row_at = [&](u32 i) { return i < p.num_indices ? p.rows[i] : kNone; };
      const u32 row = row_at(at), before = at > 0 ? row_at(at - 1) : kNone, next = row_at(beyond);
      const u32 position = at < p.num_indices ? position_at(p, at) : 0, second = beyond < p.num_indices ? position_at(p, beyond) : 0;
      const u32 starts = ballot(row != before), behind = starts & ~lanes_below() & ~(1u << lane);
      const int end = behind ? lowest_bit(behind) : kWarp;  // of the lanes with this row
      const bool takes = row != before && row < p.num_embeddings && row_at(at + kRowSumLight) != row;
      if (ballot(takes) == 0) continue;
      // The last row may go on behind the warp's 32; it is taken when its first entry is here.
      const u32 last = shuffle(row, kWarp - 1);
      const bool goes_on = next == last && lane < kRowSumLight;
      const bool extends = ballot(goes_on) && ballot(takes && end == kWarp);
#pragma unroll 1
      for (i64 outer = first_outer; outer < end_outer; outer += kMatrices) {
        const int count = static_cast<int>(min_of<i64>(kMatrices, end_outer - outer));
#pragma unroll 1
        for (i64 column = 0; column < p.embedding_dim; ++column) {
          A sum[kMatrices] = {}, more[kMatrices] = {};
          add_elements(p, outer, position, column, at < p.num_indices ? count : 0, sum);
          if (extends) add_elements(p, outer, second, column, goes_on ? count : 0, more);
#pragma unroll 1
          for (int delta = 1; delta < kRowSumLight; delta *= 2) {
            const bool same = static_cast<int>(lane) + delta < end;
#pragma unroll
            for (int u = 0; u < kMatrices; ++u) {
              const A other = shuffle_down(sum[u], delta);
              if (same) sum[u] += other;
              if (extends) more[u] += shuffle_xor(more[u], delta);
            }
          }
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) {
            const A rest = extends ? shuffle(more[u], 0) : A{0};
            if (takes && u < count) write(p, outer + u, row, column, end == kWarp ? sum[u] + rest : sum[u]);
          }
        }
      }
    }
  }
#else
  const u32 works = shares * p.items_at_once;
#pragma unroll 1
  for (u32 work = static_cast<u32>(block_index()); work < works; work += static_cast<u32>(grid_blocks())) {
    const u32 item = work / shares;
    const EmbeddingShare share = p.shares[work - item * shares];
    if (!share_is_valid(share, p)) continue;
    // The items of a block are neighbours here.
    const i64 first_outer = item * p.outer_step, end_outer = item + 1 < p.items_at_once ? first_outer + p.outer_step : p.outer;
#pragma unroll 1
    for (i64 outer = first_outer + warp_index() * kMatrices; outer < end_outer; outer += kWarps * kMatrices) {
      const int count = static_cast<int>(min_of<i64>(kMatrices, end_outer - outer));
#pragma unroll 1
      for (i64 column = 0; column < p.embedding_dim; ++column) {
        A sum[kMatrices] = {};
#pragma unroll 1
        for (u32 entry = lane; entry < share.count; entry += kWarp)
          add_elements(p, outer, position_at(p, share.start + entry), column, count, sum);
        A own = 0;  // of the matrix that this lane writes
#pragma unroll 1
        for (int mask = kWarp / 2; mask > 0; mask /= 2)
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) sum[u] += shuffle_xor(sum[u], mask);
#pragma unroll
        for (int u = 0; u < kMatrices; ++u)
          if (static_cast<int>(lane) == u) own = sum[u];
        if (static_cast<int>(lane) >= count) continue;
        if (share.partial == kNone) write(p, outer + lane, share.row, column, own);
        else static_cast<A*>(p.partials)[(share.partial * p.outer + outer + lane) * p.embedding_dim + column] = own;
      }
    }
  }
#endif
}

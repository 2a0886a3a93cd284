// Gradient of Gather from many matrices with rows of less than 16 bytes, where panels.cu has too little shared memory for a matrix.
// README.md defines the words.
//
// Computes: by ADJ_STAGE
//   0  sum     the light rows of dweight, in place of sum.cu
//   1  shares  the shares of heavy rows, in place of stage 0 of heavy.cu, whose stage 1 combines the partial sums
// Work split: a lane takes an occurrence of kMatrices matrices, column by column; rows are summed between the lanes of a warp. A block takes
// occurrences (stage 0) or a share (stage 1), and an item of p.outer_step matrices.
// Memory: dout is read once, in single elements.
// Order of additions: depends on the indices alone: a tree over 32 neighbouring occurrences; in stage 1 a lane first adds every 32nd one.
// Limits: as sum.cu and heavy.cu.
//
// Macros: ADJ_T element type.
#include "segment_sum/sum.h"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef Acc<ADJ_T> A;
constexpr int kMatrices = row_sum_pieces(kRowsTiny), kWarps = kRowSumBlock / kWarp;

// Returns the position of sorted occurrence i, clamped: a caller's order may hold anything.
__device__ __forceinline__ u32 position_at(const EmbeddingSumParams& p, u32 i) { return min_of(p.order[i], p.num_indices - 1); }

// Loads `count` elements, `step` apart from `at` on, and fills up with zeros. One address at a time: all would take too many registers.
__device__ __forceinline__ void load_elements(const void* tensor, i64 at, i64 step, int count, T (&element)[kMatrices]) {
#pragma unroll
  for (int u = 0; u < kMatrices; ++u) {
    element[u] = u < count ? static_cast<const T*>(tensor)[at] : T{};
    at = opaque(at + step);
  }
}
// Returns the element of dout at a matrix, a position and a column.
__device__ __forceinline__ i64 dout_at(const EmbeddingSumParams& p, i64 outer, u32 position, i64 column) {
  return outer * p.dout_matrix + position * p.embedding_dim + column;
}

extern "C" __global__ void __launch_bounds__(kRowSumBlock, sizeof(T) == 8 ? 3 : 4) ADJ_ENTRY(const __grid_constant__ EmbeddingSumParams p) {
  let_next_grid_begin();
  wait_for_earlier_grids();
  const u32 lane = static_cast<u32>(lane_index());
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
      const int end = behind ? lowest_bit(behind) : kWarp;  // one past the last lane with this row
      const bool takes = row != before && row < p.num_embeddings && row_at(at + kRowSumLight) != row;
      if (ballot(takes) == 0) continue;
      // The last row may go on behind these 32 occurrences. The warp in which a row begins takes it.
      const u32 last = shuffle(row, kWarp - 1);
      const bool goes_on = next == last && lane < kRowSumLight;
      const bool extends = ballot(goes_on) && ballot(takes && end == kWarp);
#pragma unroll 1
      for (i64 outer = first_outer; outer < end_outer; outer += kMatrices) {
        const int count = static_cast<int>(min_of<i64>(kMatrices, end_outer - outer));
#pragma unroll 1
        for (i64 column = 0; column < p.embedding_dim; ++column) {
          const i64 here = opaque(outer);  // hides the loop invariance: addresses are computed again for each column, which saves registers
          T own[kMatrices], more[kMatrices];
          load_elements(p.dout, dout_at(p, here, position, column), p.dout_matrix, at < p.num_indices ? count : 0, own);
          load_elements(p.dout, dout_at(p, here, second, column), p.dout_matrix, extends && goes_on ? count : 0, more);
          A sum[kMatrices], other[kMatrices];
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) {
            sum[u] = A{0} + to_acc(more[u]);
            other[u] = A{0} + to_acc(own[u]);
          }
          // First the occurrences of the last row behind the warp, if there are any, then those in the warp: one loop, so that there is less
          // code. `other` keeps the sums that the loop does not work on.
#pragma unroll 1
          for (int behind = extends; behind >= 0; --behind) {
            if (behind == 0) {
#pragma unroll
              for (int u = 0; u < kMatrices; ++u) {
                const A rest = shuffle(sum[u], 0);
                sum[u] = other[u];
                other[u] = rest;
              }
            }
#pragma unroll 1
            for (int delta = 1; delta < kRowSumLight; delta *= 2) {
              const bool same = static_cast<int>(lane) + delta < (behind ? kWarp : end);
#pragma unroll
              for (int u = 0; u < kMatrices; ++u) {
                const A neighbour = shuffle_down(sum[u], delta);
                if (same) sum[u] += neighbour;
              }
            }
          }
          i64 to = here * p.dweight_matrix + row * p.embedding_dim + column;
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) {
            if (takes && u < count) {
              const A total = end == kWarp ? sum[u] + other[u] : sum[u];
              T& own_sum = static_cast<T*>(p.dweight)[to];
              own_sum = from_acc<T>(p.accumulate ? total + to_acc(own_sum) : total);
            }
            to = opaque(to + p.dweight_matrix);
          }
        }
      }
    }
  }
#else
  const u32 shares = min_of(p.counters[kCountShares], p.most_shares), works = shares * p.items;
#pragma unroll 1
  for (u32 work = static_cast<u32>(block_index()); work < works; work += static_cast<u32>(grid_blocks())) {
    const u32 item = work / shares;
    const EmbeddingShare share = p.shares[work - item * shares];
    if (!share_is_valid(share, p)) continue;
    const i64 first_outer = item * p.outer_step, end_outer = min_of(p.outer, first_outer + p.outer_step);
#pragma unroll 1
    for (i64 outer = first_outer + warp_index() * kMatrices; outer < end_outer; outer += kWarps * kMatrices) {
      const int count = static_cast<int>(min_of<i64>(kMatrices, end_outer - outer));
#pragma unroll 1
      for (i64 column = 0; column < p.embedding_dim; ++column) {
        A sum[kMatrices] = {};
#pragma unroll 1
        for (u32 entry = lane; entry < share.count; entry += kWarp) {
          T element[kMatrices];
          load_elements(p.dout, dout_at(p, outer, position_at(p, share.start + entry), column), p.dout_matrix, count, element);
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) sum[u] += to_acc(element[u]);
        }
        A own = 0;  // sum of the matrix that this lane writes
#pragma unroll 1
        for (int mask = kWarp / 2; mask > 0; mask /= 2)
#pragma unroll
          for (int u = 0; u < kMatrices; ++u) sum[u] += shuffle_xor(sum[u], mask);
#pragma unroll
        for (int u = 0; u < kMatrices; ++u)
          if (static_cast<int>(lane) == u) own = sum[u];
        if (static_cast<int>(lane) >= count) continue;
        if (share.partial == kNone) {
          T* to = static_cast<T*>(p.dweight) + (outer + lane) * p.dweight_matrix + share.row * p.embedding_dim + column;
          *to = from_acc<T>(p.accumulate ? own + to_acc(*to) : own);
        } else {
          static_cast<A*>(p.partials)[(share.partial * p.outer + outer + lane) * p.embedding_dim + column] = own;
        }
      }
    }
  }
#endif
}

// Gradient of the weights of single positions of embedding bags.
//
// Computes: dsample_weights[n] = dot product of row bag(n) of dout and row indices[n] of weight; 0 where position n takes no part.
// Work split: p.lanes threads take a position, kDepth positions at a time, so that their rows are in flight together.
// Memory: two rows are read for each position, 16 bytes at a time.
// Order of additions: the products of 16 bytes in order, these sums of a lane with compensation, then the lanes in a fixed tree.
// Limits: positions below 2^31, rows below 2^32 - 1; the plan checks them.
//
// Macros: ADJ_T element type, ADJ_I index type, ADJ_ALIGNED 1 for aligned rows.
#include "embedding_bag/params.h"
#include "embedding_bag/bags.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
typedef RowPiece<T, ADJ_ALIGNED> Piece;
constexpr int N = kVec16<T>;
constexpr int kDepth = ADJ_ALIGNED ? 4 : 2;

// Returns n / length; reciprocal: (2^64 - 1) / length, rounded down. (n + 1) * reciprocal / 2^64 is (n + 1) / length less at most 2^-31.
// That is at least n / length, and below the next whole number.
__device__ __forceinline__ u32 bag_of_equal_length(u64 reciprocal, u32 n) {
  const u64 low = (n + u64{1}) * static_cast<u32>(reciprocal), high = (n + u64{1}) * (reciprocal >> 32);
  return static_cast<u32>((high + (low >> 32)) >> 32);
}

extern "C" __global__ void __launch_bounds__(kBagBlock, 3) ADJ_ENTRY(const __grid_constant__ EmbeddingBagSampleWeightsParams p) {
  const I* indices = static_cast<const I*>(p.bags.indices);
  const int lanes_log2 = lowest_bit(p.lanes), lane = lane_index() & (p.lanes - 1);
  const int groups = kWarp >> lanes_log2;
  u32 errors = 0;
  const i64 warp_positions = groups * kDepth;
#pragma unroll 1
  for (i64 first = global_thread() / kWarp * warp_positions; first < p.bags.num_indices; first += global_threads() / kWarp * warp_positions) {
    const i64 mine = first + (lane_index() >> lanes_log2);
    u32 row[kDepth], bag[kDepth];
    I index[kDepth];
#pragma unroll
    for (int j = 0; j < kDepth; ++j) {
      const i64 n = mine + j * groups;
      const bool inside = n < p.bags.num_indices;
      bag[j] = inside ? p.bag_of ? p.bag_of[n] - 1 : bag_of_equal_length(p.bag_reciprocal, static_cast<u32>(n)) : kNoBag;
      index[j] = inside ? indices[n] : I{0};
    }
#pragma unroll
    for (int j = 0; j < kDepth; ++j) {
      u32 error = 0;
      row[j] = bag[j] != kNoBag ? row_of_index(p.bags, static_cast<i64>(index[j]), error) : kNoRow;
      if (lane == 0) errors += error;
    }
    A sum[kDepth] = {}, lost[kDepth] = {};
#pragma unroll 1
    for (i64 column = lane * N; column - lane * N < p.embedding_dim; column += p.lanes * N) {
      const Piece weight(p.weight, p.bags.num_embeddings, p.embedding_dim, column), dout(p.dout, p.bags.num_bags, p.embedding_dim, column);
      typename Piece::Loaded x[kDepth], y[kDepth];
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        x[j] = weight.load(row[j], row[j] != kNoRow);
        y[j] = dout.load(bag[j], row[j] != kNoRow);
      }
#pragma unroll
      for (int j = 0; j < kDepth; ++j) {
        A a[N], b[N], product = 0;
        widen<T>(Piece::words(x[j]), a);
        widen<T>(Piece::words(y[j]), b);
#pragma unroll
        for (int i = 0; i < N; ++i)
          if (ADJ_ALIGNED || i < weight.columns()) product = fused_multiply_add(a[i], b[i], product);
        add_compensated(sum[j], lost[j], product);
      }
    }
#pragma unroll
    for (int j = 0; j < kDepth; ++j) {
      A total = compensated(sum[j], lost[j]);
#pragma unroll 1
      for (int mask = p.lanes / 2; mask > 0; mask /= 2) total += shuffle_xor(total, mask);
      const i64 n = mine + j * groups;
      if (lane == 0 && n < p.bags.num_indices) static_cast<T*>(p.dsample_weights)[n] = from_acc<T>(total);
    }
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}

// Gradient of the weights of single positions of embedding bags: the dot product of the bag's row of dout with the row that
// the position names.
//
// Macros: ADJ_T element type, ADJ_I index type.
//
// `lanes` threads share a position, `depth` positions at a time, so that their rows are in flight together. A lane adds the
// sums of single vectors with compensation; lanes are added by a fixed tree.
#include "params/embedding_bag.h"
#include "prelude/bags.cuh"
#include "prelude/reduce.cuh"
#include "prelude/rows.cuh"

typedef ADJ_T T;
typedef ADJ_I I;
typedef Acc<T> A;
constexpr int N = kVec16<T>;

template <bool vectors, int depth> __device__ __forceinline__ void multiply_rows(const EmbeddingBagSampleWeightsParams& p) {
  const I* indices = static_cast<const I*>(p.bags.indices);
  const int lane = lane_index() & (p.lanes - 1);
  const i64 groups = kWarp / p.lanes;
  const i64 step = static_cast<i64>(p.lanes) * N;
  const T* weight = static_cast<const T*>(p.weight);
  const T* dout = static_cast<const T*>(p.dout);
  u32 errors = 0;
  const i64 warp_positions = groups * depth;
  for (i64 first = global_thread() / kWarp * warp_positions; first < p.bags.num_indices; first += global_threads() / kWarp * warp_positions) {
    const i64 mine = first + lane_index() / p.lanes;
    u32 row[depth], bag[depth];
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      const i64 n = mine + j * groups;
      bag[j] = n < p.bags.num_indices ? bag_of_position(p.bag_of, p.bags.bag_length, static_cast<u32>(n)) : kNoBag;
      u32 error = 0;
      row[j] = bag[j] != kNoBag ? row_of_index(p.bags, static_cast<i64>(indices[n]), error) : kNoRow;
      if (lane == 0) errors += error;
    }
    A sum[depth] = {}, lost[depth] = {};
    for (i64 column = 0; column < p.embedding_dim; column += step) {
      Words4 x[depth], y[depth];
#pragma unroll
      for (int j = 0; j < depth; ++j) {
        const bool takes = row[j] != kNoRow;
        const i64 end = takes ? p.embedding_dim : 0;
        x[j] = load_piece<T, vectors>(weight + (takes ? row[j] : 0) * p.embedding_dim, column, end, lane, p.lanes);
        y[j] = load_piece<T, vectors>(dout + (takes ? bag[j] : 0) * p.embedding_dim, column, end, lane, p.lanes);
      }
#pragma unroll
      for (int j = 0; j < depth; ++j) {
        const Vec<T, N> a = unpack<T>(x[j]), b = unpack<T>(y[j]);
        A product = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) product = fused_multiply_add(to_acc(a.at[i]), to_acc(b.at[i]), product);
        add_compensated(sum[j], lost[j], product);
      }
    }
#pragma unroll
    for (int j = 0; j < depth; ++j) {
      A total = compensated(sum[j], lost[j]);
      for (int mask = p.lanes / 2; mask > 0; mask /= 2) total += shuffle_xor(total, mask);
      const i64 n = mine + j * groups;
      if (lane == 0 && n < p.bags.num_indices) static_cast<T*>(p.dsample_weights)[n] = from_acc<T>(total);
    }
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}

extern "C" __global__ void __launch_bounds__(kBagBlock, 3) ADJ_ENTRY(const __grid_constant__ EmbeddingBagSampleWeightsParams p) {
  if (p.embedding_dim % N == 0 && aligned16(p.weight) && aligned16(p.dout))
    multiply_rows<true, 4>(p);
  else
    multiply_rows<false, 1>(p);
}

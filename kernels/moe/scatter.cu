// Copies of each token to the rows of its pairs, weighted or not.
//
// Computes: moe_permute and moe_unpermute_backward (include/adjoint/ops/moe.h).
// Work split: p.lanes threads take a token, a vector each at a time, a grid apart; then warps take rows without a pair, 32 at a time.
// Memory: each token is read once (with weights once for kAtOnce pairs), each row of a pair written once, and with weights read once before that.
// Order of additions: with weights, those of a lane by column, then those of lanes by a fixed tree; both follow from the columns.
// Limits: kMoeMostTopK pairs of a token (the plan checks it); with weights p.lanes is at most a warp.
//
// Macros: ADJ_T element type; ADJ_ALIGNED 1 for aligned rows, 0 for any; ADJ_WEIGHTS 1: weights and their gradients.
#include "moe/rows.cuh"
#include "prelude/reduce.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
constexpr int kVector = kVec16<T>, kAtOnce = ADJ_ALIGNED ? 8 : 1;

extern "C" __global__ void __launch_bounds__(kMoeRowBlock) ADJ_ENTRY(const __grid_constant__ MoeRowsParams p) {
  const RowGroup group(p.lanes);
  const i64 vectors = (p.columns + kVector - 1) / kVector;
  u32 errors = 0;
#pragma unroll 1
  for (i64 base = block_index() * group.side_by_side; base < p.num_tokens; base += grid_blocks() * group.side_by_side) {
    const i64 t = base + group.own;
    const bool valid = t < p.num_tokens;
    const i32* const inverse = p.inverse + t * p.top_k;
    if (valid) errors += count_outside(p, inverse, group);
#if ADJ_WEIGHTS
#pragma unroll 1
    for (int first = 0; first < p.top_k; first += kAtOnce) {
      A dot[kAtOnce] = {};
#pragma unroll 1
      for (i64 u = group.lane; valid && u < vectors; u += group.lanes) {
        const int count = elements_of_vector<T, ADJ_ALIGNED>(p, u);
        Words4 words[kAtOnce];
        i64 at[kAtOnce];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          const i32 row = first + j < p.top_k ? inverse[first + j] : -1;
          at[j] = has_row(p, row) ? row * p.columns + u * kVector : -1;
          if (at[j] >= 0) words[j] = load_vector<T>(p.rows, at[j], count, ADJ_ALIGNED);
        }
        A g[kVector];
        widen<T>(load_vector<T>(p.tokens, t * p.columns + u * kVector, count, ADJ_ALIGNED), g);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          if (at[j] < 0) continue;
          const A weight = static_cast<const A*>(p.weights)[t * p.top_k + first + j];
          A x[kVector];
          widen<T>(words[j], x);
#pragma unroll
          for (int i = 0; i < kVector; ++i) {
            dot[j] += g[i] * x[i];
            x[i] = weight * g[i];
          }
          store_vector<T>(p.out, at[j], narrow<T>(x), count, ADJ_ALIGNED);
        }
      }
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const A sum = sum_of_lanes(dot[j], group.lanes);
        if (valid && group.lane == 0 && first + j < p.top_k) static_cast<A*>(p.dweights)[t * p.top_k + first + j] = sum;
      }
    }
#else
#pragma unroll 1
    for (i64 u = group.lane; valid && u < vectors; u += group.lanes) {
      const int count = elements_of_vector<T, ADJ_ALIGNED>(p, u);
      const Words4 words = load_vector<T>(p.tokens, t * p.columns + u * kVector, count, ADJ_ALIGNED);
#pragma unroll(ADJ_ALIGNED ? 4 : 1)
      for (int j = 0; j < p.top_k; ++j)
        if (const i32 row = inverse[j]; has_row(p, row)) store_vector<T>(p.out, row * p.columns + u * kVector, words, count, ADJ_ALIGNED);
    }
#endif
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
#pragma unroll 1
  for (i64 base = global_thread() / kWarp * kWarp; base < p.num_rows; base += global_threads()) {
    const i64 own = base + lane_index();
    u32 empty = ballot(own < p.num_rows && p.order[own] < 0);
#pragma unroll 1
    for (; empty; empty &= empty - 1) {
      const i64 row = base + lowest_bit(empty);
#pragma unroll 1
      for (i64 u = lane_index(); u < vectors; u += kWarp)
        store_vector<T>(p.out, row * p.columns + u * kVector, Words4{0, 0, 0, 0}, elements_of_vector<T, ADJ_ALIGNED>(p, u), ADJ_ALIGNED);
    }
  }
}

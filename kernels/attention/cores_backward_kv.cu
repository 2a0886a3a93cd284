// Computes: dk and dv of attention_backward, include/adjoint/ops/attention.h, on tensor cores. README.md defines the words.
// Work split: a block of four warps has a tile of keys of a head of k and v; a warp has 16 of them. Blocks stride over tiles, and over these heads in the
// grid's second dimension. Memory: keys and values stay in shared memory. Queries and their dout of the next step are copied while this step is computed. Order
// of additions: along head_dim; along the heads of the group and the queries of a head from the first one of a sequence on, sixteen at a time in the order of
// the hardware. Weights and gradients of scores are rounded to T before they multiply.
// Limits: head_dim up to ADJ_DIM; the plan checks it. The program of dq has written delta.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVectors = C::kVectors;
constexpr int kTile = kAttentionCoresTile, kStep = attention_kv_step(kDim), kN = kStep / 8;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, 2) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const keys = reinterpret_cast<Words4*>(memory), *const values = keys + kTile * kVectors, *const stages = values + kTile * kVectors;
  f32* const rows = reinterpret_cast<f32*>(stages + 4 * kStep * kVectors);  // of each of two stages: lse, in base 2, and delta of its queries
  const f32 scale = static_cast<f32>(p.scale), scale2 = scale * kLog2E;
  const int row = warp_index() * 16;
#pragma unroll 1
  for (int kv_head = static_cast<int>(block_index_y()); kv_head < p.kv_heads; kv_head += static_cast<int>(grid_blocks_y()))
#pragma unroll 1
    for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
      Pieces piece(p, item, kTile);
#pragma unroll 1
      while (piece.next()) {
        const int first = piece.begin + row;  // first key of the warp
        const int start = first_query(p, piece.begin, kStep), end = end_query(p, piece.begin + piece.count, piece.length);
        const int steps = start < end ? (end - start + kStep - 1) / kStep : 0, all_steps = steps * p.group;
        int next_head = kv_head * p.group, next_query = start;  // of the step to copy
        const auto copy_step = [&](int step) {
          Words4* const stage = stages + (step & 1) * (2 * kStep * kVectors);
          const int count = piece.length - next_query;
          C::copy_tile<kStep>(stage, p, p.q, piece.at(p.q_strides, next_head) + next_query * p.q_strides.token, p.q_strides.token, count);
          C::copy_tile<kStep>(stage + kStep * kVectors, p, p.dout, piece.at(p.dout_strides, next_head) + next_query * p.dout_strides.token,
                              p.dout_strides.token, count);
          if (const int own = thread_index(); own < kStep) {
            const i64 at = piece.row_at(next_head) + next_query + own;
            f32* const to = rows + (step & 1) * (2 * kStep);
            to[own] = own < count ? static_cast<const f32*>(p.lse_in)[at] * kLog2E : 0.0f;
            to[kStep + own] = own < count ? static_cast<const f32*>(p.delta)[at] : 0.0f;
          }
          next_query += kStep;
          if (next_query >= end) next_query = start, ++next_head;
        };
        block_barrier();
        C::copy_tile<kTile>(keys, p, p.k, piece.at(p.k_strides, kv_head) + piece.begin * p.k_strides.token, p.k_strides.token, piece.count);
        C::copy_tile<kTile>(values, p, p.v, piece.at(p.v_strides, kv_head) + piece.begin * p.v_strides.token, p.v_strides.token, piece.count);
        if (all_steps > 0) copy_step(0);
        close_copies();
        Sums<kDim / 8> of_keys, of_values;
        of_keys.clear();
        of_values.clear();
        int query = start;
#pragma unroll 1
        for (int step = 0; step < all_steps; ++step) {
          wait_copies_but<0>();
          block_barrier();  // the step has arrived, and every warp is done with the one before
          if (step + 1 < all_steps) copy_step(step + 1);
          close_copies();
          const Words4 *const queries = stages + (step & 1) * (2 * kStep * kVectors), *const douts = queries + kStep * kVectors;
          const f32* const own_rows = rows + (step & 1) * (2 * kStep);
          const int own_query = query;
          query += kStep;
          if (query >= end) query = start;
          if (p.causal && own_query + kStep <= first) continue;  // no key of the warp meets a query of the step
          Sums<kN> weights, gradients;
          C::multiply_tiles(weights, keys, row, queries);
          C::multiply_tiles(gradients, values, row, douts);
          const bool masked =
              own_query + kStep > piece.length || (p.causal && own_query < first + 15) || (p.window >= 0 && own_query + kStep - 1 - p.window > first);
#pragma unroll
          for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              const int column = n * 8 + lane_index() % 4 * 2 + e % 2;
              f32 &weight = weights.at[n][e], &gradient = gradients.at[n][e];
              weight = exp2_approximate(weight * scale2 - own_rows[column]);
              gradient = weight * (gradient - own_rows[kStep + column]);
              if (masked && (own_query + column >= piece.length || !meets(p, own_query + column, first + e / 2 * 8 + lane_index() / 4))) weight = gradient = 0;
            }
          C::add_products(of_values, weights, douts);
          C::add_products(of_keys, gradients, queries);
        }
        wait_copies_but<0>();
        if (all_steps == 0) block_barrier();  // keys and values have arrived
        const f32 by_scale[2] = {scale, scale}, by_one[2] = {1, 1};
        C::store_tile(p.dk, p, piece.at(p.dk_strides, kv_head) + first * p.dk_strides.token, p.dk_strides.token, piece.count - row, keys, row, of_keys,
                      by_scale);
        C::store_tile(p.dv, p, piece.at(p.dv_strides, kv_head) + first * p.dv_strides.token, p.dv_strides.token, piece.count - row, values, row, of_values,
                      by_one);
      }
    }
}

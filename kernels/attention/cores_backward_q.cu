// Computes: dq of attention_backward, include/adjoint/ops/attention.h, on tensor cores, and delta, the sum of dout out of each query. README.md defines the
// words. Work split: a block of four warps has a tile of queries of a head; a warp has 16 of them. Blocks stride over tiles, and over heads in the grid's
// second dimension. Memory: queries and their dout stay in shared memory. Keys and values of the next step are copied while this step is computed. Order of
// additions: along head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Gradients of scores are
// rounded to T before they multiply keys. Limits: head_dim up to ADJ_DIM; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVector = C::kVector, kVectors = C::kVectors;
constexpr int kTile = kAttentionCoresTile, kStep = attention_step(kDim), kN = kStep / 8;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, 2) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const queries = reinterpret_cast<Words4*>(memory), *const douts = queries + kTile * kVectors, *const stages = douts + kTile * kVectors;
  const f32 scale = static_cast<f32>(p.scale), scale2 = scale * kLog2E;
  const int row = warp_index() * 16;
#pragma unroll 1
  for (int head = static_cast<int>(block_index_y()); head < p.heads; head += static_cast<int>(grid_blocks_y()))
#pragma unroll 1
    for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
      Pieces piece(p, item, kTile);
#pragma unroll 1
      while (piece.next()) {
        const int first = piece.begin + row;  // first query of the warp
        const int start = first_key(p, piece.begin, kStep), end = end_key(p, piece.begin + piece.count, piece.length);
        const auto copy_step = [&](int key) {
          Words4* const stage = stages + (key / kStep & 1) * (2 * kStep * kVectors);
          C::copy_tile<kStep>(stage, p, p.k, piece.at(p.k_strides, head / p.group) + key * p.k_strides.token, p.k_strides.token, piece.length - key);
          C::copy_tile<kStep>(stage + kStep * kVectors, p, p.v, piece.at(p.v_strides, head / p.group) + key * p.v_strides.token, p.v_strides.token,
                              piece.length - key);
        };
        block_barrier();
        C::copy_tile<kTile>(queries, p, p.q, piece.at(p.q_strides, head) + piece.begin * p.q_strides.token, p.q_strides.token, piece.count);
        C::copy_tile<kTile>(douts, p, p.dout, piece.at(p.dout_strides, head) + piece.begin * p.dout_strides.token, p.dout_strides.token, piece.count);
        if (start < end) copy_step(start);
        close_copies();
        wait_copies_but<0>();
        block_barrier();

        // Two lanes share a row: rows lane / 2, and a half of the vectors each.
        f32 delta = 0, base = 0;
        if (const int own = row + lane_index() / 2; own < piece.count) {
          const i64 out_at = piece.at(p.out_strides, head) + (piece.begin + own) * p.out_strides.token;
#pragma unroll 1
          for (int vector = lane_index() % 2; vector * kVector < p.dim; vector += 2) {
            f32 x[kVector], y[kVector];
            widen<T>(douts[C::vector_at(own, vector)], x);
            widen<T>(load_vector<T>(p.out_in, out_at + vector * kVector, min_of(p.dim - vector * kVector, int{kVector}), ADJ_ALIGNED != 0), y);
#pragma unroll
            for (int e = 0; e < kVector; ++e) delta = fused_multiply_add(x[e], y[e], delta);
          }
        }
        delta += shuffle_xor(delta, 1);
        if (const int own = row + lane_index() / 2; own < piece.count) {
          const i64 at = piece.row_at(head) + piece.begin + own;
          base = static_cast<const f32*>(p.lse_in)[at] * kLog2E;
          if (lane_index() % 2 == 0) static_cast<f32*>(p.delta)[at] = delta;
        }
        f32 deltas[2], bases[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          deltas[half] = shuffle(delta, (half * 8 + lane_index() / 4) * 2);
          bases[half] = shuffle(base, (half * 8 + lane_index() / 4) * 2);
        }

        Sums<kDim / 8> sum;
        sum.clear();
#pragma unroll 1
        for (int key = start; key < end; key += kStep) {
          wait_copies_but<0>();
          block_barrier();  // the step has arrived, and every warp is done with the one before
          if (key + kStep < end) copy_step(key + kStep);
          close_copies();
          if (p.causal && key >= first + 16) continue;  // no query of the warp meets a key of the step
          const Words4 *const keys = stages + (key / kStep & 1) * (2 * kStep * kVectors), *const values = keys + kStep * kVectors;
          Sums<kN> weights, gradients;
          C::multiply_tiles(weights, queries, row, keys);
          C::multiply_tiles(gradients, douts, row, values);
          const bool masked = key + kStep > piece.length || (p.causal && key + kStep > first) || (p.window >= 0 && key < first + 15 - p.window);
#pragma unroll
          for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
              const int column = key + n * 8 + lane_index() % 4 * 2 + e % 2;
              f32& gradient = gradients.at[n][e];
              gradient = exp2_approximate(weights.at[n][e] * scale2 - bases[e / 2]) * (gradient - deltas[e / 2]);
              if (masked && (column >= piece.length || !meets(p, first + e / 2 * 8 + lane_index() / 4, column))) gradient = 0;
            }
          C::add_products(sum, gradients, keys);
        }
        wait_copies_but<0>();
        const f32 factor[2] = {scale, scale};
        C::store_tile(p.dq, p, piece.at(p.dq_strides, head) + first * p.dq_strides.token, p.dq_strides.token, piece.count - row, queries, row, sum, factor);
      }
    }
}

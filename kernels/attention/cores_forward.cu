// Computes: out and lse of attention_forward, include/adjoint/ops/attention.h, on tensor cores, after FlashAttention-2. README.md defines the words.
// Work split: a block of four warps has a tile of queries of a head; a warp has 16 of them. Blocks stride over tiles, and over heads in the grid's second
// dimension.
// Memory: queries stay in shared memory. Values of a step are copied while its scores are computed, keys of the next one while values are added.
// Order of additions: along head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Weights are
// rounded to T before they multiply values; their sum is not. Limits: head_dim up to ADJ_DIM; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVectors = C::kVectors;
constexpr int kTile = kAttentionCoresTile, kStep = attention_step(kDim), kN = kStep / 8;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, 2) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const queries = reinterpret_cast<Words4*>(memory), *const keys = queries + kTile * kVectors, *const values = keys + kStep * kVectors;
  const f32 scale = static_cast<f32>(p.scale) * kLog2E, lowest = -Limits<f32>::infinity();
  const int row = warp_index() * 16;
#pragma unroll 1
  for (int head = static_cast<int>(block_index_y()); head < p.heads; head += static_cast<int>(grid_blocks_y()))
#pragma unroll 1
    for (i64 item = block_index(); item < p.items; item += grid_blocks()) {
      Pieces piece(p, item, kTile);
#pragma unroll 1
      while (piece.next()) {
        const int first = piece.begin + row;  // first query of the warp
        const i64 k_at = piece.at(p.k_strides, head / p.group), v_at = piece.at(p.v_strides, head / p.group);
        const int start = first_key(p, piece.begin, kStep), end = end_key(p, piece.begin + piece.count, piece.length);
        block_barrier();
        C::copy_tile<kTile>(queries, p, p.q, piece.at(p.q_strides, head) + piece.begin * p.q_strides.token, p.q_strides.token, piece.count);
        if (start < end) C::copy_tile<kStep>(keys, p, p.k, k_at + start * p.k_strides.token, p.k_strides.token, piece.length - start);
        close_copies();
        Sums<kDim / 8> sum;
        sum.clear();
        f32 top[2] = {lowest, lowest}, total[2] = {0, 0};
#pragma unroll 1
        for (int key = start; key < end; key += kStep) {
          // A warp whose queries meet no key of the step would add zeros.
          const bool active = !p.causal || key < first + 16;
          Sums<kN> weights;
          wait_copies_but<0>();
          block_barrier();  // keys have arrived, and every warp has added the values before
          C::copy_tile<kStep>(values, p, p.v, v_at + key * p.v_strides.token, p.v_strides.token, piece.length - key);
          close_copies();
          if (active) {
            C::multiply_tiles(weights, queries, row, keys);
            const bool masked = key + kStep > piece.length || (p.causal && key + kStep > first) || (p.window >= 0 && key < first + 15 - p.window);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              f32 highest = top[half];
#pragma unroll
              for (int n = 0; n < kN; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                  f32& score = weights.at[n][half * 2 + e];
                  score *= scale;
                  const int column = key + n * 8 + lane_index() % 4 * 2 + e;
                  if (masked && (column >= piece.length || !meets(p, first + half * 8 + lane_index() / 4, column))) score = lowest;
                  highest = max_number(highest, score);
                }
              highest = max_number(highest, shuffle_xor(highest, 1));
              highest = max_number(highest, shuffle_xor(highest, 2));
              const f32 base = highest == lowest ? 0.0f : highest, correction = exp2_approximate(top[half] - base);
              top[half] = highest;
              total[half] *= correction;
#pragma unroll
              for (int n = 0; n < kN; ++n)
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                  f32& weight = weights.at[n][half * 2 + e];
                  weight = exp2_approximate(weight - base);
                  total[half] += weight;
                }
#pragma unroll
              for (int n = 0; n < kDim / 8; ++n) sum.at[n][half * 2] *= correction, sum.at[n][half * 2 + 1] *= correction;
            }
          }
          wait_copies_but<0>();
          block_barrier();  // values have arrived, and every warp has multiplied the keys
          if (key + kStep < end) C::copy_tile<kStep>(keys, p, p.k, k_at + (key + kStep) * p.k_strides.token, p.k_strides.token, piece.length - key - kStep);
          close_copies();
          if (active) C::add_products(sum, weights, values);
        }
        wait_copies_but<0>();
        if (start >= end) block_barrier();  // the queries have arrived

        f32 factor[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          f32 all = total[half];
          all += shuffle_xor(all, 1);
          all += shuffle_xor(all, 2);
          factor[half] = piece.length > 0 ? 1.0f / all : 1.0f;
          const int own = row + half * 8 + lane_index() / 4;
          if (own < piece.count && lane_index() % 4 == 0) static_cast<f32*>(p.lse)[piece.row_at(head) + piece.begin + own] = top[half] * kLn2 + exact_log(all);
        }
        C::store_tile(p.out, p, piece.at(p.out_strides, head) + first * p.out_strides.token, p.out_strides.token, piece.count - row, queries, row, sum, factor);
      }
    }
}

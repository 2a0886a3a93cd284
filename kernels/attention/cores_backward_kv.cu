// Computes: dk and dv of attention_backward, include/adjoint/ops/attention.h, on tensor cores. README.md defines the words.
// Work split: a block of four warps has a tile of keys of a head of k and v; a warp has a quarter of them. Blocks stride over the tiles of a head.
// Memory: keys and values stay in shared memory. Queries and their dout of the next step are copied while this step is computed.
// Order of additions: along head_dim; along the heads of the group and the queries of a head from the first one of a sequence on, sixteen at a time in the
// order of the hardware. Weights, those of f16 times 2^15, and gradients of scores are rounded to T before they multiply.
// Limits: head_dim up to ADJ_DIM; the plan checks it. The program of dq has written delta.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVectors = C::kVectors;
constexpr AttentionTile kShape = attention_kv_tile(kDim);
constexpr int kM = kShape.fragments, kRows = 16 * kM, kTile = kShape.rows(), kStep = kShape.step, kN = kStep / 8;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, kShape.blocks) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<false>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const keys = reinterpret_cast<Words4*>(memory), *const values = keys + kTile * kVectors, *const stages = values + kTile * kVectors;
  f32* const rows = reinterpret_cast<f32*>(stages + 4 * kStep * kVectors);  // lse and delta of the queries of each stage
  const int row = warp_index() * kRows;
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile); more; more = walk->next(p, kTile)) {
    const int start = first_query(p, piece.begin, kStep), end = end_query(p, piece.begin + piece.count, piece.length);
    int stage = 0;
    // Begins to copy a step of the head `next` of the group into a stage.
    const auto copy_step = [&](int next, int query, int to_stage) {
      Words4* const to = stages + to_stage * (2 * kStep * kVectors);
      const int head = walk->head * p.group + next, count = piece.length - query;
      C::template copy_tile<kStep>(to, p, p.q, piece.at(p.q_strides, head) + query * p.q_strides.token, p.q_strides.token, count);
      C::template copy_tile<kStep>(to + kStep * kVectors, p, p.dout, piece.at(p.dout_strides, head) + query * p.dout_strides.token, p.dout_strides.token,
                                   count);
      if (const int own = opaque(thread_index()); own < kStep) {
        const i64 at = piece.row_at(p, head) + query + own;
        f32* const place = rows + to_stage * (2 * kStep) + own;
        if (own < count) {
          copy_to_shared(place, static_cast<const f32*>(p.lse_in) + at);
          copy_to_shared(place + kStep, static_cast<const f32*>(p.delta) + at);
        } else {
          place[0] = place[kStep] = 0;
        }
      }
      close_copies();
    };
    C::template copy_tile<kTile>(keys, p, p.k, piece.at(p.k_strides, walk->head) + piece.begin * p.k_strides.token, p.k_strides.token, piece.count);
    C::template copy_tile<kTile>(values, p, p.v, piece.at(p.v_strides, walk->head) + piece.begin * p.v_strides.token, p.v_strides.token, piece.count);
    if (start < end) copy_step(0, start, 0);
    close_copies();
    Sums<kM, kDim / 8> of_keys, of_values;
    of_keys.clear();
    of_values.clear();
#pragma unroll 1
    for (int member = 0; member < p.group; ++member)
#pragma unroll 1
      for (int query = start; query < end; query += min_of(kStep, end - query), stage ^= 1) {
        wait_copies_but<0>();
        block_barrier();  // the step has arrived, and every warp is done with the one before
        if (end - query > kStep) copy_step(member, query + kStep, stage ^ 1);
        else if (member + 1 < p.group) copy_step(member + 1, start, stage ^ 1);
        const Words4 *const queries = stages + stage * (2 * kStep * kVectors), *const douts = queries + kStep * kVectors;
        const f32* const own_rows = rows + stage * (2 * kStep);
        const Band band = Band::of<false>(p, i64{piece.begin} + row - query, piece.length - query);
        if (band.apart(kRows, kStep)) continue;  // zeros would be added
        const int lane = opaque(lane_index());
        Sums<kM, kN> weights, gradients;
        weights.clear();
#pragma unroll
        for (int n = 0; n < kN; ++n)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const f32 delta = own_rows[kStep + sums_column(n, e, lane)];
#pragma unroll
            for (int m = 0; m < kM; ++m) gradients.at[m][n][e] = gradients.at[m][n][e + 2] = -delta;
          }
        C::multiply_tiles(weights, keys, row, queries);
        C::multiply_tiles(gradients, values, row, douts);
#pragma unroll
        for (int n = 0; n < kN; ++n)
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const f32 base = fused_multiply_add(own_rows[sums_column(n, e, lane)], kLog2E, -kLift<T>);
#pragma unroll
            for (int m = 0; m < kM; ++m)
#pragma unroll
              for (int half = 0; half < 4; half += 2) {
                f32& weight = weights.at[m][n][half + e];
                const f32 exponent = fused_multiply_add(weight, p.scale2, -base);
                // At most kLift, but for what rounding loses of a large base: a lifted weight must not become infinite in f16 by that.
                weight = exp2_approximate(kLift<T> > 0 && exponent > kLift<T> ? kLift<T> : exponent);
                f32& gradient = gradients.at[m][n][half + e];
                gradient = gradient * weight * kUnlift<T>;
              }
          }
        if (band.cuts(kRows, kStep))
          for_scores<kM, kN>(band, kStep, lane, [&](int m, int n, int e, bool met) {
            weights.at[m][n][e] = met ? weights.at[m][n][e] : 0.0f;
            gradients.at[m][n][e] = met ? gradients.at[m][n][e] : 0.0f;
          });
        C::add_products(of_values, weights, douts);
        C::add_products(of_keys, gradients, queries);
      }
    wait_copies_but<0>();
    block_barrier();  // where there was no step, keys and values have arrived now
    f32 by_scale[kM][2], unlifted[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m) by_scale[m][0] = by_scale[m][1] = static_cast<f32>(p.scale), unlifted[m][0] = unlifted[m][1] = kUnlift<T>;
    const i64 first = i64{piece.begin} + row;
    C::store_tile(p.dk, p, piece.at(p.dk_strides, walk->head) + first * p.dk_strides.token, p.dk_strides.token, piece.count - row, keys, row, of_keys,
                  by_scale);
    C::store_tile(p.dv, p, piece.at(p.dv_strides, walk->head) + first * p.dv_strides.token, p.dv_strides.token, piece.count - row, values, row, of_values,
                  unlifted);
  }
}

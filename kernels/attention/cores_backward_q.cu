// Computes: dq of attention_backward, include/adjoint/ops/attention.h, on tensor cores, and delta, the sum of dout out of each query. README.md defines the
// words.
// Work split: a block of four warps has a tile of queries of a head; a warp has a quarter of them. Blocks stride over the tiles of a head.
// Memory: queries and their dout stay in shared memory. Keys and values of the next step are copied while this step is computed.
// Order of additions: along head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Gradients of
// scores are rounded to T before they multiply keys. Limits: head_dim up to ADJ_DIM; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVector = C::kVector, kVectors = C::kVectors;
constexpr AttentionTile kShape = attention_q_tile(kDim);
constexpr int kM = kShape.fragments, kRows = 16 * kM, kTile = kShape.rows(), kStep = kShape.step, kN = kStep / 8;

// Where rows begin anywhere, more registers are needed than three blocks leave.
constexpr int kBlocks = ADJ_ALIGNED ? kShape.blocks : 2;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<true>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const queries = reinterpret_cast<Words4*>(memory), *const douts = queries + kTile * kVectors, *const stages = douts + kTile * kVectors;
  f32* const rows = reinterpret_cast<f32*>(stages + 4 * kStep * kVectors);  // lse, in base 2, of the tile's queries
  const int row = warp_index() * kRows;
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile); more; more = walk->next(p, kTile)) {
    const int start = first_key(p, piece.begin, kStep), end = end_key(p, piece.begin + piece.count, piece.length);
    const auto stage_of = [&](int key) { return stages + key / kStep % 2 * (2 * kStep * kVectors); };
    const auto copy_step = [&](int key) { C::template copy_keys<kStep>(stage_of(key), p, *walk, key); };
    C::template copy_tile<kTile>(queries, p, p.q, piece.at(p.q_strides, walk->head) + piece.begin * p.q_strides.token, p.q_strides.token, piece.count);
    C::template copy_tile<kTile>(douts, p, p.dout, piece.at(p.dout_strides, walk->head) + piece.begin * p.dout_strides.token, p.dout_strides.token,
                                 piece.count);
    if (start < end) copy_step(start);
    close_copies();
    // Four lanes share a row of out, and a quarter of its vectors each.
    Words4 outs[kRows / 8][kVectors / 4];
    const int own_row = row + opaque(lane_index()) / 4, own_vector = opaque(lane_index()) % 4;
#pragma unroll
    for (int part = 0; part < kRows / 8; ++part)
#pragma unroll
      for (int k = 0; k < kVectors / 4; ++k) {
        const int own = own_row + part * 8, vector = own_vector + k * 4;
        const i64 at = piece.at(p.out_strides, walk->head) + (i64{piece.begin} + own) * p.out_strides.token + vector * kVector;
        outs[part][k] = {0, 0, 0, 0};
        if (own < piece.count && vector * kVector < p.dim)
          outs[part][k] = load_vector<T>(p.out_in, at, min_of(p.dim - vector * kVector, int{kVector}), ADJ_ALIGNED != 0);
      }
    wait_copies_but<0>();
    block_barrier();
    // Delta of a row of the warp: four lanes share the rows lane / 4 + part * 8, and the lane with own_vector = part keeps that of one. They need them again in
    // the scores, whose rows they have in the same way (sums_row).
    f32 own_delta = 0;
    static_assert(kRows / 8 == 4);
#pragma unroll
    for (int part = 0; part < kRows / 8; ++part) {
      f32 delta = 0;
#pragma unroll
      for (int k = 0; k < kVectors / 4; ++k) {
        f32 x[kVector], y[kVector];
        widen<T>(douts[C::vector_at(own_row + part * 8, own_vector + k * 4)], x);
        widen<T>(outs[part][k], y);
#pragma unroll
        for (int e = 0; e < kVector; ++e) delta = fused_multiply_add(x[e], y[e], delta);
      }
      delta += shuffle_xor(delta, 1);
      delta += shuffle_xor(delta, 2);
      if (own_vector == part) own_delta = delta;
      if (own_vector != 0) continue;
      const int own = own_row + part * 8;
      const i64 at = piece.row_at(p, walk->head) + piece.begin + own;
      rows[own] = own < piece.count ? static_cast<const f32*>(p.lse_in)[at] * kLog2E : 0.0f;
      if (own < piece.count) static_cast<f32*>(p.delta)[at] = delta;
    }
    warp_barrier();

    Sums<kM, kDim / 8> sum;
    sum.clear();
#pragma unroll 1
    for (int key = start; key < end; key += min_of(kStep, end - key)) {
      wait_copies_but<0>();
      block_barrier();  // the step has arrived, and every warp is done with the one before
      if (end - key > kStep) copy_step(key + kStep);
      close_copies();
      const Words4 *const keys = stage_of(key), *const values = keys + kStep * kVectors;
      const Band band = Band::of<true>(p, i64{piece.begin} + row - key, piece.length - key);
      if (band.apart(kRows, kStep)) continue;  // zeros would be added
      Sums<kM, kN> weights, gradients;
      weights.clear();
      const int lane = opaque(lane_index());
#pragma unroll
      for (int m = 0; m < kM; ++m)
#pragma unroll
        for (int e = 0; e < 4; e += 2) {
          const f32 delta = shuffle(own_delta, lane / 4 * 4 + m * 2 + e / 2);
#pragma unroll
          for (int n = 0; n < kN; ++n) gradients.at[m][n][e] = gradients.at[m][n][e + 1] = -delta;
        }
      C::multiply_tiles(weights, queries, row, keys);
      C::multiply_tiles(gradients, douts, row, values);
#pragma unroll
      for (int m = 0; m < kM; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const f32 base = rows[row + sums_row(m, half * 2, lane)];
#pragma unroll
          for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = half * 2; e < half * 2 + 2; ++e) gradients.at[m][n][e] *= exp2_approximate(fused_multiply_add(weights.at[m][n][e], p.scale2, -base));
        }
      if (band.cuts(kRows, kStep))
        for_scores<kM, kN>(band, kStep, lane, [&](int m, int n, int e, bool met) { gradients.at[m][n][e] = met ? gradients.at[m][n][e] : 0.0f; });
      C::add_products(sum, gradients, keys);
    }
    wait_copies_but<0>();
    f32 factor[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m) factor[m][0] = factor[m][1] = static_cast<f32>(p.scale);
    C::store_tile(p.dq, p, piece.at(p.dq_strides, walk->head) + (i64{piece.begin} + row) * p.dq_strides.token, p.dq_strides.token, piece.count - row, queries,
                  row, sum, factor);
  }
}

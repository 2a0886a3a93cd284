// Computes: out and lse of attention_forward, include/adjoint/ops/attention.h, on tensor cores, after FlashAttention-2. README.md defines the words.
// Work split: a block of four warps has a tile of queries of a head; a warp has a quarter of them. Blocks stride over the tiles of a head.
// Memory: queries stay in shared memory. Keys and values of the next step are copied while this step is computed.
// Order of additions: along head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Weights are
// rounded to T, those of f16 times 2^15, before they multiply values; their sum is not. Limits: head_dim up to ADJ_DIM; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile; ADJ_ALIGNED 1 where every row begins at a multiple of 16 bytes and has whole vectors, 0: anywhere.
#include "attention/cores.cuh"

typedef ADJ_T T;
typedef Cores<T, ADJ_DIM, ADJ_ALIGNED != 0> C;
constexpr int kDim = ADJ_DIM, kVectors = C::kVectors;
constexpr AttentionTile kShape = attention_forward_tile(kDim);
constexpr int kM = kShape.fragments, kRows = 16 * kM, kTile = kShape.rows(), kStep = kShape.step, kN = kStep / 8;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, kShape.blocks) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<true>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  Words4 *const queries = reinterpret_cast<Words4*>(memory), *const stages = queries + kTile * kVectors;
  const f32 lowest = -Limits<f32>::infinity();
  // What exponents of a row are counted from. No weight is above 2^kLift: what rounding may have lost of the base is added.
  const auto base_of = [&](f32 highest) {
    const f32 base = fused_multiply_add(highest == lowest ? 0.0f : highest, p.scale2, -kLift<T>);
    return kLift<T> > 0 ? fused_multiply_add(max_number(base, -base), 0x1p-23f, base) : base;
  };
  const int row = warp_index() * kRows;
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile); more; more = walk->next(p, kTile)) {
    const int start = first_key(p, piece.begin, kStep), end = end_key(p, piece.begin + piece.count, piece.length);
    const auto stage_of = [&](int key) { return stages + key / kStep % 2 * (2 * kStep * kVectors); };
    const auto copy_step = [&](int key) { C::template copy_keys<kStep>(stage_of(key), p, *walk, key); };
    C::template copy_tile<kTile>(queries, p, p.q, piece.at(p.q_strides, walk->head) + piece.begin * p.q_strides.token, p.q_strides.token, piece.count);
    if (start < end) copy_step(start);
    close_copies();
    Sums<kM, kDim / 8> sum;
    sum.clear();
    f32 top[kM][2], total[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m) top[m][0] = top[m][1] = lowest, total[m][0] = total[m][1] = 0;
#pragma unroll 1
    for (int key = start; key < end; key += min_of(kStep, end - key)) {
      wait_copies_but<0>();
      block_barrier();  // the step has arrived, and every warp is done with the one before
      if (end - key > kStep) copy_step(key + kStep);
      close_copies();
      const Words4 *const keys = stage_of(key), *const values = keys + kStep * kVectors;
      const Band band = Band::of<true>(p, i64{piece.begin} + row - key, piece.length - key);
      if (band.apart(kRows, kStep)) continue;  // zeros would be added
      Sums<kM, kN> weights;
      weights.clear();
      C::multiply_tiles(weights, queries, row, keys);
      if (p.scale < 0 || band.cuts(kRows, kStep)) {
        for_scores<kM, kN>(band, kStep, opaque(lane_index()), [&](int m, int n, int e, bool met) {
          f32& weight = weights.at[m][n][e];
          weight = !met ? lowest : p.scale < 0 ? -weight : weight;
        });
      }
#pragma unroll
      for (int m = 0; m < kM; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          f32 highest = top[m][half];
#pragma unroll
          for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = half * 2; e < half * 2 + 2; ++e) highest = max_number(highest, weights.at[m][n][e]);
          highest = max_number(highest, shuffle_xor(highest, 1));
          highest = max_number(highest, shuffle_xor(highest, 2));
          const f32 from = highest == lowest ? 0.0f : highest, base = base_of(highest);
          const f32 correction = exp2_approximate((top[m][half] - from) * p.scale2);  // exactly 1 where the highest score stays
          top[m][half] = highest;
          total[m][half] *= correction;
#pragma unroll
          for (int n = 0; n < kN; ++n)
#pragma unroll
            for (int e = half * 2; e < half * 2 + 2; ++e) {
              f32& weight = weights.at[m][n][e];
              weight = exp2_approximate(fused_multiply_add(weight, p.scale2, -base));
              total[m][half] += weight;
            }
#pragma unroll
          for (int n = 0; n < kDim / 8; ++n) sum.at[m][n][half * 2] *= correction, sum.at[m][n][half * 2 + 1] *= correction;
        }
      C::add_products(sum, weights, values);
    }
    wait_copies_but<0>();
    block_barrier();  // where there was no step, the queries have arrived now

    const int lane = opaque(lane_index());
    f32 factor[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        f32 all = total[m][half];
        all += shuffle_xor(all, 1);
        all += shuffle_xor(all, 2);
        factor[m][half] = piece.length > 0 ? 1.0f / all : 1.0f;
        const int own = row + sums_row(m, half * 2, lane);
        if (own < piece.count && lane % 4 == 0)
          static_cast<f32*>(p.lse)[piece.row_at(p, walk->head) + piece.begin + own] = base_of(top[m][half]) * kLn2 + exact_log(all);
      }
    C::store_tile(p.out, p, piece.at(p.out_strides, walk->head) + (i64{piece.begin} + row) * p.out_strides.token, p.out_strides.token, piece.count - row,
                  queries, row, sum, factor);
  }
}

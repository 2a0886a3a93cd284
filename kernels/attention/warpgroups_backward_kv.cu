// Computes: dk and dv of attention_backward, include/adjoint/ops/attention.h, on the tensor cores of sm_90a. README.md defines the words.
// Work split: a block has a tile of keys of a head of k and v, and goes on to tiles a grid apart. One warp begins the copies; two warpgroups have half of the
// tile each.
// Memory: keys, values, queries and their dout are copied through tensor maps into shared memory. Results are stored from registers.
// Order of additions: along head_dim; along the heads of the group and the queries of a head from the first one of a sequence on, sixteen at a time in the
// order of the hardware. Weights, those of f16 times 2^15, and gradients of scores are rounded to T before they multiply.
// Limits: head_dim up to ADJ_DIM; every row begins at a multiple of 16 bytes and has whole vectors. The plan checks them. The program of dq has written delta.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile.
#include "attention/warpgroups.cuh"

typedef ADJ_T T;
constexpr int kDim = ADJ_DIM, kStep = kAttentionKvStep, kStages = kAttentionStages;
typedef SharedRows<T, kDim, kTile> Tile;
typedef SharedRows<T, kDim, kStep> Step;

// Of the queries of a step, for which consumers have no registers.
struct Numbers {
  f32 lse[kStep], delta[kStep];
  int first;
};
struct Shared {
  Tile keys, values;
  Step queries[kStages], douts[kStages];
  Numbers numbers[kStages];
  TileQueue<false> queue;
  Pipeline<kStages> steps;
};
static_assert(sizeof(Shared) + 1024 <= attention_group_shared(kDim, 2 * kTile, 2 * kStep));

__device__ __forceinline__ void produce(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  Position<1> tile;
  Position<kStages> at;
#pragma unroll 1
  for (;; tile.advance()) {
    const BlockPieces<false>& own = next_piece(shared.queue, tile, p);
    const Pieces& piece = own.piece;
    if (lane_index() == 0) {
      Barrier& full = shared.queue.pipeline.full[0];
      full.arrive_and_expect(own.more ? 2 * sizeof(Tile) : 0);
      if (own.more) {
        shared.keys.copy(all.k, full, piece.first + piece.begin, own.head, piece.sequence);
        shared.values.copy(all.v, full, piece.first + piece.begin, own.head, piece.sequence);
      }
    }
    if (!own.more) return;
    const int end = end_query(p, piece.begin + piece.count, piece.length);
#pragma unroll 1
    for (int head = own.head * p.group, left_heads = p.group; left_heads > 0; ++head, --left_heads)
#pragma unroll 1
      for (int query = first_query(p, piece.begin, kStep); query < end; query += min_of(kStep, end - query), at.advance()) {
        const int left = piece.length - query;
        Barrier& full = shared.steps.full[at.stage];
        wait_free(shared.steps, at);
        copy_rows<true>(shared.queries[at.stage], full, p, piece, all.q, p.q, p.q_strides, head, query, left);
        copy_rows<true>(shared.douts[at.stage], full, p, piece, all.dout, p.dout, p.dout_strides, head, query, left);
        const i64 from = piece.row_at(p, head) + query;
        Numbers& numbers = shared.numbers[at.stage];
#pragma unroll 1
        for (int row = lane_index(); row < kStep; row += kWarp) {
          numbers.lse[row] = row < left ? static_cast<const f32*>(p.lse_in)[from + row] : 0.0f;
          numbers.delta[row] = row < left ? static_cast<const f32*>(p.delta)[from + row] : 0.0f;
        }
        if (lane_index() == 0) numbers.first = query;
        warp_barrier();
        if (lane_index() == 0) full.arrive();
      }
  }
}

__device__ __forceinline__ void consume(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  const int warp = warp_index() - kGroupWarps, row = warp * kWarpRows, group_row = warp / kGroupWarps * kAttentionGroupRows;
  Position<1> tile;
  Position<kStages> at;
  WarpgroupSums<T, kStep> weights, gradients;
  WarpgroupSums<T, kDim> of_keys, of_values;
  Weights<T, kStep> rounded_weights, rounded_gradients;
#pragma unroll 1
  for (;; tile.advance()) {
    tile.wait_full(shared.queue.pipeline);
    const BlockPieces<false>& block = shared.queue.pieces[tile.turn % 2];
    if (!block.more) return;
    const Pieces& piece = block.piece;
    of_keys.clear();
    of_values.clear();
    const int left = end_query(p, piece.begin + piece.count, piece.length) - first_query(p, piece.begin, kStep);
#pragma unroll 1
    for (int steps = left > 0 ? p.group * ((left - 1) / kStep + 1) : 0; steps > 0; --steps, at.advance()) {  // 2^31 would have queries of 2 TB
      at.wait_full(shared.steps);
      const Numbers& numbers = shared.numbers[at.stage];
      const auto band_of = [&](int own) { return Band::of<false>(p, i64{piece.begin} + own - numbers.first, piece.length - numbers.first); };
      if (group_row >= piece.count || band_of(group_row).apart(kAttentionGroupRows, kStep)) {
        release(shared.steps, at.stage);  // zeros would be added
        continue;
      }
      const Step &queries = shared.queries[at.stage], &douts = shared.douts[at.stage];
      weights.discard();
      begin_scores(weights, shared.keys, group_row, queries);
      gradients.discard();
      begin_scores(gradients, shared.values, group_row, douts);
      weights.template wait_but<1, true>();
      const int lane = opaque(lane_index());
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const f32 base = fused_multiply_add(numbers.lse[sums_column(n, e, lane)], kLog2E, -kLift<T>);
#pragma unroll
          for (int half = 0; half < 4; half += 2) {
            f32& weight = weights.c[n][half + e];
            const f32 exponent = fused_multiply_add(weight, p.scale2, -base);
              // At most kLift, but for what rounding loses of a large base: a lifted weight must not become infinite in f16 by that.
            weight = exp2_approximate(kLift<T> > 0 && exponent > kLift<T> ? kLift<T> : exponent);
          }
        }
      const Band band = band_of(row);
      const bool cuts = band.cuts(kWarpRows, kStep);
      if (cuts) for_scores<1, kStep / 8>(band, kStep, lane, [&](int, int n, int e, bool met) { weights.c[n][e] = met ? weights.c[n][e] : 0.0f; });
      rounded_weights.take(weights.c);
      begin_products(of_values, rounded_weights, douts);
      gradients.template wait_but<1, true>();
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          f32& gradient = gradients.c[n][e];
          gradient = (gradient - numbers.delta[sums_column(n, e, lane)]) * weights.c[n][e] * kUnlift<T>;
        }
      if (cuts) for_scores<1, kStep / 8>(band, kStep, lane, [&](int, int n, int e, bool met) { gradients.c[n][e] = met ? gradients.c[n][e] : 0.0f; });
      rounded_gradients.take(gradients.c);
      begin_products(of_keys, rounded_gradients, queries);
      of_values.template wait_but<0>();
      of_keys.template wait_but<0>();
      release(shared.steps, at.stage);
    }
    release(shared.queue.pipeline, 0);  // keys and values; the place of the piece stays until the next tile is released
    const f32 scale = static_cast<f32>(p.scale), by_scale[2] = {scale, scale}, unlifted[2] = {kUnlift<T>, kUnlift<T>};
    const i64 first = i64{piece.begin} + row;
    store_rows(p.dk, p, piece.at(p.dk_strides, block.head) + first * p.dk_strides.token, p.dk_strides.token, piece.count - row, of_keys, by_scale);
    store_rows(p.dv, p, piece.at(p.dv_strides, block.head) + first * p.dv_strides.token, p.dv_strides.token, piece.count - row, of_values, unlifted);
  }
}

extern "C" __global__ void __launch_bounds__(kAttentionGroupThreads, 1) ADJ_ENTRY(const __grid_constant__ AttentionGroupParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& shared = *reinterpret_cast<Shared*>(align_shared(memory, 1024));
  if (thread_index() == 0) {
    prefetch_map(p.k);
    prefetch_map(p.v);
    prefetch_map(p.q);
    prefetch_map(p.dout);
    shared.queue.pipeline.init(kConsumerWarps);
    shared.steps.init(kConsumerWarps, 3);  // queries, their dout, and the numbers
  }
  block_barrier();
  if (warp_index() < kGroupWarps) {
    give_registers<kProducerRegisters>();
    if (warp_index() == 0) produce(p, shared);
  } else {
    take_registers<kConsumerRegisters>();
    consume(p, shared);
  }
}

// Computes: dq of attention_backward, include/adjoint/ops/attention.h, on the tensor cores of sm_90a, and delta, the sum of dout out of each query. README.md
// defines the words.
// Work split: a block has a tile of queries of a head, and goes on to tiles a grid apart. One warp begins the copies; two warpgroups have half of the tile
// each. Memory: queries, their dout, keys and values are copied through tensor maps into shared memory. Results are stored from registers. Order of additions:
// along head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Gradients of scores are rounded to T
// before they multiply keys. Limits: head_dim up to ADJ_DIM; every row begins at a multiple of 16 bytes and has whole vectors. The plan checks them.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile.
#include "attention/warpgroups.cuh"

typedef ADJ_T T;
constexpr int kDim = ADJ_DIM, kStep = attention_q_step(kDim), kStages = kAttentionStages;
typedef SharedRows<T, kDim, kTile> Tile;
typedef SharedRows<T, kDim, kStep> Step;

struct Shared {
  Tile queries, douts;
  Step keys[kStages], values[kStages];
  TileQueue<true> queue;
  Pipeline<kStages> steps;
};
static_assert(sizeof(Shared) + 1024 <= attention_group_shared(kDim, 2 * kTile, 2 * kStep));

__device__ __forceinline__ void produce(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  Position<1> tile;
  Position<kStages> at;
#pragma unroll 1
  for (;; tile.advance()) {
    const BlockPieces<true>& own = next_piece(shared.queue, tile, p);
    const Pieces& piece = own.piece;
    if (lane_index() == 0) {
      Barrier& full = shared.queue.pipeline.full[0];
      full.arrive_and_expect(own.more ? 2 * sizeof(Tile) : 0);
      if (own.more) {
        shared.queries.copy(all.q, full, piece.first + piece.begin, own.head, piece.sequence);
        shared.douts.copy(all.dout, full, piece.first + piece.begin, own.head, piece.sequence);
      }
    }
    if (!own.more) return;
    const int end = end_key(p, piece.begin + piece.count, piece.length);
#pragma unroll 1
    for (int key = first_key(p, piece.begin, kStep); key < end; key += min_of(kStep, end - key), at.advance()) {
      Barrier& full = shared.steps.full[at.stage];
      wait_free(shared.steps, at);
      copy_rows<true>(shared.keys[at.stage], full, p, piece, all.k, p.k, p.k_strides, own.kv_head, key, piece.length - key);
      copy_rows<false>(shared.values[at.stage], full, p, piece, all.v, p.v, p.v_strides, own.kv_head, key, piece.length - key);
    }
  }
}

// Lse, in base 2, and delta of the two rows of which a thread has a quarter. Delta is stored.
struct Numbers {
  f32 base[2], delta[2];

  __device__ __forceinline__ void take(const AttentionParams& p, const Pieces& piece, int head, int row) {
    constexpr int kVector = 8, kQuarter = kDim / kVector / 4;
    const int lane = opaque(lane_index()), quarter = lane % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int own = row + sums_row(0, half * 2, lane);
      const bool is_valid = own < piece.count;
      const i64 token = i64{piece.begin} + own, place = piece.row_at(p, head) + token;
      const T* const out = static_cast<const T*>(p.out_in) + piece.at(p.out_strides, head) + token * p.out_strides.token;
      const T* const dout = static_cast<const T*>(p.dout) + piece.at(p.dout_strides, head) + token * p.dout_strides.token;
      f32 sum = 0;
#pragma unroll
      for (int k = 0; k < kQuarter; ++k) {
        const int column = (quarter + k * 4) * kVector;
        if (!is_valid || column >= p.dim) continue;
        f32 x[kVector], y[kVector];
        widen<T>(load_words(reinterpret_cast<const Words4*>(dout + column)), x);
        widen<T>(load_words(reinterpret_cast<const Words4*>(out + column)), y);
#pragma unroll
        for (int e = 0; e < kVector; ++e) sum = fused_multiply_add(x[e], y[e], sum);
      }
      sum += shuffle_xor(sum, 1);
      sum += shuffle_xor(sum, 2);
      delta[half] = sum;
      base[half] = is_valid ? static_cast<const f32*>(p.lse_in)[place] * kLog2E : 0.0f;
      if (is_valid && quarter == 0) static_cast<f32*>(p.delta)[place] = sum;
    }
  }
};

__device__ __forceinline__ void consume(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  const int warp = warp_index() - kGroupWarps, row = warp * kWarpRows, group_row = warp / kGroupWarps * kAttentionGroupRows;
  Position<1> tile;
  Position<kStages> at;
  WarpgroupSums<T, kStep> scores, gradients;
  WarpgroupSums<T, kDim> sum;
  Weights<T, kStep> rounded;
  Numbers numbers;
#pragma unroll 1
  for (;; tile.advance()) {
    tile.wait_full(shared.queue.pipeline);
    const BlockPieces<true>& block = shared.queue.pieces[tile.turn % 2];
    if (!block.more) return;
    const Pieces& piece = block.piece;
    numbers.take(p, piece, block.head, row);
    sum.clear();
    int before = -1;  // stage whose products go on
    const int end = end_key(p, piece.begin + piece.count, piece.length);
#pragma unroll 1
    for (int key = first_key(p, piece.begin, kStep); key < end; key += min_of(kStep, end - key), at.advance()) {
      at.wait_full(shared.steps);
      if (group_row >= piece.count || Band::of<true>(p, i64{piece.begin} + group_row - key, piece.length - key).apart(kAttentionGroupRows, kStep)) {
        release(shared.steps, at.stage);  // zeros would be added
        continue;
      }
      const Step &keys = shared.keys[at.stage], &values = shared.values[at.stage];
      scores.discard();
      begin_scores(scores, shared.queries, group_row, keys);
      if (before >= 0) {
        sum.template wait_but<1>();
        release(shared.steps, before);
      }
      before = at.stage;
      gradients.discard();
      begin_scores(gradients, shared.douts, group_row, values);
      scores.template wait_but<1, true>();
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) scores.c[n][e] = exp2_approximate(fused_multiply_add(scores.c[n][e], p.scale2, -numbers.base[e / 2]));
      gradients.template wait_but<0>();
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) gradients.c[n][e] = (gradients.c[n][e] - numbers.delta[e / 2]) * scores.c[n][e];
      const Band band = Band::of<true>(p, i64{piece.begin} + row - key, piece.length - key);
      if (band.cuts(kWarpRows, kStep))
        for_scores<1, kStep / 8>(band, kStep, opaque(lane_index()), [&](int, int n, int e, bool met) { gradients.c[n][e] = met ? gradients.c[n][e] : 0.0f; });
      rounded.take(gradients.c);
      begin_products(sum, rounded, keys);
    }
    sum.template wait_but<0>();
    if (before >= 0) release(shared.steps, before);
    release(shared.queue.pipeline, 0);  // queries and dout; the place of the piece stays until the next tile is released
    const f32 scale = static_cast<f32>(p.scale), factor[2] = {scale, scale};
    store_rows(p.dq, p, piece.at(p.dq_strides, block.head) + (i64{piece.begin} + row) * p.dq_strides.token, p.dq_strides.token, piece.count - row, sum, factor);
  }
}

extern "C" __global__ void __launch_bounds__(kAttentionGroupThreads, 1) ADJ_ENTRY(const __grid_constant__ AttentionGroupParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& shared = *reinterpret_cast<Shared*>(align_shared(memory, 1024));
  if (thread_index() == 0) {
    prefetch_map(p.q);
    prefetch_map(p.dout);
    prefetch_map(p.k);
    prefetch_map(p.v);
    shared.queue.pipeline.init(kConsumerWarps);
    shared.steps.init(kConsumerWarps, 2);  // keys and values
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

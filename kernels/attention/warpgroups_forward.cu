// Computes: out and lse of attention_forward, include/adjoint/ops/attention.h, on the tensor cores of sm_90a, after FlashAttention-3. README.md defines the
// words.
// Work split: a block has a tile of queries of a head, and goes on to tiles a grid apart. One warp begins the copies; two warpgroups have half of the tile
// each. Memory: queries, keys and values are copied through tensor maps into shared memory. Results are stored from registers. Order of additions: along
// head_dim and along the keys from the first one of a sequence on, sixteen at a time in the order of the hardware. Weights are rounded to T, those of f16 times
// 2^15, before they multiply values; their sum is not. Limits: head_dim up to ADJ_DIM; every row begins at a multiple of 16 bytes and has whole vectors. The
// plan checks them.
//
// Macros: ADJ_T element type; ADJ_DIM columns of a tile.
#include "attention/warpgroups.cuh"

typedef ADJ_T T;
constexpr int kDim = ADJ_DIM, kStep = kAttentionStep, kStages = kAttentionStages;
typedef SharedRows<T, kDim, kStep> Step;

struct Shared {
  SharedRows<T, kDim, kTile> queries;
  Step keys[kStages], values[kStages];
  TileQueue<true> queue;
  Pipeline<kStages> key_steps, value_steps;
};
static_assert(sizeof(Shared) + 1024 <= attention_group_shared(kDim, kTile, 2 * kStep));

// Steps of keys that some queries of a piece meet. Every warpgroup takes all of them.
__device__ __forceinline__ int steps_of(const AttentionParams& p, const Pieces& piece) {
  const int keys = end_key(p, piece.begin + piece.count, piece.length) - first_key(p, piece.begin, kStep);
  return keys > 0 ? (keys - 1) / kStep + 1 : 0;
}

__device__ __forceinline__ void produce(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  Position<1> tile;
  Position<kStages> key_at, value_at;
#pragma unroll 1
  for (;; tile.advance()) {
    const BlockPieces<true>& own = next_piece(shared.queue, tile, p);
    const Pieces& piece = own.piece;
    if (lane_index() == 0) {
      Barrier& full = shared.queue.pipeline.full[0];
      full.arrive_and_expect(own.more ? sizeof shared.queries : 0);
      if (own.more) shared.queries.copy(all.q, full, piece.first + piece.begin, own.head, piece.sequence);
    }
    if (!own.more) return;
    const int first = first_key(p, piece.begin, kStep), steps = steps_of(p, piece);
#pragma unroll 1
    for (int i = 0; i < steps; ++i) {
      const int key = first + i * kStep;
      const int left = piece.length - key;
      wait_free(shared.key_steps, key_at);
      copy_rows<false>(shared.keys[key_at.stage], shared.key_steps.full[key_at.stage], p, piece, all.k, p.k, p.k_strides, own.kv_head, key, left);
      key_at.advance();
      wait_free(shared.value_steps, value_at);
      copy_rows<true>(shared.values[value_at.stage], shared.value_steps.full[value_at.stage], p, piece, all.v, p.v, p.v_strides, own.kv_head, key, left);
      value_at.advance();
    }
  }
}

// The softmax of two rows that a thread has a quarter of.
struct Softmax {
  f32 top[2], total[2], correction[2];

  static __device__ __forceinline__ f32 lowest() { return -Limits<f32>::infinity(); }
  // What exponents of a row are counted from. No weight is above 2^kLift: what rounding may have lost of the base is added.
  static __device__ __forceinline__ f32 base_of(const AttentionParams& p, f32 highest) {
    const f32 base = fused_multiply_add(highest == lowest() ? 0.0f : highest, p.scale2, -kLift<T>);
    return kLift<T> > 0 ? fused_multiply_add(max_number(base, -base), 0x1p-23f, base) : base;
  }
  __device__ __forceinline__ void clear() { top[0] = top[1] = lowest(), total[0] = total[1] = 0; }
  // Makes weights of scores, and the correction of what has been added before. `distance`: number of the warp's first query minus that of the first key; `left`
  // keys are in the sequence.
  __device__ __forceinline__ void take(const AttentionParams& p, f32 (&scores)[kStep / 8][4], i64 distance, int left) {
    const Band band = Band::of<true>(p, distance, left);
    if (p.scale < 0 || band.cuts(kWarpRows, kStep)) {
      for_scores<1, kStep / 8>(band, kStep, opaque(lane_index()), [&](int, int n, int e, bool met) {
        f32& score = scores[n][e];
        score = !met ? lowest() : p.scale < 0 ? -score : score;
      });
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      f32 highest = top[half];
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = half * 2; e < half * 2 + 2; ++e) highest = max_number(highest, scores[n][e]);
      highest = max_number(highest, shuffle_xor(highest, 1));
      highest = max_number(highest, shuffle_xor(highest, 2));
      const f32 from = highest == lowest() ? 0.0f : highest, base = base_of(p, highest);
      correction[half] = exp2_approximate((top[half] - from) * p.scale2);  // exactly 1 where the highest score stays
      top[half] = highest;
      total[half] *= correction[half];
#pragma unroll
      for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
        for (int e = half * 2; e < half * 2 + 2; ++e) {
          f32& weight = scores[n][e];
          weight = exp2_approximate(fused_multiply_add(weight, p.scale2, -base));
          total[half] += weight;
        }
    }
  }
  __device__ __forceinline__ void correct(f32 (&sum)[kDim / 8][4]) const {
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[n][e] *= correction[e / 2];
  }
};

__device__ __forceinline__ void consume(const AttentionGroupParams& all, Shared& shared) {
  const AttentionParams& p = all.attention;
  const int warp = warp_index() - kGroupWarps, row = warp * kWarpRows, group_row = warp / kGroupWarps * kAttentionGroupRows;
  Position<1> tile;
  Position<kStages> key_at, value_at;
  WarpgroupSums<T, kStep> scores;
  WarpgroupSums<T, kDim> sum;
  Weights<T, kStep> weights;
  Softmax softmax;
#pragma unroll 1
  for (;; tile.advance()) {
    tile.wait_full(shared.queue.pipeline);
    const BlockPieces<true>& block = shared.queue.pieces[tile.turn % 2];
    if (!block.more) return;
    const Pieces& piece = block.piece;
    const int steps = steps_of(p, piece);
    sum.clear();
    softmax.clear();
    if (group_row >= piece.count || steps == 0) {
#pragma unroll 1
      for (int i = 0; i < steps; ++i) {
        pass(shared.key_steps, key_at);
        pass(shared.value_steps, value_at);
      }
      release(shared.queue.pipeline, 0);
    } else {
      int left = piece.length - first_key(p, piece.begin, kStep);
      const i64 distance = i64{piece.begin} + row - piece.length;
      key_at.wait_full(shared.key_steps);
      scores.discard();
      begin_scores(scores, shared.queries, group_row, shared.keys[key_at.stage]);
      scores.template wait_but<0>();
      release(shared.key_steps, key_at.stage);
      key_at.advance();
      softmax.take(p, scores.c, distance + left, left);
      weights.take(scores.c);
#pragma unroll 1
      for (int i = 1; i < steps; ++i) {
        left -= kStep;
        key_at.wait_full(shared.key_steps);
        scores.discard();
        begin_scores(scores, shared.queries, group_row, shared.keys[key_at.stage]);
        value_at.wait_full(shared.value_steps);
        begin_products(sum, weights, shared.values[value_at.stage]);
        scores.template wait_but<1, true>();
        release(shared.key_steps, key_at.stage);
        key_at.advance();
        softmax.take(p, scores.c, distance + left, left);
        sum.template wait_but<0>();
        release(shared.value_steps, value_at.stage);
        value_at.advance();
        softmax.correct(sum.c);
        weights.take(scores.c);
      }
      release(shared.queue.pipeline, 0);  // the queries; the place of the piece stays until the next tile is released
      value_at.wait_full(shared.value_steps);
      begin_products(sum, weights, shared.values[value_at.stage]);
      sum.template wait_but<0>();
      release(shared.value_steps, value_at.stage);
      value_at.advance();
    }

    const int lane = opaque(lane_index());
    f32 factor[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      f32 total = softmax.total[half];
      total += shuffle_xor(total, 1);
      total += shuffle_xor(total, 2);
      factor[half] = piece.length > 0 ? 1.0f / total : 1.0f;
      const int own_row = row + sums_row(0, half * 2, lane);
      if (own_row < piece.count && lane % 4 == 0)
        static_cast<f32*>(p.lse)[piece.row_at(p, block.head) + piece.begin + own_row] = Softmax::base_of(p, softmax.top[half]) * kLn2 + exact_log(total);
    }
    store_rows(p.out, p, piece.at(p.out_strides, block.head) + (i64{piece.begin} + row) * p.out_strides.token, p.out_strides.token, piece.count - row, sum,
               factor);
  }
}

extern "C" __global__ void __launch_bounds__(kAttentionGroupThreads, 1) ADJ_ENTRY(const __grid_constant__ AttentionGroupParams p) {
  ADJ_DYNAMIC_SHARED(memory);
  Shared& shared = *reinterpret_cast<Shared*>(align_shared(memory, 1024));
  if (thread_index() == 0) {
    prefetch_map(p.q);
    prefetch_map(p.k);
    prefetch_map(p.v);
    shared.queue.pipeline.init(kConsumerWarps);
    shared.key_steps.init(kConsumerWarps);
    shared.value_steps.init(kConsumerWarps);
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

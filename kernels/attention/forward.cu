// Computes: out and lse of attention_forward, include/adjoint/ops/attention.h. README.md defines the words.
// Work split: a block has a tile of queries of a head; a warp has rows of it. Blocks stride over the tiles of a head.
// Memory: queries stay in shared memory, keys and values come through it, 32 at a time.
// Order of additions: along head_dim, and along the keys from the first one of a sequence on; sums of weights in 32 lanes first.
// Limits: shared memory for head_dim; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_IEEE 1.
#include "attention/tiles.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
constexpr int kRows = kTileRows<T>;

extern "C" __global__ void __launch_bounds__(kAttentionThreads) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<true>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  A *const own = reinterpret_cast<A*>(memory), *const other = own + kTile<T> * p.pitch;
  const A scale = static_cast<A>(p.scale), lowest = -Limits<A>::infinity();
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile<T>); more; more = walk->next(p, kTile<T>)) {
    const int head = walk->head;
    const int first = piece.begin + warp_index() * kRows;  // first query of the warp
    const i64 q_at = piece.at(p.q_strides, head) + piece.begin * p.q_strides.token;
    load_rows<T>(own, p, p.q, q_at, p.q_strides.token, piece.count, kTile<T>);
    A sum[kRows][kColumns], top[kRows], total[kRows];
    clear_sums<T>(sum);
#pragma unroll
    for (int r = 0; r < kRows; ++r) top[r] = lowest, total[r] = 0;
    const int end = end_key(p, piece.begin + piece.count, piece.length);
#pragma unroll 1
    for (int key = first_key(p, piece.begin, kAttentionLanes); key < end; key += min_of(int{kAttentionLanes}, end - key)) {
      const int count = min_of(piece.length - key, int{kAttentionLanes});
      block_barrier();
      load_rows<T>(other, p, p.k, piece.at(p.k_strides, head / p.group) + key * p.k_strides.token, p.k_strides.token, count, kAttentionLanes);
      block_barrier();
      A weight[kRows];
      multiply_rows<T>(weight, p, own, other);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const bool allowed = lane_index() < count && meets(p, first + r, key + lane_index());
        const A score = allowed ? weight[r] * scale : lowest;
        A highest = score;
#pragma unroll
        for (int mask = kWarp / 2; mask > 0; mask /= 2) highest = max_number(highest, shuffle_xor(highest, mask));
        highest = max_number(highest, top[r]);
        const A correction = highest == top[r] ? A(1) : fast_exp(top[r] - highest);
        weight[r] = score == lowest ? A(0) : fast_exp(score - highest);
        total[r] = total[r] * correction + weight[r];
        top[r] = highest;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) sum[r][c] *= correction;
      }
      block_barrier();
      load_rows<T>(other, p, p.v, piece.at(p.v_strides, head / p.group) + key * p.v_strides.token, p.v_strides.token, count, kAttentionLanes);
      block_barrier();
      add_rows<T>(sum, p, weight, other);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const A all = warp_sum(total[r]);
      if (warp_index() * kRows + r >= piece.count) continue;
      const int query = first + r;
      const A factor = piece.length > 0 ? A(1) / all : A(1);
      store_row<T>(p, p.out, piece.at(p.out_strides, head) + query * p.out_strides.token, sum[r], factor);
      if (lane_index() == 0) static_cast<A*>(p.lse)[piece.row_at(p, head) + query] = top[r] + exact_log(all);
    }
  }
}

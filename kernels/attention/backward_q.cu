// Computes: dq of attention_backward, include/adjoint/ops/attention.h, and delta, the sum of dout out of each query. README.md defines the words.
// Work split: a block has a tile of queries of a head; a warp has rows of it. Blocks stride over the tiles of a head.
// Memory: queries and their dout stay in shared memory, values and keys come through it, 32 at a time.
// Order of additions: along head_dim, and along the keys from the first one of a sequence on.
// Limits: shared memory for head_dim; the plan checks it.
//
// Macros: ADJ_T element type; ADJ_IEEE 1.
#include "attention/tiles.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
constexpr int kRows = kTileRows<T>;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, 4) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<true>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  A *const own = reinterpret_cast<A*>(memory), *const own_dout = own + kTile<T> * p.pitch, *const other = own_dout + kTile<T> * p.pitch;
  const A scale = static_cast<A>(p.scale);
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile<T>); more; more = walk->next(p, kTile<T>)) {
    const int first = piece.begin + warp_index() * kRows;
    const i64 row = piece.row_at(p, walk->head) + first;  // place of the warp's first query in lse
    load_rows<T>(own, p, p.q, piece.at(p.q_strides, walk->head) + piece.begin * p.q_strides.token, p.q_strides.token, piece.count, kTile<T>);
    load_rows<T>(own_dout, p, p.dout, piece.at(p.dout_strides, walk->head) + piece.begin * p.dout_strides.token, p.dout_strides.token, piece.count, kTile<T>);
    block_barrier();
    A sum[kRows][kColumns], delta[kRows], lse[kRows];
    clear_sums<T>(sum);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      delta[r] = lse[r] = 0;
      if (warp_index() * kRows + r >= piece.count) continue;
      const T* const out = static_cast<const T*>(p.out_in) + piece.at(p.out_strides, walk->head) + (first + r) * p.out_strides.token;
      const A* const dout = own_dout + (warp_index() * kRows + r) * p.pitch;
      A part = 0;
#pragma unroll 1
      for (int c = lane_index(); c < p.dim; c += kWarp) part = fused_multiply_add(dout[c], to_acc(out[c]), part);
      delta[r] = warp_sum(part);
      lse[r] = static_cast<const A*>(p.lse_in)[row + r];
      if (lane_index() == 0) static_cast<A*>(p.delta)[row + r] = delta[r];
    }
    const int end = end_key(p, piece.begin + piece.count, piece.length);
#pragma unroll 1
    for (int key = first_key(p, piece.begin, kAttentionLanes); key < end; key += min_of(int{kAttentionLanes}, end - key)) {
      const int count = min_of(piece.length - key, int{kAttentionLanes});
      A of_weight[kRows], gradient[kRows];
      block_barrier();
      load_rows<T>(other, p, p.v, piece.at(p.v_strides, walk->kv_head) + key * p.v_strides.token, p.v_strides.token, count, kAttentionLanes);
      block_barrier();
      multiply_rows<T>(of_weight, p, own_dout, other);
      block_barrier();
      load_rows<T>(other, p, p.k, piece.at(p.k_strides, walk->kv_head) + key * p.k_strides.token, p.k_strides.token, count, kAttentionLanes);
      block_barrier();
      multiply_rows<T>(gradient, p, own, other);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const bool allowed = lane_index() < count && meets(p, first + r, key + lane_index());
        gradient[r] = allowed ? fast_exp(gradient[r] * scale - lse[r]) * (of_weight[r] - delta[r]) : A(0);
      }
      add_rows<T>(sum, p, gradient, other);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (warp_index() * kRows + r < piece.count) store_row<T>(p, p.dq, piece.at(p.dq_strides, walk->head) + (first + r) * p.dq_strides.token, sum[r], scale);
  }
}

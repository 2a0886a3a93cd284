// Computes: dk and dv of attention_backward, include/adjoint/ops/attention.h. README.md defines the words.
// Work split: a block has a tile of keys of a head of k and v; a warp has rows of it. Blocks stride over the tiles of a head.
// Memory: keys and values stay in shared memory; queries and their dout come through it, 32 at a time, queries twice.
// Order of additions: along head_dim; along the heads of the group and the queries of a head, from the first one of a sequence on.
// Limits: shared memory for head_dim; the plan checks it. The program of dq has written delta.
//
// Macros: ADJ_T element type; ADJ_IEEE 1.
#include "attention/tiles.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
constexpr int kRows = kTileRows<T>;

extern "C" __global__ void __launch_bounds__(kAttentionThreads, 2) ADJ_ENTRY(const __grid_constant__ AttentionParams p) {
  ADJ_SHARED(Walk<false>, walk, 1);
  ADJ_DYNAMIC_SHARED(memory);
  A *const own = reinterpret_cast<A*>(memory), *const own_v = own + kTile<T> * p.pitch, *const other = own_v + kTile<T> * p.pitch;
  const A scale = static_cast<A>(p.scale);
  const Pieces& piece = walk->piece;
#pragma unroll 1
  for (bool more = walk->enter(p, kTile<T>); more; more = walk->next(p, kTile<T>)) {
    const int kv_head = walk->head;
    const int first = piece.begin + warp_index() * kRows, end = end_query(p, piece.begin + piece.count, piece.length);
    load_rows<T>(own, p, p.k, piece.at(p.k_strides, kv_head) + piece.begin * p.k_strides.token, p.k_strides.token, piece.count, kTile<T>);
    load_rows<T>(own_v, p, p.v, piece.at(p.v_strides, kv_head) + piece.begin * p.v_strides.token, p.v_strides.token, piece.count, kTile<T>);
    A of_keys[kRows][kColumns], of_values[kRows][kColumns];
    clear_sums<T>(of_keys);
    clear_sums<T>(of_values);
#pragma unroll 1
    for (int head = kv_head * p.group; head < (kv_head + 1) * p.group; ++head)
#pragma unroll 1
      for (int query = first_query(p, piece.begin, kAttentionLanes); query < end; query += min_of(int{kAttentionLanes}, end - query)) {
        const int count = min_of(piece.length - query, int{kAttentionLanes}), own_query = query + lane_index();
        const i64 q_at = piece.at(p.q_strides, head) + query * p.q_strides.token;
        A weight[kRows], gradient[kRows], lse = 0, delta = 0;
        if (lane_index() < count) {
          lse = static_cast<const A*>(p.lse_in)[piece.row_at(p, head) + own_query];
          delta = static_cast<const A*>(p.delta)[piece.row_at(p, head) + own_query];
        }
        block_barrier();
        load_rows<T>(other, p, p.q, q_at, p.q_strides.token, count, kAttentionLanes);
        block_barrier();
        multiply_rows<T>(weight, p, own, other);
        block_barrier();
        load_rows<T>(other, p, p.dout, piece.at(p.dout_strides, head) + query * p.dout_strides.token, p.dout_strides.token, count, kAttentionLanes);
        block_barrier();
        multiply_rows<T>(gradient, p, own_v, other);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const bool allowed = lane_index() < count && meets(p, own_query, first + r);
          weight[r] = allowed ? fast_exp(weight[r] * scale - lse) : A(0);
          gradient[r] = allowed ? weight[r] * (gradient[r] - delta) : A(0);
        }
        add_rows<T>(of_values, p, weight, other);
        block_barrier();
        load_rows<T>(other, p, p.q, q_at, p.q_strides.token, count, kAttentionLanes);
        block_barrier();
        add_rows<T>(of_keys, p, gradient, other);
      }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (warp_index() * kRows + r >= piece.count) continue;
      store_row<T>(p, p.dk, piece.at(p.dk_strides, kv_head) + (first + r) * p.dk_strides.token, of_keys[r], scale);
      store_row<T>(p, p.dv, piece.at(p.dv_strides, kv_head) + (first + r) * p.dv_strides.token, of_values[r], A(1));
    }
  }
}

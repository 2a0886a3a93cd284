// What all programs of attention share: the sequences of a tile, and which keys a query meets.
#pragma once

#include "prelude/thread.cuh"
#include "prelude/tensor_map.h"
#include "attention/params.h"

// Tiles of so many rows: of a sequence, with cu_seqlens of all.
__device__ __forceinline__ int tiles_of(const AttentionParams& p, int rows) { return (p.tokens - 1) / rows + 1; }

// The pieces of a tile: rows of it that belong to one sequence. Without cu_seqlens there is one. Values of cu_seqlens that do not ascend within the
// tokens give other pieces, all of them within the tokens.
struct Pieces {
  int sequence, first;  // number of the sequence in memory, and its first token there
  int length;           // keys of the sequence
  int begin, count;     // rows of the piece, counted from the first token

  // Begins with a tile of `rows` rows. The tiles that meet most come first, so that the last blocks of a grid are short: with causal, the last ones meet most
  // keys, and the first ones most queries.
  template <bool kLastFirst> __device__ __forceinline__ void enter(const AttentionParams& p, i64 item, int rows) {
    const int sequences = p.cu_seqlens ? 1 : p.sequences, turn = static_cast<int>(item / sequences);
    sequence = static_cast<int>(item - i64{turn} * sequences);
    first = 0;
    from = static_cast<int>(i64{kLastFirst ? tiles_of(p, rows) - 1 - turn : turn} * rows);
    to = min_of(p.tokens - from, rows) + from;
    next_sequence = 0;
    if (!p.cu_seqlens) return;
    int last = p.sequences;
#pragma unroll 1
    while (next_sequence < last) {
      const int middle = next_sequence + (last - next_sequence + 1) / 2;
      if (p.cu_seqlens[middle] <= from) next_sequence = middle;
      else last = middle - 1;
    }
  }
  // Finds the next piece; false when there is none.
  __device__ __forceinline__ bool next(const AttentionParams& p) {
    if (!p.cu_seqlens) {
      length = p.tokens;
      begin = from;
      count = to - from;
      return next_sequence++ == 0;
    }
#pragma unroll 1
    while (next_sequence <= p.sequences) {
      const int own = next_sequence++;
      first = min_of(max_of(p.cu_seqlens[own], 0), p.tokens);
      if (first >= to) return false;
      const bool behind = own == p.sequences;  // tokens behind the last sequence
      const int end = behind ? p.tokens : min_of(max_of(p.cu_seqlens[own + 1], first), p.tokens);
      length = behind ? 0 : end - first;
      begin = max_of(from, first) - first;
      count = min_of(to, end) - first - begin;
      if (count > 0) return true;
    }
    return false;
  }
  // Element of a tensor where a head of the sequence begins.
  __device__ __forceinline__ i64 at(const AttentionStrides& s, int head) const { return sequence * s.sequence + first * s.token + head * s.head; }
  // Place of lse of the first token.
  __device__ __forceinline__ i64 row_at(const AttentionParams& p, int head) const { return (i64{sequence} * p.heads + head) * p.tokens + first; }

 private:
  int from, to, next_sequence;
};

// The pieces of a block, which strides over the tiles of a head.
template <bool kLastFirst> struct BlockPieces {
  Pieces piece;
  int head;  // the block's in the grid's second dimension, which has one for each
  int kv_head;  // that a head of queries meets
  bool more;  // there is a piece

  // Goes to the block's first piece, or to its next one.
  __device__ __forceinline__ void begin(const AttentionParams& p, int rows) {
    item = block_index();
    head = static_cast<int>(block_index_y());
    kv_head = head / p.group;
    piece.template enter<kLastFirst>(p, item, rows);
    advance(p, rows);
  }
  __device__ __forceinline__ void advance(const AttentionParams& p, int rows) {
    more = true;
#pragma unroll 1
    while (!piece.next(p)) {
      item += grid_blocks();
      more = item < i64{p.cu_seqlens ? 1 : p.sequences} * tiles_of(p, rows);
      if (!more) return;
      piece.template enter<kLastFirst>(p, item, rows);
    }
  }

 private:
  i64 item;
};

// They lie in shared memory, so that their numbers take no registers.
template <bool kLastFirst> struct Walk : BlockPieces<kLastFirst> {
  // Goes to the block's first piece, or to its next one; false when there is none. All threads call it. It waits until they are done with the piece before.
  __device__ __forceinline__ bool enter(const AttentionParams& p, int rows) { return go(p, rows, true); }
  __device__ __forceinline__ bool next(const AttentionParams& p, int rows) { return go(p, rows, false); }

 private:
  __device__ __forceinline__ bool go(const AttentionParams& p, int rows, bool first) {
    block_barrier();
    if (thread_index() == 0) move(p, rows, first);
    block_barrier();
    return this->more;
  }
  __device__ __noinline__ void move(const AttentionParams& p, int rows, bool first) {
    if (first) this->begin(p, rows);
    else this->advance(p, rows);
  }
};

// True when query i meets key j.
__device__ __forceinline__ bool meets(const AttentionParams& p, int i, int j) { return (!p.causal || j <= i) && (p.window < 0 || j >= i - p.window); }
// Keys [first_key, end_key) have all that queries [begin, end) meet, and queries [first_query, end_query) all that meet keys [begin, end). The first is a
// multiple of `step`, so that the steps of a sequence are the same for every tile.
__device__ __forceinline__ int first_key(const AttentionParams& p, int begin, int step) { return p.window < 0 ? 0 : max_of(begin - p.window, 0) / step * step; }
__device__ __forceinline__ int end_key(const AttentionParams& p, int end, int length) { return p.causal ? min_of(end, length) : length; }
__device__ __forceinline__ int first_query(const AttentionParams& p, int begin, int step) { return p.causal ? begin / step * step : 0; }
__device__ __forceinline__ int end_query(const AttentionParams& p, int end, int length) {
  return p.window < 0 ? length : static_cast<int>(min_of<i64>(i64{end} + p.window, length));
}

// What all programs of attention share: the sequences of a tile, and which keys a query meets.
#pragma once

#include "prelude/thread.cuh"
#include "attention/params.h"

// The pieces of a tile: rows of it that belong to one sequence. Without cu_seqlens there is one. Values of cu_seqlens that do not ascend within the
// tokens give other pieces, all of them within the tokens.
struct Pieces {
  int sequence = 0, first = 0;  // number of the sequence in memory, and its first token there
  int length = 0;               // keys of the sequence
  int begin = 0, count = 0;     // rows of the piece, counted from the first token

  __device__ __forceinline__ Pieces(const AttentionParams& params, i64 item, int rows) : p(params) {
    sequence = p.cu_seqlens ? 0 : static_cast<int>(item / p.tiles);
    const i64 tile = p.tiles - 1 - (item - i64{sequence} * p.tiles);  // with causal the last tiles have the most keys
    from = static_cast<int>(tile * rows);
    to = min_of(p.tokens - from, rows) + from;
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
  __device__ __forceinline__ bool next() {
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
  __device__ __forceinline__ i64 row_at(int head) const { return (i64{sequence} * p.heads + head) * p.tokens + first; }

 private:
  const AttentionParams& p;
  int from = 0, to = 0, next_sequence = 0;
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

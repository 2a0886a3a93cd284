// Computes: target[plane, d, h, w] = sum over elements of the source of weight_d * weight_h * weight_w * source[plane, ...]. Taps come from the
// tables of the axes. This is the gradient of a resize for elements with many taps.
// Work split: a warp takes `chunk` places of the last axis and `inner_chunk` channels of a row of the target. It sums the rows of the source into
// shared memory, then from there the places of the last axis. The warps of a block take neighbouring rows, which share rows of the source.
// Memory: reads an element of the source once for each row of the target that it adds to, mostly from the level-1 cache; writes the target once.
// Order of additions: four rows, or two or four places, at a time; these sums are added with compensation. Depends on the tables alone.
// Limits: 64-bit offsets. 16-byte accesses need whole vectors of channels (ADJ_WIDE), or rows of the source in whole vectors; otherwise elements are read
// one by one.
//
// Macros: ADJ_T element type, ADJ_WIDE 1 if a lane takes 16 bytes of channels, in whole vectors.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/reduce.cuh"
#include "resize/params.h"

typedef Acc<ADJ_T> A;

constexpr int kBlock = kResizeWarps * kWarp;
constexpr int kVector = kVec16<ADJ_T>;
constexpr int kLane = ADJ_WIDE ? kVector : 1;  // elements that a lane takes
constexpr int kSpan = kResizeSpanBytes / static_cast<int>(sizeof(A));
constexpr int kTogether = 4;                 // rows that are added together
constexpr int kPlaces = ADJ_WIDE ? 2 : 4;    // places that are added together

// N elements of a row in registers: one, as a number, or a vector, as in memory.
template <int N> struct Piece {
  Words4 words;
  __device__ __forceinline__ void load(const ADJ_T* p) { words = load_words(reinterpret_cast<const Words4*>(p)); }
  __device__ __forceinline__ void get(A (&x)[N]) const { widen<ADJ_T>(words, x); }
};
template <> struct Piece<1> {
  A value;
  __device__ __forceinline__ void load(const ADJ_T* p) { value = to_acc(*p); }
  __device__ __forceinline__ void get(A (&x)[1]) const { x[0] = value; }
};
// Stores or loads N sums in shared memory; s is aligned to 16 bytes unless N is 1.
template <int N> __device__ __forceinline__ void put_sums(A* s, const A (&x)[N]) {
  if constexpr (N == 1) {
    *s = x[0];
  } else {
    Words4 words[N * sizeof(A) / 16];
    memcpy(words, x, sizeof x);
#pragma unroll
    for (int k = 0; k < static_cast<int>(N * sizeof(A) / 16); ++k) reinterpret_cast<Words4*>(s)[k] = words[k];
  }
}
template <int N> __device__ __forceinline__ void get_sums(const A* s, A (&x)[N]) {
  if constexpr (N == 1) {
    x[0] = *s;
  } else {
    Words4 words[N * sizeof(A) / 16];
#pragma unroll
    for (int k = 0; k < static_cast<int>(N * sizeof(A) / 16); ++k) words[k] = reinterpret_cast<const Words4*>(s)[k];
    memcpy(x, words, sizeof x);
  }
}

// Taps of a row of the target along the first two axes.
struct Rows {
  ResizeTarget depth, height;
  const A *depth_weights, *height_weights;
  const ADJ_T* plane;
  i64 row, slab;  // elements of a row, and of all rows of one depth, of the source

  // Adds N elements from element `at` on of all rows that are taps.
  template <int N> __device__ __forceinline__ void sum(i64 at, A (&total)[N]) const {
    A lost[N];
#pragma unroll
    for (int v = 0; v < N; ++v) total[v] = lost[v] = 0;
#pragma unroll 1
    for (int i = 0; i < depth.count; ++i) {
      const A of_depth = depth_weights[depth.offset + i];
      const ADJ_T* from = plane + (depth.first + i) * slab + height.first * row + at;
      const A* weights = height_weights + height.offset;
#pragma unroll 1
      for (int j = height.count; j > 0; j -= kTogether) {
        Piece<N> piece[kTogether];
        A weight[kTogether], group[N];
#pragma unroll
        for (int k = 0; k < kTogether; ++k, from += row, ++weights) {
          weight[k] = k < j ? of_depth * *weights : A(0);
          piece[k] = {};
          if (weight[k] != 0) piece[k].load(from);
        }
#pragma unroll
        for (int v = 0; v < N; ++v) group[v] = 0;
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
          A x[N];
          piece[k].get(x);
#pragma unroll
          for (int v = 0; v < N; ++v) group[v] = fused_multiply_add(weight[k], x[v], group[v]);
        }
#pragma unroll
        for (int v = 0; v < N; ++v) add_compensated(total[v], lost[v], group[v]);
      }
    }
#pragma unroll
    for (int v = 0; v < N; ++v) total[v] = compensated(total[v], lost[v]);
  }
};

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ ResizeParams p) {
  wait_for_earlier_grids();
  ADJ_SHARED(Words4, memory, kResizeWarps * kResizeSpanBytes / 16);
  A* const span = reinterpret_cast<A*>(memory) + warp_index() * kSpan;
  const ResizePieces& pieces = p.pieces[ADJ_WIDE];
  const int across = 1 << pieces.across_log2, down = kWarp >> pieces.across_log2;
  const int x = (lane_index() & (across - 1)) * kLane, y = lane_index() >> pieces.across_log2;
  const ResizeTarget* const places = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2]);
  const A* const place_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[2]);
  const i64 source_row = p.source_extent[2] * p.inner;
#if !ADJ_WIDE
  const bool whole_vectors = p.inner == 1 && aligned16(p.source) && source_row % kVector == 0;
#endif
#pragma unroll 1
  for (i64 task = block_index(); task < pieces.tasks; task += grid_blocks()) {
    const i64 group = divide(task, pieces.by_chunks), row = group * kResizeWarps + warp_index();
    if (row >= p.rows) continue;
    const i64 chunk = task - group * pieces.chunks, along = divide(chunk, pieces.by_inner_chunks);
    const i64 slab = divide(row, p.by_extent[1]), plane = divide(slab, p.by_extent[0]);
    Rows rows;
    rows.depth = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[0])[slab - plane * p.target_extent[0]];
    rows.height = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1])[row - slab * p.target_extent[1]];
    rows.depth_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[0]);
    rows.height_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[1]);
    rows.row = source_row;
    rows.slab = source_row * p.source_extent[1];
    rows.plane = static_cast<const ADJ_T*>(p.source) + plane * p.source_extent[0] * rows.slab;
    const i64 begin = along * pieces.chunk, end = min_of<i64>(begin + pieces.chunk, p.target_extent[2]);
    const i64 channel = (chunk - along * pieces.inner_chunks) * pieces.inner_chunk + x;
    const bool has_channel = x < pieces.inner_chunk && channel < p.inner;
    const ResizeTarget last = places[end - 1];
    const int from_end = last.first + last.count;
    const int from_begin = places[begin].first;
#pragma unroll 1
    for (i64 turn = begin; turn < end; turn += down) {
      const i64 place = turn + y;
      const bool active = place < end && has_channel;
      ResizeTarget list = {0, 0, 0, 0};
      if (active) list = places[place];
      A own[kLane], lost[kLane];
#pragma unroll
      for (int v = 0; v < kLane; ++v) own[v] = lost[v] = 0;
#pragma unroll 1
      for (int from = from_begin; from < from_end; from += pieces.piece) {
        const int to = min_of(from + pieces.piece, from_end);
        int origin = from;  // place whose sum is first in the span
#if !ADJ_WIDE
        if (whole_vectors) origin = from / kVector * kVector;
#endif
        // A chunk whose places all fit into shared memory is summed once.
        if (turn == begin || from_end - from_begin > pieces.piece) {
#if !ADJ_WIDE
          if (whole_vectors) {
#pragma unroll 1
            for (int at = origin + lane_index() * kVector; at < to; at += kWarp * kVector) {
              A sum[kVector];
              rows.sum<kVector>(at, sum);
              put_sums(span + (at - origin), sum);
            }
          } else
#endif
              if (has_channel) {
#pragma unroll 1
            for (int at = from + y; at < to; at += down) {
              A sum[kLane];
              rows.sum<kLane>(at * p.inner + channel, sum);
              put_sums(span + (at - from) * pieces.inner_chunk + x, sum);
            }
          }
          warp_barrier();
        }
        const A* const weights = place_weights + (list.offset - list.first);
        const int list_end = min_of(list.first + list.count, to);
#pragma unroll 1
        for (int at = max_of(list.first, from); at < list_end; at += kPlaces) {
          A sum[kLane];
#pragma unroll
          for (int v = 0; v < kLane; ++v) sum[v] = 0;
#pragma unroll
          for (int j = 0; j < kPlaces; ++j) {
            const A weight = at + j < list_end ? weights[at + j] : A(0);
            if (weight == 0) continue;
            A part[kLane];
            get_sums(span + (at + j - origin) * pieces.inner_chunk + x, part);
#pragma unroll
            for (int v = 0; v < kLane; ++v) sum[v] = fused_multiply_add(weight, part[v], sum[v]);
          }
#pragma unroll
          for (int v = 0; v < kLane; ++v) add_compensated(own[v], lost[v], sum[v]);
        }
        if (from_end - from_begin > pieces.piece) warp_barrier();
      }
      if (!active) continue;
#pragma unroll
      for (int v = 0; v < kLane; ++v) own[v] = compensated(own[v], lost[v]);
      ADJ_T* const to = static_cast<ADJ_T*>(p.target) + (row * p.target_extent[2] + place) * p.inner + channel;
#if ADJ_WIDE
      store_words(reinterpret_cast<Words4*>(to), narrow<ADJ_T>(own));
#else
      *to = from_acc<ADJ_T>(own[0]);
#endif
    }
    warp_barrier();
  }
}

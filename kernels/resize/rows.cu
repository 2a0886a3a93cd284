// Computes: target[plane, d, h, w] = sum of weight_d * weight_h * weight_w * source[plane, ...] over the taps of the tables: a resize or its gradient,
// for a layout without channels.
// Work split: a block takes a chunk of the columns of some rows of the target, which may belong to several planes. Its threads sum the rows of the source
// for each of them, a vector of 16 bytes each, into shared memory. Then a lane sums the taps of a column for kTogether rows.
// Memory: reads a row of the source for each row of the target that it adds to, mostly from caches; writes the target once.
// Order of additions: four rows at a time, then depth by depth, then four columns at a time. Depends on the tables alone.
// Limits: fewer than 2^32 rows of the source. ADJ_ALIGNED needs rows of the source that consist of whole vectors of 16 bytes at aligned addresses; the plan
// checks.
//
// Macros: ADJ_T element type, ADJ_ALIGNED 1 if rows of the source are aligned.
#include "prelude/divide.cuh"
#include "prelude/row_piece.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kWarps = kResizeBlock / kWarp;
constexpr int kVector = kVec16<T>;
constexpr int kRows = resize_block_rows(sizeof(A));
constexpr int kTogether = kResizeRowsTogether;
constexpr int kRowTaps = ADJ_ALIGNED ? 4 : 2;  // rows of the source in flight
constexpr int kTaps = 4;
// Order of a row in shared memory: even places, some banks of padding, odd places. Lanes two places apart, as in a resize to twice the columns, then
// use different banks, and so do the lanes that store neighbouring vectors.
constexpr int kHalf = kResizeSpan / 2 + 64 / static_cast<int>(sizeof(A));
constexpr int kPitch = 2 * kHalf;
constexpr int kZero = kResizeSpan / 2;  // place in the padding that holds 0, for taps of weight 0
__device__ __forceinline__ int offset_in_row(int place) { return (place >> 1) + (place & 1) * kHalf; }

// Blocks of a multiprocessor: as many as spill no registers.
constexpr bool kMoreIn16Bits = sizeof(T) == 2 && ADJ_BOUNDS_ARCH > 80 && ADJ_BOUNDS_ARCH < 90;
constexpr int kResident = ADJ_ALIGNED && sizeof(A) == 4 && (ADJ_BOUNDS_ARCH <= 90 || ADJ_BOUNDS_ARCH >= 120) && !kMoreIn16Bits ? 4 : 3;

// Taps of a row of the target along the first two axes; `source` is the row of the source that is the first.
struct Row {
  u32 source;
  int depths, depth_offset, heights, height_offset;
};

// Adds to `sum` rows [i, i + taps) of `count` rows from `row` on, times their weights. All of them are in flight together.
typedef RowPiece<T, ADJ_ALIGNED != 0> Piece;
template <int taps> __device__ __forceinline__ void add_rows(const Piece& piece, u32 row, const A* weights, int i, int count, A (&sum)[kVector]) {
  Piece::Loaded loaded[taps];
  A weight[taps];
#pragma unroll
  for (int k = 0; k < taps; ++k) loaded[k] = piece.load(row + static_cast<u32>(i + k), i + k < count);
#pragma unroll
  for (int k = 0; k < taps; ++k) weight[k] = i + k < count ? weights[i + k] : A(0);
#pragma unroll
  for (int k = 0; k < taps; ++k) {
    if (weight[k] == 0) continue;  // the row may hold a NaN
    A x[kVector];
    widen<T>(piece.words(loaded[k]), x);
#pragma unroll
    for (int v = 0; v < kVector; ++v) sum[v] = fused_multiply_add(weight[k], x[v], sum[v]);
  }
}

extern "C" __global__ void __launch_bounds__(kResizeBlock, kResident) ADJ_ENTRY(const __grid_constant__ ResizeRowsParams p) {
  wait_for_earlier_grids();
  ADJ_SHARED(Words4, memory, kRows * kPitch * sizeof(A) / 16);
  ADJ_SHARED(Row, rows, kRows);
  A* const span = reinterpret_cast<A*>(memory);
  const ResizeTarget* const places = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2]);
  const A* const depth_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[0]);
  const A* const height_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[1]);
  const A* const place_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[2]);
  const int thread = thread_index();
  if (thread < kRows) span[thread * kPitch + kZero] = 0;
#pragma unroll 1
  for (i64 task = block_index(); task < p.tasks; task += grid_blocks()) {
    const i64 of_rows = divide(task, p.by_chunks), first_row = of_rows * p.block_rows;
    const int begin = static_cast<int>((task - of_rows * p.chunks) * p.chunk), end = static_cast<int>(min_of<i64>(begin + p.chunk, p.target_extent[2]));
    const int own_rows = static_cast<int>(min_of<i64>(p.block_rows, p.rows - first_row)), groups = (own_rows + kTogether - 1) / kTogether;
    if (thread < groups * kTogether) {
      // Rows that fill the last group up have no taps.
      Row own{0, 0, 0, 0, 0};
      if (thread < own_rows) {
        const i64 row = first_row + thread, slab = divide(row, p.by_height), plane = divide(slab, p.by_depth);
        const ResizeTarget height = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1])[row - slab * p.target_extent[1]];
        const ResizeTarget depth = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[0])[slab - plane * p.target_extent[0]];
        own.source = static_cast<u32>((plane * p.source_extent[0] + depth.first) * p.source_extent[1] + height.first);
        own.depths = depth.count;
        own.depth_offset = depth.offset;
        own.heights = height.count;
        own.height_offset = height.offset;
      }
      rows[thread] = own;
    }
    const ResizeTarget last = places[end - 1];
    const int origin = places[begin].first / kVector * kVector, vectors = max_of((last.first + last.count - origin + kVector - 1) / kVector, 1);
    block_barrier();
    {
      const int side_by_side = kResizeBlock / vectors, first = thread / vectors, u = thread - first * vectors;
      const Piece piece(p.source, p.source_rows, p.source_extent[2], origin + u * kVector);
#pragma unroll 1
      for (int r = first; r < groups * kTogether && first < side_by_side; r += side_by_side) {
        const Row own = rows[r];
        A total[kVector];
#pragma unroll
        for (int v = 0; v < kVector; ++v) total[v] = 0;
#pragma unroll 1
        for (int d = 0; d < own.depths; ++d) {
          const A of_depth = depth_weights[own.depth_offset + d];
          if (of_depth == 0) continue;
          const u32 row = own.source + static_cast<u32>(d) * static_cast<u32>(p.source_extent[1]);
#pragma unroll 1
          for (int j = 0; j < own.heights; j += 4) {
            A sum[kVector];
#pragma unroll
            for (int v = 0; v < kVector; ++v) sum[v] = 0;
            if (own.heights - j <= 2) {
              add_rows<2>(piece, row, height_weights + own.height_offset, j, own.heights, sum);
            } else {
#pragma unroll 1
              for (int i = j; i < min_of(j + 4, own.heights); i += kRowTaps) {
                add_rows<kRowTaps>(piece, row, height_weights + own.height_offset, i, own.heights, sum);
              }
            }
#pragma unroll
            for (int v = 0; v < kVector; ++v) total[v] = fused_multiply_add(of_depth, sum[v], total[v]);
          }
        }
        Vec<A, kVector / 2> even, odd;
#pragma unroll
        for (int v = 0; v < kVector; ++v) (v % 2 ? odd : even).at[v / 2] = total[v];
        A* const to = span + r * kPitch + u * (kVector / 2);
        *reinterpret_cast<Vec<A, kVector / 2>*>(to) = even;
        *reinterpret_cast<Vec<A, kVector / 2>*>(to + kHalf) = odd;
      }
    }
    block_barrier();
    // A warp takes neighbouring pieces: strips of columns, and in each of them groups of rows, which share the taps of the columns.
    const int strips = (end - begin + kWarp - 1) / kWarp, pieces = strips * groups, of_warp = (pieces + kWarps - 1) / kWarps;
    const int first_piece = warp_index() * of_warp, last_piece = min_of(first_piece + of_warp, pieces);
    int strip = first_piece / groups, group = first_piece - strip * groups, column = 0, place = 0, count = 0, weights_at = 0;
    A weight[kTaps];
#pragma unroll 1
    for (int piece = first_piece; piece < last_piece; ++piece) {
      if (piece == first_piece || group == groups) {
        if (piece != first_piece) ++strip, group = 0;
        column = begin + strip * kWarp + lane_index();
        const ResizeTarget list = places[min_of(column, end - 1)];
        place = list.first - origin;
        weights_at = list.offset;
        count = column < end ? list.count : 0;
#pragma unroll
        for (int k = 0; k < kTaps; ++k) weight[k] = k < count ? place_weights[weights_at + k] : A(0);
      }
      const A* const from = span + group * (kTogether * kPitch);
      A total[kTogether];
#pragma unroll
      for (int u = 0; u < kTogether; ++u) total[u] = 0;
#pragma unroll
      for (int k = 0; k < kTaps; ++k) {
        if (k == 2 && count <= 2) break;
        const A* const at = from + (weight[k] != 0 ? offset_in_row(place + k) : kZero);
#pragma unroll
        for (int u = 0; u < kTogether; ++u) total[u] = fused_multiply_add(weight[k], at[u * kPitch], total[u]);
      }
#pragma unroll 1
      for (int j = kTaps; j < count; j += kTaps) {
        A own[kTaps], sum[kTogether];
#pragma unroll
        for (int k = 0; k < kTaps; ++k) own[k] = j + k < count ? place_weights[weights_at + j + k] : A(0);
#pragma unroll
        for (int u = 0; u < kTogether; ++u) sum[u] = 0;
#pragma unroll
        for (int k = 0; k < kTaps; ++k) {
          if (k == 2 && count - j <= 2) break;
          const A* const at = from + (own[k] != 0 ? offset_in_row(place + j + k) : kZero);
#pragma unroll
          for (int u = 0; u < kTogether; ++u) sum[u] = fused_multiply_add(own[k], at[u * kPitch], sum[u]);
        }
#pragma unroll
        for (int u = 0; u < kTogether; ++u) total[u] += sum[u];
      }
      const int first_of_group = group++ * kTogether, left = column < end ? own_rows - first_of_group : 0;
      const u64 pitch = static_cast<u64>(p.target_extent[2]) * sizeof(T);
      u8* to = static_cast<u8*>(p.target) + static_cast<u64>(first_row + first_of_group) * pitch + static_cast<u64>(column) * sizeof(T);
#pragma unroll
      for (int u = 0; u < kTogether; ++u, to += pitch)
        if (u < left) *reinterpret_cast<T*>(to) = from_acc<T>(total[u]);
    }
    block_barrier();
  }
}

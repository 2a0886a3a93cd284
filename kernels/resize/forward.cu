// Computes: a resize: out[plane, d, h, w] from one or two elements of the input on each axis, with the weights of the tables.
// Work split: a thread takes some elements of a row of the result, `groups` apart, or 16 bytes of the channels of a place, for a strip
// of rows. Rows of the input, interpolated along the last axis, stay in registers while the next row of the result needs them.
// Memory: reads a row of the input for each strip that it adds to, mostly from caches, the next row while the last is used; writes the result once.
// Order of additions: the two taps of the last axis, then of the first, then of the middle one.
// Limits: 64-bit offsets. ADJ_CHANNELS needs whole vectors of 16 bytes of channels at aligned addresses; the plan checks.
//
// Macros: ADJ_T element type, ADJ_CHANNELS 1 if a thread takes 16 bytes of channels.
#include "prelude/divide.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kLane = ADJ_CHANNELS ? kVec16<T> : 1;             // elements that are moved together
constexpr int kOwn = ADJ_CHANNELS ? 1 : resize_own(sizeof(T));  // such moves of a row in a thread

// Elements that are moved together, as they are in memory.
#if ADJ_CHANNELS
typedef Words4 Piece;
#else
typedef T Piece;
#endif
__device__ __forceinline__ Piece load_piece(const T* from) {
#if ADJ_CHANNELS
  return load_words(reinterpret_cast<const Words4*>(from));
#else
  return *from;
#endif
}
__device__ __forceinline__ void widen_piece(const Piece& piece, A (&x)[kLane]) {
#if ADJ_CHANNELS
  widen<T>(piece, x);
#else
  x[0] = to_acc(piece);
#endif
}

// Taps of a thread's elements in a row of the input.
struct Sources {
  u64 at[kOwn];         // offset of the first tap, in elements
  u64 apart;            // distance between places, in elements
  A first[kOwn], second[kOwn];
};
struct Row {
  Piece piece[kOwn][2];

  __device__ __forceinline__ void load(const u8* row, const Sources& from) {
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const T* const own = reinterpret_cast<const T*>(row) + from.at[k];
      piece[k][0] = load_piece(own);
      // A second tap of weight 0 may lie outside.
      piece[k][1] = {};
      if (from.second[k] != 0) piece[k][1] = load_piece(own + from.apart);
    }
  }
  // Sets x to the interpolated row times `weight`, or adds it to x if `adds`.
  __device__ __forceinline__ void interpolate(const Sources& from, A weight, bool adds, A (&x)[kOwn][kLane]) const {
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
      const A first = weight * from.first[k], second = weight * from.second[k];
      A low[kLane], high[kLane];
      widen_piece(piece[k][0], low);
      widen_piece(piece[k][1], high);
#pragma unroll
      for (int v = 0; v < kLane; ++v) {
        const A sum = fused_multiply_add(second, high[v], first * low[v]);
        x[k][v] = adds ? x[k][v] + sum : sum;
      }
    }
  }
};

extern "C" __global__ void __launch_bounds__(kResizeBlock, ADJ_CHANNELS ? 3 : 2) ADJ_ENTRY(const __grid_constant__ ResizeStripParams p) {
  wait_for_earlier_grids();
#pragma unroll 1
  for (i64 item = global_thread(); item < p.items; item += global_threads()) {
    i64 rest = divide(item, p.by_groups);
    const i64 group = item - rest * p.groups;
    const i64 slab = divide(rest, p.by_strips), strip = rest - slab * p.strips;
    const i64 plane = divide(slab, p.by_depth);
    const ResizeTarget depth = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[0])[slab - plane * p.target_extent[0]];
    const A* const depth_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[0]) + depth.offset;
    const A near = depth_weights[0], far = depth.count > 1 ? depth_weights[1] : A(0);

    const u64 pitch = static_cast<u64>(p.source_row) * sizeof(T), slab_pitch = pitch * static_cast<u64>(p.source_extent[1]);
    const u8* const source = static_cast<const u8*>(p.source) + static_cast<u64>(plane * p.source_extent[0] + depth.first) * slab_pitch;
    const ResizeTarget* const rows = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[1]);
    const A* const row_weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[1]);
    const int begin = static_cast<int>(strip * p.strip), end = static_cast<int>(min_of(begin + p.strip, p.target_extent[1]));
    // Distance between the elements of a thread.
    const i64 apart = p.groups;
#pragma unroll 1
    for (i64 first_own = group * kLane; first_own < p.target_row; first_own += ADJ_CHANNELS ? p.target_row : kOwn * apart) {
      Sources from;
      from.apart = static_cast<u64>(p.inner);
#pragma unroll
      for (int k = 0; k < kOwn; ++k) {
        // Beyond the end of the row, element 0 is computed in place, and not stored.
        i64 own = first_own + k * apart;
        if (own >= p.target_row) own = 0;
        const i64 place = divide(own, p.by_inner);
        const ResizeTarget list = reinterpret_cast<const ResizeTarget*>(p.tables.base + p.tables.targets[2])[place];
        const A* const weights = reinterpret_cast<const A*>(p.tables.base + p.tables.weights[2]) + list.offset;
        from.at[k] = static_cast<u64>(list.first * p.inner + (own - place * p.inner));
        from.first[k] = weights[0];
        from.second[k] = list.count > 1 ? weights[1] : A(0);
      }
      T* to = static_cast<T*>(p.target) + (slab * p.target_extent[1] + begin) * p.target_row + first_own;
      A low[kOwn][kLane], high[kOwn][kLane];
      // low holds interpolated row `at` of the input, high row `beyond`, and ahead the loaded row `coming`; -1 for none.
      int at = -1, beyond = -1, coming = -1;
      Row ahead;
      ResizeTarget next = rows[begin];
#pragma unroll 1
      for (int row = begin; row < end; ++row, to += p.target_row) {
        const ResizeTarget list = next;
        if (row + 1 < end) next = rows[row + 1];
        const A first = row_weights[list.offset], second = list.count > 1 ? row_weights[list.offset + 1] : A(0);
        // Brings the taps of the row into low and high.
        if (list.first != at && list.first == beyond) {
#pragma unroll
          for (int k = 0; k < kOwn; ++k)
#pragma unroll
            for (int v = 0; v < kLane; ++v) low[k][v] = high[k][v];
          at = beyond;
          beyond = -1;
        }
#pragma unroll 1
        for (;;) {
          const bool fresh = list.first != at;
          if (!fresh && (list.count < 2 || beyond == list.first + 1)) break;
          const int wanted = fresh ? list.first : list.first + 1;
          const u8* const row_at = source + static_cast<u64>(wanted) * pitch;
          if (coming != wanted) ahead.load(row_at, from);
          coming = -1;
          ahead.interpolate(from, near, false, high);
          if (far != 0) {
            ahead.load(row_at + slab_pitch, from);
            ahead.interpolate(from, far, true, high);
          }
          if (fresh) {
#pragma unroll
            for (int k = 0; k < kOwn; ++k)
#pragma unroll
              for (int v = 0; v < kLane; ++v) low[k][v] = high[k][v];
            at = wanted;
            beyond = -1;
          } else {
            beyond = wanted;
          }
        }
        // Loads a row that the next row of the result needs and that is not there.
        if (row + 1 < end) {
          const int wanted = next.first != at && next.first != beyond ? next.first : next.count > 1 && next.first + 1 != beyond ? next.first + 1 : -1;
          if (wanted >= 0) ahead.load(source + static_cast<u64>(wanted) * pitch, from);
          coming = wanted;
        }
        A out[kOwn][kLane];
#pragma unroll
        for (int k = 0; k < kOwn; ++k)
#pragma unroll
          for (int v = 0; v < kLane; ++v) {
            out[k][v] = first * low[k][v];
            if (second != 0) out[k][v] = fused_multiply_add(second, high[k][v], out[k][v]);
          }
#if ADJ_CHANNELS
        store_words(reinterpret_cast<Words4*>(to), narrow<T>(out[0]));
#else
#pragma unroll
        for (int k = 0; k < kOwn; ++k)
          if (first_own + k * apart < p.target_row) to[k * apart] = from_acc<T>(out[k][0]);
#endif
      }
    }
  }
}

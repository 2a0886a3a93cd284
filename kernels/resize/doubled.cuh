// Functions for linear resizes to twice the rows and columns.
#pragma once

#include "prelude/divide.cuh"
#include "prelude/thread.cuh"
#include "resize/params.h"
#include "resize/parts.cuh"

// Weights of the farther and the nearer of two elements.
template <class A> constexpr A kFar = static_cast<A>(0.25);
template <class A> constexpr A kNear = static_cast<A>(0.75);

// Blocks of a multiprocessor: as many as spill no registers.
template <bool channels> constexpr int kResidentDoubled = channels ? 2 : ADJ_BOUNDS_ARCH > 90 ? 3 : 4;

// The strip of rows that a thread takes in a turn of the grid, and its lane, the place along a row. All lanes of a warp take every turn, since they
// exchange elements; a lane that is not valid has none of the p.items items.
struct Strip {
  bool valid;
  i64 lane, plane;
  int begin;  // first row

  __device__ __forceinline__ Strip(const ResizeDoubledParams& p, i64 first_of_warp) : valid(first_of_warp + lane_index() < p.items) {
    const i64 item = valid ? first_of_warp + lane_index() : p.items - 1;
    const i64 rest = divide(item, p.by_lanes);
    lane = item - rest * p.lanes;
    plane = divide(rest, p.by_strips);
    begin = static_cast<int>((rest - plane * p.strips) * p.strip);
  }
};

// Returns the index of an axis that is nearest to `index`.
template <class I> __device__ __forceinline__ i64 inside(I index, I extent) { return index < 0 ? 0 : index < extent ? index : extent - 1; }

// Number of elements in 8 bytes.
template <class T> constexpr int kHalf = kVec16<T> / 2;

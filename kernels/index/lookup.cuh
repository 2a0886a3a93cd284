// What an index of a lookup names.
#pragma once

#include "prelude/types.cuh"

// The row, -1 for an index that takes no part: one outside the rows, which is counted, and padding. from_end: negative ones count from
// the end.
template <bool from_end> __device__ __forceinline__ i64 row_of_index(i64 index, i64 rows, i64 padding_row, u32& errors) {
  if (from_end && index < 0) index += rows;
  const bool inside = index >= 0 && index < rows;
  errors += !inside;
  return inside && index != padding_row ? index : -1;
}

// The row that an index of a lookup names.
#pragma once

#include "prelude/types.cuh"

// Returns the row of an index, -1 for the padding row and for an index outside the rows, which also counts as an error. from_end: negative
// indices count from the end.
template <bool from_end> __device__ __forceinline__ i64 row_of_index(i64 index, i64 rows, i64 padding_row, u32& errors) {
  if (from_end && index < 0) index += rows;
  const bool inside = index >= 0 && index < rows;
  errors += !inside;
  return inside && index != padding_row ? index : -1;
}

// Rows of tokens, and the rows of pairs that a plan gives them.
#pragma once

#include "moe/params.h"
#include "prelude/row_vectors.cuh"
#include "prelude/vectors.cuh"

// True when an entry of inverse names a row.
__device__ __forceinline__ bool has_row(const MoeRowsParams& p, i32 row) { return row >= 0 && row < p.num_rows; }

// Counts the entries of a token that are neither rows nor -1, by the lanes that share it.
__device__ __forceinline__ u32 count_outside(const MoeRowsParams& p, const i32* inverse, const RowGroup& group) {
  u32 errors = 0;
#pragma unroll 1
  for (int j = group.lane; j < p.top_k; j += group.lanes) errors += inverse[j] != -1 && !has_row(p, inverse[j]);
  return errors;
}

// Elements of vector u of a row: fewer than a vector at the end of a row that is not aligned.
template <class T, bool aligned> __device__ __forceinline__ int elements_of_vector(const MoeRowsParams& p, i64 u) {
  return aligned ? kVec16<T> : static_cast<int>(min_of<i64>(kVec16<T>, p.columns - u * kVec16<T>));
}

// Bags of indices: the positions of a bag, the bag of a position, the row of an index.
#pragma once

#include "embedding_bag/params.h"
#include "segment_sum/bag_of.cuh"
#include "segment_sum/lookup.cuh"

struct BagRange {
  i64 begin, end;
  bool bad;  // the offsets of the bag are not valid; it counts as empty
};

// Returns the positions [begin, end) of a bag.
template <class I> __device__ __forceinline__ BagRange bag_range(const BagParams& p, i64 bag) {
  if (!p.offsets) return {bag * p.bag_length, (bag + 1) * p.bag_length, false};
  const I* offsets = static_cast<const I*>(p.offsets);
  const i64 begin = static_cast<i64>(offsets[bag]);
  const i64 end = bag + 1 < p.num_bags || p.include_last_offset ? static_cast<i64>(offsets[bag + 1]) : p.num_indices;
  // As an unsigned number a negative offset is above num_indices.
  const bool ordered = static_cast<u64>(begin) <= static_cast<u64>(end) && static_cast<u64>(end) <= static_cast<u64>(p.num_indices);
  const bool good = ordered && (bag > 0 || begin == 0);
  return {good ? begin : 0, good ? end : 0, !good};
}

// Returns the row that an index names, kNoRow when its position does not take part. Rows are below 2^32 - 1, which the plan checks.
__device__ __forceinline__ u32 row_of_index(const BagParams& p, i64 index, u32& errors) {
  return static_cast<u32>(row_of_index<false>(index, p.num_embeddings, p.padding_row, errors));
}

// Bags of indices: which positions a bag has, which bag a position is in, which rows take part.
#pragma once

#include "embedding_bag/params.h"
#include "index/lookup.cuh"

struct BagRange {
  i64 begin, end;
  bool bad;  // the offsets are; such a bag is empty
};

template <class I> __device__ __forceinline__ BagRange bag_range(const BagParams& p, i64 bag) {
  if (!p.offsets) return {bag * p.bag_length, (bag + 1) * p.bag_length, false};
  const I* offsets = static_cast<const I*>(p.offsets);
  const i64 begin = static_cast<i64>(offsets[bag]);
  const i64 end = bag + 1 < p.num_bags || p.include_last_offset ? static_cast<i64>(offsets[bag + 1]) : p.num_indices;
  // A negative one is more than any as an unsigned number.
  const bool ordered = static_cast<u64>(begin) <= static_cast<u64>(end) && static_cast<u64>(end) <= static_cast<u64>(p.num_indices);
  const bool good = ordered && (bag > 0 || begin == 0);
  return {good ? begin : 0, good ? end : 0, !good};
}

// Bag of a position, kNoBag for none; `bag_of` is that of EmbeddingBagMapParams.
constexpr u32 kNoBag = ~0u;
__device__ __forceinline__ u32 bag_of_position(const u32* bag_of, i64 bag_length, u32 n) {
  return bag_of ? bag_of[n] - 1 : n / static_cast<u32>(bag_length);
}

// The row that an index names, kNoRow when its position does not take part. Rows fit 32 bits.
constexpr u32 kNoRow = ~0u;
__device__ __forceinline__ u32 row_of_index(const BagParams& p, i64 index, u32& errors) {
  return static_cast<u32>(row_of_index<false>(index, p.num_embeddings, p.padding_row, errors));
}

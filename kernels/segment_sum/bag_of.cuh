// The bag of a position.
#pragma once

#include "prelude/types.cuh"

// Returns the bag of position n, kNoBag outside all bags. bag_of: see EmbeddingBagMapParams.
constexpr u32 kNoBag = ~0u;
__device__ __forceinline__ u32 bag_of_position(const u32* bag_of, i64 bag_length, u32 n) { return bag_of ? bag_of[n] - 1 : n / static_cast<u32>(bag_length); }

constexpr u32 kNoRow = ~0u;  // in place of the row of a position that does not take part

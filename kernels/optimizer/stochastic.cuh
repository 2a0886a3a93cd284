// Stochastic rounding to 16-bit types, as include/adjoint/ops/optimizer.h defines it.
#pragma once

#include "prelude/multi_tensor.cuh"
#include "prelude/philox.cuh"
#include "prelude/scalar.cuh"

// Key of the random bits of a tensor; the number of the element is the counter.
struct RandomKey {
  u32 seed_low, seed_high, tensor, step;
};

// Returns the number of the first element of tensor t in the tensor that it is a part of. Counts 2 and 3 of the table hold it.
__device__ __forceinline__ i64 first_element(const MultiTensorTable& table, u32 t) {
  return static_cast<i64>(u64{table.count(3, t)} << 32 | table.count(2, t));
}

// Random bits of eight elements, 16 for each; the first element is a multiple of eight.
struct RandomEight {
  u32 words[4];

  __device__ __forceinline__ void draw(const RandomKey& key, i64 element) {
    words[0] = static_cast<u32>(element >> 3);
    words[1] = static_cast<u32>(element >> 35);
    words[2] = key.tensor;
    words[3] = key.step;
    turn_blocks<1>(key.seed_low, key.seed_high, words);
  }
  // Returns the 16 random bits of the element at `place` among the eight.
  __device__ __forceinline__ u32 at(u32 place) const {
    const u32 low = place & 2 ? words[1] : words[0], high = place & 2 ? words[3] : words[2];
    return (place & 4 ? high : low) >> (place & 1) * 16 & 0xffff;
  }
};

// Returns the bits of v rounded to bf16 or f16 at random, by 16 random bits.
__device__ __forceinline__ u32 round_at_random(f32 v, u32 random, int type) {
  u32 bits;
  memcpy(&bits, &v, 4);
  const u32 sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size >= 0x7f800000) return type == kDtypeBf16 ? from_acc<bf16>(v).bits : from_acc<f16>(v).bits;
  if (type == kDtypeBf16) return sign | (size + random) >> 16;
  // Below 2^-14 f16 has fixed steps of 2^-24: the number counts them, with a fraction of 16 bits.
  if (size < 0x38800000) return sign | (static_cast<u32>(from_bits(size) * 0x1p40f) + random) >> 16;
  return sign | min_of<u32>((size - 0x38000000 + (random >> 3)) >> 13, 0x7c00);
}

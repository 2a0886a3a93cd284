// Philox4x32-10: blocks of four random words from a key and a counter.
#pragma once

#include "prelude/philox.h"
#include "prelude/types.cuh"

struct RandomState {
  u32 key_low, key_high;
  u64 block;  // counter of the first block: elements 4 b to 4 b + 3 take the words of block + b
};

__device__ __forceinline__ RandomState read_random(const RandomParam& p) {
  const u64 seed = p.device ? p.device[0] : p.seed, offset = p.device ? p.device[1] : p.offset;
  return {static_cast<u32>(seed), static_cast<u32>(seed >> 32), offset >> 2};
}

// Turns the counters of `blocks` blocks into their random words, in place. The blocks are independent, so their instructions overlap.
template <int blocks> __device__ __forceinline__ void turn_blocks(u32 k0, u32 k1, u32 (&words)[4 * blocks]) {
  constexpr u32 kMultiplier0 = 0xd2511f53u, kMultiplier1 = 0xcd9e8d57u, kStep0 = 0x9e3779b9u, kStep1 = 0xbb67ae85u;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
#pragma unroll
    for (int b = 0; b < blocks; ++b) {
      u32* const c = words + 4 * b;
      const u64 first = static_cast<u64>(kMultiplier0) * c[0], second = static_cast<u64>(kMultiplier1) * c[2];
      c[0] = static_cast<u32>(second >> 32) ^ c[1] ^ k0;
      c[1] = static_cast<u32>(second);
      c[2] = static_cast<u32>(first >> 32) ^ c[3] ^ k1;
      c[3] = static_cast<u32>(first);
    }
    k0 += kStep0;
    k1 += kStep1;
  }
}
// Writes the counters of `blocks` consecutive blocks to `words`.
template <int blocks> __device__ __forceinline__ void count_blocks(u64 block, u32* words) {
#pragma unroll
  for (int b = 0; b < blocks; ++b) {
    words[4 * b] = static_cast<u32>(block + static_cast<u64>(b));
    words[4 * b + 1] = static_cast<u32>((block + static_cast<u64>(b)) >> 32);
    words[4 * b + 2] = words[4 * b + 3] = 0;
  }
}
// Writes the random words of `blocks` consecutive blocks to `words`.
template <int blocks> __device__ __forceinline__ void draw_blocks(const RandomState& state, u64 block, u32 (&words)[4 * blocks]) {
  count_blocks<blocks>(block, words);
  turn_blocks<blocks>(state.key_low, state.key_high, words);
}

// The numbers that ONNX Runtime's kernels draw: those of thread t of its grid are a subsequence of their own.
#pragma once

#include "dropout/mask.cuh"
#include "prelude/divide.cuh"

// The offset, any number: where a thread's words begin.
__device__ __forceinline__ u64 first_word(const RandomParam& p) { return p.device ? p.device[1] : p.offset; }

// Changes the threshold to that of a comparison in f32: word * 2^-32 + 2^-33 < 1 - ratio. The left side grows with the word, so the number
// of words below is found bit by bit; the largest word is never below.
template <class A> __device__ __forceinline__ void compare_in_f32(Dropout<A>& d, const DropoutRule& rule) {
  if (d.all || d.scale != d.scale) return;
  const f32 kept = 1.0f - static_cast<f32>(read_scalar(rule.ratio));
  u32 below = 0;
#pragma unroll 1
  for (u32 bit = 0x80000000u; bit > 0; bit >>= 1)
    if (static_cast<f32>(below + bit - 1) * 0x1p-32f + 0x1p-33f < kept) below += bit;
  d.last = below - 1;
  d.some = below ? 0xffffffffu : 0u;
}

// Bits of the four elements from e on, a multiple of 4. Their words are in one block, or in the halves of two.
__device__ __forceinline__ u32 draw_quad(u32 key_low, u32 key_high, u64 offset, i64 stretch, const WideDivisor& by_stretch, i64 e,
                                         u32 last) {
  const i64 turn = divide(e, by_stretch);
  const u32 thread = static_cast<u32>((e - turn * stretch) >> 2);
  const u64 word = offset + 4 * static_cast<u64>(turn);
  const u32 skew = static_cast<u32>(word & 3);
  u32 bits = 0;
#pragma unroll 1
  for (u32 k = 0; k < (skew ? 2u : 1u); ++k) {
    const u64 block = ((word - skew + 4 * k) >> 2);
    u32 words[4] = {static_cast<u32>(block), static_cast<u32>(block >> 32), thread, 0};
    turn_blocks<1>(key_low, key_high, words);
#pragma unroll
    for (u32 i = 0; i < 4; ++i) bits |= static_cast<u32>(words[i] <= last) << (4 * k + i);
  }
  return bits >> skew & 15;
}

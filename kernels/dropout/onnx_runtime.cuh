// Random numbers as ONNX Runtime's kernels draw them: each thread of its grid has a subsequence of its own.
#pragma once

#include "dropout/mask.cuh"
#include "prelude/divide.cuh"

// Returns the offset: the place of a thread's first word in its subsequence. It need not be a multiple of 4.
__device__ __forceinline__ u64 first_word(const RandomParam& p) { return p.device ? p.device[1] : p.offset; }

// Changes the limit of d to that of ONNX Runtime's comparison in f32: word * 2^-32 + 2^-33 < 1 - ratio. The left side grows with the word, so a
// search bit by bit finds the number of words for which it holds. The largest word never holds. A scale of NaN marks a ratio that is invalid; d then
// stays as it is.
template <class A> __device__ __forceinline__ void compare_in_f32(Dropout<A>& d, const DropoutRule& rule) {
  if (d.scale != d.scale) return;
  const f32 kept = 1.0f - static_cast<f32>(read_scalar(rule.ratio));
  u32 below = 0;
#pragma unroll 1
  for (u32 bit = 0x80000000u; bit > 0; bit >>= 1)
    if (static_cast<f32>(below + bit - 1) * 0x1p-32f + 0x1p-33f < kept) below += bit;
  d.limit = below;
  d.draws = true;
}

// Returns the bits of the quad that begins at element e. Its words lie in one block, or in two if the offset is not a multiple of 4.
__device__ __forceinline__ u32 draw_quad(u32 key_low, u32 key_high, u64 offset, i64 stretch, const WideDivisor& by_stretch, i64 e, u32 limit) {
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
    for (u32 i = 0; i < 4; ++i) bits |= static_cast<u32>(words[i] < limit) << (4 * k + i);
  }
  return bits >> skew & 15;
}

// Returns the bits of `count` elements of row `row` from column `column` on. A block is drawn once for neighbouring words of the same thread.
template <class A> __device__ __forceinline__ u32 draw_row_bits(const Dropout<A>& d, const DropoutRowMapping& m, u64 offset, i64 row, i64 columns, i64 column,
                                                                int count) {
  u32 words[4] = {}, bits = 0;
  u64 drawn_thread = 0, drawn_block = 0;
#pragma unroll 1
  for (int j = 0; j < count; ++j) {
    const i64 c = column + j;
    u64 thread, word = offset;
    if (m.stretch) {
      const i64 e = row * columns + c, turn = divide(e, m.by_stretch);
      thread = static_cast<u64>(e - turn * m.stretch) >> 2;
      word += static_cast<u64>(4 * turn + (e & 3));
    } else {
      const i64 group = row >> m.rows_log2, of_group = row - (group << m.rows_log2);
      const int at = static_cast<int>(c), vector = at >> m.vector_log2, turn = vector >> m.lanes_log2;
      thread = static_cast<u64>((group << m.lanes_log2) + (vector - (turn << m.lanes_log2)));
      word += static_cast<u64>(of_group * m.thread_columns + (turn << m.vector_log2) + (at - (vector << m.vector_log2)));
    }
    if (j == 0 || thread != drawn_thread || word >> 2 != drawn_block) {
      drawn_thread = thread;
      drawn_block = word >> 2;
      words[0] = static_cast<u32>(drawn_block);
      words[1] = static_cast<u32>(drawn_block >> 32);
      words[2] = static_cast<u32>(thread);
      words[3] = static_cast<u32>(thread >> 32);
      turn_blocks<1>(d.random.key_low, d.random.key_high, words);
    }
    const u32 at = static_cast<u32>(word) & 3;
    const u32 own = at & 2 ? (at & 1 ? words[3] : words[2]) : (at & 1 ? words[1] : words[0]);
    bits |= static_cast<u32>(own < d.limit) << j;
  }
  return d.draws ? bits : 0xffffffffu;
}

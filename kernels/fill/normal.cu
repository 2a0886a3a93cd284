// Computes: out[e] = mean + std * n(e), n normally distributed: include/adjoint/ops/fill.h.
// Work split: a thread takes kFillTogether neighbouring elements, a grid apart: two blocks of Philox.
// Memory: each element is written once, 16 bytes at a time.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type.
#include "fill/elements.cuh"
#include "prelude/turns.cuh"

typedef ADJ_T T;

extern "C" __global__ void __launch_bounds__(kFillBlock) ADJ_ENTRY(const __grid_constant__ NormalParams p) {
  const f64 mean = read_scalar(p.mean), deviation = read_scalar(p.std);
  const RandomState state = read_random(p.random);
  const bool aligned = aligned16(p.out);
#pragma unroll 1
  for (i64 at = global_thread() * kFillTogether; at < p.count; at += global_threads() * kFillTogether) {
    u32 words[kFillTogether];
    draw_blocks<kFillTogether / 4>(state, state.block + static_cast<u64>(at) / 4, words);
    T x[kFillTogether];
    // One copy of the code: each turn takes the first two words, and moves the rest and the results on.
#pragma unroll 1
    for (int k = 0; k < kFillTogether; k += 2) {
      f64 sine, cosine;
      sine_cosine_of_turns(words[1] * 0x1p-32, sine, cosine);
      const f64 radius = square_root(-2.0 * log((words[0] + 0.5) * 0x1p-32));
#pragma unroll
      for (int j = 0; j + 2 < kFillTogether; ++j) {
        words[j] = words[j + 2];
        x[j] = x[j + 2];
      }
      x[kFillTogether - 2] = rounded_once<T>(fused_multiply_add(deviation, radius * cosine, mean));
      x[kFillTogether - 1] = rounded_once<T>(fused_multiply_add(deviation, radius * sine, mean));
    }
    store_together<T>(p.out, at, p.count, x, aligned);
  }
}

// Fake quantization and its gradient.
//
// Computes: with s the scale and z the zero point, q = rint(input / s) + z; out = (clamp(q) - z) * s; mask = q is inside the bounds. Backward:
//   dinput = mask ? dout : 0.
// Work split: a block takes tiles of kTogether vectors of 16 bytes for each thread, a grid apart.
// Memory: each operand once: 16 bytes at a time and the mask bytes of a vector together, but vectors that are not whole and aligned element by
//   element. Scales and zero points of channels come from the cache.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_BACKWARD 1 for the gradient.
#include "prelude/scalar.cuh"
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"
#include "quantize/params.h"

typedef ADJ_T T;
typedef Acc<T> A;

constexpr int kBlock = 256;
constexpr int kVector = kVec16<T>;
constexpr int kTogether = ADJ_BACKWARD ? 1 : kFakeQuantizeTogether;
constexpr i64 kTile = kTogether * kBlock * kVector;

__device__ __forceinline__ f32 quotient(const f32& a, const f32& b) { return __fdiv_rn(a, b); }
__device__ __forceinline__ f64 quotient(const f64& a, const f64& b) { return __ddiv_rn(a, b); }
__device__ __forceinline__ f32 rounded(f32 v) { return rintf(v); }
__device__ __forceinline__ f64 rounded(f64 v) { return rint(v); }

// The mask of a vector, one byte for each element.
struct Bytes {
  u8 at[kVector];
};
template <int bytes> struct WordOf;
template <> struct WordOf<2> {
  typedef u16 type;
};
template <> struct WordOf<4> {
  typedef u32 type;
};
template <> struct WordOf<8> {
  typedef u64 type;
};
typedef typename WordOf<kVector>::type MaskWord;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ FakeQuantizeParams p) {
  const bool aligned = ((reinterpret_cast<u64>(p.input) | reinterpret_cast<u64>(p.out)) & 15) == 0;
  const bool mask_aligned = reinterpret_cast<u64>(p.mask) % kVector == 0;
#if !ADJ_BACKWARD
  A scale = 1, zero_point = 0;
  if (!p.scales) {
    scale = static_cast<A>(read_scalar(p.scale));
    zero_point = static_cast<A>(read_scalar(p.zero_point));
  }
  const A low = static_cast<A>(p.quant_min), high = static_cast<A>(p.quant_max);
#endif
#pragma unroll 1
  for (i64 tile = block_index(); tile * kTile < p.count; tile += grid_blocks()) {
    i64 at = tile * kTile + thread_index() * kVector;
    Words4 ahead[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
      const i64 own = at + k * kBlock * kVector;
      ahead[k] = {0, 0, 0, 0};
      if (own < p.count) ahead[k] = load_vector<T>(p.input, own, static_cast<int>(min_of<i64>(kVector, p.count - own)), aligned);
    }
#pragma unroll 1
    for (int k = 0; k < kTogether && at < p.count; ++k, at += kBlock * kVector) {
      const int count = static_cast<int>(min_of<i64>(kVector, p.count - at));
      const Words4 words = ahead[0];
#pragma unroll
      for (int i = 0; i + 1 < kTogether; ++i) ahead[i] = ahead[i + 1];
      u8* const mask = static_cast<u8*>(p.mask) + at;
      const bool whole_mask = mask_aligned && count == kVector;
#if ADJ_BACKWARD
      Bytes kept{};
      if (whole_mask) {
        const MaskWord word = *reinterpret_cast<const MaskWord*>(mask);
        memcpy(&kept, &word, sizeof kept);
      } else {
#pragma unroll
        for (int j = 0; j < kVector; ++j)
          if (j < count) kept.at[j] = mask[j];
      }
      Vec<T, kVector> v = unpack<T>(words);
#pragma unroll
      for (int j = 0; j < kVector; ++j)
        if (!kept.at[j]) v.at[j] = T{};
      store_vector<T>(p.out, at, pack<T>(v), count, aligned);
#else
      A x[kVector];
      widen<T>(words, x);
      // Channel of the first element, and elements left in the channel; each next element may begin another channel.
      i64 channel = 0, left = 0;
      if (p.scales) {
        if (p.count <= 0xffffffffll) {
          const u32 inner = static_cast<u32>(p.inner), row = static_cast<u32>(at) / inner;
          left = inner - (static_cast<u32>(at) - row * inner);
          channel = row % static_cast<u32>(p.channels);
        } else {
          const i64 row = at / p.inner;
          left = p.inner - (at - row * p.inner);
          channel = row % p.channels;
        }
        scale = static_cast<const A*>(p.scales)[channel];
        zero_point = static_cast<const A*>(p.zero_points)[channel];
      }
      Bytes inside{};
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        if (p.scales && left-- == 0) {
          channel = channel + 1 == p.channels ? 0 : channel + 1;
          left = p.inner - 1;
          scale = static_cast<const A*>(p.scales)[channel];
          zero_point = static_cast<const A*>(p.zero_points)[channel];
        }
        const A q = rounded(quotient(x[j], scale)) + zero_point;
        A kept = q < low ? low : q > high ? high : q;  // a NaN stays
        if (p.nan_to_min && !(q == q)) kept = low;
        inside.at[j] = q >= low && q <= high ? 1 : 0;
        x[j] = (kept - zero_point) * scale;
      }
      store_vector<T>(p.out, at, narrow<T>(x), count, aligned);
      if (p.mask && whole_mask) {
        MaskWord word;
        memcpy(&word, &inside, sizeof word);
        *reinterpret_cast<MaskWord*>(mask) = word;
      } else if (p.mask) {
#pragma unroll
        for (int j = 0; j < kVector; ++j)
          if (j < count) mask[j] = inside.at[j];
      }
#endif
    }
  }
}

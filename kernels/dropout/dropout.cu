// Computes: dropout and its gradient, out[e] = kept(e) ? in[e] * scale : 0.
// Work split: a warp takes tiles of four 16-byte vectors a lane. Elements behind the last tile, and all elements of unaligned buffers, go four to a
//   lane.
// Memory: each element is read and written once; a byte or a bit of the mask is written (forward) or read (gradient).
// Order of additions: none. Whether an element is kept depends on the random state and the element's index alone.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_BACKWARD 1 for the gradient, which reads a stored mask instead of writing one, ADJ_ONNX_RUNTIME 1 for the mapping
//   of ONNX Runtime.
#include "dropout/mask.cuh"
#include "dropout/onnx_runtime.cuh"
#include "prelude/thread.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr int kTile = kWarp * kVectors * kVector;  // elements
// Vectors that a lane works on together. Two vectors share the exchange of their bits and are dropped by their words, which takes registers. Gradients
// with a stored mask need the registers for more threads, to have more loads in flight.
constexpr int kTogether = ADJ_BACKWARD || ADJ_ONNX_RUNTIME ? 1 : 2;
constexpr int kWords = kVector < 4 ? 4 : kVector;  // random words of the blocks that a vector covers
constexpr int kQuads = 4 * kWarp;              // elements behind the tiles that a warp takes at a time

__device__ __forceinline__ A dropped_or(A x, u32 bits, int j, const Dropout<A>& d) { return bits >> j & 1 ? x * d.scale : A(0); }

// Returns the bits of `quads` quads. The first quad is the one that element `first` lies in.
template <int quads> __device__ __forceinline__ u32 draw(const DropoutParams& p, const Dropout<A>& d, i64 first) {
  if constexpr (ADJ_ONNX_RUNTIME) {
    const u64 offset = first_word(p.rule.random);
    u32 bits = 0;
#pragma unroll 1
    for (int q = 0; q < quads; ++q)
      bits |= draw_quad(d.random.key_low, d.random.key_high, offset, p.stretch, p.by_stretch, (first & ~i64{3}) + 4 * q, d.limit) << 4 * q;
    return bits;
  } else {
    return draw_bits<quads>(d, first);
  }
}
// Returns the bits of the kVector elements from `first` on, a multiple of kVector.
__device__ __forceinline__ u32 draw_vector(const DropoutParams& p, const Dropout<A>& d, i64 first) {
  if constexpr (kVector == 2) return draw<1>(p, d, first) >> (static_cast<u32>(first) & 2) & 3;
  else return draw<kVector / 4>(p, d, first);
}
// Stores words of the mask, each from `width` bits of each of 32 / width neighbouring lanes. element: the lane's first element.
template <int width> __device__ __forceinline__ void store_bits(u32* mask, i64 element, u32 bits, bool valid) {
  constexpr int kLanes = 32 / width;
  const int own = lane_index() & (kLanes - 1);
  bits <<= own * width;
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2) bits |= shuffle_xor(bits, step);
  if (own == 0 && valid) mask[element >> 5] = bits;
}

// Stores words of the mask from two vectors a lane. Neighbouring lanes exchange bits: even lanes then have the bits of both first vectors, odd lanes
// the bits of both second vectors.
template <int width> __device__ __forceinline__ void store_two_bits(u32* mask, const i64* element, const u32* bits) {
  constexpr int kLanes = 32 / width, kMask = static_cast<int>((1u << width) - 1);
  const int own = lane_index() & (kLanes - 1), odd = own & 1;
  const u32 mine = (odd ? bits[1] : bits[0]) & kMask, others = shuffle_xor((odd ? bits[0] : bits[1]) & kMask, 1);
  u32 word = mine << (own * width) | others << ((own ^ 1) * width);
#pragma unroll
  for (int step = 2; step < kLanes; step *= 2) word |= shuffle_xor(word, step);
  if (own < 2) mask[(odd ? element[1] : element[0]) >> 5] = word;
}

extern "C" __global__ void __launch_bounds__(kBlock, ADJ_ONNX_RUNTIME ? 3 : ADJ_BACKWARD ? 6 : 4) ADJ_ENTRY(const __grid_constant__ DropoutParams p) {
  Dropout<A> d = read_dropout<A>(p.rule);
  if (ADJ_ONNX_RUNTIME && !d.all) compare_in_f32(d, p.rule);
  const bool skips_mask = ADJ_BACKWARD && (d.all || d.none);
  const bool draws = d.draws && (!ADJ_BACKWARD || p.rule.mask_kind == kMaskNone || d.none);
  const bool with_bools = p.rule.mask_kind == kMaskBool && !skips_mask;
  const bool with_bits = p.rule.mask_kind == kMaskBits && !skips_mask;
  u8* const bytes = static_cast<u8*>(p.rule.mask);
  u32* const words_of_mask = static_cast<u32*>(p.rule.mask);
  const ADJ_T* const in = static_cast<const ADJ_T*>(p.in);
  ADJ_T* const out = static_cast<ADJ_T*>(p.out);
  const bool aligned = aligned16(in) && aligned16(out) && (!with_bools || reinterpret_cast<u64>(bytes) % kVector == 0);
  const i64 in_tiles = aligned ? p.count / kTile * kTile : 0;
  const i64 warp = global_thread() / kWarp, warps = global_threads() / kWarp;

#pragma unroll 1
  for (i64 tile = warp * kTile; tile < in_tiles; tile += warps * kTile) {
    const i64 first = tile + lane_index() * kVector;
    Words4 w[kVectors];
    u32 kept[kVectors];
#pragma unroll
    for (int k = 0; k < kVectors; ++k) w[k] = load_words(reinterpret_cast<const Words4*>(in + first) + k * kWarp);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      kept[k] = 0xffffffffu;
      const i64 e = first + k * (kWarp * kVector);
      if (ADJ_BACKWARD && with_bools) kept[k] = load_bools<kVector>(bytes + e);
      if (ADJ_BACKWARD && with_bits) kept[k] = static_cast<u32>(bytes[e >> 3]) >> (static_cast<u32>(e) & 7);
    }
#pragma unroll 1
    for (int k = 0; k < kVectors; k += kTogether) {
      i64 e[kTogether];
      u32 bits[kTogether];
      A x[kTogether][kVector];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        e[i] = first + (k + i) * (kWarp * kVector);
        bits[i] = kept[i];
        widen<ADJ_T>(w[i], x[i]);
      }
      if (kTogether == 2 && draws) {
        u32 words[kTogether * kWords];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) count_blocks<kWords / 4>(d.random.block + (static_cast<u64>(e[i]) >> 2), words + i * kWords);
        turn_blocks<kTogether * kWords / 4>(d.random.key_low, d.random.key_high, words);
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          u32* const own = words + i * kWords;
          if (kVector == 2 && (static_cast<u32>(e[i]) & 2)) own[0] = own[2], own[1] = own[3];
          bits[i] = drop_by_words(d, own, x[i]);
        }
      } else {
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          if (draws) bits[i] = draw_vector(p, d, e[i]);
#pragma unroll
          for (int j = 0; j < kVector; ++j) x[i][j] = dropped_or(x[i][j], bits[i], j, d);
        }
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        store_words(reinterpret_cast<Words4*>(out + e[i]), narrow<ADJ_T>(x[i]));
        if (!ADJ_BACKWARD && with_bools) store_bools<kVector>(bytes + e[i], bits[i]);
      }
      if (!ADJ_BACKWARD && with_bits) {
        if constexpr (kTogether == 2) store_two_bits<kVector>(words_of_mask, e, bits);
        else store_bits<kVector>(words_of_mask, e[0], bits[0] & ((1u << kVector) - 1), true);
      }
#pragma unroll
      for (int i = 0; i + kTogether < kVectors; ++i) w[i] = w[i + kTogether], kept[i] = kept[i + kTogether];
    }
  }

#pragma unroll 1
  for (i64 quads = in_tiles + warp * kQuads; quads < p.count; quads += warps * kQuads) {
    const i64 e = quads + lane_index() * 4;
    const int count = static_cast<int>(max_of<i64>(min_of<i64>(p.count - e, 4), 0));
    u32 bits = 15;
    if (draws) bits = draw<1>(p, d, e);
    if (p.rule.training) bits &= (1u << count) - 1;
    if (ADJ_BACKWARD && with_bits && count) bits = words_of_mask[e >> 5] >> (static_cast<u32>(e) & 31);
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
      if (ADJ_BACKWARD && with_bools && bytes[e + j] == 0) bits &= ~(1u << j);
      if (!ADJ_BACKWARD && with_bools) bytes[e + j] = static_cast<u8>(bits >> j & 1);
      out[e + j] = from_acc<ADJ_T>(dropped_or(to_acc(in[e + j]), bits, j, d));
    }
    if (!ADJ_BACKWARD && with_bits) store_bits<4>(words_of_mask, e, bits, count > 0);
  }
}

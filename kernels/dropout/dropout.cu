// Computes: dropout and its gradient, out[e] = kept(e) ? in[e] * scale : 0.
// Work split: a warp takes tiles of four 16-byte units a lane; the rest, and buffers that do not begin on 16-byte boundaries, four
//   elements a lane.
// Memory: each element is read and written once, and a byte or a bit of the mask is written (forward) or read (gradient).
// Order of additions: none; which elements are kept depends on their index alone.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_BACKWARD the gradient: a stored mask is read instead of written, ADJ_ONNX_RUNTIME the mapping of ONNX Runtime.
#include "dropout/mask.cuh"
#include "dropout/onnx_runtime.cuh"
#include "prelude/thread.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;
constexpr int kUnit = kVec16<ADJ_T>, kUnits = 4;
constexpr int kTile = kWarp * kUnits * kUnit;  // elements
constexpr bool kAhead = !ADJ_BACKWARD;  // a tile is sent for while the bits of the one before it are drawn
constexpr int kQuads = 4 * kWarp;              // elements that a warp takes at a time of the rest

__device__ __forceinline__ A dropped_or(A x, u32 bits, int j, const Dropout<A>& d) { return bits >> j & 1 ? x * d.scale : A(0); }

// The bits of 4 * quads elements from `first` on, a multiple of 4, or of the four around it.
template <int quads> __device__ __forceinline__ u32 draw(const DropoutParams& p, const Dropout<A>& d, i64 first) {
  if constexpr (ADJ_ONNX_RUNTIME) {
    const u64 offset = first_word(p.rule.random);
    u32 bits = 0;
#pragma unroll 1
    for (int q = 0; q < quads; ++q) bits |= draw_quad(d.random.key_low, d.random.key_high, offset, p.stretch, p.by_stretch, (first & ~i64{3}) + 4 * q, d.last) << 4 * q;
    return bits & d.some;
  } else {
    return draw_bits<quads>(d, first);
  }
}
// The bits of kUnit elements from `first` on, a multiple of kUnit.
__device__ __forceinline__ u32 draw_unit(const DropoutParams& p, const Dropout<A>& d, i64 first) {
  if constexpr (kUnit == 2) return draw<1>(p, d, first) >> (static_cast<u32>(first) & 2) & 3;
  else return draw<kUnit / 4>(p, d, first);
}
// Stores a word of the mask from the bits that neighbouring lanes have, `width` each; `element` is the first one of this lane.
template <int width> __device__ __forceinline__ void store_bits(u32* mask, i64 element, u32 bits, bool live) {
  constexpr int kLanes = 32 / width;
  const int own = lane_index() & (kLanes - 1);
  bits <<= own * width;
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2) bits |= shuffle_xor(bits, step);
  if (own == 0 && live) mask[element >> 5] = bits;
}

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ DropoutParams p) {
  Dropout<A> d = read_dropout<A>(p.rule);
  if constexpr (ADJ_ONNX_RUNTIME) compare_in_f32(d, p.rule);
  const bool draws = p.rule.training && (!ADJ_BACKWARD || p.rule.mask_kind == kMaskNone);
  const bool with_bools = p.rule.mask_kind == kMaskBool && !(ADJ_BACKWARD && d.all);
  const bool with_bits = p.rule.mask_kind == kMaskBits && !(ADJ_BACKWARD && d.all);
  u8* const bytes = static_cast<u8*>(p.rule.mask);
  u32* const words = static_cast<u32*>(p.rule.mask);
  const ADJ_T* const in = static_cast<const ADJ_T*>(p.in);
  ADJ_T* const out = static_cast<ADJ_T*>(p.out);
  const bool aligned = aligned16(in) && aligned16(out) && (!with_bools || reinterpret_cast<u64>(bytes) % kUnit == 0);
  const i64 in_tiles = aligned ? p.count / kTile * kTile : 0;
  const i64 warp = global_thread() / kWarp, warps = global_threads() / kWarp;

  Words4 next[kUnits]{};
  const auto load = [&](Words4 (&w)[kUnits], i64 tile) {
    if (tile < in_tiles)
#pragma unroll
      for (int k = 0; k < kUnits; ++k) w[k] = load_words(reinterpret_cast<const Words4*>(in + tile + lane_index() * kUnit) + k * kWarp);
  };
  if (kAhead) load(next, warp * kTile);
#pragma unroll 1
  for (i64 tile = warp * kTile; tile < in_tiles; tile += warps * kTile) {
    const i64 first = tile + lane_index() * kUnit;
    Words4 w[kUnits];
    u32 kept[kUnits];
    if constexpr (kAhead) {
#pragma unroll
      for (int k = 0; k < kUnits; ++k) w[k] = next[k];
      load(next, tile + warps * kTile);
    } else {
      load(w, tile);
    }
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      kept[k] = 0xffffffffu;
      const i64 e = first + k * (kWarp * kUnit);
      if (ADJ_BACKWARD && with_bools) kept[k] = load_bools<kUnit>(bytes + e);
      if (ADJ_BACKWARD && with_bits) kept[k] = static_cast<u32>(bytes[e >> 3]) >> (static_cast<u32>(e) & 7);
    }
#pragma unroll 1
    for (int k = 0; k < kUnits; ++k) {
      const i64 e = first + k * (kWarp * kUnit);
      u32 bits = kept[0];
      if (draws) bits = draw_unit(p, d, e);
      A x[kUnit];
      widen<ADJ_T>(w[0], x);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) x[j] = dropped_or(x[j], bits, j, d);
      store_words(reinterpret_cast<Words4*>(out + e), narrow<ADJ_T>(x));
      if (!ADJ_BACKWARD && with_bools) store_bools<kUnit>(bytes + e, bits);
      if (!ADJ_BACKWARD && with_bits) store_bits<kUnit>(words, e, bits & ((1u << kUnit) - 1), true);
#pragma unroll
      for (int i = 0; i + 1 < kUnits; ++i) w[i] = w[i + 1], kept[i] = kept[i + 1];
    }
  }

#pragma unroll 1
  for (i64 quads = in_tiles + warp * kQuads; quads < p.count; quads += warps * kQuads) {
    const i64 e = quads + lane_index() * 4;
    const int count = static_cast<int>(max_of<i64>(min_of<i64>(p.count - e, 4), 0));
    u32 bits = 15;
    if (draws) bits = draw<1>(p, d, e) & ((1u << count) - 1);
    if (ADJ_BACKWARD && with_bits && count) bits = words[e >> 5] >> (static_cast<u32>(e) & 31);
#pragma unroll 1
    for (int j = 0; j < count; ++j) {
      if (ADJ_BACKWARD && with_bools && bytes[e + j] == 0) bits &= ~(1u << j);
      if (!ADJ_BACKWARD && with_bools) bytes[e + j] = static_cast<u8>(bits >> j & 1);
      out[e + j] = from_acc<ADJ_T>(dropped_or(to_acc(in[e + j]), bits, j, d));
    }
    if (!ADJ_BACKWARD && with_bits) store_bits<4>(words, e, bits, count > 0);
  }
}

// Computes: a = kept ? dout * scale : 0, dinput = y * (a - sum of a * y along the row), where y is the softmax before dropout.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: resident rows are read once. Longer rows (only with ADJ_ALIGNED=0) are read twice, the second time from a cache.
// Order of additions: follows from the column and the group alone. A vector is added in the accumulator type, the sums of vectors in f64.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_ALIGNED 1 if rows are aligned, ADJ_ONNX_RUNTIME 1 (with ADJ_ALIGNED=0) for the
//   mapping of ONNX Runtime.
#include "dropout/onnx_runtime.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

__device__ __forceinline__ A sum_of_group(f64 partial, const RowGroup& g, f64* scratch) {
#pragma unroll 1
  for (int mask = g.run / 2; mask > 0; mask /= 2) partial += shuffle_xor(partial, mask);
  return static_cast<A>(g.lanes > kWarp ? sum_of_warps(partial, scratch) : partial);
}
__device__ __forceinline__ void mask_vector(const Dropout<A>& d, u32 kept, A (&a)[kVector]) {
#pragma unroll
  for (int j = 0; j < kVector; ++j) a[j] = kept >> j & 1 ? a[j] * d.scale : A(0);
}

#if ADJ_ALIGNED

// A row in registers, with the same arithmetic as the rows below.
__device__ __forceinline__ void work_on_row(const SoftmaxDropoutBackwardParams& p, const Dropout<A>& d, const RowGroup& g, int kind, f64* scratch, i64 row,
                                            bool valid) {
  const i64 begin = row * p.columns;
  const int count = valid ? static_cast<int>(p.columns) : 0;
  auto element = [&](int k) { return begin + (g.lane + k * g.lanes) * kVector; };
  auto inside = [&](int k) { return max_of(min_of(count - (g.lane + k * g.lanes) * kVector, kVector), 0); };
  const u8* const mask = static_cast<const u8*>(p.rule.mask);
  const bool bytes = kind == kMaskBool && reinterpret_cast<u64>(mask) % kVector == 0;
  u32 kept[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) kept[k] = 0xffffffffu;
  if (!bytes) {
#pragma unroll 1
    for (int k = 0; k < kVectors; ++k) {
      u32 bits;
      if (kind == kMaskBool) bits = load_bools_one_by_one(mask + element(k), inside(k));
      else if (kind == kMaskBits) bits = load_bits_at(mask, element(k), inside(k));
      else bits = draw_bits_at<kVector>(d, element(k), inside(k));
#pragma unroll
      for (int i = 0; i + 1 < kVectors; ++i) kept[i] = kept[i + 1];
      kept[kVectors - 1] = bits;
    }
  }
  Words4 dout[kVectors], out[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    dout[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.dout) + begin, count, g.lane + k * g.lanes);
    out[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.softmax_out) + begin, count, g.lane + k * g.lanes);
    if (bytes && inside(k)) kept[k] = load_bools<kVector>(mask + element(k));
  }
  f64 partial = 0;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    A a[kVector], y[kVector], vector = 0;
    widen<ADJ_T>(dout[k], a);
    widen<ADJ_T>(out[k], y);
    mask_vector(d, kept[k], a);
#pragma unroll
    for (int j = 0; j < kVector; ++j) vector = fused_multiply_add(a[j], y[j], vector);
    partial += vector;
  }
  const A sum = sum_of_group(partial, g, scratch);
  g.barrier();  // `scratch` may be used again after this barrier
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    A a[kVector], y[kVector];
    forget_unpacked(dout[k]);
    forget_unpacked(out[k]);
    widen<ADJ_T>(dout[k], a);
    widen<ADJ_T>(out[k], y);
    mask_vector(d, kept[k], a);
#pragma unroll
    for (int j = 0; j < kVector; ++j) a[j] = y[j] * (a[j] - sum);
    write_row_vector<kAligned>(narrow<ADJ_T>(a), static_cast<ADJ_T*>(p.dinput) + begin, count, g.lane + k * g.lanes, g.run);
  }
}

#else

// A row in stretches. A resident row is read once. Each stretch is read as a row of its own: no lane reads a word that reaches into the next
// stretch.
__device__ __forceinline__ void work_on_row(const SoftmaxDropoutBackwardParams& p, const Dropout<A>& d, const RowGroup& g, int kind, f64* scratch, i64 row,
                                            bool valid) {
  const i64 begin = row * p.columns;
  const int stretch = g.lanes * kVectors * kVector;
  f64 partial = 0;
  A sum = 0;
  Words4 dout[kVectors] = {}, out[kVectors] = {};
  u32 kept[kVectors] = {};
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
    for (i64 c = 0; c < p.columns; c += stretch) {
      const int count = valid ? static_cast<int>(min_of<i64>(p.columns - c, stretch)) : 0;
      auto element = [&](int k) { return begin + c + (g.lane + k * g.lanes) * kVector; };
      auto inside = [&](int k) { return max_of(min_of(count - (g.lane + k * g.lanes) * kVector, kVector), 0); };
      if (pass == 0 || !p.resident) {
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          dout[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.dout) + (begin + c), count, g.lane + k * g.lanes);
          out[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.softmax_out) + (begin + c), count, g.lane + k * g.lanes);
          kept[k] = 0xffffffffu;
          if (kind == kMaskBool) kept[k] = load_bools_at<kVector>(static_cast<const u8*>(p.rule.mask) + element(k), inside(k));
          if (kind == kMaskBits) kept[k] = load_bits_at(static_cast<const u8*>(p.rule.mask), element(k), inside(k));
        }
        if (kind == kMaskNone) {
#pragma unroll 1
          for (int k = 0; k < kVectors; ++k) {
            u32 bits;
            if (ADJ_ONNX_RUNTIME) bits = draw_row_bits(d, p.mapping, first_word(p.rule.random), row, p.columns, element(k) - begin, inside(k));
            else bits = draw_bits_at<kVector>(d, element(k), inside(k));
#pragma unroll
            for (int i = 0; i + 1 < kVectors; ++i) kept[i] = kept[i + 1];
            kept[kVectors - 1] = bits;
          }
        }
      }
      // Lanes read words that neighbouring lanes write: dinput may overwrite them only after all have read. `scratch` is free after it, too.
      if (pass > 0) g.barrier();
#pragma unroll 1
      for (int k = 0; k < kVectors; ++k) {
        A a[kVector], y[kVector];
        widen<ADJ_T>(dout[0], a);
        widen<ADJ_T>(out[0], y);
#pragma unroll
        for (int j = 0; j < kVector; ++j) a[j] = kept[0] >> j & 1 ? a[j] * d.scale : A(0);
        if (pass == 0) {
          A vector = 0;
#pragma unroll
          for (int j = 0; j < kVector; ++j) vector = fused_multiply_add(a[j], y[j], vector);
          partial += vector;
        } else {
#pragma unroll
          for (int j = 0; j < kVector; ++j) a[j] = y[j] * (a[j] - sum);
          write_row_vector<kAligned>(narrow<ADJ_T>(a), static_cast<ADJ_T*>(p.dinput) + (begin + c), count, g.lane + k * g.lanes, g.run);
        }
        const Words4 own_dout = dout[0], own_out = out[0];
        const u32 own_kept = kept[0];
#pragma unroll
        for (int i = 0; i + 1 < kVectors; ++i) dout[i] = dout[i + 1], out[i] = out[i + 1], kept[i] = kept[i + 1];
        dout[kVectors - 1] = own_dout;
        out[kVectors - 1] = own_out;
        kept[kVectors - 1] = own_kept;
      }
    }
    if (pass == 0) { sum = sum_of_group(partial, g, scratch); }
  }
}

#endif

extern "C" __global__ void __launch_bounds__(kBlock, kAligned && sizeof(ADJ_T) < 8 && ADJ_BOUNDS_ARCH == 90 ? 2 : 1)
    ADJ_ENTRY(const __grid_constant__ SoftmaxDropoutBackwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  Dropout<A> d = read_dropout<A>(p.rule);
  if (ADJ_ONNX_RUNTIME) compare_in_f32(d, p.rule);
  const int kind = d.none ? kMaskNone : p.rule.mask_kind;  // a ratio of 1 drops every word
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.rows;
    work_on_row(p, d, g, kind, scratch, valid ? first + g.own : first, valid);
  }
}

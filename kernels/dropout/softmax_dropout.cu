// Computes: p = softmax(in + bias) along rows, softmax_out = p, out = kept ? p * scale : 0, and the mask.
// Work split: p.group threads share a row and take four 16-byte units a lane at a time. Unit u belongs to lane u modulo the group.
// Memory: resident rows are read once. Longer rows (only with ADJ_WHOLE=0) are read twice, the second time from a cache.
// Order of additions: follows from the column and the group alone, so a row does not depend on other rows, on its address or on the grid.
// Limits: none. If rows share bytes of a bit mask (p.shared_words), integer atomics set the bits in a cleared mask.
//
// Macros: ADJ_T element type, ADJ_WHOLE 1 if rows begin on 16-byte boundaries and have whole units, ADJ_ONNX_RUNTIME 1 (with ADJ_WHOLE=0) for the
//   mapping of ONNX Runtime.
#include "dropout/onnx_runtime.cuh"
#include "prelude/divide.cuh"
#include "prelude/online.cuh"
#include "prelude/row_units.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kUnit = kVec16<ADJ_T>, kUnits = 4;
constexpr bool kWhole = ADJ_WHOLE;
constexpr int kWords = kUnit < 4 ? 4 : kUnit;  // random words of the blocks that a unit covers

// Stores the bits of a unit: bytes made of the bits of neighbouring lanes, or, if `shared`, by atomics into a cleared mask. Every lane of the warp
// takes part.
__device__ __forceinline__ void store_bits_at(void* mask, i64 e, u32 bits, int count, bool shared) {
  bits &= (1u << count) - 1;
  if (shared) {
    u32* const words = static_cast<u32*>(mask) + (e >> 5);
    const int at = static_cast<int>(e & 31);
    if (bits << at) atomic_or(words, bits << at);
    if (at + count > 32 && bits >> (32 - at)) atomic_or(words + 1, bits >> (32 - at));
    return;
  }
  constexpr int kLanes = 8 / kUnit;
  const int own = lane_index() & (kLanes - 1);
  bits <<= own * kUnit;
#pragma unroll
  for (int step = 1; step < kLanes; step *= 2) bits |= shuffle_xor(bits, step);
  if (own == 0 && count) static_cast<u8*>(mask)[e >> 3] = static_cast<u8>(bits);
}

// Applies dropout to the probabilities x of `units` units and writes softmax_out, out and the mask. The units are u, u + g.lanes, ... of a row, or
// stretch of one, that has `count` columns and begins at element `at` of the tensor.
template <int units>
__device__ __forceinline__ void finish_units(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A (&x)[units][kUnit], i64 row, i64 at, int count, int u) {
  if (p.softmax_out)
#pragma unroll
    for (int i = 0; i < units; ++i) write_row_unit<kWhole>(narrow<ADJ_T>(x[i]), static_cast<ADJ_T*>(p.softmax_out) + at, count, u + i * g.lanes, g.run);
#pragma unroll
  for (int i = 0; i < units; ++i) {
    const int unit = u + i * g.lanes, inside = max_of(min_of(count - unit * kUnit, kUnit), 0);
    const i64 e = at + unit * kUnit;
    u32 bits;
    if (kWhole && kUnit >= 4 && d.draws) {
      u32 words[kWords];
      draw_blocks<kWords / 4>(d.random, d.random.block + static_cast<u64>(e) / 4, words);
      bits = drop_by_words(d, words, x[i]);
    } else {
      if (!d.draws) bits = 0xffffffffu;
      else if (ADJ_ONNX_RUNTIME) bits = draw_row_bits(d, p.mapping, first_word(p.rule.random), row, p.columns, e - row * p.columns, inside);
      else bits = draw_bits_at<kUnit>(d, e, inside);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) x[i][j] = bits >> j & 1 ? x[i][j] * d.scale : A(0);
    }
    write_row_unit<kWhole>(narrow<ADJ_T>(x[i]), static_cast<ADJ_T*>(p.out) + at, count, unit, g.run);
    if (p.rule.mask_kind == kMaskBool) store_bools_at<kUnit>(static_cast<u8*>(p.rule.mask) + e, bits, inside);
    if (p.rule.mask_kind == kMaskBits) store_bits_at(p.rule.mask, e, bits, inside, p.shared_words);
  }
}

__device__ __forceinline__ void add_bias(Words4 bias, A (&x)[kUnit]) {
  A b[kUnit];
  widen<ADJ_T>(bias, b);
#pragma unroll
  for (int j = 0; j < kUnit; ++j) x[j] += b[j];
}

__device__ __forceinline__ A inverse_of(const BiasSoftmaxDropoutParams& p, const A& sum) {
  return sum == A(0) && p.zero_masked_rows ? A(0) : A(1) / sum;
}

// Returns the largest value or the sum over the group. The caller passes a barrier before it uses `scratch` again.
template <bool largest> __device__ __forceinline__ A over_group(A v, const RowGroup& g, A* scratch) {
  auto join = [](A a, A b) { return largest ? max_number(a, b) : a + b; };
#pragma unroll 1
  for (int left = g.lanes;; left = 0) {
#pragma unroll 1
    for (int mask = g.run / 2; mask > 0; mask /= 2) v = join(v, shuffle_xor(v, mask));
    if (left <= kWarp) return v;
    if (lane_index() == 0) scratch[warp_index()] = v;
    block_barrier();
    v = lane_index() < block_warps() ? scratch[lane_index()] : largest ? Limits<A>::lowest() : A(0);
  }
}
// Replaces the scores x of a unit by their exponentials relative to `top`. Returns the sum of these.
__device__ __forceinline__ A exponentials(A (&x)[kUnit], A top) {
  A e[kUnit];
#pragma unroll
  for (int j = 0; j < kUnit; ++j) e[j] = x[j] = called_exp(x[j] - top);
#pragma unroll
  for (int width = kUnit / 2; width > 0; width /= 2)
#pragma unroll
    for (int j = 0; j < width; ++j) e[j] += e[j + width];
  return e[0];
}

#if ADJ_WHOLE

// A row in registers, with the operations of the rows below and so the same bits.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A* scratch, i64 row,
                                            i64 bias_row, bool live) {
  const i64 begin = row * p.columns, bias_begin = bias_row * p.columns;
  const int count = live ? static_cast<int>(p.columns) : 0;
  // Units behind the end of the row count as scores of -infinity with a bias of 0.
  A none[kUnit];
#pragma unroll
  for (int j = 0; j < kUnit; ++j) none[j] = -Limits<A>::infinity();
  Words4 in[kUnits];
  A x[kUnits][kUnit], top = Limits<A>::lowest(), sum = 0, lost = 0;
  auto inside = [&](int k) { return (g.lane + k * g.lanes) * kUnit < count; };
  auto load = [&](const void* from, i64 first, int k) {
    return load_words(reinterpret_cast<const Words4*>(static_cast<const ADJ_T*>(from) + first) + g.lane + k * g.lanes);
  };
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    in[k] = narrow<ADJ_T>(none);
    if (inside(k)) in[k] = load(p.in, begin, k);
  }
  if (p.bias) {
    Words4 bias[kUnits] = {};
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
      if (inside(k)) bias[k] = load(p.bias, bias_begin, k);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      widen<ADJ_T>(in[k], x[k]);
      add_bias(bias[k], x[k]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < kUnits; ++k) widen<ADJ_T>(in[k], x[k]);
  }
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
#pragma unroll
    for (int j = 0; j < kUnit; ++j) top = max_number(top, x[k][j]);
  top = over_group<true>(top, g, scratch);
#pragma unroll
  for (int k = 0; k < kUnits; ++k) add_compensated(sum, lost, exponentials(x[k], top));
  const A inverse = inverse_of(p, over_group<false>(compensated(sum, lost), g, scratch + kBlock / kWarp));
  g.barrier();  // `scratch` may be used again after this barrier
  // Two units at a time, so that the code for two serves four.
#pragma unroll 1
  for (int k = 0; k < kUnits; k += 2) {
    A v[2][kUnit];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < kUnit; ++j) {
        v[i][j] = x[i][j] * inverse;
        x[i][j] = x[i + 2][j];
      }
    finish_units(p, d, g, v, row, begin, count, g.lane + k * g.lanes);
  }
}

#else

// A row in stretches. A resident row is read once, and a pass finds its largest score before the next adds up the exponentials. A longer row finds
// the score while it adds. Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, A* scratch, i64 row,
                                            i64 bias_row, bool live) {
  const i64 begin = row * p.columns, bias_begin = bias_row * p.columns;
  enum { largest, adding, finishing };
  const int stretch = g.lanes * kUnits * kUnit;
  RunningSum<A> sum = empty_running_sum<A>();
  A inverse = 0;
  Words4 in[kUnits] = {}, bias[kUnits] = {};
  const int start = p.resident ? largest : adding;
#pragma unroll 1
  for (int pass = start; pass <= finishing; ++pass) {
#pragma unroll 1
    for (i64 c = 0; c < p.columns; c += stretch) {
      const int count = live ? static_cast<int>(min_of<i64>(p.columns - c, stretch)) : 0;
      if (pass == start || !p.resident) {
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          in[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.in) + (begin + c), count, g.lane + k * g.lanes);
          if (p.bias) bias[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.bias) + (bias_begin + c), count, g.lane + k * g.lanes);
        }
      }
      // Lanes read words that neighbouring lanes write: out may overwrite them only after all have read. `scratch` is free after it, too.
      if (pass == finishing) g.barrier();
#pragma unroll 1
      for (int k = 0; k < kUnits; ++k) {
        const int u = g.lane + k * g.lanes;
        A x[1][kUnit];
        widen_row_unit<kWhole, ADJ_T>(in[0], count - u * kUnit, -Limits<A>::infinity(), x[0]);
        if (p.bias) add_bias(bias[0], x[0]);
        if (pass == largest) {
#pragma unroll
          for (int j = 0; j < kUnit; ++j) sum.top = max_number(sum.top, x[0][j]);
        } else if (pass == finishing) {
#pragma unroll
          for (int j = 0; j < kUnit; ++j) x[0][j] = called_exp(x[0][j] - sum.top) * inverse;
          finish_units(p, d, g, x, row, begin + c, count, u);
        } else {
          A top = x[0][0];
#pragma unroll
          for (int j = 1; j < kUnit; ++j) top = max_number(top, x[0][j]);
          raise_top(sum, top);
          add_compensated(sum.sum, sum.lost, exponentials(x[0], sum.top));
        }
        const Words4 own_in = in[0], own_bias = bias[0];
#pragma unroll
        for (int i = 0; i + 1 < kUnits; ++i) in[i] = in[i + 1], bias[i] = bias[i + 1];
        in[kUnits - 1] = own_in;
        bias[kUnits - 1] = own_bias;
      }
    }
    if (pass == finishing) break;
    sum.sum = compensated(sum.sum, sum.lost);
    sum.lost = 0;
    if (pass == largest || !p.resident) {
      const A top = over_group<true>(sum.top, g, scratch);
      sum.sum *= called_exp(sum.top - top);
      sum.top = top;
    }
    if (pass == adding) inverse = inverse_of(p, over_group<false>(sum.sum, g, scratch + kBlock / kWarp));
  }
}

#endif

extern "C" __global__ void __launch_bounds__(kBlock, kWhole && sizeof(ADJ_T) < 8 && ADJ_ARCH == 90 ? 2 : 1) ADJ_ENTRY(const __grid_constant__ BiasSoftmaxDropoutParams p) {
  ADJ_SHARED(A, scratch, 2 * kBlock / kWarp);
  const RowGroup g(p.group);
  Dropout<A> d = read_dropout<A>(p.rule);
  if (ADJ_ONNX_RUNTIME) compare_in_f32(d, p.rule);
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool live = first + g.own < p.rows;
    const i64 row = live ? first + g.own : first;
    const i64 quotient = divide(row, p.by_divisor);
    const i64 bias_row = p.inner ? quotient : row - quotient * p.divisor;
    work_on_row(p, d, g, scratch, row, bias_row, live);
  }
}

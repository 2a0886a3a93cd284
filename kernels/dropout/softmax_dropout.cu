// Computes: p = softmax(in + bias) along rows, softmax_out = p, out = kept ? p * scale : 0, and the mask.
// Work split: p.group threads share a row, in units of 16 bytes of four at a time; unit u belongs to lane u modulo the group.
// Memory: rows that the group holds in registers are read once, longer ones (ADJ_WHOLE=0 alone) twice, the second time from a cache.
// Order of additions: by column and group alone, so a row does not depend on the others, on its address or on the grid.
// Limits: none. Bits of the mask that share a byte with another row's are added to a cleared mask by integer atomics.
//
// Macros: ADJ_T element type, ADJ_WHOLE rows begin on 16-byte boundaries and have whole units.
#include "dropout/mask.cuh"
#include "prelude/online.cuh"
#include "prelude/row_units.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // at most
constexpr int kUnit = kVec16<ADJ_T>, kUnits = 4;
constexpr bool kWhole = ADJ_WHOLE;

// Bits of neighbouring lanes become bytes; `shared`: as they are into a mask that was cleared. Every lane of the warp takes part.
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

// What is made of the probabilities x of unit u, which has `left` columns of the row from `at` on, element e of the tensor.
__device__ __forceinline__ void finish_unit(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, A (&x)[kUnit], i64 at, int count, int u, int run) {
  const i64 e = at + u * kUnit;
  const int inside = max_of(min_of(count - u * kUnit, kUnit), 0);
  if (p.softmax_out) write_row_unit<kWhole>(narrow<ADJ_T>(x), static_cast<ADJ_T*>(p.softmax_out) + at, count, u, run);
  u32 bits;
  if constexpr (kWhole && kUnit >= 4) bits = draw_bits<kUnit / 4>(d, e);
  else bits = draw_bits_at<kUnit>(d, e, inside);
#pragma unroll
  for (int j = 0; j < kUnit; ++j) x[j] = bits >> j & 1 ? x[j] * d.scale : A(0);
  write_row_unit<kWhole>(narrow<ADJ_T>(x), static_cast<ADJ_T*>(p.out) + at, count, u, run);
  if (p.rule.mask_kind == kMaskBool) store_bools_at<kUnit>(static_cast<u8*>(p.rule.mask) + e, bits, inside);
  if (p.rule.mask_kind == kMaskBits) store_bits_at(p.rule.mask, e, bits, inside, p.shared_words);
}

// The scores of a unit with their bias.
__device__ __forceinline__ void add_bias(const BiasSoftmaxDropoutParams& p, Words4 in, Words4 bias, int left, A (&x)[kUnit]) {
  widen_row_unit<kWhole, ADJ_T>(in, left, -Limits<A>::infinity(), x);
  if (!p.bias) return;
  A b[kUnit];
  widen<ADJ_T>(bias, b);
#pragma unroll
  for (int j = 0; j < kUnit; ++j) x[j] += b[j];
}

__device__ __forceinline__ A inverse_of(const BiasSoftmaxDropoutParams& p, const TopSum<A>& sum) {
  return sum.sum == A(0) && p.zero_masked_rows ? A(0) : A(1) / sum.sum;
}

#if ADJ_WHOLE

// A row in registers, with the operations of the rows below.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, TopSum<A>* scratch, i64 begin,
                                            i64 bias_begin, bool live) {
  const int count = live ? static_cast<int>(p.columns) : 0;
  Words4 in[kUnits], bias[kUnits] = {};
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    in[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.in) + begin, count, g.lane + k * g.lanes);
    if (p.bias) bias[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.bias) + bias_begin, count, g.lane + k * g.lanes);
  }
  RunningSum<A> running = empty_running_sum<A>();
  A x[kUnits][kUnit];
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    add_bias(p, in[k], bias[k], count - (g.lane + k * g.lanes) * kUnit, x[k]);
    add_values(running, x[k]);
  }
  const TopSum<A> sum = merge_group(settle(running), g.lanes, scratch);
  const A inverse = inverse_of(p, sum);
  g.barrier();  // `scratch` may be used again after it
  // Two units at a time, so that the code for two serves four.
#pragma unroll 1
  for (int k = 0; k < kUnits; k += 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      A v[kUnit];
#pragma unroll
      for (int j = 0; j < kUnit; ++j) v[j] = called_exp(x[i][j] - sum.top) * inverse;
      finish_unit(p, d, v, begin, count, g.lane + (k + i) * g.lanes, g.run);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) x[i][j] = x[i + 2][j];
    }
  }
}

#else

// In stretches of what the group reads at a time; a row that it holds is read once. Each stretch is a row of its own: pieces shared with
// the next one are not read.
__device__ __forceinline__ void work_on_row(const BiasSoftmaxDropoutParams& p, const Dropout<A>& d, const RowGroup& g, TopSum<A>* scratch, i64 begin,
                                            i64 bias_begin, bool live) {
  const int stretch = g.lanes * kUnits * kUnit;
  RunningSum<A> sum = empty_running_sum<A>();
  A inverse = 0;
  Words4 in[kUnits] = {}, bias[kUnits] = {};
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
    for (i64 c = 0; c < p.columns; c += stretch) {
      const int count = live ? static_cast<int>(min_of<i64>(p.columns - c, stretch)) : 0;
      if (pass == 0 || !p.resident) {
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          in[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.in) + (begin + c), count, g.lane + k * g.lanes);
          if (p.bias) bias[k] = read_row_unit<kWhole>(static_cast<const ADJ_T*>(p.bias) + (bias_begin + c), count, g.lane + k * g.lanes);
        }
      }
      // Units of other lanes are read in part: all are read before out may overwrite them. `scratch` may be used again after it.
      if (pass > 0) g.barrier();
#pragma unroll 1
      for (int k = 0; k < kUnits; ++k) {
        const int u = g.lane + k * g.lanes;
        A x[kUnit];
        add_bias(p, in[0], bias[0], count - u * kUnit, x);
        if (pass == 0) {
          add_values(sum, x);
        } else {
#pragma unroll
          for (int j = 0; j < kUnit; ++j) x[j] = called_exp(x[j] - sum.top) * inverse;
          finish_unit(p, d, x, begin + c, count, u, g.run);
        }
        const Words4 own_in = in[0], own_bias = bias[0];
#pragma unroll
        for (int i = 0; i + 1 < kUnits; ++i) in[i] = in[i + 1], bias[i] = bias[i + 1];
        in[kUnits - 1] = own_in;
        bias[kUnits - 1] = own_bias;
      }
    }
    if (pass > 0) break;
    const TopSum<A> whole = merge_group(settle(sum), g.lanes, scratch);
    sum.top = whole.top;
    inverse = inverse_of(p, whole);
  }
}

#endif

extern "C" __global__ void __launch_bounds__(kBlock, kWhole && sizeof(ADJ_T) < 8 && ADJ_ARCH == 90 ? 2 : 1) ADJ_ENTRY(const __grid_constant__ BiasSoftmaxDropoutParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  const RowGroup g(p.group);
  const Dropout<A> d = read_dropout<A>(p.rule);
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool live = first + g.own < p.rows;
    const i64 row = live ? first + g.own : first;
    const i64 quotient = row / p.divisor;
    const i64 bias_row = p.inner ? quotient : row - quotient * p.divisor;
    work_on_row(p, d, g, scratch, row * p.columns, bias_row * p.columns, live);
  }
}

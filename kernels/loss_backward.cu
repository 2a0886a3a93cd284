// Gradient of the softmax cross-entropy loss with respect to the scores, from log_prob or from scores and their lse.
//
// Macros: ADJ_T type of log_prob, scores and dloss, ADJ_L of labels, ADJ_O of dscores and bias, ADJ_STRIDED classes apart
// by `inner`.
#include "params/loss.h"
#include "prelude/exp.cuh"
#include "prelude/labels.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;

// What the gradients of one sample have in common.
struct Sample {
  i64 target;
  A offset, scale;  // gradient = scale * (exp(input - offset) - [target])
  bool zero;        // ignored, or nothing to take the mean of: exact zeros, the input is not read
};

__device__ __forceinline__ Sample read_sample(const LossBackwardParams& p, i64 i, bool report) {
  const Label label = read_label<ADJ_L>(p.label, i);
  if (label.invalid) {
    if (report && p.label.error_flag) atomic_add(p.label.error_flag, i64{1});
    return {-1, A(0), Limits<A>::nan(), false};
  }
  const f64 inverse = p.inverse ? *p.inverse : 1.0;
  if (label.ignored || inverse == 0) return {-1, A(0), A(0), true};
  const f64 dloss = to_acc(static_cast<const ADJ_T*>(p.dloss)[p.dloss_per_sample ? i : 0]);
  return {label.target, p.lse ? static_cast<const A*>(p.lse)[i] : A(0),
          static_cast<A>(dloss * label_weight(p.label, label) * inverse), false};
}

// Of a sample that is not zero.
__device__ __forceinline__ A gradient(const Sample& s, A input, bool is_target, bool has_bias, A bias) {
  // exp(v) - 1 keeps the relative precision of a target whose probability is close to 1.
  const A v = input - s.offset;
  const A e = is_target ? exact_expm1(v) : fast_exp(v);
  return has_bias ? fused_multiply_add(s.scale, e, bias) : s.scale * e;
}

#if !ADJ_STRIDED

constexpr int kUnit = kVec16<ADJ_T> > kVec16<ADJ_O> ? kVec16<ADJ_T> : kVec16<ADJ_O>;
constexpr int kUnits = 4 * kVec16<ADJ_T> / kUnit;  // four loads in flight

// Columns of a row are counted in 32 bits. The target's column is written as the others are; write_row mends it.
template <bool has_bias>
__device__ __forceinline__ void write_units(const Sample& s, const ADJ_T* input, const ADJ_O* bias, ADJ_O* out,
                                            const Window<kUnit>& window, int lane, int step) {
#pragma unroll 1
  for (int u = lane; u < window.units; u += kUnits * step) {
    Unit<ADJ_T, kUnit> in[kUnits];
#pragma unroll
    for (int k = 0; k < kUnits; ++k)
      if (u + k * step < window.units) in[k].load(input + window.unit(u + k * step));
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (u + k * step >= window.units) break;
      const int c = window.unit(u + k * step);
      A x[kUnit];
      Acc<ADJ_O> b[kUnit] = {};
      Unit<ADJ_O, kUnit> result;
      in[k].get(x);
      if (has_bias) {
        result.load(bias + c);
        result.get(b);
      }
#pragma unroll
      for (int j = 0; j < kUnit; ++j) x[j] = gradient(s, x[j], false, has_bias, static_cast<A>(b[j]));
      result.set(x);
      result.store(out + c);
    }
  }
}

__device__ __forceinline__ void write_row(const LossBackwardParams& p, i64 row, const Sample& s, int lane, int step) {
  const int classes = static_cast<int>(p.label.num_classes);
  const int target = static_cast<int>(s.target);
  const ADJ_T* input = static_cast<const ADJ_T*>(p.input) + row * classes;
  const ADJ_O* bias = p.bias ? static_cast<const ADJ_O*>(p.bias) + row * classes : nullptr;
  ADJ_O* out = static_cast<ADJ_O*>(p.dscores) + row * classes;
  Window<kUnit> window(out, classes);
  if (!aligned16(input + window.head) || (bias && !aligned16(bias + window.head))) window.without_units();
  // The thread that writes the target's column works out its exact form, from what it reads before it writes.
  const bool has_target = target >= 0 && window.share(target) % step == lane;
  A input_of_target = 0, bias_of_target = 0;
  if (has_target) {
    input_of_target = to_acc(input[target]);
    if (bias) bias_of_target = static_cast<A>(to_acc(bias[target]));
  }
#pragma unroll 1
  for (int i = lane; i < window.edges; i += step) {
    const int c = window.edge(i);
    const A b = bias ? static_cast<A>(to_acc(bias[c])) : A(0);
    out[c] = from_acc<ADJ_O>(s.zero ? b : gradient(s, to_acc(input[c]), false, bias != nullptr, b));
  }
  if (s.zero) {
#pragma unroll 1
    for (int u = lane; u < window.units; u += step) {
      Unit<ADJ_O, kUnit> result{};
      if (bias) result.load(bias + window.unit(u));
      result.store(out + window.unit(u));
    }
  } else if (bias) {
    write_units<true>(s, input, bias, out, window, lane, step);
  } else {
    write_units<false>(s, input, bias, out, window, lane, step);
  }
  if (has_target) out[target] = from_acc<ADJ_O>(gradient(s, input_of_target, true, bias != nullptr, bias_of_target));
}

// One group of threads per row; blocks with the same x and different y share rows.
extern "C" __global__ void __launch_bounds__(kBlock, sizeof(ADJ_T) == 8 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ LossBackwardParams p) {
  const int group = p.group;
  const int lane = thread_index() & (group - 1);
  const int rows = block_threads() / group;
  const int first = static_cast<int>(block_index_y()) * group + lane;
  for (i64 row = block_index() * rows + thread_index() / group; row < p.samples; row += grid_blocks() * rows) {
    const Sample s = read_sample(p, row, first == 0);
    write_row(p, row, s, first, static_cast<int>(grid_blocks_y()) * group);
  }
}

#else

constexpr int kTogether = 4;

// One thread per sample and p.chunk of its classes.
extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossBackwardParams p) {
  for (i64 i = global_thread(); i < p.samples; i += global_threads()) {
    const Sample s = read_sample(p, i, block_index_y() == 0);
    const i64 n = i / p.inner;
    const i64 base = n * p.label.num_classes * p.inner + (i - n * p.inner);
    const ADJ_T* input = static_cast<const ADJ_T*>(p.input) + base;
    const ADJ_O* bias = p.bias ? static_cast<const ADJ_O*>(p.bias) + base : nullptr;
    ADJ_O* out = static_cast<ADJ_O*>(p.dscores) + base;
    for (i64 first = block_index_y() * p.chunk; first < p.label.num_classes; first += grid_blocks_y() * p.chunk) {
      const i64 end = min_of(p.label.num_classes, first + p.chunk);
      // The target's exact form, from what is read before it is written.
      const bool has_target = s.target >= first && s.target < end;
      A of_target = 0;
      if (has_target) {
        const i64 at = s.target * p.inner;
        of_target = gradient(s, to_acc(input[at]), true, bias != nullptr, bias ? static_cast<A>(to_acc(bias[at])) : A(0));
      }
#pragma unroll 1
      for (i64 c = first; c < end; c += kTogether) {
        A x[kTogether], b[kTogether];
#pragma unroll
        for (int j = 0; j < kTogether; ++j) {
          const bool inside = c + j < end;
          x[j] = inside && !s.zero ? to_acc(input[(c + j) * p.inner]) : A(0);
          b[j] = inside && bias ? static_cast<A>(to_acc(bias[(c + j) * p.inner])) : A(0);
        }
#pragma unroll
        for (int j = 0; j < kTogether; ++j)
          if (c + j < end)
            out[(c + j) * p.inner] = from_acc<ADJ_O>(s.zero ? b[j] : gradient(s, x[j], false, bias != nullptr, b[j]));
      }
      if (has_target) out[s.target * p.inner] = from_acc<ADJ_O>(of_target);
    }
  }
}

#endif

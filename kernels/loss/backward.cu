// Gradient of the softmax cross-entropy loss with respect to the scores.
//
// Computes: dscores = dloss * weight / Z * (exp(input - lse) - [target]) + bias; the input is scores, or log_prob with lse = 0.
// Work split: row: p.group threads share a row; blocks with the same x and different y share rows. ADJ_STRIDED: a thread takes p.chunk classes of
//   a sample, neighbouring threads neighbouring samples.
// Memory: input and bias are read once, dscores written once.
// Order of additions: none.
// Limits: row needs inner = 1 and at most 2^29 classes. A grid takes its samples in one turn. src/ops/loss/loss.cpp checks both.
//
// Macros: ADJ_T type of log_prob, scores and dloss, ADJ_L of labels, ADJ_O of dscores and bias, ADJ_STRIDED 1 if classes lie `inner` apart; otherwise
// ADJ_ALIGNED 1 if all rows begin on 16-byte boundaries and have whole vectors of kVector elements. ADJ_ACC_F64 1: computes in f64 for every type.
#include "prelude/exp.cuh"
#include "loss/labels.cuh"
#include "prelude/memory.cuh"
#include "prelude/thread.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 256;

// Values that all gradients of a sample share.
struct Sample {
  i64 target;
  A offset, scale;  // gradient = scale * (exp(input - offset) - [target]) + bias
  bool zero;        // ignored, or a mean over nothing: the result is 0 or the bias; the input is not read and counts as 0
};

// Stands in for a missing bias: x + -0 is x, for zeros of either sign too.
__device__ __forceinline__ A no_bias() { return A(-0.0); }

__device__ __forceinline__ Sample read_sample(const LossBackwardParams& p, i64 i, bool report) {
  const Label label = read_label<ADJ_L>(p.label, i);
  if (label.invalid) {
    if (report && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
    return {-1, A(0), Limits<A>::nan(), false};
  }
  const f64 inverse = p.inverse ? *p.inverse : 1.0;
  // With a bias, scale -0 leaves every bias as it is, -0 too. Without one, scale 0 gives +0.
  if (label.ignored || inverse == 0) return {-1, A(0), p.bias ? A(-0.0) : A(0), true};
  const f64 dloss = to_acc(static_cast<const ADJ_T*>(p.dloss)[p.dloss_per_sample ? i : 0]);
  return {label.target, p.lse ? static_cast<const Beside<ADJ_T>*>(p.lse)[i] : A(0), static_cast<A>(dloss * label_weight(p.label, label, i) * inverse), false};
}

__device__ __forceinline__ A gradient(const Sample& s, A input, A bias) {
  return fused_multiply_add(s.scale, called_exp((input - s.offset) * exponent_beside(s.scale)), bias);
}
// The exact form: expm1 keeps the relative precision of a target whose probability is close to 1.
__device__ __forceinline__ A gradient_of_target(const Sample& s, A input, A bias) { return fused_multiply_add(s.scale, exact_expm1(input - s.offset), bias); }

#if !ADJ_STRIDED

constexpr int kVector = kVec16<ADJ_T> > kVec16<ADJ_O> ? kVec16<ADJ_T> : kVec16<ADJ_O>;
constexpr int kVectors = 4 * kVec16<ADJ_T> / kVector;  // four 16-byte loads in flight

// Writes the gradients of a row, and zeros behind its classes. Columns are counted in 32 bits. The target's column is written with its neighbours, then again
// by the same thread in the exact form, from values read before the first write: dscores may be the input.
__device__ __forceinline__ void write_row(const LossBackwardParams& p, i64 row, const Sample& s, int lane, int step) {
  const int classes = static_cast<int>(p.label.num_classes), padded = static_cast<int>(p.padded_classes);
  const int target = static_cast<int>(s.target);
  const ADJ_T* input = static_cast<const ADJ_T*>(p.input) + row * p.padded_classes;
  const ADJ_O* bias = p.bias ? static_cast<const ADJ_O*>(p.bias) + row * p.padded_classes : nullptr;
  ADJ_O* out = static_cast<ADJ_O*>(p.dscores) + row * p.padded_classes;
  bool has_target = false;
  A input_of_target = 0, bias_of_target = no_bias();
  auto look_for_target = [&](int first, int count) {
    if (target < first || target >= first + count) return;
    has_target = true;
    input_of_target = to_acc(input[target]);
    if (bias) bias_of_target = static_cast<A>(to_acc(bias[target]));
  };
  Window<kVector> window(ADJ_ALIGNED ? nullptr : out, padded);
  if (!ADJ_ALIGNED) {
    if (!aligned16(input + window.head) || (bias && !aligned16(bias + window.head))) window.without_vectors();
#pragma unroll 1
    for (int i = lane; i < window.edges; i += step) {
      const int c = window.edge(i);
      look_for_target(c, 1);
      const A result = gradient(s, s.zero ? A(0) : to_acc(input[c]), bias ? static_cast<A>(to_acc(bias[c])) : no_bias());
      out[c] = from_acc<ADJ_O>(c < classes ? result : A(0));
    }
  }
  const ADJ_T* vectors = reinterpret_cast<const ADJ_T*>(opaque(reinterpret_cast<i64>(input + window.head)));
#pragma unroll 1
  for (int begin = lane; begin < window.vectors; begin += kVectors * step) {
    Unit<ADJ_T, kVector> in[kVectors] = {};
#pragma unroll
    for (int k = 0; k < kVectors; ++k)
      if (!s.zero && begin + k * step < window.vectors) in[k].load(vectors + (begin + k * step) * kVector);
    const int end = min_of(window.vectors, begin + kVectors * step);
#pragma unroll 1
    for (int u = begin; u < end; u += step) {
      const int c = window.vector(u);
      look_for_target(c, kVector);
      A x[kVector];
      in[0].get(x);
#pragma unroll
      for (int i = 0; i < kVector; i += kVec16<ADJ_O>) {
        A b[kVec16<ADJ_O>], result[kVec16<ADJ_O>];
#pragma unroll
        for (int j = 0; j < kVec16<ADJ_O>; ++j) b[j] = no_bias();
        if (bias) widen<ADJ_O>(load_words(reinterpret_cast<const Words4*>(bias + c + i)), b);
#pragma unroll
        for (int j = 0; j < kVec16<ADJ_O>; ++j) result[j] = gradient(s, x[i + j], b[j]);
        if (c + i + kVec16<ADJ_O> > classes) {
#pragma unroll
          for (int j = 0; j < kVec16<ADJ_O>; ++j)
            if (c + i + j >= classes) result[j] = 0;
        }
        store_words(reinterpret_cast<Words4*>(out + c + i), narrow<ADJ_O>(result));
      }
#pragma unroll
      for (int k = 0; k + 1 < kVectors; ++k) in[k] = in[k + 1];
    }
  }
  if (has_target) out[target] = from_acc<ADJ_O>(gradient_of_target(s, input_of_target, bias_of_target));
}

extern "C" __global__ void __launch_bounds__(kBlock, sizeof(A) == 8 ? 2 : 3) ADJ_ENTRY(const __grid_constant__ LossBackwardParams p) {
  const int group = p.group;
  const int lane = thread_index() & (group - 1);
  const int rows_log2 = lowest_bit(block_threads()) - lowest_bit(group);  // both are powers of two
  const int first = static_cast<int>(block_index_y()) * group + lane;
  const i64 row = (block_index() << rows_log2) + (thread_index() >> lowest_bit(group));
  if (row >= p.samples) return;
  const Sample s = read_sample(p, row, first == 0);
  write_row(p, row, s, first, opaque(static_cast<int>(grid_blocks_y()) * group));
}

#else

constexpr int kTogether = 4;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LossBackwardParams p) {
  const i64 i = global_thread();
  if (i >= p.samples) return;
  const Sample s = read_sample(p, i, block_index_y() == 0);
  const i64 base = first_class(p.by_inner, p.inner, p.label.num_classes, i);
  const ADJ_T* input = static_cast<const ADJ_T*>(p.input) + base;
  const ADJ_O* bias = p.bias ? static_cast<const ADJ_O*>(p.bias) + base : nullptr;
  ADJ_O* out = static_cast<ADJ_O*>(p.dscores) + base;
#pragma unroll 1
  for (i64 first = block_index_y() * p.chunk; first < p.label.num_classes; first += grid_blocks_y() * p.chunk) {
    const i64 end = min_of(p.label.num_classes, first + p.chunk);
    // The exact form of the target, from values read before the loop may overwrite them.
    const bool has_target = s.target >= first && s.target < end;
    A of_target = 0;
    if (has_target) {
      const i64 at = s.target * p.inner;
      of_target = gradient_of_target(s, to_acc(input[at]), bias ? static_cast<A>(to_acc(bias[at])) : no_bias());
    }
    i64 at = first * p.inner;
#pragma unroll 1
    for (i64 c = first; c < end; c += kTogether) {
      const int left = static_cast<int>(min_of<i64>(end - c, kTogether));
      A x[kTogether], b[kTogether];
#pragma unroll
      for (int j = 0; j < kTogether; ++j) {
        x[j] = j < left && !s.zero ? to_acc(input[at + j * p.inner]) : A(0);
        b[j] = j < left && bias ? static_cast<A>(to_acc(bias[at + j * p.inner])) : no_bias();
      }
#pragma unroll
      for (int j = 0; j < kTogether; ++j) {
        if (j < left) out[at] = from_acc<ADJ_O>(gradient(s, x[j], b[j]));
        at += p.inner;
      }
    }
    if (has_target) out[s.target * p.inner] = from_acc<ADJ_O>(of_target);
  }
}

#endif

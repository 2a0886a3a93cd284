// AdamW over a list of tensors.
//
// Macros: ADJ_PARAM, ADJ_GRAD, ADJ_STATE, ADJ_COPY element types (ADJ_COPY may be none), ADJ_PARAM_BYTES size of the
// parameter block with the table inside, 0 when the table lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "prelude/scalar.cuh"
#include "params/optimizer.h"

typedef Acc<ADJ_PARAM> A;
constexpr bool kCopies = !kSameType<ADJ_COPY, none>;
constexpr int kArrays = kCopies ? 5 : 4;
constexpr int kWide = kWidest<ADJ_PARAM, ADJ_GRAD, ADJ_STATE>;
constexpr int kBlocks = kWide == 8 ? 2 : 3;  // per multiprocessor; leaves each thread what it needs in registers
typedef MultiTensorParams<AdamwHead, kArrays, ADJ_PARAM_BYTES> Params;

// What all elements share, computed in f64 and rounded once.
struct Factors {
  A grad_scale;
  A beta1, gain1, beta2, gain2;
  A root_scale, epsilon;  // of the divisor, root_scale * sqrt(v) + epsilon
  A rate, decay;          // of the update and of the decay
  int scaled, decay_last;
  int skip;
};

// 1 - beta^step without cancellation, from 1 - beta: if r = 1 - beta^s and q = 1 - beta^t, then 1 - beta^(s + t) is
// r + q (1 - r). Rounding errors do not grow, so the result is good to a few units per bit of the step.
__device__ __forceinline__ f64 bias_correction(f64 gain, i64 step) {
  f64 r = 0;
  for (f64 q = gain; step > 0; step >>= 1) {
    if (step & 1) r = fused_multiply_add(q, 1 - r, r);
    q = fused_multiply_add(q, 1 - q, q);
  }
  return r;
}

__device__ __forceinline__ void compute_factors(Factors& f, const AdamwHead& p) {
  f64 a = 1, b = 1;
  if (p.bias_correction) {
    const i64 step = p.step.device ? *static_cast<const i64*>(p.step.device) : static_cast<i64>(p.step.value);
    f.skip = step < 1;
    if (step < 1) {
      if (p.reports && p.error_flag && block_index() == 0) atomic_add(p.error_flag, i64{1});
      return;
    }
    a = bias_correction(1 - p.beta1, step);
    b = bias_correction(1 - p.beta2, step);
  } else {
    f.skip = 0;
  }
  const f64 lr = read_scalar(p.lr);
  f.grad_scale = static_cast<A>(read_scalar(p.grad_scale));
  f.scaled = f.grad_scale != A{1};
  f.beta1 = static_cast<A>(p.beta1);
  f.gain1 = static_cast<A>(1 - p.beta1);
  f.beta2 = static_cast<A>(p.beta2);
  f.gain2 = static_cast<A>(1 - p.beta2);
  const f64 root = square_root(b);
  f.root_scale = static_cast<A>(1 / (p.decay_last ? 1 : root));
  f.epsilon = static_cast<A>(p.epsilon);
  f.rate = static_cast<A>(lr * (p.decay_last ? root : 1) / a);
  f.decay = static_cast<A>(lr * p.weight_decay);
  f.decay_last = p.decay_last;
}

struct Update {
  static constexpr int kVector = 16 / kWide;
  struct Group {
    Packed<ADJ_PARAM, kVector> w;
    Packed<ADJ_GRAD, kVector> g;
    Packed<ADJ_STATE, kVector> m, v;
  };

  const Factors& f;
  ADJ_PARAM* w;
  const ADJ_GRAD* g;
  ADJ_STATE* m;
  ADJ_STATE* v;
  ADJ_COPY* copy;

  __device__ __forceinline__ void load(Group& r, const Place<kVector>& at) const {
    r.w = at.load(w);
    r.g = at.load(g);
    r.m = at.load(m);
    r.v = at.load(v);
  }

  // Every sum is one explicit fused operation, and the old weight enters with one rounding, in the last subtraction.
  __device__ __forceinline__ void finish(const Group& r, const Place<kVector>& at) const {
    auto weights = unpack_vector<ADJ_PARAM, kVector>(r.w);
    const auto gradients = unpack_vector<ADJ_GRAD, kVector>(r.g);
    auto means = unpack_vector<ADJ_STATE, kVector>(r.m), squares = unpack_vector<ADJ_STATE, kVector>(r.v);
    Vec<ADJ_COPY, kVector> low;
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      const A weight = to_acc(weights.at[j]);
      A gradient = to_acc(gradients.at[j]);
      if (f.scaled) gradient = gradient / f.grad_scale;
      const A mean = fused_multiply_add(f.gain1, gradient, f.beta1 * to_acc(means.at[j]));
      const A square = fused_multiply_add(f.gain2 * gradient, gradient, f.beta2 * to_acc(squares.at[j]));
      const A direction = mean / fused_multiply_add(square_root(square), f.root_scale, f.epsilon);
      const A decayed = f.decay_last ? fused_multiply_add(-f.rate, direction, weight) : weight;
      const A change = fused_multiply_add(f.decay, decayed, f.rate * direction);
      weights.at[j] = from_acc<ADJ_PARAM>(weight - change);
      means.at[j] = from_acc<ADJ_STATE>(mean);
      squares.at[j] = from_acc<ADJ_STATE>(square);
      if constexpr (kCopies) low.at[j] = from_acc<ADJ_COPY>(to_acc(weights.at[j]));
    }
    at.store(w, weights);
    at.store(m, means);
    at.store(v, squares);
    if constexpr (kCopies) at.store(copy, low);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const AdamwHead& head = p.head;
  if (head.found_inf && *head.found_inf != 0) return;
  ADJ_SHARED(Factors, shared, 1);
  if (thread_index() == 0) compute_factors(shared[0], head);
  block_barrier();
  if (shared[0].skip) return;
  const Factors& f = shared[0];  // read where it is used: registers are scarcer than shared memory accesses

  const auto table = view_table(p);
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(table.first_chunk, head.list.tensors, chunk);
  Update op{f, table.template array<ADJ_PARAM>(0, t), table.template array<const ADJ_GRAD>(1, t),
            table.template array<ADJ_STATE>(2, t), table.template array<ADJ_STATE>(3, t), nullptr};
  Peel<Update::kVector> peel;
  peel.add(op.w);
  peel.add(op.g);
  peel.add(op.m);
  peel.add(op.v);
  if constexpr (kCopies) {
    op.copy = table.template array<ADJ_COPY>(4, t);
    peel.add(op.copy);
  }
  const ChunkRange range = chunk_range<Update::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2,
                                                        table.numel[t], peel.elements());
  op.w += range.begin;
  op.g += range.begin;
  op.m += range.begin;
  op.v += range.begin;
  if constexpr (kCopies) op.copy += range.begin;
  apply_to_range(op, range);
}

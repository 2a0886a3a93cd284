// AdamW over a list of tensors.
//
// Macros: ADJ_PARAM, ADJ_GRAD, ADJ_STATE, ADJ_COPY element types (ADJ_COPY may be none), ADJ_PARAM_BYTES size of the
// parameter block with the table inside, 0 when the table lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "prelude/scalar.cuh"
#include "optimizer/params.h"

typedef Acc<ADJ_PARAM> A;
constexpr bool kCopies = !kSameType<ADJ_COPY, none>;
constexpr int kArrays = kCopies ? 5 : 4;
constexpr int kWide = kWidest<ADJ_PARAM, ADJ_GRAD, ADJ_STATE>;
constexpr int kBlocks = kWide == 8 ? 2 : 3;  // per multiprocessor; leaves each thread what it needs in registers
typedef MultiTensorParams<AdamwHead, ADJ_PARAM_BYTES> Params;

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
struct BiasCorrection {
  f64 q, r;  // for the bits of the step taken so far, the lowest first
  __device__ __forceinline__ void take(bool bit) {
    if (bit) r = fused_multiply_add(q, 1 - r, r);
    q = fused_multiply_add(q, 1 - q, q);
  }
};

__device__ __forceinline__ void compute_factors(Factors& f, const AdamwHead& p) {
  const f64 gain1 = 1 - p.beta1, gain2 = 1 - p.beta2;
  f64 a = 1, b = 1;  // in [2^-53, 1]
  f.skip = 0;
  if (p.bias_correction) {
    i64 step = p.step.device ? *static_cast<const i64*>(p.step.device) : static_cast<i64>(p.step.value);
    if (step < 1) {
      f.skip = 1;
      if (p.reports && p.error_flag && block_index() == 0) atomic_add(p.error_flag, i64{1});
      return;
    }
    BiasCorrection first{gain1, 0}, second{gain2, 0};
#pragma unroll 1
    for (; step > 0; step >>= 1) {
      first.take(step & 1);
      second.take(step & 1);
    }
    a = first.r;
    b = second.r;
  }
  const f64 lr = read_scalar(p.lr);
  f.grad_scale = static_cast<A>(read_scalar(p.grad_scale));
  f.scaled = f.grad_scale != A{1};
  f.beta1 = static_cast<A>(p.beta1);
  f.gain1 = static_cast<A>(gain1);
  f.beta2 = static_cast<A>(p.beta2);
  f.gain2 = static_cast<A>(gain2);
  const f64 root = square_root_of_normal(b);
  f.root_scale = p.decay_last ? A(1) : static_cast<A>(divide_by_normal(1, root));
  f.epsilon = static_cast<A>(p.epsilon);
  f.rate = static_cast<A>(divide_by_normal(p.decay_last ? lr * root : lr, a));
  f.decay = static_cast<A>(lr * p.weight_decay);
  f.decay_last = p.decay_last;
}

struct Update {
  static constexpr int kVector = 16 / kWide;
  struct Group {
    Queue<ADJ_PARAM, kVector> w;
    Queue<ADJ_GRAD, kVector> g;
    Queue<ADJ_STATE, kVector> m, v;
    Queue<ADJ_COPY, kVector> copy;
  };

  Factors f;
  ADJ_PARAM* w;
  const ADJ_GRAD* g;
  ADJ_STATE* m;
  ADJ_STATE* v;
  ADJ_COPY* copy;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(w, at);
    r.g.load(g, at);
    r.m.load(m, at);
    r.v.load(v, at);
  }

  // Every sum is one explicit fused operation, and the old weight enters with one rounding, in the last subtraction.
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = to_acc(r.w.front());
    A gradient = to_acc(r.g.front());
    r.g.pop();
    if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
    const A mean = fused_multiply_add(f.gain1, gradient, f.beta1 * to_acc(r.m.front()));
    const A square = fused_multiply_add(f.gain2 * gradient, gradient, f.beta2 * to_acc(r.v.front()));
    const A direction = mean / fused_multiply_add(square_root(square), f.root_scale, f.epsilon);
    const A decayed = f.decay_last ? fused_multiply_add(-f.rate, direction, weight) : weight;
    const A change = fused_multiply_add(f.decay, decayed, f.rate * direction);
    const ADJ_PARAM updated = from_acc<ADJ_PARAM>(weight - change);
    r.w.push(updated);
    r.m.push(from_acc<ADJ_STATE>(mean));
    r.v.push(from_acc<ADJ_STATE>(square));
    r.copy.push(from_acc<ADJ_COPY>(to_acc(updated)));
  }

  __device__ __forceinline__ void store(const Group& r, const Place& at) const {
    r.w.store(w, at);
    r.m.store(m, at);
    r.v.store(v, at);
    r.copy.store(copy, at);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const AdamwHead& head = p.head;
  if (head.found_inf && *head.found_inf != 0) return;
  ADJ_SHARED(Factors, shared, 1);
  if (thread_index() == 0) compute_factors(shared[0], head);
  block_barrier();
  if (shared[0].skip) return;
  const Factors f = shared[0];

  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(kArrays));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{f, table.array<ADJ_PARAM>(0, t), table.array<const ADJ_GRAD>(1, t),
            table.array<ADJ_STATE>(2, t), table.array<ADJ_STATE>(3, t), nullptr};
  Peel<Update::kVector> peel;
  peel.add(op.w);
  peel.add(op.g);
  peel.add(op.m);
  peel.add(op.v);
  if constexpr (kCopies) {
    op.copy = table.array<ADJ_COPY>(4, t);
    peel.add(op.copy);
  }
  const ChunkRange range = chunk_range<Update::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2,
                                                        table.elements(head.list, t), peel.elements());
  op.w += range.begin;
  op.g += range.begin;
  op.m += range.begin;
  op.v += range.begin;
  if constexpr (kCopies) op.copy += range.begin;
  apply_to_range(op, range);
}

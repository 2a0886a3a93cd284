// Adam and AdamW over a list of tensors.
//
// Computes: the definitions of include/adjoint/ops/optimizer.h.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn, the same elements of all arrays.
// Memory: reads weights, gradients and both moments once; writes weights and moments once, and on request copies and updates or cleared gradients.
// Order of additions: none. Every element passes through the same instructions, wherever it lies.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"

constexpr int kBlocks = ADJ_WIDEST == 8 ? 2 : ADJ_WIDEST == 4 ? 4 : 3;  // blocks per multiprocessor: as many as spill no registers
typedef MultiTensorParams<AdamHead, ADJ_PARAM_BYTES> Params;

// Numbers that all elements share, computed in f64 and rounded once.
struct Factors {
  A grad_scale;
  A beta1, gain1, beta2, gain2;
  A root_scale, epsilon;  // the divisor is root_scale * sqrt(v) + epsilon
  A rate, decay;          // factors of the direction and of the decoupled decay
  A gradient_decay;       // weight decay that is added to the gradient, with decay_l2
  int scaled;
  int skip;
};

__device__ __forceinline__ void compute_factors(Factors& f, const AdamHead& p) {
  const bool reports = p.lists.reports && block_index() == 0;
  const StepScalars s = read_control(p.control, p.step, p.control.inverse_max_norm, reports);
  const f64 gain1 = 1 - p.beta1, gain2 = 1 - p.beta2;
  f64 a = 1, b = 1;
  f.skip = s.skip;
  if (p.bias_correction && !f.skip) {
    if (s.step < 1) {
      f.skip = 1;
      if (reports && p.control.error_flag) atomic_add(p.control.error_flag, i64{1});
    } else {
      correct_bias(a, b, gain1, gain2, s.step);
    }
  }
  f.grad_scale = static_cast<A>(s.scale);
  f.scaled = f.grad_scale != A{1};
  f.beta1 = static_cast<A>(p.beta1);
  f.gain1 = static_cast<A>(gain1);
  f.beta2 = static_cast<A>(p.beta2);
  f.gain2 = static_cast<A>(gain2);
  const f64 root = square_root_of_normal(b);
  f.root_scale = p.decay_last ? A(1) : static_cast<A>(divide_by_normal(1, root));
  f.epsilon = static_cast<A>(p.epsilon);
  f.rate = static_cast<A>(divide_by_normal(p.decay_last ? s.lr * root : s.lr, a));
  f.decay = p.decay_l2 ? A(0) : static_cast<A>(s.lr * p.weight_decay);
  f.gradient_decay = static_cast<A>(p.weight_decay);
}

struct Update {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane w, g, m, v;
  };

  const AdamHead& head;
  StepArrays<2> arrays;
  Factors* shared;
  Factors f;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(arrays.w, at);
    r.g.load(arrays.g, at);
    r.m.load(arrays.state[0], at);
    r.v.load(arrays.state[1], at);
  }

  // Every sum is one explicit fused operation, so no compiler choice changes bits. The old weight enters in the last subtraction, with one rounding.
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = r.w.front(arrays.lists.param);
    A gradient = r.g.front(arrays.lists.grad);
    if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
    if (opaque(head.decay_l2)) gradient = fused_multiply_add(f.gradient_decay, weight, gradient);
    const A mean = fused_multiply_add(f.gain1, gradient, f.beta1 * r.m.front(arrays.lists.state));
    const A square = fused_multiply_add(f.gain2 * gradient, gradient, f.beta2 * r.v.front(arrays.lists.state));
    const A direction = mean / fused_multiply_add(square_root(square), f.root_scale, f.epsilon);
    const A decayed = head.decay_last ? fused_multiply_add(-f.rate, direction, weight) : weight;
    const A change = fused_multiply_add(f.decay, decayed, f.rate * direction);
    r.w.push(weight - change, arrays.lists.param);
    r.g.push(arrays.lists.clear_grads ? A(0) : -change, arrays.lists.grad);
    r.m.push(mean, arrays.lists.state);
    r.v.push(square, arrays.lists.state);
  }

  __device__ __forceinline__ void store(const Group& r, const Place& at) const {
    if (!arrays.lists.keep_params) r.w.store(arrays.w, at);
    r.m.store(arrays.state[0], at);
    r.v.store(arrays.state[1], at);
    if (arrays.lists.copies) r.w.store(arrays.copy, at);
    if (arrays.lists.updates || arrays.lists.clear_grads) r.g.store(arrays.g, at);
  }
};
__device__ __forceinline__ void open_group(const Update& op, Update::Group& r) {
  r.w.open(op.arrays.lists.param);
  r.g.open(op.arrays.lists.grad);
  r.m.open(op.arrays.lists.state);
  r.v.open(op.arrays.lists.state);
}

__device__ __forceinline__ bool begin_updates(Update& op, const ChunkRange& range) { return begin_step(op, range); }

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const AdamHead& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(head.lists.arrays));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{head, StepArrays<2>(head.lists, table, t), shared, {}};
  const ChunkRange range = op.arrays.cut(table, head.list, t, chunk);
  apply_to_range(op, range);
}

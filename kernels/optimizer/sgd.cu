// SGD with optional momentum over a list of tensors.
//
// Computes: the definition of include/adjoint/ops/optimizer.h.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn, the same elements of all arrays.
// Memory: reads weights, gradients and buffers once; writes weights and buffers once, and on request copies and updates or cleared gradients.
// Order of additions: none. Every element passes through the same instructions, wherever it lies.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"

constexpr int kBlocks = ADJ_WIDEST == 8 ? 2 : 4;  // blocks per multiprocessor: as many as spill no registers
typedef MultiTensorParams<SgdHead, ADJ_PARAM_BYTES> Params;

// Numbers that all elements share, rounded once.
struct Factors {
  A grad_scale;
  A momentum, gain, weight_decay, rate;
  int scaled, nesterov, first_step;
  int skip;
};

__device__ __forceinline__ void compute_factors(Factors& f, const SgdHead& p) {
  const StepScalars s = read_control<true>(p.control, ScalarParam{}, p.control.inverse_max_norm, p.lists.reports && block_index() == 0);
  f.grad_scale = static_cast<A>(s.scale);
  f.scaled = f.grad_scale != A{1};
  f.momentum = static_cast<A>(p.momentum);
  f.gain = static_cast<A>(1 - p.dampening);
  f.weight_decay = static_cast<A>(p.weight_decay);
  f.rate = static_cast<A>(s.lr);
  f.nesterov = p.nesterov;
  f.first_step = p.first_step;
  f.skip = s.skip;
}

struct Update {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane w, g, buffer;
  };

  const SgdHead& head;
  StepArrays<1> arrays;
  Factors* shared;
  Factors f;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(arrays.w, at);
    r.g.load(arrays.g, at);
    if (arrays.state[0].at && !head.first_step) r.buffer.load(arrays.state[0], at);
  }

  // Every sum is one explicit fused operation, so no compiler choice changes bits from one element to another.
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = r.w.front(arrays.lists.param);
    A gradient = r.g.front(arrays.lists.grad);
    if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
    gradient = fused_multiply_add(f.weight_decay, weight, gradient);
    A direction = gradient;
    if (arrays.state[0].at) {
      const A running = f.first_step ? gradient : fused_multiply_add(f.momentum, r.buffer.front(arrays.lists.state), f.gain * gradient);
      direction = f.nesterov ? fused_multiply_add(f.momentum, running, gradient) : running;
      r.buffer.push(running, arrays.lists.state);
    }
    r.w.push(fused_multiply_add(-f.rate, direction, weight), arrays.lists.param);
    r.g.push(arrays.lists.clear_grads ? A(0) : -f.rate * direction, arrays.lists.grad);
  }

  __device__ __forceinline__ void store(const Group& r, const Place& at) const {
    if (!arrays.lists.keep_params) r.w.store(arrays.w, at);
    if (arrays.state[0].at) r.buffer.store(arrays.state[0], at);
    if (arrays.lists.copies) r.w.store(arrays.copy, at);
    if (arrays.lists.updates || arrays.lists.clear_grads) r.g.store(arrays.g, at);
  }
};
__device__ __forceinline__ void open_group(const Update& op, Update::Group& r) {
  r.w.open(op.arrays.lists.param);
  r.g.open(op.arrays.lists.grad);
  r.buffer.open(op.arrays.lists.state);
}

__device__ __forceinline__ bool begin_updates(Update& op, const ChunkRange& range) {
  if (thread_index() == 0) compute_factors(*op.shared, op.head);
  return begin_step(op, range);
}

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const SgdHead& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(head.lists.arrays));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{head, StepArrays<1>(head.lists, table, t), shared, {}};
  const ChunkRange range = op.arrays.cut(table, head.list, t, chunk);
  apply_to_range(op, range);
}

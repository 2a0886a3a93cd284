// Lion over a list of tensors.
//
// Computes: the definition of include/adjoint/ops/optimizer.h, to the last bit.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn, the same elements of all arrays.
// Memory: reads weights, gradients and moments once; writes weights and moments once, and on request copies and cleared gradients.
// Order of additions: none. Every element passes through the same instructions, wherever it lies.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"
#include "optimizer/stochastic.cuh"

constexpr int kBlocks = ADJ_WIDEST == 8 ? 2 : 3;  // blocks per multiprocessor: as many as spill no registers
typedef MultiTensorParams<LionHead, ADJ_PARAM_BYTES> Params;

// Numbers that all elements share, computed in f64 and rounded once.
struct Factors {
  A grad_scale;
  A beta1, gain1, beta2, gain2;
  A rate, decay;
  int scaled, skip;
};

__device__ __forceinline__ void compute_factors(Factors& f, const LionHead& p) {
  const StepScalars s = read_control(p.control, p.step, p.control.inverse_max_norm, p.lists.reports && block_index() == 0);
  f.grad_scale = static_cast<A>(s.scale);
  f.scaled = f.grad_scale != A{1};
  f.beta1 = static_cast<A>(p.beta1);
  f.gain1 = static_cast<A>(1 - p.beta1);
  f.beta2 = static_cast<A>(p.beta2);
  f.gain2 = static_cast<A>(1 - p.beta2);
  f.rate = static_cast<A>(s.lr);
  f.decay = static_cast<A>(s.lr * p.weight_decay);
  f.skip = s.skip;
}

struct Update {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane w, g, m;
    int first, drawn;
    RandomEight random;
  };

  const LionHead& head;
  StepArrays<1> arrays;
  Factors* shared;
  RandomKey* key;  // null: weights are rounded to the nearest
  i64* first;      // with parts: number of the tensor's first element in the whole tensor
  const MultiTensorTable& table;
  u32 tensor;      // place of the tensor in the table
  i64 begin;       // number of the range's first element in the whole tensor
  Factors f;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(arrays.w, at);
    r.g.load(arrays.g, at);
    r.m.load(arrays.state[0], at);
    r.first = at.first;
  }

  // Every sum is one explicit fused operation, so no compiler choice changes bits. The old weight enters in the last subtraction, with one rounding.
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = r.w.front(arrays.lists.param), moment = r.m.front(arrays.lists.state);
    A gradient = r.g.front(arrays.lists.grad);
    if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
    const A direction = fused_multiply_add(f.gain1, gradient, f.beta1 * moment);
    const A toward = direction > 0 ? f.rate : direction < 0 ? -f.rate : direction;
    A next = weight - fused_multiply_add(f.decay, weight, toward);
    if constexpr (ADJ_WIDEST < 8) {
      if (key) {
        const i64 element = begin + r.first++;
        const u32 place = static_cast<u32>(element) & 7;
        if (place == 0 || !r.drawn) r.random.draw(*key, element);
        r.drawn = 1;
        next = from_16_bits(round_at_random(next, r.random.at(place), arrays.lists.param), arrays.lists.param);
      }
    }
    r.w.push(next, arrays.lists.param);
    r.g.pop();  // leaves zeros, for clear_grads
    r.m.push(fused_multiply_add(f.gain2, gradient, f.beta2 * moment), arrays.lists.state);
  }

  __device__ __forceinline__ void store(const Group& r, const Place& at) const {
    r.w.store(arrays.w, at);
    r.m.store(arrays.state[0], at);
    if (arrays.lists.copies) r.w.store(arrays.copy, at);
    if (arrays.lists.clear_grads) r.g.store(arrays.g, at);
  }
};
__device__ constexpr int updates_at_once(const Update*) { return ADJ_WIDEST == 2 ? 4 : 1; }
__device__ __forceinline__ void open_group(const Update& op, Update::Group& r) {
  r.w.open(op.arrays.lists.param);
  r.g.open(op.arrays.lists.grad);
  r.m.open(op.arrays.lists.state);
}

// One thread computes the factors and the key while the loads of the whole block are in flight.
__device__ __forceinline__ bool begin_updates(Update& op, const ChunkRange& range) {
  if (thread_index() == 0) {
    compute_factors(*op.shared, op.head);
    if (op.key) {
      const u64 seed = static_cast<u64>(read_step(op.head.seed));
      *op.key = {static_cast<u32>(seed), static_cast<u32>(seed >> 32), op.table.count(1, op.tensor), static_cast<u32>(read_step(op.head.step))};
      if (op.head.parts) *op.first = first_element(op.table, op.tensor);
    }
  }
  if (!begin_step(op, range)) return false;
  op.begin = range.begin;
  if (op.head.parts) op.begin += *op.first;
  return true;
}

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const LionHead& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  ADJ_SHARED(RandomKey, key, 1);
  ADJ_SHARED(i64, first, 1);
  const MultiTensorTable table = table_of(p, multi_tensor_keyed(head.lists.arrays, head.stochastic, head.parts));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{head, StepArrays<1>(head.lists, table, t), shared, head.stochastic ? key : nullptr, first, table, t, 0, {}};
  const ChunkRange range = op.arrays.cut(table, head.list, t, chunk);
  apply_to_range(op, range);
}

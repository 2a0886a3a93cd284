// Second pass of LAMB: computes moments and direction once more, and updates with the rate that follows from the norms of the tensor.
//
// Computes: the definition of include/adjoint/ops/optimizer.h.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn, the same elements of all arrays.
// Memory: reads weights, gradients and both moments once; writes weights and moments once, and on request copies and updates or cleared gradients.
// Order of additions: none. Every element passes through the same instructions, wherever it lies.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/lamb.cuh"

// Returns the rate of a tensor. Sets keep if a norm is not finite: the tensor then stays as it is, and the rate is not used.
__device__ __forceinline__ f64 trust_rate(const LambHead& p, u32 tensor, f64 lr, int& keep) {
  const f64* number = p.norms.tensors + static_cast<u64>(tensor) * kNumbers;
  const f64 weight = Squares<A>::root(number), direction = Squares<A>::root(number + kNumbers / 2);
  keep = !(weight - weight == 0) || !(direction - direction == 0);
  if (weight == 0 || direction == 0) return lr;
  return lr * max_of(p.ratio_min, min_of(p.ratio_max, weight / direction));
}

struct Update {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane w, g, m, v;
  };

  Factors f;
  StepArrays<2> arrays;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(arrays.w, at);
    r.g.load(arrays.g, at);
    r.m.load(arrays.state[0], at);
    r.v.load(arrays.state[1], at);
  }
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = r.w.front(arrays.lists.param);
    A mean = r.m.front(arrays.lists.state), square = r.v.front(arrays.lists.state);
    const A direction = direction_of(f, weight, r.g.front(arrays.lists.grad), mean, square);
    const A updated = fused_multiply_add(-f.rate, direction, weight);
    const bool finite = updated < f.beyond && updated > -f.beyond;
    r.w.push(finite ? updated : weight, arrays.lists.param);
    r.g.push(finite && !arrays.lists.clear_grads ? -f.rate * direction : A(0), arrays.lists.grad);
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

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, ADJ_WIDEST == 8 || (ADJ_WIDEST == 2 && ADJ_BOUNDS_ARCH > 90) ? 2 : 3)
    ADJ_ENTRY(const __grid_constant__ Params p) {
  const LambHead& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  const MultiTensorTable table = table_of(p, form_of(head));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk), index = chunk - table.first_chunk[t];
  if (thread_index() == 0) {
    Factors& f = shared[0];
    f64 lr;
    compute_factors(f, head, table, t, false, lr);
    if (!f.skip) {
      f64 rate = trust_rate(head, head.list.first_tensor + t, lr, f.keep);
      // The rate of large weights with small directions may exceed f32, where its products with directions do not: these are then scaled up.
      if (rate > 0x1p100 || rate < -0x1p100) {
        rate *= 0x1p-64;
        f.decay *= A(0x1p64);
        f.inverse_a *= A(0x1p64);
      }
      f.rate = static_cast<A>(rate);
      if (f.keep && index == 0 && head.control.error_flag) atomic_add(head.control.error_flag, i64{1});
    }
  }
  block_barrier();
  StepArrays<2> arrays(head.lists, table, t);
  const ChunkRange range = arrays.cut(table, head.list, t, chunk);
  if (shared[0].skip || shared[0].keep) {
    if (head.lists.clear_grads || (shared[0].keep && head.lists.updates)) clear_gradients(arrays.g, range);
    return;
  }
  Update op{shared[0], arrays};
  apply_to_range(op, range);
}

// Adam over a list of tensors.
//
// Computes: the definition of include/adjoint/ops/optimizer.h, to the last bit.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn, the same elements of all arrays.
// Memory: reads weights, gradients and both moments once; writes weights and moments once, and on request copies and updates or cleared gradients.
//    A block reads learning rate and decay of its tensor where there are such.
// Order of additions: none. Every element passes through the same instructions, wherever it lies.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"
#include "optimizer/stochastic.cuh"

constexpr int kBlocks = ADJ_WIDEST == 8 ? 2 : ADJ_WIDEST == 4 ? 4 : 3;  // blocks per multiprocessor: as many as spill no registers
constexpr bool kRoundsAtRandom = ADJ_WIDEST == 4;  // weights of 16 bits, whatever the other types
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

// n / d, correctly rounded. Where it is rounded to f32 afterwards, quotients outside the normal range of f64 do not matter.
__device__ __forceinline__ f64 quotient(f64 n, f64 d) {
  if constexpr (ADJ_WIDEST == 8) return n / d;
  else return divide_by_normal(n, d);
}

// tensor: number of the tensor in the list.
__device__ __forceinline__ void compute_factors(Factors& f, const AdamHead& p, u64 tensor) {
  const bool reports = p.lists.reports && block_index() == 0;
  A own_lr = 0, own_decay = 0;  // loaded before the scalars of the call are used
  if (p.lr_of) own_lr = static_cast<const A*>(p.lr_of)[tensor];
  if (p.weight_decay_of) own_decay = static_cast<const A*>(p.weight_decay_of)[tensor];
  const StepScalars s = read_control<true>(p.control, p.step, p.control.inverse_max_norm, reports);
  const f64 lr = p.lr_of ? own_lr : s.lr, weight_decay = p.weight_decay_of ? own_decay : p.weight_decay;
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
  f.root_scale = p.decay_last ? A(1) : static_cast<A>(quotient(1, root));
  f.epsilon = static_cast<A>(p.epsilon);
  f.rate = static_cast<A>(quotient(p.decay_last ? lr * root : lr, a));
  f.decay = p.decay_l2 ? A(0) : static_cast<A>(lr * weight_decay);
  f.gradient_decay = static_cast<A>(weight_decay);
}

// What a block works on, in shared memory: only its first turn and the rounding at random need it, so the loop keeps no registers for it.
struct Job {
  RandomKey key;
  i64 begin;   // number of the range's first element, from begin_updates on in the whole tensor
  u32 tensor;  // place of the tensor in the table
};

struct Update {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane w, g, m, v;
  };

  const Params& params;
  const AdamHead& head;
  StepArrays<2> arrays;
  Factors* shared;
  Job* job;
  RandomEight* drawn;  // of each thread
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

  // Rounds the weights of a group at random to their type. A single one is at the back. The random bits wait in shared memory, since registers are
  // scarce while the next group is loaded.
  __device__ __forceinline__ void round_weights(Lane& w, const Place& at) const {
    i64 element = job->begin + at.first;
    RandomEight& random = drawn[thread_index()];
    if (at.count == 1) w.words[0] = w.words[kVector - 1];
#pragma unroll 1
    for (int j = 0; j < at.count; ++j, ++element) {
      const u32 place = static_cast<u32>(element) & 7;
      if (j == 0 || place == 0) {
        RandomEight fresh;
        fresh.draw(job->key, element);
        random = fresh;
      }
      const u32 bits = random.words[place / 2] >> place % 2 * 16 & 0xffff;
      w.push(from_16_bits(round_at_random(w.front(kDtypeF32), bits, arrays.lists.param), arrays.lists.param), kDtypeF32);
    }
  }

  // Weights come last: while they are rounded at random, the registers of the rest are free.
  __device__ __forceinline__ void store(const Group& r, const Place& at) {
    r.m.store(arrays.state[0], at);
    r.v.store(arrays.state[1], at);
    if (arrays.lists.copies) r.w.store(arrays.copy, at);
    if (arrays.lists.updates || arrays.lists.clear_grads) r.g.store(arrays.g, at);
    Lane w = r.w;
    if constexpr (kRoundsAtRandom) {
      if (head.stochastic) {
        round_weights(w, at);
        f = *shared;  // registers that were needed until here
      }
    }
    if (!arrays.lists.keep_params) w.store(arrays.w, at);
  }
};
__device__ __forceinline__ void open_group(const Update& op, Update::Group& r) {
  r.w.open(op.arrays.lists.param);
  r.g.open(op.arrays.lists.grad);
  r.m.open(op.arrays.lists.state);
  r.v.open(op.arrays.lists.state);
}

__device__ __forceinline__ MultiTensorTable table_of_step(const Params& p) { return table_of(p, {p.head.lists.arrays, 0, p.head.counts}); }

// One thread computes what all elements share while the loads of the whole block are in flight.
__device__ __forceinline__ bool begin_updates(Update& op, const ChunkRange& range) {
  if (thread_index() == 0) {
    const AdamHead& head = op.head;
    const u32 tensor = op.job->tensor;
    compute_factors(*op.shared, head, u64{head.list.first_tensor} + tensor);
    if constexpr (kRoundsAtRandom) {
      if (head.stochastic) {
        const MultiTensorTable table = table_of_step(op.params);
        const u64 seed = static_cast<u64>(read_step(head.seed));
        op.job->key = {static_cast<u32>(seed), static_cast<u32>(seed >> 32), table.count(1, tensor), static_cast<u32>(read_step(head.step))};
        if (head.parts) op.job->begin += first_element(table, tensor);
      }
    }
  }
  return begin_step(op, range);
}

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const AdamHead& head = p.head;
  ADJ_SHARED(Factors, shared, 1);
  ADJ_SHARED(Job, job, 1);
  ADJ_SHARED(RandomEight, drawn, kRoundsAtRandom ? kMultiTensorThreads : 1);
  const MultiTensorTable table = table_of_step(p);
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{p, head, StepArrays<2>(head.lists, table, t), shared, job, drawn, {}};
  const ChunkRange range = op.arrays.cut(table, head.list, t, chunk);
  if (thread_index() == 0) {
    job->tensor = t;
    if (kRoundsAtRandom && head.stochastic) job->begin = range.begin;
  }
  apply_to_range(op, range);
}

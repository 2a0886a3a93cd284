// SGD with optional momentum over a list of tensors.
//
// Macros: ADJ_PARAM, ADJ_GRAD, ADJ_STATE, ADJ_COPY element types (ADJ_STATE is none without momentum, ADJ_COPY may be none),
// ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "prelude/scalar.cuh"
#include "optimizer/params.h"

typedef Acc<ADJ_PARAM> A;
constexpr bool kMomentum = !kSameType<ADJ_STATE, none>;
constexpr bool kCopies = !kSameType<ADJ_COPY, none>;
constexpr int kArrays = 2 + (kMomentum ? 1 : 0) + (kCopies ? 1 : 0);
constexpr int kWide = kWidest<ADJ_PARAM, ADJ_GRAD, ADJ_STATE>;
constexpr int kBlocks = kWide == 8 ? 3 : 4;  // per multiprocessor; leaves each thread what it needs in registers
typedef MultiTensorParams<SgdHead, ADJ_PARAM_BYTES> Params;

// What all elements share, rounded once.
struct Factors {
  A grad_scale;
  A momentum, gain, weight_decay, rate;
  int scaled, nesterov, first_step;
};

struct Update {
  static constexpr int kVector = 16 / kWide;
  struct Group {
    Queue<ADJ_PARAM, kVector> w;
    Queue<ADJ_GRAD, kVector> g;
    Queue<ADJ_STATE, kVector> buffer;
    Queue<ADJ_COPY, kVector> copy;
  };

  Factors f;
  ADJ_PARAM* w;
  const ADJ_GRAD* g;
  ADJ_STATE* buffer;
  ADJ_COPY* copy;

  __device__ __forceinline__ void load(Group& r, const Place& at) const {
    r.w.load(w, at);
    r.g.load(g, at);
    if (!f.first_step) r.buffer.load(buffer, at);
  }

  // Every sum is one explicit fused operation, so that no compiler choice can tell two elements apart.
  __device__ __forceinline__ void update(Group& r) const {
    const A weight = to_acc(r.w.front());
    A gradient = to_acc(r.g.front());
    r.g.pop();
    if (opaque(f.scaled)) gradient = gradient / f.grad_scale;
    gradient = fused_multiply_add(f.weight_decay, weight, gradient);
    A direction = gradient;
    if constexpr (kMomentum) {
      const A running =
          f.first_step ? gradient : fused_multiply_add(f.momentum, static_cast<A>(to_acc(r.buffer.front())), f.gain * gradient);
      direction = f.nesterov ? fused_multiply_add(f.momentum, running, gradient) : running;
      r.buffer.push(from_acc<ADJ_STATE>(running));
    }
    const ADJ_PARAM updated = from_acc<ADJ_PARAM>(fused_multiply_add(-f.rate, direction, weight));
    r.w.push(updated);
    r.copy.push(from_acc<ADJ_COPY>(to_acc(updated)));
  }

  __device__ __forceinline__ void store(const Group& r, const Place& at) const {
    r.w.store(w, at);
    r.buffer.store(buffer, at);
    r.copy.store(copy, at);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const SgdHead& head = p.head;
  if (head.found_inf && *head.found_inf != 0) return;
  Factors f;
  f.grad_scale = opaque(static_cast<A>(read_scalar(head.grad_scale)));
  f.scaled = f.grad_scale != A{1};
  f.momentum = opaque(static_cast<A>(head.momentum));
  f.gain = opaque(static_cast<A>(1 - head.dampening));
  f.weight_decay = opaque(static_cast<A>(head.weight_decay));
  f.rate = opaque(static_cast<A>(read_scalar(head.lr)));
  f.nesterov = head.nesterov;
  f.first_step = head.first_step;

  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(kArrays));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Update op{f, table.array<ADJ_PARAM>(0, t), table.array<const ADJ_GRAD>(1, t), nullptr, nullptr};
  Peel<Update::kVector> peel;
  peel.add(op.w);
  peel.add(op.g);
  if constexpr (kMomentum) {
    op.buffer = table.array<ADJ_STATE>(2, t);
    peel.add(op.buffer);
  }
  if constexpr (kCopies) {
    op.copy = table.array<ADJ_COPY>(kArrays - 1, t);
    peel.add(op.copy);
  }
  const ChunkRange range = chunk_range<Update::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2,
                                                        table.elements(head.list, t), peel.elements());
  op.w += range.begin;
  op.g += range.begin;
  if constexpr (kMomentum) op.buffer += range.begin;
  if constexpr (kCopies) op.copy += range.begin;
  apply_to_range(op, range);
}

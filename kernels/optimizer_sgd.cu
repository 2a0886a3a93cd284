// SGD with optional momentum over a list of tensors.
//
// Macros: ADJ_PARAM, ADJ_GRAD, ADJ_STATE, ADJ_COPY element types (ADJ_STATE is none without momentum, ADJ_COPY may be none),
// ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "prelude/scalar.cuh"
#include "params/optimizer.h"

typedef Acc<ADJ_PARAM> A;
constexpr bool kMomentum = !kSameType<ADJ_STATE, none>;
constexpr bool kCopies = !kSameType<ADJ_COPY, none>;
constexpr int kArrays = 2 + (kMomentum ? 1 : 0) + (kCopies ? 1 : 0);
constexpr int kWide = kWidest<ADJ_PARAM, ADJ_GRAD, ADJ_STATE>;
constexpr int kBlocks = kWide == 8 ? 3 : 4;  // per multiprocessor; leaves each thread what it needs in registers
typedef MultiTensorParams<SgdHead, kArrays, ADJ_PARAM_BYTES> Params;

// What all elements share, rounded once.
struct Factors {
  A grad_scale;
  A momentum, gain, weight_decay, rate;
  int scaled, nesterov, first_step;
};

struct Update {
  static constexpr int kVector = 16 / kWide;
  struct Group {
    Packed<ADJ_PARAM, kVector> w;
    Packed<ADJ_GRAD, kVector> g;
    Packed<ADJ_STATE, kVector> buffer;
  };

  const Factors& f;
  ADJ_PARAM* w;
  const ADJ_GRAD* g;
  ADJ_STATE* buffer;
  ADJ_COPY* copy;

  __device__ __forceinline__ void load(Group& r, const Place<kVector>& at) const {
    r.w = at.load(w);
    r.g = at.load(g);
    if constexpr (kMomentum)
      if (!f.first_step) r.buffer = at.load(buffer);
  }

  // Every sum is one explicit fused operation, so that no compiler choice can tell two elements apart.
  __device__ __forceinline__ void finish(const Group& r, const Place<kVector>& at) const {
    auto weights = unpack_vector<ADJ_PARAM, kVector>(r.w);
    const auto gradients = unpack_vector<ADJ_GRAD, kVector>(r.g);
    auto buffers = unpack_vector<ADJ_STATE, kVector>(r.buffer);
    Vec<ADJ_COPY, kVector> low;
#pragma unroll
    for (int j = 0; j < kVector; ++j) {
      const A weight = to_acc(weights.at[j]);
      A gradient = to_acc(gradients.at[j]);
      if (f.scaled) gradient = gradient / f.grad_scale;
      gradient = fused_multiply_add(f.weight_decay, weight, gradient);
      A direction = gradient;
      if constexpr (kMomentum) {
        const A running =
            f.first_step ? gradient : fused_multiply_add(f.momentum, static_cast<A>(to_acc(buffers.at[j])), f.gain * gradient);
        direction = f.nesterov ? fused_multiply_add(f.momentum, running, gradient) : running;
        buffers.at[j] = from_acc<ADJ_STATE>(running);
      }
      weights.at[j] = from_acc<ADJ_PARAM>(fused_multiply_add(-f.rate, direction, weight));
      if constexpr (kCopies) low.at[j] = from_acc<ADJ_COPY>(to_acc(weights.at[j]));
    }
    at.store(w, weights);
    if constexpr (kMomentum) at.store(buffer, buffers);
    if constexpr (kCopies) at.store(copy, low);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, kBlocks) ADJ_ENTRY(const __grid_constant__ Params p) {
  const SgdHead& head = p.head;
  if (head.found_inf && *head.found_inf != 0) return;
  Factors f;
  f.grad_scale = static_cast<A>(read_scalar(head.grad_scale));
  f.scaled = f.grad_scale != A{1};
  f.momentum = static_cast<A>(head.momentum);
  f.gain = static_cast<A>(1 - head.dampening);
  f.weight_decay = static_cast<A>(head.weight_decay);
  f.rate = static_cast<A>(read_scalar(head.lr));
  f.nesterov = head.nesterov;
  f.first_step = head.first_step;

  const auto table = view_table(p);
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(table.first_chunk, head.list.tensors, chunk);
  Update op{f, table.template array<ADJ_PARAM>(0, t), table.template array<const ADJ_GRAD>(1, t), nullptr, nullptr};
  Peel<Update::kVector> peel;
  peel.add(op.w);
  peel.add(op.g);
  if constexpr (kMomentum) {
    op.buffer = table.template array<ADJ_STATE>(2, t);
    peel.add(op.buffer);
  }
  if constexpr (kCopies) {
    op.copy = table.template array<ADJ_COPY>(kArrays - 1, t);
    peel.add(op.copy);
  }
  const ChunkRange range = chunk_range<Update::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2,
                                                        table.numel[t], peel.elements());
  op.w += range.begin;
  op.g += range.begin;
  if constexpr (kMomentum) op.buffer += range.begin;
  if constexpr (kCopies) op.copy += range.begin;
  apply_to_range(op, range);
}

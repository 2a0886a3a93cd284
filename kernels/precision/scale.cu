// Computes: y_k = x * f_k for up to three factors f_k over a list of tensors, rounded once; f_k = scale or 1 / scale, in the accumulator type.
// Work split: a block takes a chunk of a tensor; a thread has two groups of 16 bytes (of the wider type) in flight.
// Memory: reads each input once, writes each output once.
// Order of additions: none.
// Limits: none. If the buffers of a tensor cannot be aligned together, its elements are taken one by one; checked here.
//
// Macros: ADJ_FROM, ADJ_TO element types, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/scalar.cuh"
#include "prelude/exp.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef Acc<ADJ_FROM> A;
typedef MultiTensorParams<ScaleHead, ADJ_PARAM_BYTES> Params;
constexpr int kMostOutputs = 3;

struct Scaling {
  static constexpr int kVector = 16 / kWidest<ADJ_FROM, ADJ_TO>;
  template <int N> using Group = Piece<ADJ_FROM, N>;

  const ADJ_FROM* from;
  ADJ_TO* to[kMostOutputs];
  A factor[kMostOutputs];
  f32* found_inf;

  template <int N> __device__ __forceinline__ void load(Group<N>& g, int first) const { g.load(from + first); }
  template <int N> __device__ __forceinline__ void finish(Group<N>& g, int first) const {
    A x[N];
    g.get(x);
    if (found_inf) {
      bool finite = true;
#pragma unroll
      for (int j = 0; j < N; ++j) finite = finite && is_finite(x[j]);
      if (!finite) store_relaxed(found_inf, 1.0f);
    }
#pragma unroll
    for (int k = 0; k < kMostOutputs; ++k) {
      if (!to[k]) continue;
      A y[N];
#pragma unroll
      for (int j = 0; j < N; ++j) y[j] = x[j] * factor[k];
      Piece<ADJ_TO, N> out;
      out.set(y);
      out.store(to[k] + first);
    }
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const ScaleHead& head = p.head;
  const bool fused = head.fused != nullptr;
  const MultiTensorForm form{fused ? 1 : 1 + head.outputs, fused ? 1 : 0, 1};
  const MultiTensorTable table = table_of(p, form);
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);

  Scaling op;
  op.from = table.array<const ADJ_FROM>(0, t);
  op.found_inf = head.found_inf;
  Peel<Scaling::kVector> peel;
  peel.add(op.from);
#pragma unroll
  for (int k = 0; k < kMostOutputs; ++k) {
    op.to[k] = nullptr;
    op.factor[k] = 0;
    if (k >= head.outputs) continue;
    op.to[k] = fused ? static_cast<ADJ_TO*>(head.fused) + table.constant(0, t) : table.array<ADJ_TO>(1 + k, t);
    const A scale = static_cast<A>(read_scalar(head.scale[k]));
    op.factor[k] = opaque(head.scale_down ? A(1) / scale : scale);
    peel.add(op.to[k]);
  }
  const ChunkRange range = chunk_range<Scaling::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.from += range.begin;
#pragma unroll
  for (int k = 0; k < kMostOutputs; ++k)
    if (op.to[k]) op.to[k] += range.begin;
  stream_range<2>(op, range);
}

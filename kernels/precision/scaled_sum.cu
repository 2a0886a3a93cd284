// Computes: y = s0 x0 + s1 x1 [+ s2 x2] over a list of tensors, rounded once.
// Work split: a block takes a chunk of a tensor; a thread has two groups of 16 bytes of each input in flight.
// Memory: reads each input once, writes each output once.
// Order of additions: s0 x0 first, then one fused operation for each further input.
// Limits: none. If the buffers of a tensor cannot be aligned together, its elements are taken one by one; checked here.
//
// Macros: ADJ_T element type, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/scalar.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef Acc<ADJ_T> A;
typedef MultiTensorParams<ScaledSumHead, ADJ_PARAM_BYTES> Params;

struct ScaledSum {
  static constexpr int kVector = kVec16<ADJ_T>;
  template <int N> struct Group {
    Piece<ADJ_T, N> terms[3];
  };

  ADJ_T* out;
  const ADJ_T* in[3];
  A factor[3];

  template <int N> __device__ __forceinline__ void load(Group<N>& g, int first) const {
#pragma unroll
    for (int k = 0; k < 3; ++k)
      if (k < 2 || in[k]) g.terms[k].load(in[k] + first);
  }
  template <int N> __device__ __forceinline__ void finish(Group<N>& g, int first) const {
    A y[N], x[N];
    g.terms[0].get(x);
#pragma unroll
    for (int j = 0; j < N; ++j) y[j] = x[j] * factor[0];
#pragma unroll
    for (int k = 1; k < 3; ++k) {
      if (k == 2 && !in[k]) continue;
      g.terms[k].get(x);
#pragma unroll
      for (int j = 0; j < N; ++j) y[j] = fused_multiply_add(x[j], factor[k], y[j]);
    }
    Piece<ADJ_T, N> result;
    result.set(y);
    result.store(out + first);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const ScaledSumHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1 + head.inputs));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);

  ScaledSum op;
  op.out = table.array<ADJ_T>(0, t);
  Peel<ScaledSum::kVector> peel;
  peel.add(op.out);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    op.in[k] = nullptr;
    op.factor[k] = 0;
    if (k >= head.inputs) continue;
    op.in[k] = table.array<const ADJ_T>(1 + k, t);
    op.factor[k] = opaque(static_cast<A>(read_scalar(head.scale[k])));
    peel.add(op.in[k]);
  }
  const ChunkRange range = chunk_range<ScaledSum::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.out += range.begin;
#pragma unroll
  for (int k = 0; k < 3; ++k)
    if (op.in[k]) op.in[k] += range.begin;
  stream_range<2>(op, range);
}

// Computes: out = update ? (overwrite ? 0 : sum) + value : sum over a list of tensors, and on request a second copy of out.
// Work split: a block takes a chunk of a tensor; a thread has two groups of 16 bytes (of the wider type) in flight.
// Memory: reads sum and value once, writes once. Reads and writes that the flags make superfluous are left out.
// Order of additions: one addition an element.
// Limits: none. If the buffers of a tensor cannot be aligned together, its elements are taken one by one; checked here.
//
// Macros: ADJ_SUM type of sums, outputs and copies, ADJ_VALUE type of values, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if
// the table lies in the workspace.
#include "prelude/scalar.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef Acc<ADJ_SUM> A;
typedef MultiTensorParams<AccumulateHead, ADJ_PARAM_BYTES> Params;

struct Accumulation {
  static constexpr int kVector = 16 / kWidest<ADJ_SUM, ADJ_VALUE>;
  template <int N> struct Group {
    Piece<ADJ_SUM, N> sum;
    Piece<ADJ_VALUE, N> value;
  };

  const ADJ_SUM* sums;
  const ADJ_VALUE* values;
  ADJ_SUM* outputs;
  ADJ_SUM* copies;
  bool update, overwrite;

  template <int N> __device__ __forceinline__ void load(Group<N>& g, int first) const {
    if (!update || !overwrite) g.sum.load(sums + first);
    if (update) g.value.load(values + first);
  }
  template <int N> __device__ __forceinline__ void finish(Group<N>& g, int first) const {
    if (update) {
      A value[N];
      g.value.get(value);
      if (!overwrite) {
        A sum[N];
        g.sum.get(sum);
#pragma unroll
        for (int j = 0; j < N; ++j) value[j] += sum[j];
      }
      g.sum.set(value);
    }
    g.sum.store(outputs + first);
    if (copies) g.sum.store(copies + first);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const AccumulateHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(head.copies ? 4 : 3));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);

  Accumulation op{table.array<const ADJ_SUM>(0, t), table.array<const ADJ_VALUE>(1, t), table.array<ADJ_SUM>(2, t), nullptr,
                  read_flag(head.update),           read_flag(head.overwrite)};
  Peel<Accumulation::kVector> peel;
  peel.add(op.sums);
  peel.add(op.values);
  peel.add(op.outputs);
  if (head.copies) {
    op.copies = table.array<ADJ_SUM>(3, t);
    peel.add(op.copies);
  }
  if (!op.update && op.outputs == op.sums && !op.copies) return;
  const ChunkRange range =
      chunk_range<Accumulation::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.sums += range.begin;
  op.values += range.begin;
  op.outputs += range.begin;
  if (op.copies) op.copies += range.begin;
  stream_range<2>(op, range);
}

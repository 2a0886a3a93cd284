// Computes: outputs[i] = inputs[i], bit by bit, over a list of tensors.
// Work split: a block takes a chunk of a tensor; a thread has four vectors of 16 bytes in flight.
// Memory: each byte is read once and written once; a tensor whose output is its input is skipped.
// Order of additions: none.
// Limits: any alignment; where no element is at a multiple of 16 bytes in both buffers, all are copied one by one.
//
// Macros: ADJ_T unsigned integer of an element's size, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table
// lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "shape/params.h"

typedef ADJ_T T;
typedef MultiTensorParams<CopyHead, ADJ_PARAM_BYTES> Params;
constexpr int kVector = 16 / static_cast<int>(sizeof(T)), kTogether = 4;

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const CopyHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(2));
  const u32 chunk = static_cast<u32>(block_index());  // the grid has a block for each chunk; the plan keeps chunks below its limit
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  const T* from = table.array<const T>(0, t);
  T* to = table.array<T>(1, t);
  if (from == to) return;
  Peel<kVector> peel;
  peel.add(from);
  peel.add(to);
  const ChunkRange range = chunk_range<kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  from += range.begin;
  to += range.begin;

  const Words4* const vectors = reinterpret_cast<const Words4*>(from + range.head);
  Words4* const target = reinterpret_cast<Words4*>(to + range.head);
#pragma unroll 1
  for (int first = thread_index(); first < range.vectors; first += kTogether * kMultiTensorThreads) {
    Words4 words[kTogether];
#pragma unroll
    for (int k = 0; k < kTogether; ++k)
      if (const int i = first + k * kMultiTensorThreads; i < range.vectors) words[k] = load_words(vectors + i);
#pragma unroll
    for (int k = 0; k < kTogether; ++k)
      if (const int i = first + k * kMultiTensorThreads; i < range.vectors) store_words(target + i, words[k]);
  }
  const int singles = range.head + range.tail;
#pragma unroll 4
  for (int i = thread_index(); i < singles; i += kMultiTensorThreads) {
    const int at = i < range.head ? i : i + range.vectors * kVector;
    to[at] = from[at];
  }
}

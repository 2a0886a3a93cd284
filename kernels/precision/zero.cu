// Computes: zeros over a list of tensors of any element types. Extents are counted in units of two bytes.
// Work split: a block takes a chunk of a tensor; a thread stores 16 bytes at a time.
// Memory: writes each byte once.
// Order of additions: none.
// Limits: none. A tensor that does not begin on a 16-byte boundary has its first and last elements stored one by one.
//
// Macros: ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/scalar.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef MultiTensorParams<ZeroHead, ADJ_PARAM_BYTES> Params;

struct Clearing {
  static constexpr int kVector = 8;
  template <int N> struct Group {};

  bf16* out;

  template <int N> __device__ __forceinline__ void load(Group<N>&, int) const {}
  template <int N> __device__ __forceinline__ void finish(Group<N>&, int first) const {
    const Piece<bf16, N> zeros{};
    zeros.store(out + first);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const ZeroHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Clearing op{table.array<bf16>(0, t)};
  Peel<Clearing::kVector> peel;
  peel.add(op.out);
  const ChunkRange range = chunk_range<Clearing::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.out += range.begin;
  stream_range<2>(op, range);
}

// Second pass of gradient clipping: multiplies the gradients, unless the multiplier is 1.
//
// Computes: grad *= multiplier. The multiplier is rounded once from f64 to the accumulator type, and so is the product to the element type.
// Work split: a block takes a chunk of a tensor; a thread takes vectors of it in turn.
// Memory: reads and writes gradients once, or not at all; twice if the multiplier is below the normal range. The second pass then multiplies by a
// power of two, without an error.
// Order of additions: none.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_WIDEST (step.cuh), ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "optimizer/step.cuh"

typedef MultiTensorParams<ClipScaleHead, ADJ_PARAM_BYTES> Params;

struct Scaling {
  static constexpr int kVector = 16 / ADJ_WIDEST;
  struct Group {
    Lane g;
  };
  Array g;
  A multiplier;

  __device__ __forceinline__ void load(Group& r, const Place& at) const { r.g.load(g, at); }
  __device__ __forceinline__ void update(Group& r) const { r.g.push(r.g.front(g.type) * multiplier, g.type); }
  __device__ __forceinline__ void store(const Group& r, const Place& at) const { r.g.store(g, at); }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads, 6) ADJ_ENTRY(const __grid_constant__ Params p) {
  const ClipScaleHead& head = p.head;
  const f64 multiplier = head.multiplier[0], second = head.multiplier[1];
  if (multiplier == 1) return;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
  const u32 chunk = static_cast<u32>(block_index());
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Scaling op{{reinterpret_cast<u8*>(table.address(0, t)), head.type}, static_cast<A>(multiplier)};
  Peel<kVector> peel;
  peel.add_element(op.g.number());
  const ChunkRange range = chunk_range<kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.g.move(range.begin);
  A left = static_cast<A>(second);
#pragma unroll 1
  for (;;) {
    apply_to_range(op, range);
    if (left == 1) return;
    op.multiplier = left;
    left = 1;
  }
}

// Computes: output = 1 if no element of a list of tensors fails a test of its bits, else 0; found_inf = 1 if an element fails.
// Work split: a block takes a chunk of a tensor; a thread has four vectors of 16 bytes in flight.
// Memory: reads each element once. A block that begins after a failure was found reads nothing.
// Order of additions: none. All threads that find a failure store the same values, so their order does not matter.
// Limits: before the launch output is 1 and found_inf is 0; the plan sees to it.
//
// Macros: ADJ_BITS unsigned type of an element's bits, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in
// the workspace.
#include "prelude/scalar.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef MultiTensorParams<CheckHead, ADJ_PARAM_BYTES> Params;

struct Test {
  static constexpr int kVector = kVec16<ADJ_BITS>;
  template <int N> struct Group {
    Vec<ADJ_BITS, N> own;
  };

  const ADJ_BITS* in;
  u8* output;
  f32* found_inf;
  ADJ_BITS mask, low, span;

  template <int N> __device__ __forceinline__ void load(Group<N>& g, int first) const {
    if constexpr (N == 1) {
      g.own.at[0] = in[first];
    } else {
      const Words4 words = load_words(reinterpret_cast<const Words4*>(in + first));
      memcpy(&g.own, &words, sizeof words);
    }
  }
  template <int N> __device__ __forceinline__ void finish(Group<N>& g, int) const {
    bool failed = false;
#pragma unroll
    for (int j = 0; j < N; ++j) failed |= static_cast<ADJ_BITS>((g.own.at[j] & mask) - low) <= span;
    if (!failed) return;
    store_relaxed(output, u8{0});
    if (found_inf) store_relaxed(found_inf, 1.0f);
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const CheckHead& head = p.head;
  if (ballot(load_relaxed(head.output) == 0)) return;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Test op{table.array<const ADJ_BITS>(0, t), head.output, head.found_inf, static_cast<ADJ_BITS>(head.mask), static_cast<ADJ_BITS>(head.low),
          static_cast<ADJ_BITS>(head.span)};
  Peel<Test::kVector> peel;
  peel.add(op.in);
  const ChunkRange range = chunk_range<Test::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.in += range.begin;
  stream_range<4>(op, range);
}

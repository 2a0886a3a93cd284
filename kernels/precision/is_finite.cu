// Computes: a bool for each element of a list of tensors: 0 for infinities and NaN, else 1.
// Work split: a block takes a chunk of a tensor; a thread has two groups of 8 elements in flight.
// Memory: reads each element once, writes a byte for it.
// Order of additions: none.
// Limits: none. If the buffers of a tensor cannot be aligned together, its elements are taken one by one; checked here.
//
// Macros: ADJ_T element type, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/exp.cuh"
#include "prelude/scalar.cuh"
#include "precision/stream.cuh"
#include "precision/params.h"

typedef Acc<ADJ_T> A;
typedef MultiTensorParams<IsFiniteHead, ADJ_PARAM_BYTES> Params;

struct Test {
  static constexpr int kVector = 8;
  template <int N> using Group = Piece<ADJ_T, N>;

  const ADJ_T* in;
  u8* out;

  template <int N> __device__ __forceinline__ void load(Group<N>& g, int first) const { g.load(in + first); }
  template <int N> __device__ __forceinline__ void finish(Group<N>& g, int first) const {
    A x[N];
    g.get(x);
    if constexpr (N == 1) {
      out[first] = is_finite(x[0]);
    } else {
      Words2 bytes{0, 0};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        bytes.x |= is_finite(x[j]) ? 1u << 8 * j : 0u;
        bytes.y |= is_finite(x[j + 4]) ? 1u << 8 * j : 0u;
      }
      store_words(reinterpret_cast<Words2*>(out + first), bytes);
    }
  }
};

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  const IsFiniteHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(2));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  Test op{table.array<const ADJ_T>(0, t), table.array<u8>(1, t)};
  Peel<Test::kVector> peel;
  peel.add(op.in);
  peel.add(op.out);
  const ChunkRange range = chunk_range<Test::kVector>(chunk - table.first_chunk[t], head.list.chunk_log2, table.elements(head.list, t), peel.elements());
  op.in += range.begin;
  op.out += range.begin;
  stream_range<2>(op, range);
}

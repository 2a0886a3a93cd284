// Computes: one level of the Adasum tree: (1 - a.b / (2 a.a)) a + (1 - a.b / (2 b.b)) b for each pair of vectors (a, b) of each tensor, by ADJ_STAGE:
//   0  the products a.b, a.a and b.b of every chunk
//   1  the combination
// Work split: a block takes a chunk of a tensor (grid x) for a pair of vectors (grid y).
// Memory: either stage reads both vectors once; stage 1 writes the combination once.
// Order of additions: in f64, a thread its elements in order, then lanes, then warps; the chunks of a tensor likewise. It depends on sizes alone.
// Limits: kAdasumTensors tensors in a launch; any alignment of elements.
//
// Macros: ADJ_T element type; ADJ_STAGE.
#include "collective/params.h"
#include "prelude/thread.cuh"
#include "prelude/types.cuh"

typedef Acc<ADJ_T> A;
constexpr int kWarps = kAdasumBlock / kWarp;

// Replaces the sums by those over the threads of the block, in every thread.
__device__ __forceinline__ void add_up(f64 (&sum)[3], f64* shared) {
#pragma unroll
  for (int k = 0; k < 3; ++k)
#pragma unroll 1
    for (int mask = kWarp / 2; mask > 0; mask /= 2) sum[k] += shuffle_xor(sum[k], mask);
  block_barrier();
  if (lane_index() == 0)
    for (int k = 0; k < 3; ++k) shared[3 * warp_index() + k] = sum[k];
  block_barrier();
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    sum[k] = 0;
#pragma unroll 1
    for (int w = 0; w < kWarps; ++w) sum[k] += shared[3 * w + k];
  }
}

// Returns element e of a vector that begins at element `begin` of the source.
__device__ __forceinline__ A element(const AdasumParams& p, i64 begin, i64 e) {
  if (p.widened) return static_cast<const A*>(p.source)[begin + e];
  return to_acc(static_cast<const ADJ_T*>(p.source)[begin + e]);
}

extern "C" __global__ void __launch_bounds__(kAdasumBlock) ADJ_ENTRY(const __grid_constant__ AdasumParams p) {
  ADJ_SHARED(f64, shared, 3 * kWarps);
  const u32 chunk = static_cast<u32>(block_index());
  int low = 0, high = p.tensors - 1;  // the last tensor whose chunks begin at or before this one
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (p.first_chunk[middle] <= chunk) low = middle;
    else high = middle - 1;
  }
  const i64 numel = p.numel[low], pair = block_index_y();
  const i64 a = p.starts[low] * p.vectors + 2 * pair * numel, b = a + numel;
  const u32 own = chunk - p.first_chunk[low];
  const i64 begin = static_cast<i64>(own) * kAdasumChunk, end = min_of<i64>(numel, begin + kAdasumChunk);
  // The products of the tensor's first chunk; those of its other chunks follow.
  f64* const partials = p.partials + 3 * (pair * p.all_chunks + p.chunk_base + p.first_chunk[low]);
  f64 sum[3] = {0, 0, 0};
#if ADJ_STAGE == 0
#pragma unroll 4
  for (i64 e = begin + thread_index(); e < end; e += kAdasumBlock) {
    const f64 x = element(p, a, e), y = element(p, b, e);
    sum[0] += x * y;
    sum[1] += x * x;
    sum[2] += y * y;
  }
  add_up(sum, shared);
  if (thread_index() == 0)
    for (int k = 0; k < 3; ++k) partials[3 * static_cast<i64>(own) + k] = sum[k];
#else
  const u32 chunks = p.first_chunk[low + 1] - p.first_chunk[low];
#pragma unroll 1
  for (u32 c = static_cast<u32>(thread_index()); c < chunks; c += kAdasumBlock)
#pragma unroll
    for (int k = 0; k < 3; ++k) sum[k] += partials[3 * static_cast<i64>(c) + k];
  add_up(sum, shared);
  constexpr f64 kLeast = 1.4916681462400413e-154;  // root of the smallest normal number; a smaller product counts as 0, its factor is 1
  const A of_a = sum[1] < kLeast ? A(1) : static_cast<A>(1 - sum[0] / (2 * sum[1])), of_b = sum[2] < kLeast ? A(1) : static_cast<A>(1 - sum[0] / (2 * sum[2]));
  A* const target = static_cast<A*>(p.target) + p.starts[low] * (p.vectors / 2) + pair * numel;
  ADJ_T* const output = reinterpret_cast<ADJ_T*>(static_cast<u64>(p.high[low]) << 32 | p.low[low]);
#pragma unroll 4
  for (i64 e = begin + thread_index(); e < end; e += kAdasumBlock) {
    const A value = fused_multiply_add(of_a, element(p, a, e), of_b * element(p, b, e));
    if (p.last) output[e] = from_acc<ADJ_T>(value);
    else target[e] = value;
  }
#endif
}

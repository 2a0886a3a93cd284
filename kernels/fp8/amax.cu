// The largest magnitude of a list of tensors.
//
// Computes: include/adjoint/ops/fp8.h, amax; the plan clears the output before, unless it accumulates.
// Work split: a block takes a chunk of a tensor; a thread has four vectors of 16 bytes in flight.
// Memory: reads each element once.
// Order of additions: none. Maxima do not depend on order; blocks join theirs by an atomic maximum of integers.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/multi_tensor.cuh"
#include "fp8/codes.cuh"
#include "fp8/amax.h"

typedef ADJ_T T;
typedef MultiTensorParams<AmaxHead, ADJ_PARAM_BYTES> Params;

constexpr int kAhead = 4, kVector = kVec16<T>;

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  ADJ_SHARED(f32, scratch, kMultiTensorThreads / kWarp);
  const AmaxHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
  const u32 chunk = static_cast<u32>(block_index());  // a plan keeps the chunks of a launch below the limit of a grid
  const u32 t = find_tensor(head.list, table.first_chunk, chunk);
  const T* const all = table.array<const T>(0, t);
  const i64 elements = table.elements(head.list, t), begin = static_cast<i64>(chunk - table.first_chunk[t]) << head.list.chunk_log2;
  const i64 end = min_of(elements, begin + (i64{1} << head.list.chunk_log2));
  const bool aligned = aligned16(all);  // chunks are whole vectors
  f32 amax = 0;
#pragma unroll 1
  for (i64 at = begin + thread_index() * kVector; at < end; at += static_cast<i64>(kMultiTensorThreads) * kVector * kAhead) {
    Words4 words[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const i64 own = at + static_cast<i64>(k) * kMultiTensorThreads * kVector;
      words[k] = load_vector<T>(all, own, static_cast<int>(min_of<i64>(kVector, end - own)), aligned);
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      f32 x[kVector];
      widen<T>(words[k], x);
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        const f32 size = magnitude(x[j]);
        amax = max_number(amax, head.finite_only && !is_finite(size) ? 0.0f : size);
      }
    }
  }
  amax = max_of_block(amax, scratch);
  if (thread_index() == 0) raise(head.amax, amax);
}

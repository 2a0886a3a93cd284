// Computes: the root of the sum of squares of all elements of a list of tensors, and of each tensor.
// Work split: a block takes a chunk of a tensor; a thread has four vectors of 16 bytes in flight. The last block to finish adds the partial sums.
// Memory: reads each element once.
// Order of additions: as in prelude/multi_norm.cuh; depends on the length of each tensor alone.
// Limits: chunks of at most 2^30 elements; the plan sees to it.
//
// Macros: ADJ_T element type, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 if the table lies in the workspace.
#include "prelude/multi_norm.cuh"
#include "prelude/exp.cuh"
#include "prelude/scalar.cuh"
#include "reduce/norm.h"

typedef Acc<ADJ_T> A;
typedef MultiTensorParams<L2NormHead, ADJ_PARAM_BYTES> Params;
constexpr int kNumbers = Squares<A>::kNumbers;

__device__ __forceinline__ void store_norm(void* to, i64 i, int dtype, f64 v) {
  if (kSameType<ADJ_T, f64>) static_cast<f64*>(to)[i] = v;
  else if (dtype == kDtypeF32) static_cast<f32*>(to)[i] = static_cast<f32>(v);
  else if (dtype == kDtypeF16) static_cast<f16*>(to)[i] = from_acc<f16>(static_cast<f32>(v));
  else static_cast<bf16*>(to)[i] = from_acc<bf16>(static_cast<f32>(v));
}

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  ADJ_SHARED(f64, scratch, kNumbers * (kMultiTensorThreads / kWarp));
  const L2NormHead& head = p.head;
  const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
  const NormChunk c = norm_chunk(head.list, table);
  Squares<A> squares;
  add_squares(squares, table.array<const ADJ_T>(0, c.entry) + c.begin, c.elements);
  f64 v[kNumbers];
#pragma unroll
  for (int n = 0; n < kNumbers; ++n) v[n] = squares.number[n];
  block_sums(v, scratch);
  // whole = 0: the last block of a tensor to finish adds the chunks of the tensor. whole = 1: the last of these blocks adds the tensors. The loop
  // does the work of close_tensor and close_list with one copy of the code.
  const NormPartials& partials = head.partials;
#pragma unroll 1
  for (int whole = 0;; whole = 1) {
    if (whole || c.chunks > 1) {
      f64* const all = whole ? partials.tensors : partials.chunks + c.first_partial * kNumbers;
      f64* const own = all + static_cast<u64>(whole ? c.tensor : c.index) * kNumbers;
      if (thread_index() == 0)
#pragma unroll
        for (int n = 0; n < kNumbers; ++n) own[n] = v[n];
      if (!last_to_finish(partials.finished + (whole ? partials.count : c.tensor), whole ? partials.full : c.chunks)) return;
      if (whole) sum_tensors(v, all, partials.count);
      else sum_partials(v, all, c.chunks, scratch);
    }
    void* to = whole ? head.output : head.norms;
    if (thread_index() == 0 && to) store_norm(to, whole ? 0 : c.tensor, head.out_dtype, Squares<A>::root(v));
    if (whole) break;
  }
  if (thread_index() != 0) return;
  bool finite = true;
#pragma unroll
  for (int n = 0; n < kNumbers; ++n) finite = finite && is_finite(v[n]);
  if (head.found_inf) *head.found_inf = finite ? 0.0f : 1.0f;
}

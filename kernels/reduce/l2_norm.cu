// Computes     the root of the sum of squares of all elements of a list of tensors, and of each tensor.
// Work split   one block a chunk of a tensor; four units of 16 bytes of a thread in flight.
// Memory       reads each element once.
// Order        prelude/multi_norm.cuh: by the lengths alone; the block that is last to finish adds the slots.
//
// Macros: ADJ_T element type, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the workspace.
#include "prelude/multi_norm.cuh"
#include "prelude/exp.cuh"
#include "prelude/scalar.cuh"
#include "reduce/norm.h"

typedef Acc<ADJ_T> A;
typedef MultiTensorParams<L2NormHead, ADJ_PARAM_BYTES> Params;
constexpr int kNumbers = Squares<A>::kNumbers;

__device__ __forceinline__ void store_norm(void* to, i64 i, int dtype, f64 v) {
  if (dtype == kDtypeF64) static_cast<f64*>(to)[i] = v;
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
  if (!close_tensor(head.slots, c, v, scratch)) return;
  if (thread_index() == 0 && head.norms) store_norm(head.norms, c.tensor, head.out_dtype, Squares<A>::root(v));
  if (!close_list(head.slots, v, scratch)) return;
  if (thread_index() != 0) return;
  store_norm(head.output, 0, head.out_dtype, Squares<A>::root(v));
  bool finite = true;
#pragma unroll
  for (int n = 0; n < kNumbers; ++n) finite = finite && is_finite(v[n]);
  if (head.found_inf) *head.found_inf = finite ? 0.0f : 1.0f;
}

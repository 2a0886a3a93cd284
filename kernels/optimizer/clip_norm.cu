// First pass of gradient clipping: the norm of the gradients and their multiplier.
//
// Computes: norm, factor and found_inf of clip_grad_norm (include/adjoint/ops/optimizer.h).
// Work split: a block takes a chunk of 2^kNormChunk elements of a tensor; the last block to finish writes the results.
// Memory: reads gradients once.
// Order of additions: as in prelude/multi_norm.cuh.
// Limits: chunks of at most 2^30 elements; the plan sees to it. For an empty list the plan launches one block, which writes the results.
//
// Macros: ADJ_T type of the gradients, ADJ_PARAM_BYTES size of the parameter block with the table inside, 0 when the table lies in the
// workspace.
#include "prelude/multi_norm.cuh"
#include "prelude/scalar.cuh"
#include "prelude/multi_norm.h"
#include "optimizer/params.h"

typedef Acc<ADJ_T> A;
typedef MultiTensorParams<ClipNormHead, ADJ_PARAM_BYTES> Params;
constexpr int kNumbers = Squares<A>::kNumbers;

// A multiplier below the normal range of A is stored as two factors of the normal range.
__device__ __forceinline__ void write_results(const ClipNormHead& p, const f64 (&sums)[kNumbers]) {
  constexpr f64 kLeast = sizeof(A) == 4 ? 0x1p-126 : 0x1p-1022, kSplit = sizeof(A) == 4 ? 0x1p-126 : 0x1p-600;
  const f64 scale = read_scalar(p.grad_scale), norm = Squares<A>::root(sums) / scale, divisor = norm + p.epsilon;
  const A stored = static_cast<A>(norm);
  const bool finite = stored - stored == 0;
  const f64 ratio = p.max_norm / divisor, factor = finite && ratio < 1 ? ratio : 1.0;
  f64 first = finite ? factor / scale : 1.0, second = 1;
  if (first < kLeast) {
    first = (factor < 0x1p-1022 ? p.max_norm / kSplit / divisor : factor / kSplit) / scale;
    second = kSplit;
  }
  p.multiplier[0] = first;
  p.multiplier[1] = second;
  if (p.norm) *static_cast<A*>(p.norm) = stored;
  if (p.factor) *static_cast<A*>(p.factor) = static_cast<A>(factor);
  if (p.found_inf) *p.found_inf = finite ? 0.0f : 1.0f;
}

extern "C" __global__ void __launch_bounds__(kMultiTensorThreads) ADJ_ENTRY(const __grid_constant__ Params p) {
  ADJ_SHARED(f64, scratch, kNumbers * (kMultiTensorThreads / kWarp));
  const ClipNormHead& head = p.head;
  Squares<A> sum;
  bool last = head.list.chunks == 0;
  if (!last) {
    const MultiTensorTable table = table_of(p, multi_tensor_elementwise(1));
    const NormChunk c = norm_chunk(head.list, table);
    add_squares(sum, table.array<const ADJ_T>(0, c.entry) + c.begin, c.elements);
    block_sums(sum.number, scratch);
    last = close_tensor(head.norms, c, sum.number, scratch) && close_list(head.norms, sum.number);
  }
  if (last && thread_index() == 0) write_results(head, sum.number);
}

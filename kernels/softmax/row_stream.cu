// Gradient of softmax and log-softmax along aligned rows of any length. README.md defines the words.
//
// Computes: dinput, see softmax_gradient in softmax/terms.cuh.
// Work split: a block takes a row, a grid apart.
// Memory: a row is read twice, for the sum and for the gradient; dinput is written once.
// Order of additions: the elements of a vector in the accumulator's type, the vectors of a thread in f64, then lanes and warps in a fixed order.
// Limits: aligned rows; the plan picks row_any.cu for all else.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;
constexpr int kVectors = 2;

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const i64 vectors = p.extent / kVec16<ADJ_T>;
  for (i64 row = block_index(); row < p.outer; row += grid_blocks()) {
    // A thread may add any number of vectors, so they are added in f64.
    f64 partial = 0;
    A sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 u = thread_index(); u < vectors; u += kVectors * kBlock) {
        const i64 at = row * vectors + u;
        Words4 dout[kVectors], out[kVectors];
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          dout[k] = out[k] = {};
          if (u + k * kBlock >= vectors) continue;
          dout[k] = load_words(static_cast<const Words4*>(p.dout) + (at + k * kBlock));
          if (!ADJ_LOG || pass > 0) out[k] = load_words(static_cast<const Words4*>(p.out) + (at + k * kBlock));
        }
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          if (pass == 0) partial += add_vector<ADJ_LOG, ADJ_T>(A(0), dout[k], out[k]);
          else if (u + k * kBlock < vectors)
            store_words(static_cast<Words4*>(p.dinput) + (at + k * kBlock), gradient_vector<ADJ_LOG, ADJ_T>(dout[k], out[k], sum));
        }
      }
      if (pass == 0) sum = static_cast<A>(block_sum(partial, scratch));
    }
    block_barrier();
  }
}

// Gradient of softmax and log-softmax along contiguous rows of any number of whole 16-byte units: a block reads its row twice, to
// sum it up and to write the gradient.
//
// Macros: ADJ_T element type, ADJ_LOG log-softmax.
#include "softmax/params.h"
#include "prelude/reduce.cuh"
#include "softmax/terms.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;
constexpr int kUnits = 2;

extern "C" __global__ void __launch_bounds__(kBlock, 2) ADJ_ENTRY(const __grid_constant__ SoftmaxBackwardParams p) {
  ADJ_SHARED(f64, scratch, kBlock / kWarp);
  const i64 units = p.extent / kVec16<ADJ_T>;
  for (i64 row = block_index(); row < p.outer; row += grid_blocks()) {
    // A thread may add up any number of units, so those are added in f64.
    f64 partial = 0;
    A sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 u = thread_index(); u < units; u += kUnits * kBlock) {
        const i64 at = row * units + u;
        Words4 dout[kUnits], out[kUnits];
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          dout[k] = out[k] = {};
          if (u + k * kBlock >= units) continue;
          dout[k] = load_words(static_cast<const Words4*>(p.dout) + (at + k * kBlock));
          if (!ADJ_LOG || pass > 0) out[k] = load_words(static_cast<const Words4*>(p.out) + (at + k * kBlock));
        }
#pragma unroll
        for (int k = 0; k < kUnits; ++k) {
          if (pass == 0) partial += add_unit<ADJ_LOG, ADJ_T>(A(0), dout[k], out[k]);
          else if (u + k * kBlock < units)
            store_words(static_cast<Words4*>(p.dinput) + (at + k * kBlock), gradient_unit<ADJ_LOG, ADJ_T>(dout[k], out[k], sum));
        }
      }
      if (pass == 0) sum = static_cast<A>(block_sum(partial, scratch));
    }
    block_barrier();
  }
}

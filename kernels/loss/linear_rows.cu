// Computes: passes over the rows of scores, or of their gradient G, of a chunk of a linear cross-entropy, in place:
//     caps: z = softcap * tanh(z / softcap)
//     drops: 0 in the rows of labels outside of the classes
//     otherwise G = factor * G * (1 - (z / softcap)^2), where a factor is given and where there is a cap. A row that is ignored stays 0.
// Work split: a block takes rows, a grid apart.
// Memory: each element once.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_L type of labels.
#include "loss/labels.cuh"
#include "loss/linear.h"
#include "prelude/activations.cuh"
#include "prelude/memory.cuh"
#include "prelude/vectors.cuh"

typedef Acc<ADJ_T> A;
constexpr int kBlock = 512;
constexpr int kN = kVec16<ADJ_T>;

extern "C" __global__ void __launch_bounds__(kBlock) ADJ_ENTRY(const __grid_constant__ LinearRowsParams p) {
  const bool words = p.pitch % kN == 0;  // rows of the workspace begin on a 16-byte boundary
  const A cap = static_cast<A>(p.softcap), inverse = A(1) / cap;
#pragma unroll 1
  for (i64 row = block_index(); row < p.samples; row += grid_blocks()) {
    ADJ_T* const own = static_cast<ADJ_T*>(p.gradient) + row * p.pitch;
    const ADJ_T* const scores = static_cast<const ADJ_T*>(p.scores) + row * p.pitch;
    A factor = 1;
    if (!p.caps) {
      const Label label = read_label<ADJ_L>(p.label, row);
      if (p.drops ? !label.invalid : label.ignored) continue;
      if (p.factors) factor = p.factors[p.factor_of_sample ? row : 0];
    }
#pragma unroll 1
    for (i64 at = thread_index() * kN; at < p.classes; at += kBlock * kN) {
      const int count = static_cast<int>(min_of<i64>(kN, p.classes - at));
      A g[kN], z[kN]{};
      if (p.drops) {
#pragma unroll
        for (int j = 0; j < kN; ++j) g[j] = 0;
      } else {
        widen<ADJ_T>(load_vector<ADJ_T>(own, at, count, words), g);
        if (p.scores) widen<ADJ_T>(load_vector<ADJ_T>(scores, at, count, words), z);
#pragma unroll
        for (int j = 0; j < kN; ++j) {
          const A t = z[j] * inverse;
          if (p.caps) g[j] = cap * hyperbolic_tangent(g[j] * inverse);
          else if (p.scores) g[j] *= factor * fused_multiply_add(-t, t, A(1));
          else g[j] *= factor;
        }
      }
      store_vector<ADJ_T>(own, at, narrow<ADJ_T>(g), count, words);
    }
  }
}

// Sums of the rows of each token's pairs.
//
// Computes: moe_unpermute and moe_permute_backward (include/adjoint/ops/moe.h).
// Work split: p.lanes threads take a token, a vector each at a time, a grid apart.
// Memory: each row is read once and each token written once; the rows of kAtOnce pairs are in flight.
// Order of additions: that of the pairs.
// Limits: kMoeMostTopK pairs of a token (the plan checks it).
//
// Macros: ADJ_T element type; ADJ_ALIGNED 1 for aligned rows, 0 for any.
#include "moe/rows.cuh"

typedef ADJ_T T;
typedef Acc<T> A;
constexpr int kVector = kVec16<T>, kAtOnce = ADJ_ALIGNED ? 4 : 1;

extern "C" __global__ void __launch_bounds__(kMoeRowBlock) ADJ_ENTRY(const __grid_constant__ MoeRowsParams p) {
  const RowGroup group(p.lanes);
  const i64 vectors = (p.columns + kVector - 1) / kVector;
  const int pairs = p.num_rows > 0 ? p.top_k : 0;
  u32 errors = 0;
#pragma unroll 1
  for (i64 t = block_index() * group.side_by_side + group.own; t < p.num_tokens; t += grid_blocks() * group.side_by_side) {
    const i32* const inverse = p.inverse + t * p.top_k;
    const A* const weights = static_cast<const A*>(p.weights) + t * p.top_k;
#pragma unroll 1
    for (i64 u = group.lane; u < vectors; u += group.lanes) {
      const int count = elements_of_vector<T, ADJ_ALIGNED>(p, u);
      A sum[kVector] = {};
#pragma unroll 1
      for (int first = 0; first < pairs; first += kAtOnce) {
        i32 row[kAtOnce];
        A weight[kAtOnce];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          const bool inside = first + j < pairs;
          row[j] = inside ? inverse[first + j] : -1;
          weight[j] = inside && p.weights ? weights[first + j] : A{1};
        }
        // No branch lies between these loads. A pair without a row reads row 0, and adds nothing.
        u32 given = 0;  // bit j: pair first + j has a row
        Words4 words[kAtOnce];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          const bool is_given = has_row(p, row[j]);
          given |= static_cast<u32>(is_given) << j;
          words[j] = load_vector<T>(p.rows, (is_given ? row[j] : 0) * p.columns + u * kVector, count, ADJ_ALIGNED);
        }
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          if (!(given >> j & 1)) continue;
          A x[kVector];
          widen<T>(words[j], x);
#pragma unroll
          for (int i = 0; i < kVector; ++i) sum[i] += weight[j] * x[i];
        }
      }
      store_vector<T>(p.out, t * p.columns + u * kVector, narrow<T>(sum), count, ADJ_ALIGNED);
    }
    errors += count_outside(p, inverse, group);
  }
  if (errors && p.error_flag) atomic_add(p.error_flag, static_cast<i64>(errors));
}

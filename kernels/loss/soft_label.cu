// Computes: cross-entropy with probabilities as labels: per row loss = -sum of labels * log_prob, log_prob = scores - lse.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time. Vector u belongs to lane u modulo the group.
// Memory: labels are read once. Scores are read once if the row is resident, else twice, the second time from a cache.
// Order of additions: follows from the column and the group alone. A vector is added in the accumulator type, the sums of vectors in f64.
// Limits: none.
//
// Macros: ADJ_T element type, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: sums in f64 for every type.
#include "prelude/divide.h"
#include "loss/params.h"
#include "prelude/scalar.cuh"
#include "loss/rows.h"
#include "prelude/online.cuh"
#include "prelude/reduce.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ SoftLabelParams p) {
  ADJ_SHARED(TopSum<A>, scratch, kBlock / kWarp);
  ADJ_SHARED(f64, losses, kBlock / kWarp);
  const RowGroup g(p.group);
  const int stretch = g.lanes * kVectors * kVector;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.rows; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.rows;
    const i64 row = valid ? first + g.own : first, begin = row * p.classes;
    RunningSum<A> sum = empty_running_sum<A>();
    A log_sum = 0;
    f64 loss = 0;
    Words4 x[kVectors] = {}, y[kVectors];
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
#pragma unroll 1
      for (i64 c = 0; c < p.classes; c += stretch) {
        // Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
        const int count = valid ? static_cast<int>(min_of<i64>(p.classes - c, stretch)) : 0;
#pragma unroll
        for (int k = 0; k < kVectors; ++k) {
          const int u = g.lane + k * g.lanes;
          if (pass == 0 || !p.resident) x[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.scores) + (begin + c), count, u);
          if (pass > 0) y[k] = read_row_vector<kAligned>(static_cast<const ADJ_T*>(p.labels) + (begin + c), count, u);
        }
        // Lanes read words that neighbouring lanes write: all lanes have read before log_prob may overwrite them.
        if (pass > 0) g.barrier();
#pragma unroll 1
        for (int k = 0; k < kVectors; ++k) {
          const int u = g.lane + k * g.lanes;
          A v[kVector];
          widen_row_vector<kAligned, ADJ_T>(x[0], count - u * kVector, -Limits<A>::infinity(), v);
          if (pass == 0) {
            add_values(sum, v);
          } else {
            A label[kVector], vector = 0;
            widen<ADJ_T>(y[0], label);
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
              v[j] = (v[j] - sum.top) - log_sum;
              vector = label[j] == A(0) ? vector : fused_multiply_add(label[j], v[j], vector);
            }
            loss -= vector;
            if (p.log_prob) write_row_vector<kAligned>(narrow<ADJ_T>(v), static_cast<ADJ_T*>(p.log_prob) + (begin + c), count, u, g.run);
          }
          const Words4 own = x[0];
#pragma unroll
          for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1], y[i] = y[i + 1];
          x[kVectors - 1] = own;
        }
      }
      if (pass == 0) {
        const TopSum<A> whole = merge_group(settle(sum), g.lanes, scratch);
        sum.top = whole.top;
        log_sum = exact_log(whole.sum);
      }
    }
#pragma unroll 1
    for (int mask = g.run / 2; mask > 0; mask /= 2) loss += shuffle_xor(loss, mask);
    if (g.lanes > kWarp) {
      loss = sum_of_warps(loss, losses);
      block_barrier();
    }
    if (g.lane != 0 || !valid) continue;
    if (p.lse) static_cast<Beside<ADJ_T>*>(p.lse)[row] = static_cast<Beside<ADJ_T>>(sum.top + log_sum);
    if (p.totals) p.totals[2 * row] = loss, p.totals[2 * row + 1] = 1;
    else store_as(p.loss, row, loss, p.output_dtype);
  }
}

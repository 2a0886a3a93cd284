// Computes: dscores = dlog_prob * ([target] - p) - dentropy * p * (log p + entropy), where log p = scores - lse.
// Work split: p.group threads share a row and take four 16-byte vectors a lane at a time.
// Memory: scores are read once, dscores written once.
// Order of additions: none.
// Limits: none.
//
// Macros: ADJ_T type of scores, ADJ_L of labels, ADJ_ALIGNED 1 if rows are aligned.
// ADJ_ACC_F64 1: computes in f64 for every type.
#include "loss/labels.cuh"
#include "loss/rows.h"
#include "prelude/exp.cuh"
#include "prelude/row_vectors.cuh"

typedef Acc<ADJ_T> A;

constexpr int kBlock = 512;  // threads of a block, at most
constexpr int kVector = kVec16<ADJ_T>, kVectors = 4;
constexpr bool kAligned = ADJ_ALIGNED;

extern "C" __global__ void __launch_bounds__(kBlock, 1) ADJ_ENTRY(const __grid_constant__ LogProbEntropyBackwardParams p) {
  const RowGroup g(p.group);
  const i64 classes = p.label.num_classes;
  const int stretch = g.lanes * kVectors * kVector;
#pragma unroll 1
  for (i64 first = block_index() * g.side_by_side; first < p.samples; first += grid_blocks() * g.side_by_side) {
    const bool valid = first + g.own < p.samples;
    const i64 row = valid ? first + g.own : first;
    const ADJ_T* scores = static_cast<const ADJ_T*>(p.scores) + row * classes;
    ADJ_T* dscores = static_cast<ADJ_T*>(p.dscores) + row * classes;
    const Label label = read_label<ADJ_L>(p.label, row);
    const A lse = static_cast<const Beside<ADJ_T>*>(p.lse)[row];
    const A dlog_prob = label.invalid ? Limits<A>::nan() : static_cast<const Beside<ADJ_T>*>(p.dlog_prob)[row];
    const A entropy = p.entropy ? static_cast<const Beside<ADJ_T>*>(p.entropy)[row] : A(0),
            dentropy = p.dentropy ? static_cast<const Beside<ADJ_T>*>(p.dentropy)[row] : A(0);
    const A exponent = min_of(exponent_beside(dlog_prob), exponent_beside(dentropy));
    // Exact form of p - 1: keeps the relative precision where p is close to 1.
    const A of_target = valid && label.target >= 0 ? exact_expm1(to_acc(scores[label.target]) - lse) : A(0);
    if (valid && g.lane == 0 && label.invalid && p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
#pragma unroll 1
    for (i64 c = 0; c < classes; c += stretch) {
      // Each stretch is read as a row of its own: no lane reads a word that reaches into the next stretch.
      const int count = valid ? static_cast<int>(min_of<i64>(classes - c, stretch)) : 0;
      Words4 x[kVectors] = {};
      if (!label.ignored) read_row_vectors<kAligned>(x, scores + c, count, g.lane, g.lanes);
      g.barrier();  // lanes read words that neighbouring lanes write: dscores may overwrite scores only after all have read
#pragma unroll 1
      for (int k = 0; k < kVectors; ++k) {
        const int u = g.lane + k * g.lanes;
        const i64 beyond = label.target < 0 ? -1 : label.target - c - u * kVector;
        const int at = beyond >= 0 && beyond < kVector ? static_cast<int>(beyond) : -1;
        A v[kVector];
        widen<ADJ_T>(x[0], v);
#pragma unroll
        for (int j = 0; j < kVector; ++j) {
          const A log_p = v[j] - lse, e = called_exp(log_p * exponent);
          A own = -dlog_prob * (j == at ? of_target : e);
          if (e != A(0)) own = fused_multiply_add(-dentropy * e, log_p + entropy, own);
          v[j] = own;
        }
        if (label.ignored) {
#pragma unroll
          for (int j = 0; j < kVector; ++j) v[j] = 0;
        }
        write_row_vector<kAligned>(narrow<ADJ_T>(v), dscores + c, count, u, g.run);
#pragma unroll
        for (int i = 0; i + 1 < kVectors; ++i) x[i] = x[i + 1];
      }
    }
  }
}

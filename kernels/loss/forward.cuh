// What the programs of the loss of a label share. Macros: ADJ_T type of scores, ADJ_O of loss and log_prob, ADJ_ACC_F64 1: sums in f64 for every type.

#include "loss/labels.cuh"
#include "prelude/memory.cuh"
#include "prelude/online.cuh"
#include "prelude/reduce.cuh"

typedef Acc<ADJ_T> A;

__device__ __forceinline__ A log_probability(A x, const LogSum<A>& r) { return (x - r.top) - r.log_sum; }

// Weighted loss and weight of a sample, for the totals; both are NaN for an invalid label.
struct Term {
  f64 loss, weight;
};
// Writes loss and lse of a sample, and counts an invalid label. One thread of a sample calls it.
__device__ __forceinline__ Term finish_sample(const LossForwardParams& p, i64 sample, const Label& label, const LogSum<A>& r) {
  Term term{0, 0};
  if (label.target >= 0) {
    term.weight = label_weight(p.label, label, sample);
    term.loss = static_cast<f64>(r.loss) * term.weight;
  } else if (label.invalid) {
    term.weight = term.loss = Limits<f64>::nan();
    if (p.label.error_flag) atomic_add(p.label.error_flag, i64{label.invalid});
  }
  if (p.loss) static_cast<ADJ_O*>(p.loss)[sample] = from_acc<ADJ_O>(static_cast<Acc<ADJ_O>>(term.loss));
  if (p.lse) static_cast<Beside<ADJ_T>*>(p.lse)[sample] = static_cast<Beside<ADJ_T>>(r.top + r.log_sum);
  return term;
}
__device__ __forceinline__ void write_total(const LossForwardParams& p, i64 index, Term term) {
  p.totals[2 * index] = term.loss;
  p.totals[2 * index + 1] = term.weight;
}
__device__ __forceinline__ void write_warp_total(const LossForwardParams& p, i64 index, Term term) {
#pragma unroll 1
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    term.loss += shuffle_xor(term.loss, mask);
    term.weight += shuffle_xor(term.weight, mask);
  }
  if (lane_index() == 0) write_total(p, index, term);
}

// Class labels of a loss: reading them, and their weights.
#pragma once

#include "prelude/divide.cuh"
#include "loss/params.h"
#include "prelude/scalar.cuh"

struct Label {
  i64 target;  // the class; -1 when the label is ignored or invalid
  bool ignored;
  int invalid;  // 1: neither ignored nor a class
};

template <class L> __device__ __forceinline__ Label read_label(const LossLabelParams& p, i64 sample) {
  const i64 value = static_cast<i64>(static_cast<const L*>(p.labels)[sample]);
  const bool ignored = p.has_ignore_index && value == p.ignore_index;
  const bool inside = static_cast<u64>(value) < static_cast<u64>(p.num_classes);
  // Opaque: the compiler would combine atomics that add a known constant within a warp, which takes much code.
  return {!ignored && inside ? value : -1, ignored, opaque(!ignored && !inside ? 1 : 0)};
}
// Returns the weight of a sample that counts: the weight of its class times its own weight.
__device__ __forceinline__ f64 label_weight(const LossLabelParams& p, const Label& label, i64 sample) {
  f64 weight = 1;
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    const int dtype = opaque(i ? p.sample_weight_dtype : p.weight_dtype);  // opaque: no copy of a loop over samples for each case
    if (dtype) weight *= load_as_f64(i ? p.sample_weight : p.weight, i ? sample : label.target, dtype);
  }
  return weight;
}

// Returns the offset of the first class of sample i in [N, C, inner].
__device__ __forceinline__ i64 first_class(const WideDivisor& by_inner, i64 inner, i64 classes, i64 i) {
  return divide(i, by_inner) * (classes - 1) * inner + i;
}
// Returns 1 / Z, and 0 for a Z of 0: a mean over nothing.
__device__ __forceinline__ f64 inverse_of_sum(f64 z) { return z != 0 ? 1 / z : 0.0; }

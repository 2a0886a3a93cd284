// Class labels of a loss: which are ignored, which are out of range, what they weigh.
#pragma once

#include "loss/params.h"
#include "prelude/scalar.cuh"

struct Label {
  i64 target;  // the class, -1 when the sample is ignored or its label is outside the classes
  bool ignored;
  int invalid;
};

template <class L> __device__ __forceinline__ Label read_label(const LossLabelParams& p, i64 sample) {
  const i64 value = static_cast<i64>(static_cast<const L*>(p.labels)[sample]);
  const bool ignored = p.has_ignore_index && value == p.ignore_index;
  const bool inside = static_cast<u64>(value) < static_cast<u64>(p.num_classes);
  // Opaque: atomics that add what the compiler takes for a constant are combined within warps, in a good deal of code.
  return {!ignored && inside ? value : -1, ignored, opaque(!ignored && !inside ? 1 : 0)};
}
// Of a label that is neither ignored nor invalid.
__device__ __forceinline__ f64 label_weight(const LossLabelParams& p, const Label& label, i64 sample) {
  f64 weight = 1;
#pragma unroll 1
  for (int i = 0; i < 2; ++i) {
    const int dtype = opaque(i ? p.sample_weight_dtype : p.weight_dtype);  // a loop over samples is not made several times
    if (dtype) weight *= load_as_f64(i ? p.sample_weight : p.weight, i ? sample : label.target, dtype);
  }
  return weight;
}

// Where the first class of sample i lies in [N, C, inner].
__device__ __forceinline__ i64 first_class(const FixedDivisor& by_inner, i64 inner, i64 classes, i64 i) {
  const i64 n = static_cast<i64>(__umul64hi(static_cast<u64>(i) << 4, by_inner.multiplier) >> by_inner.shift);
  return n * (classes - 1) * inner + i;
}

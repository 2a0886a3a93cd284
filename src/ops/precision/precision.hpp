// Samples and guarantees that the operators on lists in this folder share.
#pragma once

#include <adjoint/ops/precision.h>

#include "host/precision.hpp"
#include "ops/common/multi_tensor.hpp"

#include "kernels/precision/params.h"

namespace adj {

// Fills in a sample descriptor; false unless all types are the same floating-point type.
template <class Descriptor>
bool describe_element(std::span<const adj_dtype> types, Descriptor& d) {
  if (types.empty() || !is_float(types[0]) || std::any_of(types.begin(), types.end(), [&](adj_dtype t) { return t != types[0]; })) return false;
  d.count = std::size(kSampleNumel);
  d.numel = kSampleNumel;
  d.element = types[0];
  return true;
}

// Guarantee of a result with `roundings` operations before the last. u is the rounding error of one operation, relative to the terms of a
// sum. The store rounds once, by 0.5 ulp; a 16-bit value slightly more, since it was rounded to f32 before.
inline adj_guarantee light_arithmetic(adj_dtype result, double roundings) {
  const double u = result == ADJ_F64 ? 0x1p-53 : 0x1p-24;
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, accumulator_of(result), is_16bit_float(result) ? 0.501 : 0.5, roundings * u);
}

}  // namespace adj

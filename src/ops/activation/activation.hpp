// Checks and error bounds that the activation operators share.
#pragma once

#include <array>
#include <cmath>

#include "kernels/activation/params.h"
#include "ops/common/common.hpp"

namespace adj::activation {

constexpr int kBlock = 256;
inline std::int64_t unit_of(adj_dtype element) { return 16 / size_of(element); }

constexpr std::array<adj_dtype, 4> kElements{ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16};

// Checks the extent `inner`, which must be given.
inline Result<void> check_inner(const char* op, std::int64_t inner) {
  if (inner == -1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: inner is not given", op);
  return check_extent(op, "inner", inner);
}

// Error bound before the last rounding, relative to the terms that the header states. An operation costs 2^-24, an approximated exponential
// or reciprocal 2^-22; a result has at most eight of them in a row. For 16-bit elements the polynomial of the normal distribution has an
// error of 2^-17.
inline double bound_terms(adj_dtype element) { return element == ADJ_F64 ? 1e-13 : element == ADJ_F32 ? 0x1p-20 : 0x1p-16; }
inline adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

}  // namespace adj::activation

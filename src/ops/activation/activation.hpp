// Checks and error bounds that the activation operators share.
#pragma once

#include <array>
#include <cmath>

#include "kernels/activation/params.h"
#include "ops/common/common.hpp"

namespace adj::activation {

constexpr int kBlock = 256;
inline std::int64_t vector_of(adj_dtype element) { return 16 / size_of(element); }

constexpr std::array<adj_dtype, 4> kElements{ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16};

// Arithmetic of a function: exact before the last rounding, a product that is exact but for bf16, without an exponential, or with one.
enum class Arithmetic { exact, product, plain, approximate };
inline bool is_exact(Arithmetic a) { return a == Arithmetic::exact || a == Arithmetic::product; }
// Error bound before the last rounding, relative to the terms that the header states. An operation costs 2^-24, an approximated exponential
// or reciprocal 2^-22; a result has at most eight of them in a row. For 16-bit elements the polynomial of the normal distribution has an
// error of 2^-17. relu and reglu have no error before it, other plain functions that of their constants and of at most three products.
inline double bound_terms(const Signature& s, Arithmetic a) {
  if (s[0] == ADJ_F64) return 1e-13;
  if (is_exact(a)) return 0;
  return a == Arithmetic::plain ? 0x1p-22 : s[0] == ADJ_F32 ? 0x1p-20 : 0x1p-16;
}
// 16-bit elements are rounded to f32 before: twice, where a result of bf16 is subnormal.
inline double bound_ulp(const Signature& s, Arithmetic a) {
  const bool once = a == Arithmetic::exact || (a == Arithmetic::product && s[0] != ADJ_BF16);
  return once && s[0] != ADJ_F64 ? 0.5 : 0.51;
}
using ArithmeticOf = Arithmetic (*)(const Signature&);
template <ArithmeticOf arithmetic_of>
adj_math math_of(const Signature& s) {
  return s[0] == ADJ_F64 || arithmetic_of(s) != Arithmetic::approximate ? ADJ_MATH_IEEE : ADJ_MATH_FAST;
}
template <ArithmeticOf arithmetic_of>
adj_guarantee device_guarantee(const Signature& s) {
  return make_guarantee(ADJ_BATCH_INVARIANT, math_of<arithmetic_of>(s), accumulator_of(s[0]), bound_ulp(s, arithmetic_of(s)), bound_terms(s, arithmetic_of(s)));
}
// The row whose functions are computed in f64: of elements that are not f64, where the other row approximates.
template <ArithmeticOf arithmetic_of>
bool wants_ieee(const Signature& s) {
  return math_of<arithmetic_of>(s) == ADJ_MATH_FAST;
}
inline adj_guarantee ieee_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); }
inline adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

}  // namespace adj::activation

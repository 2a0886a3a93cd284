// What the operators of this folder share.
#pragma once

#include <cmath>
#include <limits>

#include "host/fp8.hpp"
#include "kernels/prelude/philox.h"
#include "kernels/fp8/params.h"
#include "ops/common/common.hpp"

namespace adj {

static_assert(sizeof(RandomParam) == sizeof(adj_random));

constexpr int kFp8Capability = 89;  // the least with conversions to these types

inline bool is_code(adj_dtype type) { return is_f8(type); }

// Element types beside each type of codes.
inline const std::vector<Signature>& signatures_of_codes(bool codes_first) {
  static const auto make = [](bool first) {
    auto* all = new std::vector<Signature>;
    for (adj_dtype element : {ADJ_F32, ADJ_F16, ADJ_BF16})
      for (adj_dtype code : {ADJ_F8_E4M3, ADJ_F8_E5M2}) all->push_back(first ? Signature{code, element} : Signature{element, code});
    return all;
  };
  static const auto *codes = make(true), *elements = make(false);
  return codes_first ? *codes : *elements;
}

// The largest number that scales are made for.
inline float largest_of(double max_value, adj_dtype code) { return max_value > 0 ? static_cast<float>(max_value) : host::largest_code(code); }
inline Result<void> check_max_value(const char* op, double max_value, adj_dtype code) {
  if (!is_code(code)) return {};  // refused by its signature
  if (max_value >= 0 && static_cast<float>(max_value) <= host::largest_code(code) && (max_value == 0 || static_cast<float>(max_value) >= 0x1p-126f)) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: max_value = {}, expected 0, or from 2^-126 to {}, the largest {}", op, max_value, host::largest_code(code),
              dtype_name(code));
}

// Places of scales with the granularity blocks, of a matrix [rows, columns].
inline Fp8Places places_of(adj_scale_granularity granularity, adj_scale_layout layout, std::int64_t rows, std::int64_t columns) {
  const bool gemm = layout == ADJ_SCALE_LAYOUT_GEMM;
  const auto padded = [](std::int64_t n) { return (n + 3) / 4 * 4; };
  const std::int64_t across = ceil_div(columns, kFp8Group);
  if (granularity == ADJ_SCALE_GRANULARITY_ROW) return {1, 0};
  if (granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128) return gemm ? Fp8Places{1, padded(rows)} : Fp8Places{across, 1};
  if (granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128) return {gemm ? padded(across) : across, 1};
  return {0, 0};
}
// True where the layout leaves numbers that no block has.
inline bool has_padding(adj_scale_granularity granularity, adj_scale_layout layout, std::int64_t rows, std::int64_t columns) {
  if (layout != ADJ_SCALE_LAYOUT_GEMM) return false;
  if (granularity == ADJ_SCALE_GRANULARITY_BLOCK_1X128) return rows % 4 != 0;
  return granularity == ADJ_SCALE_GRANULARITY_BLOCK_128X128 && ceil_div(columns, kFp8Group) % 4 != 0;
}

}  // namespace adj

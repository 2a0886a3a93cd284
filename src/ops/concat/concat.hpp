// Copies of the parts of a tensor, for operators other than split.
#pragma once

#include <adjoint/ops/concat.h>

#include "ops/common/multi_tensor.hpp"

namespace adj {

// Programs of a row with plan_parts. Its parts have one row, so none of them is narrow.
enum ConcatProgram : int { kConcatAligned, kConcatWide, kConcatNarrowRows };
#define ADJ_CONCAT_WIDE_PROGRAMS                                                                                  \
  ADJ_MULTI_TENSOR_PROGRAMS(kConcatAligned, "concat/concat.cu", "concat_aligned", "ADJ_NARROW=0 ADJ_ALIGNED=1 "), \
      ADJ_MULTI_TENSOR_PROGRAMS(kConcatWide, "concat/concat.cu", "concat_wide", "ADJ_NARROW=0 ADJ_ALIGNED=0 ")
#define ADJ_CONCAT_PROGRAMS \
  ADJ_CONCAT_WIDE_PROGRAMS, ADJ_MULTI_TENSOR_PROGRAMS(kConcatNarrowRows, "concat/concat.cu", "concat_narrow", "ADJ_NARROW=1 ADJ_ALIGNED=0 ")

// Adds the launches that copy the parts of a tensor to the entries of a list.
Result<void> plan_parts(const adj_split_descriptor& d, int list_argument, int joint_argument, const Device& device, PlanBuilder& builder);

}  // namespace adj

// Copies between a tensor and its pieces, which a list has (kernels/parts).
#pragma once

#include <span>

#include "ops/common/multi_tensor.hpp"

#include "kernels/parts/params.h"

namespace adj {

// Programs of add_parts. The wide ones are all that pieces of one row need.
enum PartsProgram : int { kPartsAligned, kPartsWide, kPartsNarrowRows };
#define ADJ_PARTS_WIDE_PROGRAMS                                                                               \
  ADJ_MULTI_TENSOR_PROGRAMS(kPartsAligned, "parts/parts.cu", "parts_aligned", "ADJ_NARROW=0 ADJ_ALIGNED=1 "), \
      ADJ_MULTI_TENSOR_PROGRAMS(kPartsWide, "parts/parts.cu", "parts_wide", "ADJ_NARROW=0 ADJ_ALIGNED=0 ")
#define ADJ_PARTS_PROGRAMS ADJ_PARTS_WIDE_PROGRAMS, ADJ_MULTI_TENSOR_PROGRAMS(kPartsNarrowRows, "parts/parts.cu", "parts_narrow", "ADJ_NARROW=1 ADJ_ALIGNED=0 ")

// The tensor that pieces lie in: piece i has [outer, lengths[i], inner] of its elements.
struct JointTensor {
  std::int64_t outer = 1, inner = 1;
  std::span<const std::int64_t> lengths;
  adj_dtype element;

  // True when no piece has elements. The product of the other extents may then overflow: check_volume stops at an extent of 0.
  bool empty() const;
};
// Adds the launches that copy the entries of a list to a tensor that is not empty, or with `split` back. `op`: who asks, for the reason of a refusal.
Result<void> add_parts(PlanBuilder& builder, const Device& device, const char* op, const JointTensor& joint, int list_argument, int joint_argument, bool split);

}  // namespace adj

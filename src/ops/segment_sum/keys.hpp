// Keys of the positions of an index tensor (kernels/segment_sum/keys.cu). A key is the number of the gradient's row to which the position adds.
#pragma once

#include "kernels/segment_sum/keys.h"
#include "ops/common/common.hpp"
#include "ops/common/shapes.hpp"

namespace adj {

inline std::span<const std::int64_t> part(const adj_shape& shape, std::int64_t begin, std::int64_t end) {
  return dims_of(shape).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}
// Checks a shape of at least one dimension.
inline Result<void> check_ranked(const char* op, const char* field, const adj_shape& shape) {
  if (shape.rank < 1) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.rank = {}, expected 1 to {}", op, field, shape.rank, ADJ_MAX_RANK);
  return {};
}

// For gather_nd_backward: a position is a slice of dout, a row is a slice of dinput.
Result<void> check_slices(const char* op, const adj_shape& input, const adj_shape& indices, std::int64_t batch_dims);
IndexKeysParams slice_keys(const adj_shape& input, const adj_shape& indices, std::int64_t batch_dims);
// For gather_elements_backward: a position is an element of dout, a row is an element of dinput.
Result<void> check_elements(const char* op, const adj_shape& input, const adj_shape& indices, std::int64_t axis);
IndexKeysParams element_keys(const adj_shape& input, const adj_shape& indices, std::int64_t axis);

// Books the keys and adds the launch that writes them; returns their offset in the workspace.
enum KeysProgram : int { kKeys };
#define ADJ_KEYS_PROGRAM(index) {"segment_sum/keys.cu", "index_keys", "ADJ_I=" index, kKeys}
std::uint64_t plan_keys(const IndexKeysParams& keys, int indices, int error_flag, const Device& device, PlanBuilder& builder);

}  // namespace adj

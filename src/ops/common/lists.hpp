// Checks shared by operators on lists of tensors of any element type.
#pragma once

#include "ops/common/multi_tensor.hpp"

namespace adj {

template <class Descriptor>
Result<void> check_list_descriptor(const char* op, const Descriptor& d, std::int64_t least = 1) {
  if (d.count < least) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: count = {}, expected at least {}", op, d.count, least);
  return check_multi_tensor(op, numel_of(d));
}

}  // namespace adj

// What operators on lists of tensors of any element type check alike.
#pragma once

#include "ops/common/multi_tensor.hpp"

namespace adj {

template <class Descriptor>
std::span<const std::int64_t> numel_of(const Descriptor& d) {
  return {d.numel, static_cast<std::size_t>(d.count)};
}

template <class Descriptor>
Result<void> check_list_descriptor(const char* op, const Descriptor& d, std::int64_t least = 1) {
  if (d.count < least) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: count = {}, expected at least {}", op, d.count, least);
  return check_multi_tensor(op, numel_of(d));
}

// One signature for each element type.
inline const std::vector<Signature>& all_element_signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}, {ADJ_F64}, {ADJ_F16}, {ADJ_BF16}, {ADJ_I8}, {ADJ_I16}, {ADJ_I32},
                                                       {ADJ_I64}, {ADJ_U8}, {ADJ_U16}, {ADJ_U32}, {ADJ_U64}, {ADJ_BOOL}};
  return *list;
}

}  // namespace adj

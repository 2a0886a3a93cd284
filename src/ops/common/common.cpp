#include "ops/common/common.hpp"

#include "plan/rules.hpp"

namespace adj {

Result<void> check_volume_beside_zeros(const char* op, const char* tensor, std::span<const std::int64_t> extents) {
  if (rules::volume_beside_zeros(extents, kMostElements)) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the shape [{}] of {} overflows 64 bits", op, fmt::join(extents, ", "), tensor);
}

Result<void> check_offset(const char* op, const adj_random& random) {
  if (random.device || random.offset % 4 == 0) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: random.offset = {} is not a multiple of 4", op, random.offset);
}

const std::vector<Signature>& float_signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}, {ADJ_F64}, {ADJ_F16}, {ADJ_BF16}};
  return *list;
}

const std::vector<Signature>& all_element_signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}, {ADJ_F64}, {ADJ_F16}, {ADJ_BF16}, {ADJ_I8},  {ADJ_I16}, {ADJ_I32},
                                                       {ADJ_I64}, {ADJ_U8},  {ADJ_U16}, {ADJ_U32},  {ADJ_U64}, {ADJ_BOOL}};
  return *list;
}

}  // namespace adj

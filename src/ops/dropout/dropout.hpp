// What the operators of the family share.
#pragma once

#include <adjoint/ops/dropout.h>

#include "kernels/prelude/divide.h"
#include "kernels/prelude/philox.h"
#include "kernels/prelude/scalar.h"
#include "kernels/dropout/params.h"
#include "ops/common/common.hpp"
#include "ops/common/divide.hpp"

namespace adj::dropout {

inline adj_dropout_mask kind_of(adj_dropout_mask mask) { return mask == ADJ_DROPOUT_MASK_DEFAULT ? ADJ_DROPOUT_MASK_BOOL : mask; }

// A mask of a tensor of this shape.
inline SlotSpec mask_spec(adj_dropout_mask mask, std::initializer_list<std::int64_t> shape, std::int64_t elements) {
  switch (kind_of(mask)) {
    case ADJ_DROPOUT_MASK_BITS: return SlotSpec::tensor(ADJ_U32, {ceil_div(elements, 32)});
    case ADJ_DROPOUT_MASK_NONE: return SlotSpec::forbidden();
    default: return SlotSpec::tensor(ADJ_BOOL, shape);
  }
}
inline SlotSpec random_spec(bool advance) {
  SlotSpec spec = SlotSpec::random();
  spec.device_only = advance;
  return spec;
}
inline std::int64_t words_of(std::int64_t elements) { return ceil_div(elements, 4) * 4; }

// Values of the host; those on the device are checked by the kernel.
inline Result<void> check_ratio(const char* op, const adj_scalar& ratio) {
  if (ratio.device || (ratio.value >= 0 && ratio.value < 1)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: ratio = {} is outside of [0, 1)", op, ratio.value);
}
inline Result<void> check_offset(const char* op, const adj_random& random) {
  if (random.device || random.offset % 4 == 0) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: random.offset = {} is not a multiple of 4", op, random.offset);
}

inline DropoutRule rule_of(adj_dropout_mask mask, int training) {
  DropoutRule rule{};
  rule.mask_kind = kind_of(mask);
  rule.training = training;
  return rule;
}
// Patches of a rule at `offset` in the parameters; a negative slot is left out.
inline void bind_rule(PlanBuilder::Kernel& kernel, std::size_t offset, int ratio, int random, int mask) {
  kernel.scalar(offset + offsetof(DropoutRule, ratio), ratio);
  if (random >= 0) kernel.random(offset + offsetof(DropoutRule, random), random);
  if (mask >= 0) kernel.tensor(offset + offsetof(DropoutRule, mask), mask);
}
inline void add_advance(PlanBuilder& builder, int program, int random, std::int64_t words) {
  DropoutAdvanceParams p{};
  p.words = static_cast<unsigned long long>(words);
  builder.kernel(program, 1, 32).params(p).random(offsetof(DropoutAdvanceParams, random), random);
}

}  // namespace adj::dropout

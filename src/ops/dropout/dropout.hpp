// What the operators of the family share.
#pragma once

#include <adjoint/ops/dropout.h>

#include <tuple>

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

// ---- the mapping of ONNX Runtime

// Blocks of its dropout kernels have 256 threads, each of which takes four elements at a time. More of either than any device has would
// number its threads beyond 32 bits.
constexpr std::int32_t kThreadsOfBlock = 256, kMostOfDevice = 65535;

template <class Descriptor>
bool maps_by_thread(const Descriptor& d) {
  return d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;
}
// The fields of a mapping. `needed`: the device matters, else its numbers may be left out.
template <class Descriptor>
Result<void> check_mapping_fields(const char* op, const Descriptor& d, bool needed) {
  ADJ_TRY(check_enum(op, "mapping", d.mapping, ADJ_DROPOUT_MAPPING_ONNX_RUNTIME));
  const std::tuple<const char*, std::int32_t, std::int32_t> numbers[] = {{"multiprocessors", d.multiprocessors, 1},
                                                                         {"threads_per_multiprocessor", d.threads_per_multiprocessor, kThreadsOfBlock}};
  for (const auto& [field, value, least] : numbers) {
    if (!maps_by_thread(d) && value != 0)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {} is set, but mapping is not that of ONNX Runtime", op, field, value);
    if (maps_by_thread(d) && (needed || value != 0) && (value < least || value > kMostOfDevice))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} = {}, expected {} to {} with the mapping of ONNX Runtime", op, field, value, least, kMostOfDevice);
  }
  return {};
}
// A mask that is stored is not drawn.
template <class Descriptor>
Result<void> check_drawn(const char* op, const Descriptor& d) {
  if (!maps_by_thread(d) || d.mask == ADJ_DROPOUT_MASK_NONE) return {};
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: mapping = {} needs mask = {}: a stored mask is not drawn", op, d.mapping, int{ADJ_DROPOUT_MASK_NONE});
}
// An offset of this mapping may be any number.
template <class Descriptor>
Result<void> check_offset_of(const char* op, const Descriptor& d, const adj_random& random) {
  if (maps_by_thread(d)) return {};
  return check_offset(op, random);
}
// Each mapping has programs of its own.
template <adj_dropout_mapping mapping, class Descriptor>
Result<void> check_mapping(const PlanRequest& request, const Descriptor& d) {
  if (!request.device || d.mapping == mapping) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "{}", maps_by_thread(d) ? "draws by element, not in the order of ONNX Runtime" : "draws in the order of ONNX Runtime");
}
// Elements that its grid takes at a time.
template <class Descriptor>
std::int64_t stretch_of(const Descriptor& d, std::int64_t elements) {
  const std::int64_t of_block = 4 * kThreadsOfBlock;
  return of_block * std::min(std::int64_t{d.multiprocessors} * (d.threads_per_multiprocessor / kThreadsOfBlock), ceil_div(elements, of_block));
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

// Checks, masks, random numbers and mappings that the dropout operators share.
#pragma once

#include <adjoint/ops/dropout.h>

#include <tuple>

#include "kernels/prelude/divide.h"
#include "kernels/prelude/philox.h"
#include "kernels/prelude/scalar.h"
#include "kernels/dropout/params.h"
#include "ops/common/common.hpp"
#include "ops/common/divide.hpp"
#include "ops/common/random.hpp"

namespace adj::dropout {

inline adj_dropout_mask kind_of(adj_dropout_mask mask) { return mask == ADJ_DROPOUT_MASK_DEFAULT ? ADJ_DROPOUT_MASK_BOOL : mask; }

inline std::int64_t words_of(std::int64_t elements) { return ceil_div(elements, 4) * 4; }

// Checks a ratio that is passed by value. The kernel checks a ratio in device memory.
inline Result<void> check_ratio(const char* op, const adj_scalar& ratio) {
  if (ratio.device || (ratio.value >= 0 && ratio.value <= 1)) return {};
  return fail(ADJ_ERROR_INVALID_VALUE, "{}: ratio = {} is outside of [0, 1]", op, ratio.value);
}

// ---- the mapping of ONNX Runtime

// ONNX Runtime's dropout kernels have blocks of 256 threads, and a thread takes four elements at a time. kMostOfDevice bounds multiprocessors
// and threads of a multiprocessor, so that the number of a thread fits 32 bits; no device has more.
constexpr std::int32_t kThreadsOfBlock = 256, kMostOfDevice = 65535;

template <class Descriptor>
bool maps_by_thread(const Descriptor& d) {
  return d.mapping == ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;
}
// Checks the fields of a mapping. needed = false: the mapping does not depend on the device, so its two numbers may be 0.
template <class Descriptor>
Result<void> check_mapping_fields(const char* op, const Descriptor& d, bool needed) {
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
// Refuses ONNX Runtime's mapping beside a stored mask, which is read and not drawn.
// Checks that the offset of a call that draws is a multiple of 4. With ONNX Runtime's mapping it may be any number.
template <class Descriptor>
Result<void> check_offset_of(const char* op, const Descriptor& d, const adj_random& random, bool draws) {
  if (!draws || maps_by_thread(d)) return {};
  return check_offset(op, random);
}
// Refuses a GPU variant whose programs are for the other mapping.
template <adj_dropout_mapping mapping, class Descriptor>
Result<void> check_mapping(const PlanRequest& request, const Descriptor& d) {
  if (!request.device || d.mapping == mapping) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "{}", maps_by_thread(d) ? "draws by element, not in the order of ONNX Runtime" : "draws in the order of ONNX Runtime");
}
// Elements that one turn of ONNX Runtime's grid covers.
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
// Binds the arguments of a DropoutRule that lies at `offset` in the parameters. A negative argument is not bound.
inline void bind_rule(PlanBuilder::Kernel& kernel, std::size_t offset, int ratio, int random, int mask) {
  kernel.scalar(offset + offsetof(DropoutRule, ratio), ratio);
  if (random >= 0) kernel.random(offset + offsetof(DropoutRule, random), random);
  if (mask >= 0) kernel.tensor(offset + offsetof(DropoutRule, mask), mask);
}
enum AdvanceProgram : int { kAdvance };
#define ADJ_DROPOUT_ADVANCE_PROGRAM {"dropout/advance.cu", "dropout_advance", "", kAdvance}
inline void add_advance(PlanBuilder& builder, int random, std::int64_t words) {
  DropoutAdvanceParams p{};
  p.words = static_cast<unsigned long long>(words);
  builder.kernel(kAdvance, 1, 32).params(p).random(offsetof(DropoutAdvanceParams, random), random);
}

// The numbers of ONNX Runtime depend on the number of elements, so its mapping has no rows.
template <adj_guarantee (*guarantee)(const Signature&)>
adj_guarantee of_the_shape(const Signature& s) {
  adj_guarantee g = guarantee(s);
  g.determinism = ADJ_SHAPE_ONLY;
  return g;
}
template <class Descriptor>
adj_guarantee by_mapping(const adj_guarantee& g, const void* descriptor) {
  const bool rows = static_cast<const Descriptor*>(descriptor)->mapping != ADJ_DROPOUT_MAPPING_ONNX_RUNTIME;
  return rows ? raised(g, ADJ_BATCH_INVARIANT) : g;
}

}  // namespace adj::dropout

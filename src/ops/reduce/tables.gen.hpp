// Written by tools/generate.py from include/adjoint/ops/reduce.h. Do not edit.
#pragma once

#include <adjoint/ops/reduce.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* reduce_conventions = R"text(Reductions: of one tensor over any set of axes or in segments of one axis, and the norm of a list of tensors.)text";
}

namespace adj::l2_norm_tables {

using Descriptor = adj_l2_norm_descriptor;
using Args = adj_l2_norm_args;
inline constexpr const char* kName = "l2_norm";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i]

Results. Squares neither overflow nor vanish: where the norm is a number of the output's type, it is returned. To the last bit, the norm of a tensor
does not depend on the rest of the list, nor that of the list on the order of the tensors.

Edge cases:
- The norm of no elements is 0.

Source: com.microsoft ReduceAllL2, PyTorch torch.nn.utils.get_total_norm.)text";
enum Argument : int { kInputs, kOutput, kNorms, kFoundInf };
inline constexpr ArgumentInfo kArguments[] = {
    {"inputs", offsetof(Args, inputs), ArgumentKind::list, Role::in, 0, Space::stream, Given::always, "[numel] element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[1] output", ""},
    {"norms", offsetof(Args, norms), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[count] output", ""},
    {"found_inf", offsetof(Args, found_inf), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 1 where an element of inputs is an infinity or NaN, else 0", ""},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of inputs: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of output and norms: f32 or a 16-bit type that is that of inputs or has f32 inputs; f64 exactly when the inputs are; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 1, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::list, 0, offsetof(Descriptor, numel), 0, 0},
    {TermOp::items, -1, 1, kNoTerm, 0},
    {TermOp::type, 2, offsetof(Descriptor, output), 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, count), 0, 0},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::number, -1, ADJ_F32, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"numel", kFieldI64List, offsetof(Descriptor, numel), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {2, 0, kNoTerm, kNoTerm},
    {5, 3, kNoTerm, kNoTerm},
    {7, 3, kNoTerm, 4},
    {5, 8, kNoTerm, 4},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInputs] = ArgumentSpec::list(d.element, list_of(d.numel, d.count));
  arguments[kOutput] = tensor(either(d.output, d.element), Dims().add(1));
  arguments[kNorms] = tensor(either(d.output, d.element), Dims().add(d.count), Presence::optional);
  arguments[kFoundInf] = tensor(ADJ_F32, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_L2_NORM;
  info.name = kName;
  info.family = "reduce";
  info.definition = kDefinition;
  info.conventions = reduce_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_L2_NORM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_L2_NORM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::l2_norm_tables

namespace adj::reduce_tables {

using Descriptor = adj_reduce_descriptor;
using Args = adj_reduce_args;
inline constexpr const char* kName = "reduce";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Reduce:   output[kept axes] (=|+=) kind over the other axes of input

Segments. With segments >= 0 one axis, of n elements, is reduced in so many segments:
    output[.., s, ..] = kind over the elements offsets[s] <= i < offsets[s + 1] of input[.., i, ..]
Offsets must ascend within [0, n]. Segments need not cover the axis. The result of a segment depends on its own elements alone, not on the number
of segments nor on where it lies.

Types. Sums, squares and products of 16-bit and f32 elements are formed in f32: what leaves its range is infinite or 0. Those of i32 wrap around.
mean, L2 and logsumexp of i32 are not defined. The bits of the result depend on the elements, the shape, the axes and the kind alone. With write_mode
accumulate, which a sum has, the result is added to what output holds, before the one rounding.

Edge cases:
- Of no elements: sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN. Of i32,
  max is the smallest and min the largest number.
- A segment whose own two offsets do not ascend within [0, n] is empty, and is counted in error_flag. Where bad offsets make segments overlap, each
  is reduced as it stands.

Terms (see adj_guarantee), of n elements x:
    sum         the sum of |x|                       mean         the sum of |x|, divided by n
    sum_square  the sum of x^2                       l2           the root of the sum of x^2
    prod        (n + 2) times the product of |x|     logsumexp    1 + the largest finite |x| + log(n + 1)
max and min are exact. With write_mode accumulate, what output held before is a term as well.

Source: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp, and segment_reduce with
offsets.)text";
enum Argument : int { kInput, kOutput, kOffsets, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "shape element", ""},
    {"output", offsetof(Args, output), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::always, "output; read if write_mode == accumulate: shape without the reduced axes; with keepdims one element in each of them, with segments as many as these", ""},
    {"offsets", offsetof(Args, offsets), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[segments + 1] offset; only if segments >= 0", "segments >= 0"},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[1] i64; only if segments >= 0: 1 is added for each segment with bad offsets", "segments >= 0"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of input"},
    {"axes", nullptr, kFieldAxes, offsetof(Descriptor, axes), "the axes to reduce, in any order; negative ones count from the end; none: all of them"},
    {"segments", nullptr, kFieldI64, offsetof(Descriptor, segments), ">= 0: the number of segments, with one axis and keepdims; -1: none, the axes are reduced whole"},
    {"kind", "sum,mean,sum_square,l2,max,min,prod,logsumexp", kFieldI32, offsetof(Descriptor, kind), ""},
    {"keepdims", nullptr, kFieldI32, offsetof(Descriptor, keepdims), "1: output keeps reduced axes with one element; 0: they are left out of its shape"},
    {"noop_with_empty_axes", nullptr, kFieldI32, offsetof(Descriptor, noop_with_empty_axes), "1: no axes mean that none is reduced"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of output; accumulate: only of a sum of floating-point numbers, without segments"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of input: f32, f64, f16, bf16, i32"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of output: that of input, or f32 where that has 16 bits; 0 = element"},
    {"offset", nullptr, kFieldDtype, offsetof(Descriptor, offset), "of offsets: i32, i64; exactly with segments"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, shape), 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, segments), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::ge, -1, 3, 4, 0},
    {TermOp::type, 4, offsetof(Descriptor, offset), kNoTerm, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::add, -1, 3, 7, 0},
    {TermOp::items, -1, 8, kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 7, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"shape", kFieldShape, offsetof(Descriptor, shape), kNoTerm, false, 0},
    {"segments", kFieldI64, offsetof(Descriptor, segments), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"offset", kFieldDtype, offsetof(Descriptor, offset), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {1, 0, kNoTerm, kNoTerm},
    {kNoTerm, 2, kNoTerm, kNoTerm},
    {9, 6, 5, kNoTerm},
    {11, 10, 5, 7},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, d.shape);
  arguments[kOutput] = computed(either(d.output, d.element));
  arguments[kOffsets] = (d.segments >= 0) ? tensor(d.offset, Dims().add((d.segments + 1))) : ArgumentSpec::forbidden();
  arguments[kErrorFlag] = (d.segments >= 0) ? tensor(ADJ_I64, Dims().add(1), Presence::optional) : ArgumentSpec::forbidden();
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kOutput: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_REDUCE;
  info.name = kName;
  info.family = "reduce";
  info.definition = kDefinition;
  info.conventions = reduce_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_REDUCE_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  info.role = stated_role;
  return info;
}

}  // namespace adj::reduce_tables

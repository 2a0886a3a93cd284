// Written by tools/generate.py from include/adjoint/ops/elementwise.h. Do not edit.
#pragma once

#include <adjoint/ops/elementwise.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* elementwise_conventions = R"text(Gradients of arithmetic with broadcasting. Definition: com.microsoft DivGrad, and the gradients of PyTorch's div and numpy's divide.)text";
}

namespace adj::div_backward_tables {

using Descriptor = adj_div_backward_descriptor;
using Args = adj_div_backward_args;
inline constexpr const char* kName = "div_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element and a missing
one repeat):
    da = sum of dout / b               over the dimensions along which a repeats
    db = sum of -(dout / b) * (a / b)  over the dimensions along which b repeats

Types. Quotients are formed in f32 (f64 for f64), and sums are rounded once, at the end. The order of additions depends on the shapes and the element
type alone. Nothing of the broadcast shape is stored.

Edge cases:
- A division by 0 follows IEEE arithmetic.
- Where no element is summed, a gradient is 0.

Terms (see adj_guarantee) of an element: its addends.)text";
enum Argument : int { kDout, kA, kB, kDa, kDb };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "broadcast(a_shape, b_shape) element", ""},
    {"a", offsetof(Args, a), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "a_shape element; only if !skip_db", "!skip_db"},
    {"b", offsetof(Args, b), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "b_shape element", ""},
    {"da", offsetof(Args, da), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "a_shape element; only if !skip_da", "!skip_da"},
    {"db", offsetof(Args, db), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::depends, "b_shape element; only if !skip_db", "!skip_db"},
};
inline constexpr Field kFields[] = {
    {"a_shape", nullptr, kFieldShape, offsetof(Descriptor, a_shape), "of a and da; broadcast to that of dout"},
    {"b_shape", nullptr, kFieldShape, offsetof(Descriptor, b_shape), "of b and db; broadcast to that of dout"},
    {"skip_da", nullptr, kFieldI32, offsetof(Descriptor, skip_da), "1: da is not wanted"},
    {"skip_db", nullptr, kFieldI32, offsetof(Descriptor, skip_db), "1: db is not wanted, and a is not read; not together with skip_da"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::shape, 0, offsetof(Descriptor, a_shape), 0, 0},
    {TermOp::shape, 1, offsetof(Descriptor, b_shape), 0, 0},
    {TermOp::broadcast, -1, 1, 2, kNoTerm},
    {TermOp::i32, -1, offsetof(Descriptor, skip_db), 0, 0},
    {TermOp::negation, -1, 4, 0, 0},
    {TermOp::i32, -1, offsetof(Descriptor, skip_da), 0, 0},
    {TermOp::negation, -1, 6, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"a_shape", kFieldShape, offsetof(Descriptor, a_shape), kNoTerm, false, 0},
    {"b_shape", kFieldShape, offsetof(Descriptor, b_shape), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {3, 0, kNoTerm, kNoTerm},
    {1, 0, 5, kNoTerm},
    {2, 0, kNoTerm, kNoTerm},
    {1, 0, 7, kNoTerm},
    {2, 0, 5, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, broadcast_of(d.a_shape, d.b_shape));
  arguments[kA] = !(d.skip_db != 0) ? tensor(d.element, d.a_shape) : ArgumentSpec::forbidden();
  arguments[kB] = tensor(d.element, d.b_shape);
  arguments[kDa] = !(d.skip_da != 0) ? tensor(d.element, d.a_shape) : ArgumentSpec::forbidden();
  arguments[kDb] = !(d.skip_db != 0) ? tensor(d.element, d.b_shape) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_DIV_BACKWARD;
  info.name = kName;
  info.family = "elementwise";
  info.definition = kDefinition;
  info.conventions = elementwise_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DIV_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_DIV_BACKWARD_ARGS));
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

}  // namespace adj::div_backward_tables

// Written by tools/generate.py from include/adjoint/ops/softmax.h. Do not edit.
#pragma once

#include <adjoint/ops/softmax.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* softmax_conventions = R"text(Softmax and log-softmax, and their gradients.

Arguments. Tensors are [outer, extent, inner] in row-major order. The extent elements of one (outer, inner) form a group. For a tensor of any rank
and the axis a,
    one axis (opset 13, PyTorch):               outer = product of the dimensions before a, extent = dimension a,
                                                inner = product of the dimensions after a
    coerced to two dimensions (before opset 13): outer = product of the dimensions before a, extent = product of dimension a and all after it,
                                                inner = 1

Types. f32, f64, f16, bf16. Sums are taken in f32 (f64 for f64), in an order that depends on extent, inner and the element type alone. Everything is
rounded once. With preference.math = ADJ_MATH_IEEE the forward operators and log_softmax_backward compute in f64 for every type.

In place. dinput may be the very buffer of dout or of out, and a forward out that of input. Otherwise the buffers must not overlap.

Edge cases:
- Nothing is done when an extent is 0.
- A NaN or an infinity affects its own group only.
- The forward operators: a group that has a NaN or +infinity, or whose elements are all -infinity, is NaN.
- log_softmax_backward: where exp(out) rounds to 0, dinput = dout; NaN if the sum of dout is infinite.
- The gradient over a group need not add up to exactly 0.

Terms (see adj_guarantee), m being the largest element of the group and q the mean of 1 + |x - m| weighted by exp(x - m):
    softmax_forward: out (1 + |x - m| + q)              log_softmax_forward: |x - m| + log(sum of exp(x - m)) + q
    softmax_backward: max(|out|, 1e-30) (|dout| + S)    log_softmax_backward: |dout| + max(exp(out), 1e-30) (1 + |out|) S
S is the sum of |dout out| over the group, for log-softmax the sum of |dout|.

Source: ONNX Softmax and LogSoftmax; com.microsoft SoftmaxGrad, LogSoftmaxGrad and their _13 forms; the gradients of PyTorch's softmax and
log_softmax.)text";
}

namespace adj::softmax_backward_tables {

using Descriptor = adj_softmax_backward_descriptor;
using Args = adj_softmax_backward_args;
inline constexpr const char* kName = "softmax_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax gradient, out being the softmax itself:
    dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d]))text";
enum Argument : int { kDout, kOut, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element: the result of the forward operator", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kOut, Space::stream, Given::always, "[outer, extent, inner] element; may be dout or out itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, extent), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"extent", kFieldI64, offsetof(Descriptor, extent), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_BACKWARD;
  info.name = kName;
  info.family = "softmax";
  info.definition = kDefinition;
  info.conventions = softmax_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_BACKWARD_ARGS));
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

}  // namespace adj::softmax_backward_tables

namespace adj::log_softmax_backward_tables {

using Descriptor = adj_log_softmax_backward_descriptor;
using Args = adj_log_softmax_backward_args;
inline constexpr const char* kName = "log_softmax_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Log-softmax gradient, out being the log-softmax itself:
    dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d])text";
enum Argument : int { kDout, kOut, kDinput };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element: the result of the forward operator", ""},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kOut, Space::stream, Given::always, "[outer, extent, inner] element; may be dout or out itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, extent), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"extent", kFieldI64, offsetof(Descriptor, extent), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kDinput] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_SOFTMAX_BACKWARD;
  info.name = kName;
  info.family = "softmax";
  info.definition = kDefinition;
  info.conventions = softmax_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS));
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

}  // namespace adj::log_softmax_backward_tables

namespace adj::softmax_forward_tables {

using Descriptor = adj_softmax_forward_descriptor;
using Args = adj_softmax_forward_args;
inline constexpr const char* kName = "softmax_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group.

Its gradient: softmax_backward(dout, out).)text";
enum Argument : int { kInput, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, extent, inner] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, extent), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"extent", kFieldI64, offsetof(Descriptor, extent), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_FORWARD;
  info.name = kName;
  info.family = "softmax";
  info.definition = kDefinition;
  info.conventions = softmax_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_FORWARD_ARGS));
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

}  // namespace adj::softmax_forward_tables

namespace adj::log_softmax_forward_tables {

using Descriptor = adj_log_softmax_forward_descriptor;
using Args = adj_log_softmax_forward_args;
inline constexpr const char* kName = "log_softmax_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group.

Its gradient: log_softmax_backward(dout, out).)text";
enum Argument : int { kInput, kOut };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, extent, inner] element", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, extent, inner] element; may be input itself", ""},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"extent", nullptr, kFieldI64, offsetof(Descriptor, extent), "of the axis, >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, extent), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, outer), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"outer", kFieldI64, offsetof(Descriptor, outer), 0, true, 0},
    {"extent", kFieldI64, offsetof(Descriptor, extent), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {7, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
  arguments[kOut] = tensor(d.element, Dims().add(d.outer).add(d.extent).add(d.inner));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_SOFTMAX_FORWARD;
  info.name = kName;
  info.family = "softmax";
  info.definition = kDefinition;
  info.conventions = softmax_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS));
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

}  // namespace adj::log_softmax_forward_tables

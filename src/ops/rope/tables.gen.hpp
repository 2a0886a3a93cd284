// Written by tools/generate.py from include/adjoint/ops/rope.h. Do not edit.
#pragma once

#include <adjoint/ops/rope.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* rope_conventions = R"text(Rotary position embedding of queries and keys, with their RMS norm before it as an option.

A head x of `head_dim` elements at position p becomes
    z[i] = x[i],   with has_norm x[i] * inv * weight[i],   inv = 1 / sqrt(mean over the head of x^2 + epsilon)
    out[first(j)]  = z[first(j)] * cos[p, j] - z[second(j)] * sin[p, j]
    out[second(j)] = z[second(j)] * cos[p, j] + z[first(j)] * sin[p, j]       for j < rotary_dim / 2
    out[i] = z[i]                                                             for i >= rotary_dim
where first(j) = j, second(j) = j + rotary_dim / 2, and with interleaved first(j) = 2 j, second(j) = 2 j + 1.

Angles. With table_rows > 0 cos and sin are given. No relation between the two is assumed. Otherwise they are the cosine and the sine of the angle
    p * base^(-2 j / rotary_dim)

Positions. Without `position` a token has its place in its sequence, counted from 0. With it, positions are given for every token, so that several
sequences may follow one another.

Strides. Tensors hold batch * tokens tokens, each with `heads` heads of queries and behind them `kv_heads` heads of keys. Head h of token t of
sequence b begins at
    b * strides[0] + t * strides[1] + h * strides[2]
- No strides mean a packed tensor [batch, tokens, heads + kv_heads, head_dim].
- A stride of 0 in a list has its packed value: head_dim for heads, the heads times head_dim for tokens, `tokens` times the stride of tokens for
  sequences.
- No two elements may share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those below
  it.
- A tensor with strides is stated as a buffer of as many elements as it spans, from its first element to its last. What lies between its elements
  keeps what it holds.
So queries and keys may stay where they are in a buffer [batch, tokens, (heads + 2 kv_heads) head_dim] of queries, keys and values.

Types. Arithmetic is f32 (f64 for f64), angles f64, with one rounding at the store. The result of a token does not depend on other tokens.

In place. An output may be its input only where both have the same strides. Two tensors may lie in one buffer where neither has an element in the
place of the other and both repeat at the same pitch, as the parts of a packed tensor do. Otherwise no buffers overlap.

Edge cases:
- A position outside [0, table_rows), or [0, 2^31) without tables, is counted once for its token in error_flag. The heads of the token become 0, and
  the gradients of its heads are 0.
- Without `position` and with tables, tokens must not exceed table_rows.
- A NaN or an infinity stays in its head, and in the gradients of the weights; without a norm it stays in its pair.
- batch or tokens is 0: the gradients of weights are 0, or keep what they hold when they accumulate. Nothing else is written.

Terms (see adj_guarantee), with a pair z1, z2 and a = 1 + p * 2^-29 (1 + p for f64), or 1 with tables:
    out: (|z1 cos| + |z2 sin|) with tables, else (|z1| + |z2|) a; beyond rotary_dim |z| with has_norm, else 0
    dinput: the same of the gradient, with has_norm inv * (|g| + |h| * mean of |g * h|), h = x * inv, where |g| is weight times those terms
    dq_weight, dk_weight: sum of |h| times those terms, and with write_mode accumulate what they held before

Source: RoFormer (Su et al., 2021) and ONNX RotaryEmbedding (opset 23); the norm is the QK norm of Llama- and Qwen-like models.)text";
}

namespace adj::rope_forward_tables {

using Descriptor = adj_rope_forward_descriptor;
using Args = adj_rope_forward_args;
inline constexpr const char* kName = "rope_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Rotary position embedding: out of the formulas above.

Its gradient: rope_backward(dout, input ? has_norm, positions, cos, sin, q_weight, k_weight).)text";
enum Argument : int { kInput, kPositions, kCos, kSin, kQWeight, kKWeight, kOut, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element; or its span with strides", ""},
    {"positions", offsetof(Args, positions), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens] position; only if position", "position"},
    {"cos", offsetof(Args, cos), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0", "table_rows > 0"},
    {"sin", offsetof(Args, sin), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0", "table_rows > 0"},
    {"q_weight", offsetof(Args, q_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm", "has_norm"},
    {"k_weight", offsetof(Args, k_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm && kv_heads > 0", "has_norm && kv_heads > 0"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element; or its span with out_strides; may be input itself", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: positions out of range are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "sequences >= 0"},
    {"tokens", nullptr, kFieldI64, offsetof(Descriptor, tokens), "tokens of a sequence >= 0; must be given"},
    {"heads", nullptr, kFieldI64, offsetof(Descriptor, heads), "heads of queries >= 1; must be given"},
    {"kv_heads", nullptr, kFieldI64, offsetof(Descriptor, kv_heads), "heads of keys behind them >= 0"},
    {"head_dim", nullptr, kFieldI64, offsetof(Descriptor, head_dim), "2 to 1024; must be given"},
    {"rotary_dim", nullptr, kFieldI64, offsetof(Descriptor, rotary_dim), "elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim"},
    {"table_rows", nullptr, kFieldI64, offsetof(Descriptor, table_rows), "rows of cos and sin, at most 2^31; 0: no tables"},
    {"base", nullptr, kFieldF64, offsetof(Descriptor, base), "of the angles, > 0; not with tables"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "of the norm, > 0; only with has_norm"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "elements between sequences, tokens and heads of input; none: packed"},
    {"out_strides", nullptr, kFieldAxes, offsetof(Descriptor, out_strides), "of out; none: packed"},
    {"interleaved", nullptr, kFieldI32, offsetof(Descriptor, interleaved), "1: neighbours are a pair; 0: elements rotary_dim / 2 apart are"},
    {"has_norm", nullptr, kFieldI32, offsetof(Descriptor, has_norm), "1: heads are normalised before the rotation"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of q_weight and k_weight: element, or f32 for f16 and bf16; 0 = element"},
    {"position", nullptr, kFieldDtype, offsetof(Descriptor, position), "i32, i64; 0: positions are not given"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 8, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 4, offsetof(Descriptor, head_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, heads), 0, 0},
    {TermOp::i64, 3, offsetof(Descriptor, kv_heads), 0, 0},
    {TermOp::add, -1, 4, 5, 0},
    {TermOp::items, -1, 6, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, tokens), 0, 0},
    {TermOp::items, -1, 8, 7, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 10, 9, 0},
    {TermOp::type, 10, offsetof(Descriptor, position), kNoTerm, 0},
    {TermOp::items, -1, 8, kNoTerm, 0},
    {TermOp::items, -1, 10, 13, 0},
    {TermOp::i64, 6, offsetof(Descriptor, table_rows), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::gt, -1, 15, 16, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::i64, 5, offsetof(Descriptor, rotary_dim), 0, 0},
    {TermOp::choose, -1, 19, 19, 2},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::div, -1, 20, 21, 0},
    {TermOp::items, -1, 22, kNoTerm, 0},
    {TermOp::items, -1, 15, 23, 0},
    {TermOp::i32, 7, offsetof(Descriptor, has_norm), 0, 0},
    {TermOp::type, 9, offsetof(Descriptor, weight), 1, 0},
    {TermOp::gt, -1, 5, 16, 0},
    {TermOp::both, -1, 25, 27, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), 0, true, 0},
    {"tokens", kFieldI64, offsetof(Descriptor, tokens), kNoTerm, false, 0},
    {"heads", kFieldI64, offsetof(Descriptor, heads), kNoTerm, false, 0},
    {"kv_heads", kFieldI64, offsetof(Descriptor, kv_heads), kNoTerm, false, 0},
    {"head_dim", kFieldI64, offsetof(Descriptor, head_dim), kNoTerm, false, 0},
    {"rotary_dim", kFieldI64, offsetof(Descriptor, rotary_dim), kNoTerm, false, 0},
    {"table_rows", kFieldI64, offsetof(Descriptor, table_rows), kNoTerm, false, 0},
    {"has_norm", kFieldI32, offsetof(Descriptor, has_norm), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 1},
    {"position", kFieldDtype, offsetof(Descriptor, position), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {11, 1, kNoTerm, kNoTerm},
    {14, 12, 12, kNoTerm},
    {24, 18, 17, kNoTerm},
    {24, 18, 17, kNoTerm},
    {3, 26, 25, kNoTerm},
    {3, 26, 28, kNoTerm},
    {11, 1, kNoTerm, kNoTerm},
    {30, 29, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kInput] = tensor(d.element, Dims().add(d.batch).add(d.tokens).add((d.heads + d.kv_heads)).add(d.head_dim));
  arguments[kPositions] = (d.position != 0) ? tensor(d.position, Dims().add(d.batch).add(d.tokens)) : ArgumentSpec::forbidden();
  arguments[kCos] = (d.table_rows > 0) ? tensor(accumulator_of(d.element), Dims().add(d.table_rows).add(quotient(((d.rotary_dim != 0) ? d.rotary_dim : d.head_dim), 2))) : ArgumentSpec::forbidden();
  arguments[kSin] = (d.table_rows > 0) ? tensor(accumulator_of(d.element), Dims().add(d.table_rows).add(quotient(((d.rotary_dim != 0) ? d.rotary_dim : d.head_dim), 2))) : ArgumentSpec::forbidden();
  arguments[kQWeight] = (d.has_norm != 0) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kKWeight] = ((d.has_norm != 0) && (d.kv_heads > 0)) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, Dims().add(d.batch).add(d.tokens).add((d.heads + d.kv_heads)).add(d.head_dim));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ROPE_FORWARD;
  info.name = kName;
  info.family = "rope";
  info.definition = kDefinition;
  info.conventions = rope_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_FORWARD_ARGS));
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

}  // namespace adj::rope_forward_tables

namespace adj::rope_backward_tables {

using Descriptor = adj_rope_backward_descriptor;
using Args = adj_rope_backward_args;
inline constexpr const char* kName = "rope_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Rotary position embedding, gradient: the transpose of the rotation, then the gradient of the norm.
    dz[first(j)]  = dout[first(j)] * cos[p, j] + dout[second(j)] * sin[p, j]
    dz[second(j)] = dout[second(j)] * cos[p, j] - dout[first(j)] * sin[p, j],   dz[i] = dout[i] for i >= rotary_dim
    dinput = dz,   with has_norm inv * (dz * weight - h * mean over the head of (dz * weight * h)),   h = input * inv
    dq_weight[i] = sum over tokens and heads of queries of dz[i] * h[i];   dk_weight[i] likewise for keys
The norm is taken from input again, so nothing but input has to be kept; input is then not to be overwritten by rope_forward.)text";
enum Argument : int { kDout, kInput, kPositions, kCos, kSin, kQWeight, kKWeight, kDinput, kDqWeight, kDkWeight, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element; or its span with dout_strides", ""},
    {"input", offsetof(Args, input), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens, heads + kv_heads, head_dim] element; or its span with strides; only if has_norm", "has_norm"},
    {"positions", offsetof(Args, positions), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens] position; only if position", "position"},
    {"cos", offsetof(Args, cos), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0", "table_rows > 0"},
    {"sin", offsetof(Args, sin), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, (rotary_dim ? rotary_dim : head_dim) / 2], accumulator(element); only if table_rows > 0", "table_rows > 0"},
    {"q_weight", offsetof(Args, q_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm", "has_norm"},
    {"k_weight", offsetof(Args, k_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm && kv_heads > 0", "has_norm && kv_heads > 0"},
    {"dinput", offsetof(Args, dinput), ArgumentKind::tensor, Role::out, 1u << kDout | 1u << kInput, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element; or its span with dinput_strides; may be dout or input itself", ""},
    {"dq_weight", offsetof(Args, dq_weight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm; read if write_mode == accumulate", "has_norm"},
    {"dk_weight", offsetof(Args, dk_weight), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[head_dim] weight; only if has_norm && kv_heads > 0; read if write_mode == accumulate", "has_norm && kv_heads > 0"},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: positions out of range are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "sequences >= 0"},
    {"tokens", nullptr, kFieldI64, offsetof(Descriptor, tokens), "tokens of a sequence >= 0; must be given"},
    {"heads", nullptr, kFieldI64, offsetof(Descriptor, heads), "heads of queries >= 1; must be given"},
    {"kv_heads", nullptr, kFieldI64, offsetof(Descriptor, kv_heads), "heads of keys behind them >= 0"},
    {"head_dim", nullptr, kFieldI64, offsetof(Descriptor, head_dim), "2 to 1024; must be given"},
    {"rotary_dim", nullptr, kFieldI64, offsetof(Descriptor, rotary_dim), "elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim"},
    {"table_rows", nullptr, kFieldI64, offsetof(Descriptor, table_rows), "rows of cos and sin, at most 2^31; 0: no tables"},
    {"base", nullptr, kFieldF64, offsetof(Descriptor, base), "of the angles, > 0; not with tables"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "of the norm, > 0; only with has_norm"},
    {"strides", nullptr, kFieldAxes, offsetof(Descriptor, strides), "elements between sequences, tokens and heads of input; only with has_norm; none: packed"},
    {"dout_strides", nullptr, kFieldAxes, offsetof(Descriptor, dout_strides), "of dout; none: packed"},
    {"dinput_strides", nullptr, kFieldAxes, offsetof(Descriptor, dinput_strides), "of dinput; none: packed"},
    {"interleaved", nullptr, kFieldI32, offsetof(Descriptor, interleaved), "1: neighbours are a pair; 0: elements rotary_dim / 2 apart are"},
    {"has_norm", nullptr, kFieldI32, offsetof(Descriptor, has_norm), "1: heads were normalised before the rotation"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dq_weight and dk_weight"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of q_weight, k_weight and their gradients: element, or f32 for f16 and bf16; 0 = element"},
    {"position", nullptr, kFieldDtype, offsetof(Descriptor, position), "i32, i64; 0: positions are not given"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 8, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 4, offsetof(Descriptor, head_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, heads), 0, 0},
    {TermOp::i64, 3, offsetof(Descriptor, kv_heads), 0, 0},
    {TermOp::add, -1, 4, 5, 0},
    {TermOp::items, -1, 6, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, tokens), 0, 0},
    {TermOp::items, -1, 8, 7, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 10, 9, 0},
    {TermOp::i32, 7, offsetof(Descriptor, has_norm), 0, 0},
    {TermOp::type, 10, offsetof(Descriptor, position), kNoTerm, 0},
    {TermOp::items, -1, 8, kNoTerm, 0},
    {TermOp::items, -1, 10, 14, 0},
    {TermOp::i64, 6, offsetof(Descriptor, table_rows), 0, 0},
    {TermOp::number, -1, 0, 0, 0},
    {TermOp::gt, -1, 16, 17, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::i64, 5, offsetof(Descriptor, rotary_dim), 0, 0},
    {TermOp::choose, -1, 20, 20, 2},
    {TermOp::number, -1, 2, 0, 0},
    {TermOp::div, -1, 21, 22, 0},
    {TermOp::items, -1, 23, kNoTerm, 0},
    {TermOp::items, -1, 16, 24, 0},
    {TermOp::type, 9, offsetof(Descriptor, weight), 1, 0},
    {TermOp::gt, -1, 5, 17, 0},
    {TermOp::both, -1, 12, 27, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), 0, true, 0},
    {"tokens", kFieldI64, offsetof(Descriptor, tokens), kNoTerm, false, 0},
    {"heads", kFieldI64, offsetof(Descriptor, heads), kNoTerm, false, 0},
    {"kv_heads", kFieldI64, offsetof(Descriptor, kv_heads), kNoTerm, false, 0},
    {"head_dim", kFieldI64, offsetof(Descriptor, head_dim), kNoTerm, false, 0},
    {"rotary_dim", kFieldI64, offsetof(Descriptor, rotary_dim), kNoTerm, false, 0},
    {"table_rows", kFieldI64, offsetof(Descriptor, table_rows), kNoTerm, false, 0},
    {"has_norm", kFieldI32, offsetof(Descriptor, has_norm), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 1},
    {"position", kFieldDtype, offsetof(Descriptor, position), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {11, 1, kNoTerm, kNoTerm},
    {11, 1, 12, kNoTerm},
    {15, 13, 13, kNoTerm},
    {25, 19, 18, kNoTerm},
    {25, 19, 18, kNoTerm},
    {3, 26, 12, kNoTerm},
    {3, 26, 28, kNoTerm},
    {11, 1, kNoTerm, kNoTerm},
    {3, 26, 12, kNoTerm},
    {3, 26, 28, kNoTerm},
    {30, 29, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, Dims().add(d.batch).add(d.tokens).add((d.heads + d.kv_heads)).add(d.head_dim));
  arguments[kInput] = (d.has_norm != 0) ? tensor(d.element, Dims().add(d.batch).add(d.tokens).add((d.heads + d.kv_heads)).add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kPositions] = (d.position != 0) ? tensor(d.position, Dims().add(d.batch).add(d.tokens)) : ArgumentSpec::forbidden();
  arguments[kCos] = (d.table_rows > 0) ? tensor(accumulator_of(d.element), Dims().add(d.table_rows).add(quotient(((d.rotary_dim != 0) ? d.rotary_dim : d.head_dim), 2))) : ArgumentSpec::forbidden();
  arguments[kSin] = (d.table_rows > 0) ? tensor(accumulator_of(d.element), Dims().add(d.table_rows).add(quotient(((d.rotary_dim != 0) ? d.rotary_dim : d.head_dim), 2))) : ArgumentSpec::forbidden();
  arguments[kQWeight] = (d.has_norm != 0) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kKWeight] = ((d.has_norm != 0) && (d.kv_heads > 0)) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kDinput] = tensor(d.element, Dims().add(d.batch).add(d.tokens).add((d.heads + d.kv_heads)).add(d.head_dim));
  arguments[kDqWeight] = (d.has_norm != 0) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kDkWeight] = ((d.has_norm != 0) && (d.kv_heads > 0)) ? tensor(either(d.weight, d.element), Dims().add(d.head_dim)) : ArgumentSpec::forbidden();
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
inline Role stated_role(const void* descriptor, std::size_t argument) {
  using namespace rules;
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  switch (argument) {
    case kDqWeight: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    case kDkWeight: return (d.write_mode == ADJ_WRITE_ACCUMULATE) ? Role::inout : Role::out;
    default: return kArguments[argument].role;
  }
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ROPE_BACKWARD;
  info.name = kName;
  info.family = "rope";
  info.definition = kDefinition;
  info.conventions = rope_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_BACKWARD_ARGS));
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

}  // namespace adj::rope_backward_tables

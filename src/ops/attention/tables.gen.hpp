// Written by tools/generate.py from include/adjoint/ops/attention.h. Do not edit.
#pragma once

#include <adjoint/ops/attention.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* attention_conventions = R"text(Scaled dot-product attention and its gradients.

    s[i, j] = scale * sum over d of q[i, d] * k[j, d]           for the keys j that query i meets
    lse[i]  = log(sum over j of exp(s[i, j]))
    out[i, d] = sum over j of exp(s[i, j] - lse[i]) * v[j, d]

for every sequence and head. Head h meets head h / (heads / kv_heads) of k and v. Query i meets key j of its own sequence when
    j <= i with causal,   and   j >= i - window where window is not -1;
positions count from the beginning of the sequence.

Sequences. There are `batch` of them with `tokens` tokens each. With has_lengths all sequences together have `tokens` tokens, one after another
in one dimension: sequence b has the tokens [cu_seqlens[b], cu_seqlens[b + 1]). cu_seqlens must begin with 0 and ascend up to at most `tokens`.
The host refuses other values with ADJ_ERROR_INVALID_VALUE. On a device the results are then unspecified, and nothing outside of the tensors is
read or written. Tokens behind the last sequence meet no key.

Strides. An element of q, k, v, out, or of a gradient of these, is at
    b * strides[0] + t * strides[1] + h * strides[2] + d
where b is 0 with has_lengths.
- No strides mean a packed tensor [batch, tokens, heads, head_dim], with kv_heads for k and v.
- A stride of 0 in a list has its packed value: head_dim for heads, the heads times head_dim for tokens, `tokens` times the stride of tokens for
  sequences. The first one must be 0 with has_lengths.
- No two elements may share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those below
  it.
- A tensor with strides is stated as a buffer of as many elements as it spans, from its first element to its last. Bytes between its elements are
  neither read nor written.
So q, k and v may be parts of one buffer [batch, tokens, (heads + 2 kv_heads) head_dim], or [batch, tokens, 3, heads, head_dim], and likewise dq,
dk and dv.

Types. Products are added in f32 (f64 for f64). Kernels of 16-bit types round the weights exp(s - lse), and the gradients of s, to the element type
before they multiply them. Everything else is rounded once.

In place. Two tensors may lie in one buffer where neither has an element in the place of the other and both repeat at the same pitch, as the parts
of a packed tensor do. Otherwise no buffers overlap.

Edge cases:
- Nothing is done when batch or tokens is 0.
- A query that meets no key has out = 0, lse = -infinity and dq = 0.
- A NaN or an infinity in q, out, dout or lse affects elements of its own sequence and its own head only (dk and dv: of the head of k and v).
- A NaN or an infinity in k or v affects the heads that meet it.
- Elements that meet a NaN or an infinity only where the mask forbids it are unspecified.

Terms (see adj_guarantee), with w[i, j] = exp(s[i, j] - lse[i]), a[i, j] = |scale| times the sum of |q[i, d] k[j, d]|, and A[i] the mean
of a[i, j] weighted by w[i, j]:
    out: sum over j of w (1 + a + A) |v|           lse: 1 + |lse| + A
    dv:  sum over i of w (1 + a + |lse|) |dout|
    dq:  |scale| times the sum over j of w (1 + a + |lse|) (sum of |dout v| + sum of |dout out|) |k|
    dk:  the same, with |q|, over i
Of f16, a factor of |v| or |dout| here counts as 2^-29 at least, of cuDNN as 2^-14, and a factor of |scale k| or |scale q| as 2^-14 at least: the
weights, which cuDNN does not multiply by 2^15, and the gradients of s are rounded to f16, which has fewer bits below 2^-14.

Source: PyTorch's nn.functional.scaled_dot_product_attention; ONNX's Attention; the masks of a sliding window are those of FlashAttention.)text";
}

namespace adj::attention_forward_tables {

using Descriptor = adj_attention_forward_descriptor;
using Args = adj_attention_forward_args;
inline constexpr const char* kName = "attention_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Attention: out and lse of the formulas above.

Its gradient: attention_backward(dout, q, k, v, out, lse, cu_seqlens).)text";
enum Argument : int { kQ, kK, kV, kCuSeqlens, kOut, kLse };
inline constexpr ArgumentInfo kArguments[] = {
    {"q", offsetof(Args, q), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with q_strides", ""},
    {"k", offsetof(Args, k), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with k_strides", ""},
    {"v", offsetof(Args, v), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with v_strides", ""},
    {"cu_seqlens", offsetof(Args, cu_seqlens), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch + 1] i32; only if has_lengths", "has_lengths"},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with out_strides", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element)", ""},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "sequences, 0 to 2^31 - 1, with has_lengths to 2^31 - 2; must be given"},
    {"tokens", nullptr, kFieldI64, offsetof(Descriptor, tokens), "tokens of a sequence, with has_lengths of all sequences; 0 to 2^31 - 1; must be given"},
    {"heads", nullptr, kFieldI64, offsetof(Descriptor, heads), "of q and out, 1 to 65535; must be given"},
    {"kv_heads", nullptr, kFieldI64, offsetof(Descriptor, kv_heads), "of k and v, a divisor of heads; 0: as many as heads"},
    {"head_dim", nullptr, kFieldI64, offsetof(Descriptor, head_dim), "1 to 256; must be given"},
    {"window", nullptr, kFieldI64, offsetof(Descriptor, window), "most tokens that a key may lie before its query; -1: any number"},
    {"scale", nullptr, kFieldF64, offsetof(Descriptor, scale), "a finite number; 0: 1 / sqrt(head_dim)"},
    {"q_strides", nullptr, kFieldAxes, offsetof(Descriptor, q_strides), "elements between sequences, tokens and heads of q; none: packed"},
    {"k_strides", nullptr, kFieldAxes, offsetof(Descriptor, k_strides), "of k"},
    {"v_strides", nullptr, kFieldAxes, offsetof(Descriptor, v_strides), "of v"},
    {"out_strides", nullptr, kFieldAxes, offsetof(Descriptor, out_strides), "of out"},
    {"causal", nullptr, kFieldI32, offsetof(Descriptor, causal), "1: a query meets no later keys"},
    {"has_lengths", nullptr, kFieldI32, offsetof(Descriptor, has_lengths), "1: cu_seqlens is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 6, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, 5, offsetof(Descriptor, has_lengths), 0, 0},
    {TermOp::i64, 4, offsetof(Descriptor, head_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, heads), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, tokens), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 8, 7, 0},
    {TermOp::choose_shape, -1, 1, 7, 9},
    {TermOp::i64, 3, offsetof(Descriptor, kv_heads), 0, 0},
    {TermOp::choose, -1, 11, 11, 4},
    {TermOp::items, -1, 12, 3, 0},
    {TermOp::items, -1, 6, 13, 0},
    {TermOp::items, -1, 8, 14, 0},
    {TermOp::choose_shape, -1, 1, 14, 15},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::add, -1, 8, 18, 0},
    {TermOp::items, -1, 19, kNoTerm, 0},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::items, -1, 4, 22, 0},
    {TermOp::items, -1, 8, 23, 0},
    {TermOp::choose_shape, -1, 1, 23, 24},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), kNoTerm, false, 0},
    {"tokens", kFieldI64, offsetof(Descriptor, tokens), kNoTerm, false, 0},
    {"heads", kFieldI64, offsetof(Descriptor, heads), kNoTerm, false, 0},
    {"kv_heads", kFieldI64, offsetof(Descriptor, kv_heads), kNoTerm, false, 0},
    {"head_dim", kFieldI64, offsetof(Descriptor, head_dim), kNoTerm, false, 0},
    {"has_lengths", kFieldI32, offsetof(Descriptor, has_lengths), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {10, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
    {20, 17, 1, kNoTerm},
    {10, 0, kNoTerm, kNoTerm},
    {25, 21, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kQ] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kK] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
  arguments[kV] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
  arguments[kCuSeqlens] = (d.has_lengths != 0) ? tensor(ADJ_I32, Dims().add((d.batch + 1))) : ArgumentSpec::forbidden();
  arguments[kOut] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kLse] = tensor(accumulator_of(d.element), ((d.has_lengths != 0) ? Dims().add(d.heads).add(d.tokens) : Dims().add(d.batch).add(d.heads).add(d.tokens)));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ATTENTION_FORWARD;
  info.name = kName;
  info.family = "attention";
  info.definition = kDefinition;
  info.conventions = attention_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_FORWARD_ARGS));
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

}  // namespace adj::attention_forward_tables

namespace adj::attention_backward_tables {

using Descriptor = adj_attention_backward_descriptor;
using Args = adj_attention_backward_args;
inline constexpr const char* kName = "attention_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Gradients of attention. With w[i, j] = exp(s[i, j] - lse[i]) and
    ds[i, j] = w[i, j] * (sum over d of dout[i, d] * v[j, d] - sum over d of dout[i, d] * out[i, d]):
    dq[i, d] = scale * sum over j of ds[i, j] * k[j, d]
    dk[j, d] = scale * sum over i of ds[i, j] * q[i, d]
    dv[j, d] = sum over i of w[i, j] * dout[i, d]
where i also runs over all heads of q that meet the head of k and v. out and lse are those of attention_forward for the same q, k and v, and
the same fields.)text";
enum Argument : int { kDout, kQ, kK, kV, kOut, kLse, kCuSeqlens, kDq, kDk, kDv };
inline constexpr ArgumentInfo kArguments[] = {
    {"dout", offsetof(Args, dout), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with dout_strides", ""},
    {"q", offsetof(Args, q), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with q_strides", ""},
    {"k", offsetof(Args, k), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with k_strides", ""},
    {"v", offsetof(Args, v), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with v_strides", ""},
    {"out", offsetof(Args, out), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with out_strides", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "has_lengths ? [heads, tokens] : [batch, heads, tokens], accumulator(element)", ""},
    {"cu_seqlens", offsetof(Args, cu_seqlens), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch + 1] i32; only if has_lengths", "has_lengths"},
    {"dq", offsetof(Args, dq), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_lengths ? [tokens, heads, head_dim] : [batch, tokens, heads, head_dim], element; or its span with dq_strides", ""},
    {"dk", offsetof(Args, dk), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with dk_strides", ""},
    {"dv", offsetof(Args, dv), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "has_lengths ? [tokens, (kv_heads ? kv_heads : heads), head_dim] : [batch, tokens, (kv_heads ? kv_heads : heads), head_dim], element; or its span with dv_strides", ""},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "as in attention_forward; must be given"},
    {"tokens", nullptr, kFieldI64, offsetof(Descriptor, tokens), "as in attention_forward; must be given"},
    {"heads", nullptr, kFieldI64, offsetof(Descriptor, heads), "as in attention_forward; must be given"},
    {"kv_heads", nullptr, kFieldI64, offsetof(Descriptor, kv_heads), "as in attention_forward"},
    {"head_dim", nullptr, kFieldI64, offsetof(Descriptor, head_dim), "as in attention_forward; must be given"},
    {"window", nullptr, kFieldI64, offsetof(Descriptor, window), "as in attention_forward"},
    {"scale", nullptr, kFieldF64, offsetof(Descriptor, scale), "as in attention_forward"},
    {"q_strides", nullptr, kFieldAxes, offsetof(Descriptor, q_strides), "elements between sequences, tokens and heads of q; none: packed"},
    {"k_strides", nullptr, kFieldAxes, offsetof(Descriptor, k_strides), "of k"},
    {"v_strides", nullptr, kFieldAxes, offsetof(Descriptor, v_strides), "of v"},
    {"out_strides", nullptr, kFieldAxes, offsetof(Descriptor, out_strides), "of out"},
    {"dout_strides", nullptr, kFieldAxes, offsetof(Descriptor, dout_strides), "of dout"},
    {"dq_strides", nullptr, kFieldAxes, offsetof(Descriptor, dq_strides), "of dq"},
    {"dk_strides", nullptr, kFieldAxes, offsetof(Descriptor, dk_strides), "of dk"},
    {"dv_strides", nullptr, kFieldAxes, offsetof(Descriptor, dv_strides), "of dv"},
    {"causal", nullptr, kFieldI32, offsetof(Descriptor, causal), "as in attention_forward"},
    {"has_lengths", nullptr, kFieldI32, offsetof(Descriptor, has_lengths), "1: cu_seqlens is given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::type, 6, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, 5, offsetof(Descriptor, has_lengths), 0, 0},
    {TermOp::i64, 4, offsetof(Descriptor, head_dim), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, heads), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::i64, 1, offsetof(Descriptor, tokens), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 8, 7, 0},
    {TermOp::choose_shape, -1, 1, 7, 9},
    {TermOp::i64, 3, offsetof(Descriptor, kv_heads), 0, 0},
    {TermOp::choose, -1, 11, 11, 4},
    {TermOp::items, -1, 12, 3, 0},
    {TermOp::items, -1, 6, 13, 0},
    {TermOp::items, -1, 8, 14, 0},
    {TermOp::choose_shape, -1, 1, 14, 15},
    {TermOp::accumulator, -1, 0, kNoTerm, kNoTerm},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::items, -1, 4, 18, 0},
    {TermOp::items, -1, 8, 19, 0},
    {TermOp::choose_shape, -1, 1, 19, 20},
    {TermOp::number, -1, ADJ_I32, 0, 0},
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::add, -1, 8, 23, 0},
    {TermOp::items, -1, 24, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), kNoTerm, false, 0},
    {"tokens", kFieldI64, offsetof(Descriptor, tokens), kNoTerm, false, 0},
    {"heads", kFieldI64, offsetof(Descriptor, heads), kNoTerm, false, 0},
    {"kv_heads", kFieldI64, offsetof(Descriptor, kv_heads), kNoTerm, false, 0},
    {"head_dim", kFieldI64, offsetof(Descriptor, head_dim), kNoTerm, false, 0},
    {"has_lengths", kFieldI32, offsetof(Descriptor, has_lengths), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {10, 0, kNoTerm, kNoTerm},
    {10, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
    {10, 0, kNoTerm, kNoTerm},
    {21, 17, kNoTerm, kNoTerm},
    {25, 22, 1, kNoTerm},
    {10, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
    {16, 0, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDout] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kQ] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kK] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
  arguments[kV] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
  arguments[kOut] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kLse] = tensor(accumulator_of(d.element), ((d.has_lengths != 0) ? Dims().add(d.heads).add(d.tokens) : Dims().add(d.batch).add(d.heads).add(d.tokens)));
  arguments[kCuSeqlens] = (d.has_lengths != 0) ? tensor(ADJ_I32, Dims().add((d.batch + 1))) : ArgumentSpec::forbidden();
  arguments[kDq] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(d.heads).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(d.heads).add(d.head_dim)));
  arguments[kDk] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
  arguments[kDv] = tensor(d.element, ((d.has_lengths != 0) ? Dims().add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim) : Dims().add(d.batch).add(d.tokens).add(((d.kv_heads != 0) ? d.kv_heads : d.heads)).add(d.head_dim)));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ATTENTION_BACKWARD;
  info.name = kName;
  info.family = "attention";
  info.definition = kDefinition;
  info.conventions = attention_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_BACKWARD_ARGS));
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

}  // namespace adj::attention_backward_tables

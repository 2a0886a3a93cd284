// Written by tools/generate.py from include/adjoint/ops/attention.h. Do not edit.
#pragma once

#include <adjoint/ops/attention.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::attention_forward_tables {

using Descriptor = adj_attention_forward_descriptor;
using Args = adj_attention_forward_args;
inline constexpr const char* kName = "attention_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kQ, kK, kV, kCuSeqlens, kOut, kLse };
inline constexpr SlotInfo kSlots[] = {
    {"q", offsetof(Args, q), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with q_strides"},
    {"k", offsetof(Args, k), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with k_strides"},
    {"v", offsetof(Args, v), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with v_strides"},
    {"cu_seqlens", offsetof(Args, cu_seqlens), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_lengths, [batch + 1] i32"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with out_strides"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, heads, tokens], with has_lengths [heads, tokens], f32; f64 for f64"},
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
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"causal", nullptr, kFieldI32, offsetof(Descriptor, causal), "1: a query meets no later keys"},
    {"has_lengths", nullptr, kFieldI32, offsetof(Descriptor, has_lengths), "1: cu_seqlens is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ATTENTION_FORWARD;
  info.name = kName;
  info.family = "attention";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::attention_forward_tables

namespace adj::attention_backward_tables {

using Descriptor = adj_attention_backward_descriptor;
using Args = adj_attention_backward_args;
inline constexpr const char* kName = "attention_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kQ, kK, kV, kOut, kLse, kCuSeqlens, kDq, kDk, kDv };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with dout_strides"},
    {"q", offsetof(Args, q), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with q_strides"},
    {"k", offsetof(Args, k), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with k_strides"},
    {"v", offsetof(Args, v), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with v_strides"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with out_strides"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, heads, tokens], with has_lengths [heads, tokens], f32; f64 for f64"},
    {"cu_seqlens", offsetof(Args, cu_seqlens), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_lengths, [batch + 1] i32"},
    {"dq", offsetof(Args, dq), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, tokens, heads, head_dim] element, or its span with dq_strides"},
    {"dk", offsetof(Args, dk), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with dk_strides"},
    {"dv", offsetof(Args, dv), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[batch, tokens, kv_heads, head_dim] element, or its span with dv_strides"},
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
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"causal", nullptr, kFieldI32, offsetof(Descriptor, causal), "as in attention_forward"},
    {"has_lengths", nullptr, kFieldI32, offsetof(Descriptor, has_lengths), "1: cu_seqlens is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ATTENTION_BACKWARD;
  info.name = kName;
  info.family = "attention";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ATTENTION_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::attention_backward_tables

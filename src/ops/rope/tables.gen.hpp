// Written by tools/generate.py from include/adjoint/ops/rope.h. Do not edit.
#pragma once

#include <adjoint/ops/rope.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::rope_forward_tables {

using Descriptor = adj_rope_forward_descriptor;
using Args = adj_rope_forward_args;
inline constexpr const char* kName = "rope_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kPositions, kCos, kSin, kQWeight, kKWeight, kOut, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element, or its span with strides"},
    {"positions", offsetof(Args, positions), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens] position; exactly when the descriptor names its type"},
    {"cos", offsetof(Args, cos), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, rotary_dim / 2] f32 (f64 for f64); exactly when table_rows > 0"},
    {"sin", offsetof(Args, sin), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, rotary_dim / 2] f32 (f64 for f64); exactly when table_rows > 0"},
    {"q_weight", offsetof(Args, q_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; exactly when has_norm == 1"},
    {"k_weight", offsetof(Args, k_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; exactly when has_norm == 1 and kv_heads > 0"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element, or its span with out_strides; may be input itself"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: positions out of range are added to it"},
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
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of q_weight and k_weight: element, or f32 for f16 and bf16; 0 = element"},
    {"position", nullptr, kFieldDtype, offsetof(Descriptor, position), "i32, i64; 0: positions are not given"},
    {"interleaved", nullptr, kFieldI32, offsetof(Descriptor, interleaved), "1: neighbours are a pair; 0: elements rotary_dim / 2 apart are"},
    {"has_norm", nullptr, kFieldI32, offsetof(Descriptor, has_norm), "1: heads are normalised before the rotation"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ROPE_FORWARD;
  info.name = kName;
  info.family = "rope";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::rope_forward_tables

namespace adj::rope_backward_tables {

using Descriptor = adj_rope_backward_descriptor;
using Args = adj_rope_backward_args;
inline constexpr const char* kName = "rope_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kPositions, kCos, kSin, kQWeight, kKWeight, kDinput, kDqWeight, kDkWeight, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element, or its span with dout_strides"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens, heads + kv_heads, head_dim] element, or its span with strides; exactly when has_norm == 1"},
    {"positions", offsetof(Args, positions), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, tokens] position; exactly when the descriptor names its type"},
    {"cos", offsetof(Args, cos), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, rotary_dim / 2] f32 (f64 for f64); exactly when table_rows > 0"},
    {"sin", offsetof(Args, sin), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[table_rows, rotary_dim / 2] f32 (f64 for f64); exactly when table_rows > 0"},
    {"q_weight", offsetof(Args, q_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; exactly when has_norm == 1"},
    {"k_weight", offsetof(Args, k_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[head_dim] weight; exactly when has_norm == 1 and kv_heads > 0"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput, Space::stream, Given::always, "[batch, tokens, heads + kv_heads, head_dim] element, or its span with dinput_strides; may be dout or input itself"},
    {"dq_weight", offsetof(Args, dq_weight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[head_dim] weight; in/out when write_mode is accumulate; exactly when has_norm == 1"},
    {"dk_weight", offsetof(Args, dk_weight), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[head_dim] weight; in/out when write_mode is accumulate; exactly when has_norm == 1 and kv_heads > 0"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: positions out of range are added to it"},
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
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of q_weight, k_weight and their gradients: element, or f32 for f16 and bf16; 0 = element"},
    {"position", nullptr, kFieldDtype, offsetof(Descriptor, position), "i32, i64; 0: positions are not given"},
    {"interleaved", nullptr, kFieldI32, offsetof(Descriptor, interleaved), "1: neighbours are a pair; 0: elements rotary_dim / 2 apart are"},
    {"has_norm", nullptr, kFieldI32, offsetof(Descriptor, has_norm), "1: heads were normalised before the rotation"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dq_weight and dk_weight"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ROPE_BACKWARD;
  info.name = kName;
  info.family = "rope";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ROPE_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::rope_backward_tables

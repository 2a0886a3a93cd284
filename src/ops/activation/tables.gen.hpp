// Written by tools/generate.py from include/adjoint/ops/activation.h. Do not edit.
#pragma once

#include <adjoint/ops/activation.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::activation_backward_tables {

using Descriptor = adj_activation_backward_descriptor;
using Args = adj_activation_backward_args;
inline constexpr const char* kName = "activation_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kSaved, kBias, kDinput, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element"},
    {"saved", offsetof(Args, saved), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element: the input or the output of the forward operator"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_bias, [inner] element"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kSaved, Space::stream, Given::always, "[outer, inner] element; may be dout or saved itself"},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "with has_dbias, [inner] element; in/out when write_mode is accumulate"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope), "of leaky_relu; finite in the arithmetic's type"},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha), "of quick_gelu; likewise"},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha), "of elu; likewise"},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish,relu_squared", kFieldI32, offsetof(Descriptor, function), ""},
    {"saved", "default,input,output", kFieldI32, offsetof(Descriptor, saved), ""},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is added to saved, which is the input"},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias), "1: dbias is written"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dbias; only with has_dbias"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_BACKWARD;
  info.name = kName;
  info.family = "activation";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::activation_backward_tables

namespace adj::activation_forward_tables {

using Descriptor = adj_activation_forward_descriptor;
using Args = adj_activation_forward_args;
inline constexpr const char* kName = "activation_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "with has_bias, [inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, inner] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope), "of leaky_relu; finite in the arithmetic's type"},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha), "of quick_gelu; likewise"},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha), "of elu; likewise"},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish,relu_squared", kFieldI32, offsetof(Descriptor, function), ""},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias), "1: bias is added to input"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_FORWARD;
  info.name = kName;
  info.family = "activation";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ACTIVATION_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::activation_forward_tables

namespace adj::gated_activation_backward_tables {

using Descriptor = adj_gated_activation_backward_descriptor;
using Args = adj_gated_activation_backward_args;
inline constexpr const char* kName = "gated_activation_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, inner] element"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, 2 * inner] element: what the forward operator got"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, 2 * inner] element; may be input itself"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function), ""},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout), ""},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second), "1: gate and linear change places"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_BACKWARD;
  info.name = kName;
  info.family = "activation";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gated_activation_backward_tables

namespace adj::gated_activation_forward_tables {

using Descriptor = adj_gated_activation_forward_descriptor;
using Args = adj_gated_activation_forward_args;
inline constexpr const char* kName = "gated_activation_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, 2 * inner] element"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[outer, inner] element"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0; -1: not given, refused"},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function), ""},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout), ""},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second), "1: gate and linear change places"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "f32, f64, f16, bf16"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_FORWARD;
  info.name = kName;
  info.family = "activation";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gated_activation_forward_tables

// Written by tools/generate.py from include/adjoint/ops/activation.h. Do not edit.
#pragma once

#include <adjoint/ops/activation.h>

#include "plan/op.hpp"

namespace adj::activation_backward_tables {

using Descriptor = adj_activation_backward_descriptor;
using Args = adj_activation_backward_args;
inline constexpr const char* kName = "activation_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kSaved, kBias, kDinput, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"saved", offsetof(Args, saved), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kSaved, Space::stream},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope)},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha)},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha)},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish", kFieldI32, offsetof(Descriptor, function)},
    {"saved", "default,input,output", kFieldI32, offsetof(Descriptor, saved)},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias)},
    {"has_dbias", nullptr, kFieldI32, offsetof(Descriptor, has_dbias)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInput, kBias, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"leaky_slope", nullptr, kFieldF64, offsetof(Descriptor, leaky_slope)},
    {"quick_gelu_alpha", nullptr, kFieldF64, offsetof(Descriptor, quick_gelu_alpha)},
    {"elu_alpha", nullptr, kFieldF64, offsetof(Descriptor, elu_alpha)},
    {"function", "none,relu,leaky_relu,gelu,gelu_tanh,quick_gelu,sigmoid,tanh,silu,elu,softplus,mish,hard_swish", kFieldI32, offsetof(Descriptor, function)},
    {"has_bias", nullptr, kFieldI32, offsetof(Descriptor, has_bias)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ACTIVATION_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kDout, kInput, kDinput };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function)},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout)},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kInput, kOut };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"function", "none,swiglu,geglu,geglu_tanh,reglu", kFieldI32, offsetof(Descriptor, function)},
    {"layout", "default,halves,interleaved", kFieldI32, offsetof(Descriptor, layout)},
    {"gate_second", nullptr, kFieldI32, offsetof(Descriptor, gate_second)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_GATED_ACTIVATION_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::gated_activation_forward_tables

// Written by tools/generate.py from include/adjoint/ops/norm.h. Do not edit.
#pragma once

#include <adjoint/ops/norm.h>

#include "plan/op.hpp"

namespace adj::layer_norm_backward_tables {

using Descriptor = adj_layer_norm_backward_descriptor;
using Args = adj_layer_norm_backward_args;
inline constexpr const char* kName = "layer_norm_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kInput, kOut, kGamma, kBeta, kMean, kInvStd, kDresidual, kDinput, kDgamma, kDbeta };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream},
    {"beta", offsetof(Args, beta), SlotKind::tensor, Role::in, 0, Space::stream},
    {"mean", offsetof(Args, mean), SlotKind::tensor, Role::in, 0, Space::stream},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dresidual", offsetof(Args, dresidual), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream},
    {"dgamma", offsetof(Args, dgamma), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"dbeta", offsetof(Args, dbeta), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output)},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma)},
    {"has_dbeta", nullptr, kFieldI32, offsetof(Descriptor, has_dbeta)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::layer_norm_backward_tables

namespace adj::rms_norm_backward_tables {

using Descriptor = adj_rms_norm_backward_descriptor;
using Args = adj_rms_norm_backward_args;
inline constexpr const char* kName = "rms_norm_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kInput, kOut, kGamma, kInvStd, kDresidual, kDinput, kDgamma };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dresidual", offsetof(Args, dresidual), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream},
    {"dgamma", offsetof(Args, dgamma), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output)},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma)},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::rms_norm_backward_tables

namespace adj::layer_norm_forward_tables {

using Descriptor = adj_layer_norm_forward_descriptor;
using Args = adj_layer_norm_forward_args;
inline constexpr const char* kName = "layer_norm_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kResidual, kGamma, kBeta, kOut, kSum, kMean, kInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"residual", offsetof(Args, residual), SlotKind::tensor, Role::in, 0, Space::stream},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream},
    {"beta", offsetof(Args, beta), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream},
    {"sum", offsetof(Args, sum), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream},
    {"mean", offsetof(Args, mean), SlotKind::tensor, Role::out, 0, Space::stream},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::layer_norm_forward_tables

namespace adj::rms_norm_forward_tables {

using Descriptor = adj_rms_norm_forward_descriptor;
using Args = adj_rms_norm_forward_args;
inline constexpr const char* kName = "rms_norm_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kResidual, kGamma, kOut, kSum, kInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"residual", offsetof(Args, residual), SlotKind::tensor, Role::in, 0, Space::stream},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream},
    {"sum", offsetof(Args, sum), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::rms_norm_forward_tables

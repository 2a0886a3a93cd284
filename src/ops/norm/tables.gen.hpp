// Written by tools/generate.py from include/adjoint/ops/norm.h. Do not edit.
#pragma once

#include <adjoint/ops/norm.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::layer_norm_backward_tables {

using Descriptor = adj_layer_norm_backward_descriptor;
using Args = adj_layer_norm_backward_args;
inline constexpr const char* kName = "layer_norm_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kOut, kGamma, kBeta, kMean, kInvStd, kDresidual, kDinput, kDgamma, kDbeta };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape, output: dY"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, element: X; exactly when from_output == 0"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, output: Y; exactly when from_output == 1"},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[columns] weight; optional when from_output == 0: 1"},
    {"beta", offsetof(Args, beta), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[columns] weight: 0 without; only for from_output == 1"},
    {"mean", offsetof(Args, mean), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows] f32 (f64 for f64); exactly when from_output == 0"},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows] f32 (f64 for f64)"},
    {"dresidual", offsetof(Args, dresidual), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "shape, element: another gradient flowing into X, added before the rounding"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream, Given::always, "shape, element: dX; may be dout, input, out or dresidual itself when the types agree"},
    {"dgamma", offsetof(Args, dgamma), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[columns] weight; in/out when write_mode is accumulate; exactly when has_dgamma == 1"},
    {"dbeta", offsetof(Args, dbeta), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[columns] weight; in/out when write_mode is accumulate; exactly when has_dbeta == 1"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and dX"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y and dY; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma, beta and their gradients; 0 = output"},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output), "0: from X, mean and inv_std; 1: from Y, gamma, beta and inv_std"},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma), "1: dgamma is wanted"},
    {"has_dbeta", nullptr, kFieldI32, offsetof(Descriptor, has_dbeta), "1: dbeta is wanted"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dgamma and dbeta"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_BACKWARD;
  info.name = kName;
  info.family = "norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kOut, kGamma, kInvStd, kDresidual, kDinput, kDgamma };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape, output: dY"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, element: X; exactly when from_output == 0"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, output: Y; exactly when from_output == 1"},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[columns] weight; optional when from_output == 0: 1"},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows] f32 (f64 for f64)"},
    {"dresidual", offsetof(Args, dresidual), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "shape, element: another gradient flowing into X, added before the rounding"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput | 1u << kOut | 1u << kDresidual, Space::stream, Given::always, "shape, element: dX; may be dout, input, out or dresidual itself when the types agree"},
    {"dgamma", offsetof(Args, dgamma), SlotKind::tensor, Role::inout, 0, Space::stream, Given::depends, "[columns] weight; in/out when write_mode is accumulate; exactly when has_dgamma == 1"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and dX"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y and dY; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma and dgamma; 0 = output"},
    {"from_output", nullptr, kFieldI32, offsetof(Descriptor, from_output), "0: from X and inv_std; 1: from Y, gamma and inv_std"},
    {"has_dgamma", nullptr, kFieldI32, offsetof(Descriptor, has_dgamma), "1: dgamma is wanted"},
    {"write_mode", "default,overwrite,accumulate", kFieldI32, offsetof(Descriptor, write_mode), "of dgamma"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_BACKWARD;
  info.name = kName;
  info.family = "norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kResidual, kGamma, kBeta, kOut, kSum, kMean, kInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape, element: X"},
    {"residual", offsetof(Args, residual), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, element; exactly when has_residual == 1"},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[columns] weight: 1 without"},
    {"beta", offsetof(Args, beta), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[columns] weight: 0 without"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::always, "shape, output: Y; may be input or residual itself when the types agree"},
    {"sum", offsetof(Args, sum), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::depends, "only for has_residual == 1, shape, element: X + residual; may be input or residual itself"},
    {"mean", offsetof(Args, mean), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[rows] f32 (f64 for f64)"},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[rows] f32 (f64 for f64)"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X, residual and sum"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma and beta; 0 = output"},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual), "1: residual is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAYER_NORM_FORWARD;
  info.name = kName;
  info.family = "norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAYER_NORM_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kResidual, kGamma, kOut, kSum, kInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "shape, element: X"},
    {"residual", offsetof(Args, residual), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "shape, element; exactly when has_residual == 1"},
    {"gamma", offsetof(Args, gamma), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[columns] weight: 1 without"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::always, "shape, output: Y; may be input or residual itself when the types agree"},
    {"sum", offsetof(Args, sum), SlotKind::tensor, Role::out, 1u << kInput | 1u << kResidual, Space::stream, Given::depends, "only for has_residual == 1, shape, element: X + residual; may be input or residual itself"},
    {"inv_std", offsetof(Args, inv_std), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[rows] f32 (f64 for f64)"},
};
inline constexpr Field kFields[] = {
    {"shape", nullptr, kFieldShape, offsetof(Descriptor, shape), "of X"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"axis", nullptr, kFieldI32, offsetof(Descriptor, axis), "first axis that is normalised; negative: counted from the end"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X, residual and sum"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of Y; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of gamma; 0 = output"},
    {"has_residual", nullptr, kFieldI32, offsetof(Descriptor, has_residual), "1: residual is given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_RMS_NORM_FORWARD;
  info.name = kName;
  info.family = "norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_RMS_NORM_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::rms_norm_forward_tables

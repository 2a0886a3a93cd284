// Written by tools/generate.py from include/adjoint/ops/optimizer.h. Do not edit.
#pragma once

#include <adjoint/ops/optimizer.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::adamw_tables {

using Descriptor = adj_adamw_descriptor;
using Args = adj_adamw_args;
inline constexpr const char* kName = "adamw";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kLr, kStep, kGradScale, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::in, 0, Space::stream, Given::always, "gradients of the parameters"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "first moment m"},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "second moment v"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type; a call that skips leaves it as it is"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32 or f64 on the device"},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; must be on the device with advance_step"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device; not 0"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when the device step is below 1"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of both moments: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"mode", "default,decay_first,decay_last", kFieldI32, offsetof(Descriptor, mode), "when weights decay: first unless stated"},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction), "1: a = b = 1; only with ADJ_ADAMW_DECAY_LAST"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards, so a captured graph can be replayed"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1); any finite number with no_bias_correction"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1); any finite number with no_bias_correction"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAMW;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::adamw_tables

namespace adj::sgd_tables {

using Descriptor = adj_sgd_descriptor;
using Args = adj_sgd_args;
inline constexpr const char* kName = "sgd";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kMomentumBuffers, kCopies, kNewParams, kNewMomentumBuffers, kUpdates, kLr, kGradScale,
    kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "written with clear_grads"},
    {"momentum_buffers", offsetof(Args, momentum_buffers), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type; a call that skips leaves it as it is"},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "exactly when out_of_place is 1 and keep_params 0; may be params itself"},
    {"new_momentum_buffers", offsetof(Args, new_momentum_buffers), SlotKind::list, Role::out, 1u << kMomentumBuffers, Space::stream, Given::depends, "exactly when out_of_place is 1 and there are buffers; may be momentum_buffers itself"},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "exactly when updates is 1; may be grads itself"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32, f64, f16 or bf16 on the device"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; not 0"},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; >= 0"},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0 skips"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when gradient_norm is not finite"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of the momentum buffers; 0 = none, required exactly when momentum != 0"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum), "in [0, 1)"},
    {"dampening", nullptr, kFieldF64, offsetof(Descriptor, dampening), "finite"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"nesterov", nullptr, kFieldI32, offsetof(Descriptor, nesterov), "1: needs momentum > 0 and dampening == 0"},
    {"first_step", nullptr, kFieldI32, offsetof(Descriptor, first_step), "1: the momentum buffers are written without being read"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and buffers go to new_params and new_momentum_buffers"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SGD;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SGD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SGD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::sgd_tables

namespace adj::adam_tables {

using Descriptor = adj_adam_descriptor;
using Args = adj_adam_args;
inline constexpr const char* kName = "adam";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kGradScale, kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "written with clear_grads"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "first moment m"},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "second moment v"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "exactly when out_of_place is 1 and keep_params 0; may be params itself"},
    {"new_exp_avg", offsetof(Args, new_exp_avg), SlotKind::list, Role::out, 1u << kExpAvg, Space::stream, Given::depends, "exactly when out_of_place is 1; may be exp_avg itself"},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), SlotKind::list, Role::out, 1u << kExpAvgSq, Space::stream, Given::depends, "exactly when out_of_place is 1; may be exp_avg_sq itself"},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "exactly when updates is 1; may be grads itself"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32, f64, f16 or bf16 on the device"},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; must be on the device with advance_step"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; > 0"},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; >= 0"},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0 skips"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of both moments: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"decay", "default,first,last,l2", kFieldI32, offsetof(Descriptor, decay), "first unless stated"},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction), "1: a = b = 1"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1); any finite number with no_bias_correction"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1); any finite number with no_bias_correction"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAM;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::adam_tables

namespace adj::lamb_tables {

using Descriptor = adj_lamb_descriptor;
using Args = adj_lamb_args;
inline constexpr const char* kName = "lamb";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kGradScale, kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "written with clear_grads"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "first moment m"},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "second moment v"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream, Given::depends, "exactly when out_of_place is 1 and keep_params 0; may be params itself"},
    {"new_exp_avg", offsetof(Args, new_exp_avg), SlotKind::list, Role::out, 1u << kExpAvg, Space::stream, Given::depends, "exactly when out_of_place is 1; may be exp_avg itself"},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), SlotKind::list, Role::out, 1u << kExpAvgSq, Space::stream, Given::depends, "exactly when out_of_place is 1; may be exp_avg_sq itself"},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream, Given::depends, "exactly when updates is 1; may be grads itself"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32, f64, f16 or bf16 on the device"},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; must be on the device with advance_step"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; > 0"},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; >= 0"},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0 skips"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: counts as in adam, and the tensors that are kept as they are"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of both moments: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction), "1: a = b = 1"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place), "1: new weights and moments go to new_params, new_exp_avg and new_exp_avg_sq"},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates), "1: the updates go to the list of that name, rounded to the type of the gradients"},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params), "1: weights are not written; without copies"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards; without updates"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1); any finite number with no_bias_correction"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1); any finite number with no_bias_correction"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"ratio_min", nullptr, kFieldF64, offsetof(Descriptor, ratio_min), "not NaN; at most ratio_max"},
    {"ratio_max", nullptr, kFieldF64, offsetof(Descriptor, ratio_max), "not NaN"},
    {"beta1_of", nullptr, kFieldF64List, offsetof(Descriptor, beta1_of), "beta1 of each tensor; host array, copied by select"},
    {"beta2_of", nullptr, kFieldF64List, offsetof(Descriptor, beta2_of), "beta2 of each tensor; host array, copied by select"},
    {"epsilon_of", nullptr, kFieldF64List, offsetof(Descriptor, epsilon_of), "epsilon of each tensor; host array, copied by select"},
    {"weight_decay_of", nullptr, kFieldF64List, offsetof(Descriptor, weight_decay_of), "weight_decay of each tensor; host array, copied by select"},
    {"max_norm_of", nullptr, kFieldF64List, offsetof(Descriptor, max_norm_of), "max_norm of each tensor; host array, copied by select"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAMB;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAMB_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LAMB_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::lamb_tables

namespace adj::clip_grad_norm_tables {

using Descriptor = adj_clip_grad_norm_descriptor;
using Args = adj_clip_grad_norm_args;
inline constexpr const char* kName = "clip_grad_norm";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kGrads, kGradScale, kNorm, kFactor, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "gradients of the parameters"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; > 0"},
    {"norm", offsetof(Args, norm), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1]: N in f32, or in f64 for gradients of that type"},
    {"factor", offsetof(Args, factor), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1]: factor, in the type of the norm"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[1] f32: 1 where N is not finite, else 0"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16"},
    {"norm_only", nullptr, kFieldI32, offsetof(Descriptor, norm_only), "1: the gradients are not written"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CLIP_GRAD_NORM;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CLIP_GRAD_NORM_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CLIP_GRAD_NORM_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::clip_grad_norm_tables

namespace adj::lion_tables {

using Descriptor = adj_lion_descriptor;
using Args = adj_lion_args;
inline constexpr const char* kName = "lion";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kExpAvg, kCopies, kLr, kStep, kSeed, kGradScale, kGradientNorm, kUpdateSignal, kFoundInf,
    kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "written with clear_grads"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "moment m"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32, f64, f16 or bf16 on the device"},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; read by stochastic_rounding, then >= 1 by value; must be on the device with advance_step"},
    {"seed", offsetof(Args, seed), SlotKind::scalar, Role::in, 0, Space::stream, Given::depends, "with stochastic_rounding, i64 on the device, of which all 64 bits count; from 0 to 2^53 by value"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; > 0"},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; >= 0"},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0 skips"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when gradient_norm is not finite"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f64, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f64, f16, bf16; 0 = param"},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state), "of the moment: f32, f64, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"stochastic_rounding", nullptr, kFieldI32, offsetof(Descriptor, stochastic_rounding), "1: of the new weights, for parameters of a 16-bit type; needs tensor_keys"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1]"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1]"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"tensor_keys", nullptr, kFieldI64List, offsetof(Descriptor, tensor_keys), "host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits"},
    {"first_elements", nullptr, kFieldI64List, offsetof(Descriptor, first_elements), "host array: number of each entry's first element in its tensor, from 0; with its numel at most 2^59"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LION;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LION_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LION_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::lion_tables

namespace adj::adamw_8bit_tables {

using Descriptor = adj_adamw_8bit_descriptor;
using Args = adj_adamw_8bit_args;
inline constexpr const char* kName = "adamw_8bit";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgScale, kExpAvgSq, kExpAvgSqScale, kCopies, kLr, kStep, kSeed, kGradScale,
    kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "written with clear_grads"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "bytes of the first moment m, u8"},
    {"exp_avg_scale", offsetof(Args, exp_avg_scale), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "scales of m, ceil(numel / 256) f32 for each tensor"},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "bytes of the second moment v, u8"},
    {"exp_avg_sq_scale", offsetof(Args, exp_avg_sq_scale), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "scales of v, ceil(numel / 256) f32 for each tensor"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "finite, not negative; must be given; f32, f64, f16 or bf16 on the device"},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream, Given::always, "i64 on the device; >= 1; must be on the device with advance_step"},
    {"seed", offsetof(Args, seed), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "of the random bits; i64 on the device, of which all 64 bits count; from 0 to 2^53 by value"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; > 0"},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32, f64, f16 or bf16 on the device; >= 0"},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "bool on the device; 0 skips"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: 1 is added when the device step is below 1 or gradient_norm is not finite"},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel), "host array of count element counts >= 0; copied by select"},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param), "f32, f16, bf16"},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad), "f32, f16, bf16; 0 = param"},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy), "of a low-precision copy of the parameters: f16, bf16; 0 = none"},
    {"stochastic_rounding", nullptr, kFieldI32, offsetof(Descriptor, stochastic_rounding), "1: of the new weights too, for parameters of a 16-bit type; see lion"},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step), "1: the device step is incremented afterwards"},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads), "1: the gradients are zero afterwards"},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1)"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1)"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm), "> 0; infinity clips nothing"},
    {"tensor_keys", nullptr, kFieldI64List, offsetof(Descriptor, tensor_keys), "host array: a number from 0 to 2^32 - 1 for each tensor; equal keys draw equal bits"},
    {"first_elements", nullptr, kFieldI64List, offsetof(Descriptor, first_elements), "host array: number of each entry's first element in its tensor, a multiple of 256 from 0; with its numel at most 2^59"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAMW_8BIT;
  info.name = kName;
  info.family = "optimizer";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_8BIT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_ADAMW_8BIT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::adamw_8bit_tables

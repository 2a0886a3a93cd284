// Written by tools/generate.py from include/adjoint/ops/optimizer.h. Do not edit.
#pragma once

#include <adjoint/ops/optimizer.h>

#include "plan/op.hpp"

namespace adj::adamw_tables {

using Descriptor = adj_adamw_descriptor;
using Args = adj_adamw_args;
inline constexpr const char* kName = "adamw";
inline const Descriptor kDefault{};
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kLr, kStep, kGradScale, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::in, 0, Space::stream},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param)},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad)},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state)},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy)},
    {"mode", "default,decay_first,decay_last", kFieldI32, offsetof(Descriptor, mode)},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction)},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step)},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1)},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAMW;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kParams, kGrads, kMomentumBuffers, kCopies, kNewParams, kNewMomentumBuffers, kUpdates, kLr, kGradScale,
    kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream},
    {"momentum_buffers", offsetof(Args, momentum_buffers), SlotKind::list, Role::inout, 0, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream},
    {"new_momentum_buffers", offsetof(Args, new_momentum_buffers), SlotKind::list, Role::out, 1u << kMomentumBuffers, Space::stream},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param)},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad)},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state)},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy)},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum)},
    {"dampening", nullptr, kFieldF64, offsetof(Descriptor, dampening)},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay)},
    {"nesterov", nullptr, kFieldI32, offsetof(Descriptor, nesterov)},
    {"first_step", nullptr, kFieldI32, offsetof(Descriptor, first_step)},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place)},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates)},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params)},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads)},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SGD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kGradScale, kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream},
    {"new_exp_avg", offsetof(Args, new_exp_avg), SlotKind::list, Role::out, 1u << kExpAvg, Space::stream},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), SlotKind::list, Role::out, 1u << kExpAvgSq, Space::stream},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param)},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad)},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state)},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy)},
    {"decay", "default,first,last,l2", kFieldI32, offsetof(Descriptor, decay)},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction)},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step)},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place)},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates)},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params)},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads)},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1)},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay)},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_ADAM;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kParams, kGrads, kExpAvg, kExpAvgSq, kCopies, kNewParams, kNewExpAvg, kNewExpAvgSq, kUpdates, kLr, kStep,
    kGradScale, kGradientNorm, kUpdateSignal, kFoundInf, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream},
    {"new_params", offsetof(Args, new_params), SlotKind::list, Role::out, 1u << kParams, Space::stream},
    {"new_exp_avg", offsetof(Args, new_exp_avg), SlotKind::list, Role::out, 1u << kExpAvg, Space::stream},
    {"new_exp_avg_sq", offsetof(Args, new_exp_avg_sq), SlotKind::list, Role::out, 1u << kExpAvgSq, Space::stream},
    {"updates", offsetof(Args, updates), SlotKind::list, Role::out, 1u << kGrads, Space::stream},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream},
    {"step", offsetof(Args, step), SlotKind::scalar, Role::inout, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"gradient_norm", offsetof(Args, gradient_norm), SlotKind::scalar, Role::in, 0, Space::stream},
    {"update_signal", offsetof(Args, update_signal), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"param", nullptr, kFieldDtype, offsetof(Descriptor, param)},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad)},
    {"state", nullptr, kFieldDtype, offsetof(Descriptor, state)},
    {"copy", nullptr, kFieldDtype, offsetof(Descriptor, copy)},
    {"no_bias_correction", nullptr, kFieldI32, offsetof(Descriptor, no_bias_correction)},
    {"advance_step", nullptr, kFieldI32, offsetof(Descriptor, advance_step)},
    {"out_of_place", nullptr, kFieldI32, offsetof(Descriptor, out_of_place)},
    {"updates", nullptr, kFieldI32, offsetof(Descriptor, updates)},
    {"keep_params", nullptr, kFieldI32, offsetof(Descriptor, keep_params)},
    {"clear_grads", nullptr, kFieldI32, offsetof(Descriptor, clear_grads)},
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1)},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay)},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm)},
    {"ratio_min", nullptr, kFieldF64, offsetof(Descriptor, ratio_min)},
    {"ratio_max", nullptr, kFieldF64, offsetof(Descriptor, ratio_max)},
    {"beta1_of", nullptr, kFieldF64List, offsetof(Descriptor, beta1_of)},
    {"beta2_of", nullptr, kFieldF64List, offsetof(Descriptor, beta2_of)},
    {"epsilon_of", nullptr, kFieldF64List, offsetof(Descriptor, epsilon_of)},
    {"weight_decay_of", nullptr, kFieldF64List, offsetof(Descriptor, weight_decay_of)},
    {"max_norm_of", nullptr, kFieldF64List, offsetof(Descriptor, max_norm_of)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LAMB;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
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
enum Slot : int { kGrads, kGradScale, kNorm, kFactor, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"grads", offsetof(Args, grads), SlotKind::list, Role::inout, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"norm", offsetof(Args, norm), SlotKind::tensor, Role::out, 0, Space::stream},
    {"factor", offsetof(Args, factor), SlotKind::tensor, Role::out, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"numel", nullptr, kFieldI64List, offsetof(Descriptor, numel)},
    {"grad", nullptr, kFieldDtype, offsetof(Descriptor, grad)},
    {"norm_only", nullptr, kFieldI32, offsetof(Descriptor, norm_only)},
    {"max_norm", nullptr, kFieldF64, offsetof(Descriptor, max_norm)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CLIP_GRAD_NORM;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::clip_grad_norm_tables

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
enum Slot : int { kParams, kGrads, kMomentumBuffers, kCopies, kLr, kGradScale, kFoundInf };
inline constexpr SlotInfo kSlots[] = {
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::in, 0, Space::stream},
    {"momentum_buffers", offsetof(Args, momentum_buffers), SlotKind::list, Role::inout, 0, Space::stream},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream},
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

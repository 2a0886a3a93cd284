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
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::in, 0, Space::stream, Given::always, "gradients of the parameters"},
    {"exp_avg", offsetof(Args, exp_avg), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "first moment m"},
    {"exp_avg_sq", offsetof(Args, exp_avg_sq), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "second moment v"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type; a call that skips leaves it as it is"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
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
    {"beta1", nullptr, kFieldF64, offsetof(Descriptor, beta1), "in [0, 1)"},
    {"beta2", nullptr, kFieldF64, offsetof(Descriptor, beta2), "in [0, 1)"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), ">= 0"},
    {"weight_decay", nullptr, kFieldF64, offsetof(Descriptor, weight_decay), "finite; 0 = none"},
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
    {"params", offsetof(Args, params), SlotKind::list, Role::inout, 0, Space::stream, Given::always, "parameters w"},
    {"grads", offsetof(Args, grads), SlotKind::list, Role::in, 0, Space::stream, Given::always, "gradients of the parameters"},
    {"momentum_buffers", offsetof(Args, momentum_buffers), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type"},
    {"copies", offsetof(Args, copies), SlotKind::list, Role::inout, 0, Space::stream, Given::depends, "exactly when the descriptor names its type; a call that skips leaves it as it is"},
    {"lr", offsetof(Args, lr), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"grad_scale", offsetof(Args, grad_scale), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device; not 0"},
    {"found_inf", offsetof(Args, found_inf), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[1] f32"},
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

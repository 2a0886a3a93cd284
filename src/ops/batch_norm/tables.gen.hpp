// Written by tools/generate.py from include/adjoint/ops/batch_norm.h. Do not edit.
#pragma once

#include <adjoint/ops/batch_norm.h>

#include "plan/op.hpp"

namespace adj::batch_norm_forward_tables {

using Descriptor = adj_batch_norm_forward_descriptor;
using Args = adj_batch_norm_forward_args;
inline constexpr const char* kName = "batch_norm_forward";
inline const Descriptor kDefault{};
enum Slot : int { kInput, kScale, kBias, kRunningMean, kRunningVariance, kOut, kNextRunningMean, kNextRunningVariance, kSavedMean,
    kSavedInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scale", offsetof(Args, scale), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"running_mean", offsetof(Args, running_mean), SlotKind::tensor, Role::in, 0, Space::stream},
    {"running_variance", offsetof(Args, running_variance), SlotKind::tensor, Role::in, 0, Space::stream},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream},
    {"next_running_mean", offsetof(Args, next_running_mean), SlotKind::tensor, Role::out, 1u << kRunningMean, Space::stream},
    {"next_running_variance", offsetof(Args, next_running_variance), SlotKind::tensor, Role::out, 1u << kRunningVariance, Space::stream},
    {"saved_mean", offsetof(Args, saved_mean), SlotKind::tensor, Role::out, 0, Space::stream},
    {"saved_inv_std", offsetof(Args, saved_inv_std), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats)},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_FORWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::batch_norm_forward_tables

namespace adj::batch_norm_backward_tables {

using Descriptor = adj_batch_norm_backward_descriptor;
using Args = adj_batch_norm_backward_args;
inline constexpr const char* kName = "batch_norm_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDout, kInput, kScale, kSavedMean, kSavedInvStd, kRunningMean, kRunningVariance, kDinput, kDscale, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scale", offsetof(Args, scale), SlotKind::tensor, Role::in, 0, Space::stream},
    {"saved_mean", offsetof(Args, saved_mean), SlotKind::tensor, Role::in, 0, Space::stream},
    {"saved_inv_std", offsetof(Args, saved_inv_std), SlotKind::tensor, Role::in, 0, Space::stream},
    {"running_mean", offsetof(Args, running_mean), SlotKind::tensor, Role::in, 0, Space::stream},
    {"running_variance", offsetof(Args, running_variance), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput, Space::stream},
    {"dscale", offsetof(Args, dscale), SlotKind::tensor, Role::out, 0, Space::stream},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer)},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats)},
    {"frozen", nullptr, kFieldI32, offsetof(Descriptor, frozen)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::batch_norm_backward_tables

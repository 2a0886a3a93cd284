// Written by tools/generate.py from include/adjoint/ops/batch_norm.h. Do not edit.
#pragma once

#include <adjoint/ops/batch_norm.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::batch_norm_forward_tables {

using Descriptor = adj_batch_norm_forward_descriptor;
using Args = adj_batch_norm_forward_args;
inline constexpr const char* kName = "batch_norm_forward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kInput, kScale, kBias, kRunningMean, kRunningVariance, kOut, kNextRunningMean, kNextRunningVariance, kSavedMean,
    kSavedInvStd };
inline constexpr SlotInfo kSlots[] = {
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: X"},
    {"scale", offsetof(Args, scale), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 1 without"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 0 without"},
    {"running_mean", offsetof(Args, running_mean), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] stats; needed without training and for next_running_mean"},
    {"running_variance", offsetof(Args, running_variance), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] stats; needed without training and for next_running_variance"},
    {"out", offsetof(Args, out), SlotKind::tensor, Role::out, 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element: Y; may be input itself"},
    {"next_running_mean", offsetof(Args, next_running_mean), SlotKind::tensor, Role::out, 1u << kRunningMean, Space::stream, Given::depends, "only for training, [channels] stats; may be running_mean itself"},
    {"next_running_variance", offsetof(Args, next_running_variance), SlotKind::tensor, Role::out, 1u << kRunningVariance, Space::stream, Given::depends, "only for training, [channels] stats; may be running_variance itself"},
    {"saved_mean", offsetof(Args, saved_mean), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "only for training, [channels] stats"},
    {"saved_inv_std", offsetof(Args, saved_inv_std), SlotKind::tensor, Role::out, 0, Space::stream, Given::depends, "only for training, [channels] stats"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; -1: not given, an error"},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels), ">= 0; -1: not given, an error"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0"},
    {"momentum", nullptr, kFieldF64, offsetof(Descriptor, momentum), "0 to 1: weight of the old running statistics"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and Y"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of scale and bias; 0 = element"},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats), "of the statistics; 0 = weight"},
    {"training", nullptr, kFieldI32, offsetof(Descriptor, training), "0: with the running statistics"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_FORWARD;
  info.name = kName;
  info.family = "batch_norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_FORWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDout, kInput, kScale, kSavedMean, kSavedInvStd, kRunningMean, kRunningVariance, kDinput, kDscale, kDbias };
inline constexpr SlotInfo kSlots[] = {
    {"dout", offsetof(Args, dout), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: dY"},
    {"input", offsetof(Args, input), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[outer, channels, inner] element: X"},
    {"scale", offsetof(Args, scale), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[channels] weight: 1 without"},
    {"saved_mean", offsetof(Args, saved_mean), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; exactly when frozen == 0"},
    {"saved_inv_std", offsetof(Args, saved_inv_std), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; exactly when frozen == 0"},
    {"running_mean", offsetof(Args, running_mean), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; exactly when frozen == 1"},
    {"running_variance", offsetof(Args, running_variance), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[channels] stats; exactly when frozen == 1"},
    {"dinput", offsetof(Args, dinput), SlotKind::tensor, Role::out, 1u << kDout | 1u << kInput, Space::stream, Given::always, "[outer, channels, inner] element: dX; may be dout or input itself"},
    {"dscale", offsetof(Args, dscale), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[channels] weight"},
    {"dbias", offsetof(Args, dbias), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[channels] weight"},
};
inline constexpr Field kFields[] = {
    {"outer", nullptr, kFieldI64, offsetof(Descriptor, outer), ">= 0; -1: not given, an error"},
    {"channels", nullptr, kFieldI64, offsetof(Descriptor, channels), ">= 0; -1: not given, an error"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), ">= 0"},
    {"epsilon", nullptr, kFieldF64, offsetof(Descriptor, epsilon), "> 0; read where frozen"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of X and its gradient, and of dY"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of scale, dscale and dbias; 0 = element"},
    {"stats", nullptr, kFieldDtype, offsetof(Descriptor, stats), "of the statistics; 0 = weight"},
    {"frozen", nullptr, kFieldI32, offsetof(Descriptor, frozen), "1: the forward operator used the running statistics"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_BATCH_NORM_BACKWARD;
  info.name = kName;
  info.family = "batch_norm";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_BATCH_NORM_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::batch_norm_backward_tables

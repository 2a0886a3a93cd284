// Written by tools/generate.py from include/adjoint/ops/loss.h. Do not edit.
#pragma once

#include <adjoint/ops/loss.h>

#include "plan/op.hpp"

namespace adj::softmax_cross_entropy_loss_tables {

using Descriptor = adj_softmax_cross_entropy_loss_descriptor;
using Args = adj_softmax_cross_entropy_loss_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss";
inline const Descriptor kDefault{};
enum Slot : int { kScores, kLabels, kWeight, kLoss, kLogProb, kLse, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction)},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty)},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index)},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_cross_entropy_loss_tables

namespace adj::softmax_cross_entropy_loss_backward_tables {

using Descriptor = adj_softmax_cross_entropy_loss_backward_descriptor;
using Args = adj_softmax_cross_entropy_loss_backward_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDloss, kLogProb, kScores, kLse, kLabels, kWeight, kBias, kDscores, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dloss", offsetof(Args, dloss), SlotKind::tensor, Role::in, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kBias, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction)},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores)},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index)},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::softmax_cross_entropy_loss_backward_tables

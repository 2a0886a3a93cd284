// Written by tools/generate.py from include/adjoint/ops/loss.h. Do not edit.
#pragma once

#include <adjoint/ops/loss.h>

#include "plan/op.hpp"

namespace adj::softmax_cross_entropy_loss_tables {

using Descriptor = adj_softmax_cross_entropy_loss_descriptor;
using Args = adj_softmax_cross_entropy_loss_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss";
inline const Descriptor kDefault{};
enum Slot : int { kScores, kLabels, kWeight, kLoss, kLogProb, kLse, kErrorFlag, kSampleWeight };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
    {"sample_weight", offsetof(Args, sample_weight), SlotKind::tensor, Role::in, 0, Space::stream},
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
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight)},
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
enum Slot : int { kDloss, kLogProb, kScores, kLse, kLabels, kWeight, kBias, kDscores, kErrorFlag, kSampleWeight };
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
    {"sample_weight", offsetof(Args, sample_weight), SlotKind::tensor, Role::in, 0, Space::stream},
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
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight)},
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

namespace adj::soft_label_cross_entropy_loss_tables {

using Descriptor = adj_soft_label_cross_entropy_loss_descriptor;
using Args = adj_soft_label_cross_entropy_loss_args;
inline constexpr const char* kName = "soft_label_cross_entropy_loss";
inline const Descriptor kDefault{};
enum Slot : int { kScores, kLabels, kLoss, kLogProb, kLse };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output)},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction)},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::soft_label_cross_entropy_loss_tables

namespace adj::soft_label_cross_entropy_loss_backward_tables {

using Descriptor = adj_soft_label_cross_entropy_loss_backward_descriptor;
using Args = adj_soft_label_cross_entropy_loss_backward_args;
inline constexpr const char* kName = "soft_label_cross_entropy_loss_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDloss, kLogProb, kScores, kLse, kLabels, kDscores };
inline constexpr SlotInfo kSlots[] = {
    {"dloss", offsetof(Args, dloss), SlotKind::tensor, Role::in, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kLabels, Space::stream},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction)},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores)},
    {"exact", nullptr, kFieldI32, offsetof(Descriptor, exact)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::soft_label_cross_entropy_loss_backward_tables

namespace adj::cross_entropy_with_gradient_tables {

using Descriptor = adj_cross_entropy_with_gradient_descriptor;
using Args = adj_cross_entropy_with_gradient_args;
inline constexpr const char* kName = "cross_entropy_with_gradient";
inline const Descriptor kDefault{};
enum Slot : int { kScores, kLabels, kWeight, kDloss, kLoss, kLse, kDscores, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dloss", offsetof(Args, dloss), SlotKind::scalar, Role::in, 0, Space::stream},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kScores, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label)},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight)},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction)},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index)},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index)},
    {"label_smoothing", nullptr, kFieldF64, offsetof(Descriptor, label_smoothing)},
    {"z_loss", nullptr, kFieldF64, offsetof(Descriptor, z_loss)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::cross_entropy_with_gradient_tables

namespace adj::log_prob_entropy_tables {

using Descriptor = adj_log_prob_entropy_descriptor;
using Args = adj_log_prob_entropy_args;
inline constexpr const char* kName = "log_prob_entropy";
inline const Descriptor kDefault{};
enum Slot : int { kScores, kLabels, kLogProb, kEntropy, kLse, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 0, Space::stream},
    {"entropy", offsetof(Args, entropy), SlotKind::tensor, Role::out, 0, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label)},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index)},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::log_prob_entropy_tables

namespace adj::log_prob_entropy_backward_tables {

using Descriptor = adj_log_prob_entropy_backward_descriptor;
using Args = adj_log_prob_entropy_backward_args;
inline constexpr const char* kName = "log_prob_entropy_backward";
inline const Descriptor kDefault{};
enum Slot : int { kDlogProb, kDentropy, kScores, kLabels, kLse, kEntropy, kDscores, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dlog_prob", offsetof(Args, dlog_prob), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dentropy", offsetof(Args, dentropy), SlotKind::tensor, Role::in, 0, Space::stream},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream},
    {"entropy", offsetof(Args, entropy), SlotKind::tensor, Role::in, 0, Space::stream},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kScores, Space::stream},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples)},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes)},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element)},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label)},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index)},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index)},
    {"with_entropy", nullptr, kFieldI32, offsetof(Descriptor, with_entropy)},
};
// What the header says; the operator's planning adds the rest.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY_BACKWARD;
  info.name = kName;
  info.descriptor_size = info.first_descriptor_size = sizeof(Descriptor);
  info.args_size = info.first_args_size = sizeof(Args);
  info.default_descriptor = &kDefault;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::log_prob_entropy_backward_tables

// Written by tools/generate.py from include/adjoint/ops/loss.h. Do not edit.
#pragma once

#include <adjoint/ops/loss.h>

#include "plan/op.hpp"
#include "plan/structs.hpp"

namespace adj::softmax_cross_entropy_loss_tables {

using Descriptor = adj_softmax_cross_entropy_loss_descriptor;
using Args = adj_softmax_cross_entropy_loss_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
enum Slot : int { kScores, kLabels, kWeight, kLoss, kLogProb, kLse, kErrorFlag, kSampleWeight };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, C, inner] element; with padded_classes [N, P]"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] label"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[C] weight; required exactly when the descriptor names its type"},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[N, inner] for none, one element otherwise; output"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream, Given::optional, "only without padding, [N, C, inner] output; may be scores itself when the types agree"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[N, inner] f32 (f64 for f64): logsumexp, for the gradient"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
    {"sample_weight", offsetof(Args, sample_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, inner] sample_weight; required exactly when the descriptor names its type"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; only where inner is 1; 0 = C"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of loss and log_prob: element, or f32 for 16-bit scores; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights: f32, f64, f16, bf16; 0 = no weights"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty), "1: a mean over nothing is NaN, as in PyTorch and the ONNX function body; refused unless reduction is mean"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight), "of the samples' weights: f32, f64, f16, bf16; 0 = none"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDloss, kLogProb, kScores, kLse, kLabels, kWeight, kBias, kDscores, kErrorFlag, kSampleWeight };
inline constexpr SlotInfo kSlots[] = {
    {"dloss", offsetof(Args, dloss), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] for none, one element otherwise; element"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, C, inner] element; exactly when from_scores == 0, which has no padding"},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, C, inner] element; with padded_classes [N, P]; exactly when from_scores == 1"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, inner] f32 (f64 for f64); exactly when from_scores == 1"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] label"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[C] weight; required exactly when the descriptor names its type"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[N, C, inner] output; with padded_classes [N, P]"},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kBias, Space::stream, Given::always, "[N, C, inner] output; with padded_classes [N, P]; may be log_prob, scores or bias itself when the types agree"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
    {"sample_weight", offsetof(Args, sample_weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, inner] sample_weight; required exactly when the descriptor names its type"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; only where inner is 1; 0 = C"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of log_prob or scores, and of dloss: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of dscores: element, or a 16-bit type for f32; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights; 0 = no weights"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores), "0: from log_prob; 1: from scores and lse"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight), "of the samples' weights: f32, f64, f16, bf16; 0 = none"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kScores, kLabels, kLoss, kLogProb, kLse };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, C] element"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, C] element"},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[rows] for none, one element otherwise; output"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream, Given::optional, "[rows, C] element; may be scores itself"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[rows] f32 (f64 for f64): logsumexp, for the gradient"},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores, labels and log_prob: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of loss: element, or f32 for 16-bit scores; 0 = element"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty), "1: a mean over no rows is NaN; refused unless reduction is mean"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDloss, kLogProb, kScores, kLse, kLabels, kDscores };
inline constexpr SlotInfo kSlots[] = {
    {"dloss", offsetof(Args, dloss), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows] for none, one element otherwise; element"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows, C] element; exactly when from_scores == 0"},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows, C] element; exactly when from_scores == 1"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows] f32 (f64 for f64); exactly when from_scores == 1"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, C] element"},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kLabels, Space::stream, Given::always, "[rows, C] element; may be log_prob, scores or labels itself"},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of all tensors but lse: f32, f64, f16, bf16"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores), "0: from log_prob; 1: from scores and lse"},
    {"exact", nullptr, kFieldI32, offsetof(Descriptor, exact), "1: labels need not add up to 1"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kScores, kLabels, kWeight, kDloss, kLoss, kLse, kDscores, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M, C] element; with padded_classes [M, P]"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M] label"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[C] weight; required exactly when the descriptor names its type"},
    {"dloss", offsetof(Args, dloss), SlotKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device"},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[M] for none, one element otherwise; f32 (f64 for f64)"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[M] f32 (f64 for f64): logsumexp"},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kScores, Space::stream, Given::always, "[M, C] element; with padded_classes [M, P]; may be scores itself"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; 0 = C"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores and dscores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights: f32, f64, f16, bf16; 0 = no weights"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"label_smoothing", nullptr, kFieldF64, offsetof(Descriptor, label_smoothing), "in [0, 1]"},
    {"z_loss", nullptr, kFieldF64, offsetof(Descriptor, z_loss), ">= 0"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kScores, kLabels, kLogProb, kEntropy, kLse, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M, C] element"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M] label"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[M] f32 (f64 for f64)"},
    {"entropy", offsetof(Args, entropy), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[M] f32 (f64 for f64)"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[M] f32 (f64 for f64): for the gradient"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
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
inline const Args kDefaultArgs{};
enum Slot : int { kDlogProb, kDentropy, kScores, kLabels, kLse, kEntropy, kDscores, kErrorFlag };
inline constexpr SlotInfo kSlots[] = {
    {"dlog_prob", offsetof(Args, dlog_prob), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M] f32 (f64 for f64)"},
    {"dentropy", offsetof(Args, dentropy), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[M] f32 (f64 for f64); exactly when with_entropy == 1"},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M, C] element"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M] label"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[M] f32 (f64 for f64)"},
    {"entropy", offsetof(Args, entropy), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[M] f32 (f64 for f64); exactly when with_entropy == 1"},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kScores, Space::stream, Given::always, "[M, C] element; may be scores itself"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores and dscores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"with_entropy", nullptr, kFieldI32, offsetof(Descriptor, with_entropy), "1: dentropy and entropy are given"},
};
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.slots = kSlots;
  return info;
}

}  // namespace adj::log_prob_entropy_backward_tables

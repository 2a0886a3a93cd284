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
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, C, inner] element"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] label"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[C] weight; required exactly when the descriptor names its type"},
    {"loss", offsetof(Args, loss), SlotKind::tensor, Role::out, 0, Space::stream, Given::always, "[N, inner] for none, one element otherwise; output"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::out, 1u << kScores, Space::stream, Given::optional, "[N, C, inner] output; may be scores itself when the types agree"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::out, 0, Space::stream, Given::optional, "[N, inner] f32 (f64 for f64): logsumexp, for the gradient"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of loss and log_prob: element, or f32 for 16-bit scores; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights: f32, f64, f16, bf16; 0 = no weights"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty), "1: a mean over nothing is NaN, as in PyTorch and the ONNX function body"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
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
    {"dloss", offsetof(Args, dloss), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] for none, one element otherwise; element"},
    {"log_prob", offsetof(Args, log_prob), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, C, inner] element; exactly when from_scores == 0"},
    {"scores", offsetof(Args, scores), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, C, inner] element; exactly when from_scores == 1"},
    {"lse", offsetof(Args, lse), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[N, inner] f32 (f64 for f64); exactly when from_scores == 1"},
    {"labels", offsetof(Args, labels), SlotKind::tensor, Role::in, 0, Space::stream, Given::always, "[N, inner] label"},
    {"weight", offsetof(Args, weight), SlotKind::tensor, Role::in, 0, Space::stream, Given::depends, "[C] weight; required exactly when the descriptor names its type"},
    {"bias", offsetof(Args, bias), SlotKind::tensor, Role::in, 0, Space::stream, Given::optional, "[N, C, inner] output"},
    {"dscores", offsetof(Args, dscores), SlotKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kBias, Space::stream, Given::always, "[N, C, inner] output; may be log_prob, scores or bias itself when the types agree"},
    {"error_flag", offsetof(Args, error_flag), SlotKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of log_prob or scores, and of dloss: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of dscores: element, or a 16-bit type for f32; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights; 0 = no weights"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores), "0: from log_prob; 1: from scores and lse"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
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

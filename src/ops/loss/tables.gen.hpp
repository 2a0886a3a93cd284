// Written by tools/generate.py from include/adjoint/ops/loss.h. Do not edit.
#pragma once

#include <adjoint/ops/loss.h>

#include "plan/op.hpp"
#include "plan/rules.hpp"
#include "plan/structs.hpp"

namespace adj {
inline constexpr const char* loss_conventions = R"text(Losses.

Arguments. Tensors are [N, C] or [N, C, d1..dk] with the class axis second: batch = N, num_classes = C, inner = d1*..*dk (1 for two dimensions).
With the class axis last, batch is the product of all dimensions before it, and inner is 1. Sample i is one of the M = N * inner positions. With
its label l_i it has the weight
    w_i = 0 when l_i == ignore_index, else weight[l_i] * sample_weight[i], where a factor that is not given is 1.

Padding. With padded_classes = P > C, scores and their gradient are [N, P], and inner is 1. The last P - C numbers of every sample are padding. No
result depends on the padding of scores. The padding of the gradient is 0.

Types. Everything is computed in f32 (f64 for f64) and rounded once. With preference.math = ADJ_MATH_IEEE it is computed in f64 for every type.
Without a reduction, the results of a sample do not depend on other samples (batch_invariant). Nor does the gradient of a sum.

Edge cases:
- An ignored sample has a loss of 0 and a gradient of 0, whatever its scores are.
- A label outside [0, C) that is not ignore_index has no loss. The loss and the gradient row of its sample are NaN, and so are a sum and a mean.
  It is counted in error_flag. It does not count in the gradient's Z, so other samples keep their gradients. Nothing is read out of bounds.
- A NaN or +infinity among the scores of a sample makes its lse, log_prob, loss and gradient row NaN.
- Scores that are all -infinity give an lse of -infinity; log_prob, loss and gradient row are NaN. That holds for one class too.
- A label whose score is -infinity, beside finite scores, has a loss of +infinity.
- A weight of 0 hides nothing: 0 times a NaN or an infinity is NaN. Only an ignored label does.
- A mean with Z == 0 is 0, and its gradient is 0, whatever the scores are.

Terms (see adj_guarantee), with p_c the softmax of a sample's scores x, m the largest of them, L = |log of the sum of exp(x_c - m)|, and
q the mean of 1 + |x_c - m| weighted by p:
    loss: w_i (|loss| + q)      lse: |m| + L + q      log_prob: |x_c - m| + L + q, for the label |loss| + q
    gradient, g being the factor of the sample: |g| max(p_c, 1e-30) (1 + |log p_c|), for the label |g| (|p_c - 1| + p_c |log p_c|)
Terms of sums and means are sums and means of these. Operators below that have other terms state them.

Source: ONNX SoftmaxCrossEntropyLoss (opset 13); com.microsoft SoftmaxCrossEntropyLossGrad, SoftmaxCrossEntropy and SparseSoftmaxCrossEntropy with
their gradients; PyTorch's cross_entropy.)text";
}

namespace adj::softmax_cross_entropy_loss_tables {

using Descriptor = adj_softmax_cross_entropy_loss_descriptor;
using Args = adj_softmax_cross_entropy_loss_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax cross-entropy loss, forward:
    log_prob[n, c, d] = scores[n, c, d] - logsumexp over c of scores[n, :, d]
    none: loss_i = -log_prob[l_i] * w_i (exactly 0 where ignored)      sum: their sum
    mean: their sum / Z, Z = sum of w_i; 0 when Z == 0 (NaN with nan_when_empty)

Its gradient: softmax_cross_entropy_loss_backward(dloss, scores, lse, labels, weight, sample_weight).)text";
enum Argument : int { kScores, kLabels, kWeight, kLoss, kLogProb, kLse, kErrorFlag, kSampleWeight };
inline constexpr ArgumentInfo kArguments[] = {
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, (padded_classes ? padded_classes : num_classes), inner], element", ""},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, inner] label", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_classes] weight; only if weight", "weight"},
    {"loss", offsetof(Args, loss), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "reduction == none ? [batch, inner] : [1], output", ""},
    {"log_prob", offsetof(Args, log_prob), ArgumentKind::tensor, Role::out, 1u << kScores, Space::stream, Given::depends, "[batch, num_classes, inner] output; only if !(padded_classes > num_classes); may be scores itself: may share its buffer when the types agree", "!(padded_classes > num_classes)"},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[batch, inner] accumulator(element): logsumexp, for the gradient", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it", ""},
    {"sample_weight", offsetof(Args, sample_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, inner] sample_weight; only if sample_weight", "sample_weight"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; only where inner is 1; 0 = C"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty), "1: a mean over nothing is NaN, as in PyTorch and the ONNX function body; refused unless reduction is mean"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of loss and log_prob: element, or f32 for 16-bit scores; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights: f32, f64, f16, bf16; 0 = no weights"},
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight), "of the samples' weights: f32, f64, f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 4, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 3, offsetof(Descriptor, padded_classes), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::choose, -1, 4, 4, 5},
    {TermOp::items, -1, 6, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 8, 7, 0},
    {TermOp::type, 5, offsetof(Descriptor, label), kNoTerm, 0},
    {TermOp::items, -1, 8, 3, 0},
    {TermOp::type, 7, offsetof(Descriptor, weight), kNoTerm, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::type, 6, offsetof(Descriptor, output), 1, 0},
    {TermOp::i32, -1, offsetof(Descriptor, reduction), 0, 0},
    {TermOp::number, -1, ADJ_REDUCTION_NONE, 0, 0},
    {TermOp::eq, -1, 15, 16, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::choose_shape, -1, 17, 11, 18},
    {TermOp::gt, -1, 4, 5, 0},
    {TermOp::negation, -1, 20, 0, 0},
    {TermOp::items, -1, 5, 3, 0},
    {TermOp::items, -1, 8, 22, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::type, 8, offsetof(Descriptor, sample_weight), kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), 0, false, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"padded_classes", kFieldI64, offsetof(Descriptor, padded_classes), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"label", kFieldDtype, offsetof(Descriptor, label), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"sample_weight", kFieldDtype, offsetof(Descriptor, sample_weight), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {9, 1, kNoTerm, kNoTerm},
    {11, 10, kNoTerm, kNoTerm},
    {13, 12, 12, kNoTerm},
    {19, 14, kNoTerm, kNoTerm},
    {23, 14, 21, 0},
    {11, 24, kNoTerm, 0},
    {18, 25, kNoTerm, 0},
    {11, 26, 26, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kScores] = tensor(d.element, Dims().add(d.batch).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)).add(d.inner));
  arguments[kLabels] = tensor(d.label, Dims().add(d.batch).add(d.inner));
  arguments[kWeight] = (d.weight != 0) ? tensor(d.weight, Dims().add(d.num_classes)) : ArgumentSpec::forbidden();
  arguments[kLoss] = tensor(either(d.output, d.element), ((d.reduction == ADJ_REDUCTION_NONE) ? Dims().add(d.batch).add(d.inner) : Dims().add(1)));
  arguments[kLogProb] = !(d.padded_classes > d.num_classes) ? tensor(either(d.output, d.element), Dims().add(d.batch).add(d.num_classes).add(d.inner), Presence::optional) : ArgumentSpec::forbidden();
  arguments[kLse] = tensor(accumulator_of(d.element), Dims().add(d.batch).add(d.inner), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSampleWeight] = (d.sample_weight != 0) ? tensor(d.sample_weight, Dims().add(d.batch).add(d.inner)) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::softmax_cross_entropy_loss_tables

namespace adj::softmax_cross_entropy_loss_backward_tables {

using Descriptor = adj_softmax_cross_entropy_loss_backward_descriptor;
using Args = adj_softmax_cross_entropy_loss_backward_args;
inline constexpr const char* kName = "softmax_cross_entropy_loss_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax cross-entropy loss, gradient:
    dscores[n, c, d] = g_i * w_i * (exp(log_prob[n, c, d]) - [c == l_i]) / Z + bias[n, c, d]
    g = dloss: a scalar for mean and sum, one per sample for none
    Z = sum of w_i for mean, else 1; where Z == 0 the first summand is 0

Arguments. Give either log_prob, or scores and the lse that the forward operator saved, which is more precise and has less traffic. bias is
another gradient flowing into the scores. It is added before the one rounding. The first summand of an ignored sample is exactly 0.)text";
enum Argument : int { kDloss, kLogProb, kScores, kLse, kLabels, kWeight, kBias, kDscores, kErrorFlag, kSampleWeight };
inline constexpr ArgumentInfo kArguments[] = {
    {"dloss", offsetof(Args, dloss), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "reduction == none ? [batch, inner] : [1], element", ""},
    {"log_prob", offsetof(Args, log_prob), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, (padded_classes ? padded_classes : num_classes), inner], element; only if !from_scores", "!from_scores"},
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, (padded_classes ? padded_classes : num_classes), inner], element; only if from_scores", "from_scores"},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, inner] accumulator(element); only if from_scores", "from_scores"},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[batch, inner] label", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_classes] weight; only if weight", "weight"},
    {"bias", offsetof(Args, bias), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::optional, "[batch, (padded_classes ? padded_classes : num_classes), inner], output", ""},
    {"dscores", offsetof(Args, dscores), ArgumentKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kBias, Space::stream, Given::always, "[batch, (padded_classes ? padded_classes : num_classes), inner], output; may be log_prob, scores or bias itself: may share a buffer when the types agree", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it", ""},
    {"sample_weight", offsetof(Args, sample_weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[batch, inner] sample_weight; only if sample_weight", "sample_weight"},
};
inline constexpr Field kFields[] = {
    {"batch", nullptr, kFieldI64, offsetof(Descriptor, batch), "N >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"inner", nullptr, kFieldI64, offsetof(Descriptor, inner), "d1*..*dk >= 0"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; only where inner is 1; 0 = C"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores), "0: from log_prob; 1: from scores and lse"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of log_prob or scores, and of dloss: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of dscores: element, or a 16-bit type for f32; 0 = element"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights; 0 = no weights"},
    {"sample_weight", nullptr, kFieldDtype, offsetof(Descriptor, sample_weight), "of the samples' weights: f32, f64, f16, bf16; 0 = none"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 5, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, reduction), 0, 0},
    {TermOp::number, -1, ADJ_REDUCTION_NONE, 0, 0},
    {TermOp::eq, -1, 2, 3, 0},
    {TermOp::i64, 2, offsetof(Descriptor, inner), 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, batch), 0, 0},
    {TermOp::items, -1, 7, 6, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::choose_shape, -1, 4, 8, 9},
    {TermOp::i32, 4, offsetof(Descriptor, from_scores), 0, 0},
    {TermOp::negation, -1, 11, 0, 0},
    {TermOp::i64, 3, offsetof(Descriptor, padded_classes), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::choose, -1, 13, 13, 14},
    {TermOp::items, -1, 15, 6, 0},
    {TermOp::items, -1, 7, 16, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::type, 6, offsetof(Descriptor, label), kNoTerm, 0},
    {TermOp::type, 8, offsetof(Descriptor, weight), kNoTerm, 0},
    {TermOp::items, -1, 14, kNoTerm, 0},
    {TermOp::type, 7, offsetof(Descriptor, output), 1, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::type, 9, offsetof(Descriptor, sample_weight), kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"batch", kFieldI64, offsetof(Descriptor, batch), 0, false, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"inner", kFieldI64, offsetof(Descriptor, inner), 0, true, 0},
    {"padded_classes", kFieldI64, offsetof(Descriptor, padded_classes), kNoTerm, false, 0},
    {"from_scores", kFieldI32, offsetof(Descriptor, from_scores), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"label", kFieldDtype, offsetof(Descriptor, label), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 0},
    {"sample_weight", kFieldDtype, offsetof(Descriptor, sample_weight), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {10, 1, kNoTerm, kNoTerm},
    {17, 1, 12, kNoTerm},
    {17, 1, 11, kNoTerm},
    {8, 18, 11, kNoTerm},
    {8, 19, kNoTerm, kNoTerm},
    {21, 20, 20, kNoTerm},
    {17, 22, kNoTerm, 0},
    {17, 22, kNoTerm, kNoTerm},
    {9, 23, kNoTerm, 0},
    {8, 24, 24, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDloss] = tensor(d.element, ((d.reduction == ADJ_REDUCTION_NONE) ? Dims().add(d.batch).add(d.inner) : Dims().add(1)));
  arguments[kLogProb] = !(d.from_scores != 0) ? tensor(d.element, Dims().add(d.batch).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)).add(d.inner)) : ArgumentSpec::forbidden();
  arguments[kScores] = (d.from_scores != 0) ? tensor(d.element, Dims().add(d.batch).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)).add(d.inner)) : ArgumentSpec::forbidden();
  arguments[kLse] = (d.from_scores != 0) ? tensor(accumulator_of(d.element), Dims().add(d.batch).add(d.inner)) : ArgumentSpec::forbidden();
  arguments[kLabels] = tensor(d.label, Dims().add(d.batch).add(d.inner));
  arguments[kWeight] = (d.weight != 0) ? tensor(d.weight, Dims().add(d.num_classes)) : ArgumentSpec::forbidden();
  arguments[kBias] = tensor(either(d.output, d.element), Dims().add(d.batch).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)).add(d.inner), Presence::optional);
  arguments[kDscores] = tensor(either(d.output, d.element), Dims().add(d.batch).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)).add(d.inner));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
  arguments[kSampleWeight] = (d.sample_weight != 0) ? tensor(d.sample_weight, Dims().add(d.batch).add(d.inner)) : ArgumentSpec::forbidden();
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::softmax_cross_entropy_loss_backward_tables

namespace adj::soft_label_cross_entropy_loss_tables {

using Descriptor = adj_soft_label_cross_entropy_loss_descriptor;
using Args = adj_soft_label_cross_entropy_loss_args;
inline constexpr const char* kName = "soft_label_cross_entropy_loss";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax cross-entropy with probabilities as labels, rows of scores and labels side by side:
    log_prob[r, c] = scores[r, c] - logsumexp over c of scores[r, :]
    none: loss_r = -sum over c of labels[r, c] * log_prob[r, c]      sum: their sum
    mean: their sum / rows; 0 without rows (NaN with nan_when_empty)
A label of 0 contributes 0, whatever its log-probability: a row of scores with a NaN has a loss of 0 where all its labels are 0.
Terms of a loss: the sum over c of |labels[r, c]| (|x_c - m| + L + q).

Its gradient: soft_label_cross_entropy_loss_backward(dloss, scores, lse, labels, exact).)text";
enum Argument : int { kScores, kLabels, kLoss, kLogProb, kLse };
inline constexpr ArgumentInfo kArguments[] = {
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, num_classes] element", ""},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, num_classes] element", ""},
    {"loss", offsetof(Args, loss), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "reduction == none ? [rows] : [1], output", ""},
    {"log_prob", offsetof(Args, log_prob), ArgumentKind::tensor, Role::out, 1u << kScores, Space::stream, Given::optional, "[rows, num_classes] element; may be scores itself", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[rows] accumulator(element): logsumexp, for the gradient", ""},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"nan_when_empty", nullptr, kFieldI32, offsetof(Descriptor, nan_when_empty), "1: a mean over no rows is NaN; refused unless reduction is mean"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores, labels and log_prob: f32, f64, f16, bf16"},
    {"output", nullptr, kFieldDtype, offsetof(Descriptor, output), "of loss: element, or f32 for 16-bit scores; 0 = element"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, rows), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::type, 3, offsetof(Descriptor, output), 1, 0},
    {TermOp::i32, -1, offsetof(Descriptor, reduction), 0, 0},
    {TermOp::number, -1, ADJ_REDUCTION_NONE, 0, 0},
    {TermOp::eq, -1, 7, 8, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::choose_shape, -1, 9, 10, 11},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
};
inline constexpr KnownField kKnownFields[] = {
    {"rows", kFieldI64, offsetof(Descriptor, rows), 0, true, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"output", kFieldDtype, offsetof(Descriptor, output), kNoTerm, false, 1},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {5, 1, kNoTerm, kNoTerm},
    {12, 6, kNoTerm, kNoTerm},
    {5, 1, kNoTerm, 0},
    {10, 13, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kScores] = tensor(d.element, Dims().add(d.rows).add(d.num_classes));
  arguments[kLabels] = tensor(d.element, Dims().add(d.rows).add(d.num_classes));
  arguments[kLoss] = tensor(either(d.output, d.element), ((d.reduction == ADJ_REDUCTION_NONE) ? Dims().add(d.rows) : Dims().add(1)));
  arguments[kLogProb] = tensor(d.element, Dims().add(d.rows).add(d.num_classes), Presence::optional);
  arguments[kLse] = tensor(accumulator_of(d.element), Dims().add(d.rows), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::soft_label_cross_entropy_loss_tables

namespace adj::soft_label_cross_entropy_loss_backward_tables {

using Descriptor = adj_soft_label_cross_entropy_loss_backward_descriptor;
using Args = adj_soft_label_cross_entropy_loss_backward_args;
inline constexpr const char* kName = "soft_label_cross_entropy_loss_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax cross-entropy with probabilities as labels, gradient:
    dscores[r, c] = g_r * (exp(log_prob[r, c]) - labels[r, c]) / z
    with exact: dscores[r, c] = g_r * (exp(log_prob[r, c]) * sum of labels[r, :] - labels[r, c]) / z
    g = dloss: a scalar for mean and sum, one per row for none;  z = rows for mean, else 1
Without exact, that is the derivative when the labels of a row add up to 1; with exact, for any labels.

Arguments. The probabilities come from log_prob, or from scores and the lse that the forward operator saved.

Terms: |g_r / z| (p_c (1 + |x_c| + |lse|) S + |labels[r, c]|). S is the sum of |labels[r, :]| with exact, else 1. Without from_scores x_c is
log_prob and lse is 0.)text";
enum Argument : int { kDloss, kLogProb, kScores, kLse, kLabels, kDscores };
inline constexpr ArgumentInfo kArguments[] = {
    {"dloss", offsetof(Args, dloss), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "reduction == none ? [rows] : [1], element", ""},
    {"log_prob", offsetof(Args, log_prob), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows, num_classes] element; only if !from_scores", "!from_scores"},
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows, num_classes] element; only if from_scores", "from_scores"},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[rows] accumulator(element); only if from_scores", "from_scores"},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[rows, num_classes] element", ""},
    {"dscores", offsetof(Args, dscores), ArgumentKind::tensor, Role::out, 1u << kLogProb | 1u << kScores | 1u << kLabels, Space::stream, Given::always, "[rows, num_classes] element; may be log_prob, scores or labels itself", ""},
};
inline constexpr Field kFields[] = {
    {"rows", nullptr, kFieldI64, offsetof(Descriptor, rows), ">= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"from_scores", nullptr, kFieldI32, offsetof(Descriptor, from_scores), "0: from log_prob; 1: from scores and lse"},
    {"exact", nullptr, kFieldI32, offsetof(Descriptor, exact), "1: labels need not add up to 1"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of all tensors but lse: f32, f64, f16, bf16"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i32, -1, offsetof(Descriptor, reduction), 0, 0},
    {TermOp::number, -1, ADJ_REDUCTION_NONE, 0, 0},
    {TermOp::eq, -1, 2, 3, 0},
    {TermOp::i64, 0, offsetof(Descriptor, rows), 0, 0},
    {TermOp::items, -1, 5, kNoTerm, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::choose_shape, -1, 4, 6, 7},
    {TermOp::i32, 2, offsetof(Descriptor, from_scores), 0, 0},
    {TermOp::negation, -1, 9, 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::items, -1, 11, kNoTerm, 0},
    {TermOp::items, -1, 5, 12, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
};
inline constexpr KnownField kKnownFields[] = {
    {"rows", kFieldI64, offsetof(Descriptor, rows), 0, true, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"from_scores", kFieldI32, offsetof(Descriptor, from_scores), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {8, 1, kNoTerm, kNoTerm},
    {13, 1, 10, kNoTerm},
    {13, 1, 9, kNoTerm},
    {6, 14, 9, kNoTerm},
    {13, 1, kNoTerm, kNoTerm},
    {13, 1, kNoTerm, kNoTerm},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDloss] = tensor(d.element, ((d.reduction == ADJ_REDUCTION_NONE) ? Dims().add(d.rows) : Dims().add(1)));
  arguments[kLogProb] = !(d.from_scores != 0) ? tensor(d.element, Dims().add(d.rows).add(d.num_classes)) : ArgumentSpec::forbidden();
  arguments[kScores] = (d.from_scores != 0) ? tensor(d.element, Dims().add(d.rows).add(d.num_classes)) : ArgumentSpec::forbidden();
  arguments[kLse] = (d.from_scores != 0) ? tensor(accumulator_of(d.element), Dims().add(d.rows)) : ArgumentSpec::forbidden();
  arguments[kLabels] = tensor(d.element, Dims().add(d.rows).add(d.num_classes));
  arguments[kDscores] = tensor(d.element, Dims().add(d.rows).add(d.num_classes));
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::soft_label_cross_entropy_loss_backward_tables

namespace adj::cross_entropy_with_gradient_tables {

using Descriptor = adj_cross_entropy_with_gradient_descriptor;
using Args = adj_cross_entropy_with_gradient_args;
inline constexpr const char* kName = "cross_entropy_with_gradient";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Softmax cross-entropy loss and its gradient in one call, from rows of scores:
    p[i, c] = exp(scores[i, c] - lse_i),   s = label_smoothing,   k = z_loss
    loss_i = (1 - s) * w_i * (lse_i - scores[i, l_i]) + s / C * sum over c of weight[c] * (lse_i - scores[i, c]) + k * lse_i^2
    none: loss[i] = loss_i      sum: their sum      mean: the first two terms over Z, the last one over the number of samples
    w_i = weight[l_i], or 1;  Z = sum of w_i
    dscores = dloss * the derivative of loss, for none of the sum of all losses
The smoothing is PyTorch's label smoothing.

Types. loss and lse are f32 (f64 for f64) whatever the element type.

Edge cases:
- An ignored sample has w_i = 0 and all terms 0. It counts neither in Z nor among the samples, and its row of dscores is exactly 0.
- A mean over nothing is 0.
- Where Z is 0 and there are samples, the z-loss of a mean remains.

Terms, with v_c = s / C * weight[c] / Z and w = (1 - s) w_i / Z (Z = 1 for none and sum; K = 1, for mean the number of samples):
    loss: w (|x_l - m| + L + q) + sum over c of v_c (|x_c| + |m| + L + q) + k (|m| + L + q)^2 / K
    dscores, f = w + sum of v + 2 k (|m| + L + q) / K: |dloss| (f p_c (2 + |x_c - m| + L + q) + v_c), for the label |dloss| (f + v_l)

Its gradient is dscores, times dloss.)text";
enum Argument : int { kScores, kLabels, kWeight, kDloss, kLoss, kLse, kDscores, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples, (padded_classes ? padded_classes : num_classes)], element", ""},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples] label", ""},
    {"weight", offsetof(Args, weight), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[num_classes] weight; only if weight", "weight"},
    {"dloss", offsetof(Args, dloss), ArgumentKind::scalar, Role::in, 0, Space::stream, Given::always, "f32 or f64 on the device", ""},
    {"loss", offsetof(Args, loss), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "reduction == none ? [samples] : [1], accumulator(element)", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[samples] accumulator(element): logsumexp", ""},
    {"dscores", offsetof(Args, dscores), ArgumentKind::tensor, Role::out, 1u << kScores, Space::stream, Given::always, "[samples, (padded_classes ? padded_classes : num_classes)], element; may be scores itself", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"padded_classes", nullptr, kFieldI64, offsetof(Descriptor, padded_classes), "P >= C, the classes and their padding; 0 = C"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"label_smoothing", nullptr, kFieldF64, offsetof(Descriptor, label_smoothing), "in [0, 1]"},
    {"z_loss", nullptr, kFieldF64, offsetof(Descriptor, z_loss), ">= 0"},
    {"reduction", "default,none,sum,mean", kFieldI32, offsetof(Descriptor, reduction), "mean unless stated"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores and dscores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
    {"weight", nullptr, kFieldDtype, offsetof(Descriptor, weight), "of the class weights: f32, f64, f16, bf16; 0 = no weights"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 2, offsetof(Descriptor, padded_classes), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::choose, -1, 2, 2, 3},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, samples), 0, 0},
    {TermOp::items, -1, 6, 5, 0},
    {TermOp::type, 4, offsetof(Descriptor, label), kNoTerm, 0},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::type, 5, offsetof(Descriptor, weight), kNoTerm, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::i32, -1, offsetof(Descriptor, reduction), 0, 0},
    {TermOp::number, -1, ADJ_REDUCTION_NONE, 0, 0},
    {TermOp::eq, -1, 13, 14, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
    {TermOp::choose_shape, -1, 15, 9, 16},
    {TermOp::number, -1, ADJ_I64, 0, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"samples", kFieldI64, offsetof(Descriptor, samples), 0, true, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"padded_classes", kFieldI64, offsetof(Descriptor, padded_classes), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"label", kFieldDtype, offsetof(Descriptor, label), kNoTerm, false, 0},
    {"weight", kFieldDtype, offsetof(Descriptor, weight), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {7, 1, kNoTerm, kNoTerm},
    {9, 8, kNoTerm, kNoTerm},
    {11, 10, 10, kNoTerm},
    {kNoTerm, kNoTerm, kNoTerm, kNoTerm},
    {17, 12, kNoTerm, kNoTerm},
    {9, 12, kNoTerm, 0},
    {7, 1, kNoTerm, kNoTerm},
    {16, 18, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kScores] = tensor(d.element, Dims().add(d.samples).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)));
  arguments[kLabels] = tensor(d.label, Dims().add(d.samples));
  arguments[kWeight] = (d.weight != 0) ? tensor(d.weight, Dims().add(d.num_classes)) : ArgumentSpec::forbidden();
  arguments[kDloss] = ArgumentSpec::scalar(ADJ_F32, ADJ_F64);
  arguments[kLoss] = tensor(accumulator_of(d.element), ((d.reduction == ADJ_REDUCTION_NONE) ? Dims().add(d.samples) : Dims().add(1)));
  arguments[kLse] = tensor(accumulator_of(d.element), Dims().add(d.samples), Presence::optional);
  arguments[kDscores] = tensor(d.element, Dims().add(d.samples).add(((d.padded_classes != 0) ? d.padded_classes : d.num_classes)));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_CROSS_ENTROPY_WITH_GRADIENT;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::cross_entropy_with_gradient_tables

namespace adj::log_prob_entropy_tables {

using Descriptor = adj_log_prob_entropy_descriptor;
using Args = adj_log_prob_entropy_args;
inline constexpr const char* kName = "log_prob_entropy";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Log-probability of a label and entropy of the distribution, from rows of scores in one read, without storing probabilities:
    log_prob_i = scores[i, l_i] - lse_i,   entropy_i = lse_i - sum over c of p[i, c] * scores[i, c],   p[i, c] = exp(scores[i, c] - lse_i)
p log p is 0 where p is 0.

Types. Results are f32 (f64 for f64).

Edge cases:
- An ignored sample has a log_prob and an entropy of 0, and the lse of its scores.
- An out-of-range label has a log_prob of NaN, and the entropy of its scores.

Terms, with Q the mean of (1 + |x_c - m|)^2 weighted by p: entropy: Q + L      log_prob: |x_l - m| + Q + L      lse: |m| + Q + L

Its gradient: log_prob_entropy_backward(dlog_prob, dentropy, scores, labels, lse, entropy ? dentropy).)text";
enum Argument : int { kScores, kLabels, kLogProb, kEntropy, kLse, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples, num_classes] element", ""},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples] label", ""},
    {"log_prob", offsetof(Args, log_prob), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::always, "[samples] accumulator(element)", ""},
    {"entropy", offsetof(Args, entropy), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[samples] accumulator(element)", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::out, 0, Space::stream, Given::optional, "[samples] accumulator(element): for the gradient", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 2, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::items, -1, 2, kNoTerm, 0},
    {TermOp::i64, 0, offsetof(Descriptor, samples), 0, 0},
    {TermOp::items, -1, 4, 3, 0},
    {TermOp::type, 3, offsetof(Descriptor, label), kNoTerm, 0},
    {TermOp::items, -1, 4, kNoTerm, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"samples", kFieldI64, offsetof(Descriptor, samples), 0, true, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"label", kFieldDtype, offsetof(Descriptor, label), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {5, 1, kNoTerm, kNoTerm},
    {7, 6, kNoTerm, kNoTerm},
    {7, 8, kNoTerm, kNoTerm},
    {7, 8, kNoTerm, 0},
    {7, 8, kNoTerm, 0},
    {10, 9, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kScores] = tensor(d.element, Dims().add(d.samples).add(d.num_classes));
  arguments[kLabels] = tensor(d.label, Dims().add(d.samples));
  arguments[kLogProb] = tensor(accumulator_of(d.element), Dims().add(d.samples));
  arguments[kEntropy] = tensor(accumulator_of(d.element), Dims().add(d.samples), Presence::optional);
  arguments[kLse] = tensor(accumulator_of(d.element), Dims().add(d.samples), Presence::optional);
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::log_prob_entropy_tables

namespace adj::log_prob_entropy_backward_tables {

using Descriptor = adj_log_prob_entropy_backward_descriptor;
using Args = adj_log_prob_entropy_backward_args;
inline constexpr const char* kName = "log_prob_entropy_backward";
inline const Descriptor kDefault{};
inline const Args kDefaultArgs{};
inline constexpr const char* kDefinition = R"text(Log-probability and entropy, gradient with respect to the scores:
    dscores[i, c] = dlog_prob_i * ([c == l_i] - p[i, c]) - dentropy_i * p[i, c] * (log p[i, c] + entropy_i)
Exact zeros for ignored samples; NaN for out-of-range labels.
Terms, with y = 1 + |x_c| + |lse|: p_c y (|dlog_prob| + |dentropy| (1 + y + |entropy|)), for the label |dlog_prob| more.)text";
enum Argument : int { kDlogProb, kDentropy, kScores, kLabels, kLse, kEntropy, kDscores, kErrorFlag };
inline constexpr ArgumentInfo kArguments[] = {
    {"dlog_prob", offsetof(Args, dlog_prob), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples] accumulator(element)", ""},
    {"dentropy", offsetof(Args, dentropy), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[samples] accumulator(element); only if with_entropy", "with_entropy"},
    {"scores", offsetof(Args, scores), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples, num_classes] element", ""},
    {"labels", offsetof(Args, labels), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples] label", ""},
    {"lse", offsetof(Args, lse), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::always, "[samples] accumulator(element)", ""},
    {"entropy", offsetof(Args, entropy), ArgumentKind::tensor, Role::in, 0, Space::stream, Given::depends, "[samples] accumulator(element); only if with_entropy", "with_entropy"},
    {"dscores", offsetof(Args, dscores), ArgumentKind::tensor, Role::out, 1u << kScores, Space::stream, Given::always, "[samples, num_classes] element; may be scores itself", ""},
    {"error_flag", offsetof(Args, error_flag), ArgumentKind::tensor, Role::inout, 0, Space::stream, Given::optional, "[1] i64: out-of-range labels are added to it", ""},
};
inline constexpr Field kFields[] = {
    {"samples", nullptr, kFieldI64, offsetof(Descriptor, samples), "M >= 0; must be given"},
    {"num_classes", nullptr, kFieldI64, offsetof(Descriptor, num_classes), "C >= 0; must be given"},
    {"ignore_index", nullptr, kFieldI64, offsetof(Descriptor, ignore_index), "the label of samples that do not count"},
    {"has_ignore_index", nullptr, kFieldI32, offsetof(Descriptor, has_ignore_index), "1: ignore_index holds"},
    {"with_entropy", nullptr, kFieldI32, offsetof(Descriptor, with_entropy), "1: dentropy and entropy are given"},
    {"element", nullptr, kFieldDtype, offsetof(Descriptor, element), "of scores and dscores: f32, f64, f16, bf16"},
    {"label", nullptr, kFieldDtype, offsetof(Descriptor, label), "i32, i64"},
};
inline constexpr Term kTerms[] = {
    {TermOp::number, -1, 1, 0, 0},
    {TermOp::type, 3, offsetof(Descriptor, element), kNoTerm, 0},
    {TermOp::accumulator, -1, 1, kNoTerm, kNoTerm},
    {TermOp::i64, 0, offsetof(Descriptor, samples), 0, 0},
    {TermOp::items, -1, 3, kNoTerm, 0},
    {TermOp::i32, 2, offsetof(Descriptor, with_entropy), 0, 0},
    {TermOp::i64, 1, offsetof(Descriptor, num_classes), 0, 0},
    {TermOp::items, -1, 6, kNoTerm, 0},
    {TermOp::items, -1, 3, 7, 0},
    {TermOp::type, 4, offsetof(Descriptor, label), kNoTerm, 0},
    {TermOp::number, -1, ADJ_I64, 0, 0},
    {TermOp::items, -1, 0, kNoTerm, 0},
};
inline constexpr KnownField kKnownFields[] = {
    {"samples", kFieldI64, offsetof(Descriptor, samples), 0, true, 0},
    {"num_classes", kFieldI64, offsetof(Descriptor, num_classes), kNoTerm, false, 0},
    {"with_entropy", kFieldI32, offsetof(Descriptor, with_entropy), kNoTerm, false, 0},
    {"element", kFieldDtype, offsetof(Descriptor, element), kNoTerm, false, 0},
    {"label", kFieldDtype, offsetof(Descriptor, label), kNoTerm, false, 0},
};
inline constexpr ArgumentTerms kArgumentTerms[] = {
    {4, 2, kNoTerm, kNoTerm},
    {4, 2, 5, kNoTerm},
    {8, 1, kNoTerm, kNoTerm},
    {4, 9, kNoTerm, kNoTerm},
    {4, 2, kNoTerm, kNoTerm},
    {4, 2, 5, kNoTerm},
    {8, 1, kNoTerm, kNoTerm},
    {11, 10, kNoTerm, 0},
};
inline void stated_shapes([[maybe_unused]] const void* descriptor, std::span<ArgumentSpec> arguments) {
  using namespace rules;
  [[maybe_unused]] const auto& d = *static_cast<const Descriptor*>(descriptor);
  arguments[kDlogProb] = tensor(accumulator_of(d.element), Dims().add(d.samples));
  arguments[kDentropy] = (d.with_entropy != 0) ? tensor(accumulator_of(d.element), Dims().add(d.samples)) : ArgumentSpec::forbidden();
  arguments[kScores] = tensor(d.element, Dims().add(d.samples).add(d.num_classes));
  arguments[kLabels] = tensor(d.label, Dims().add(d.samples));
  arguments[kLse] = tensor(accumulator_of(d.element), Dims().add(d.samples));
  arguments[kEntropy] = (d.with_entropy != 0) ? tensor(accumulator_of(d.element), Dims().add(d.samples)) : ArgumentSpec::forbidden();
  arguments[kDscores] = tensor(d.element, Dims().add(d.samples).add(d.num_classes));
  arguments[kErrorFlag] = tensor(ADJ_I64, Dims().add(1), Presence::optional);
}
// Facts that stand in the header. The operator's planning adds its functions and rows.
inline OpInfo base_info() {
  OpInfo info{};
  info.id = ADJ_OP_LOG_PROB_ENTROPY_BACKWARD;
  info.name = kName;
  info.family = "loss";
  info.definition = kDefinition;
  info.conventions = loss_conventions;
  info.descriptor_size = sizeof(Descriptor);
  info.args_size = sizeof(Args);
  info.first_descriptor_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR));
  info.first_args_size = static_cast<std::uint32_t>(first_size(ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS));
  info.default_descriptor = &kDefault;
  info.default_args = &kDefaultArgs;
  info.fields = kFields;
  info.arguments = kArguments;
  info.terms = kTerms;
  info.known_fields = kKnownFields;
  info.argument_terms = kArgumentTerms;
  info.shapes = stated_shapes;
  return info;
}

}  // namespace adj::log_prob_entropy_backward_tables

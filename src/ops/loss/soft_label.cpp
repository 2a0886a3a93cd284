// Planning of the cross entropy with probabilities as labels, and of its gradient.
#include <adjoint/ops/loss.h>

#include "host/loss.hpp"
#include "ops/loss/sums.hpp"
#include "ops/loss.gen.hpp"

namespace adj {

namespace {

bool is_mean(adj_reduction reduction) { return reduction == ADJ_REDUCTION_DEFAULT || reduction == ADJ_REDUCTION_MEAN; }

template <class Descriptor>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.rows = 4;
  d.num_classes = 8;
  d.element = types[0];
  return true;
}

namespace forward {

using namespace soft_label_cross_entropy_loss_tables;
using P = SoftLabelParams;

const std::vector<Signature>& signatures() {
  static const auto* list =
      new std::vector<Signature>{{ADJ_F32, ADJ_F32}, {ADJ_F64, ADJ_F64}, {ADJ_F16, ADJ_F16}, {ADJ_F16, ADJ_F32}, {ADJ_BF16, ADJ_BF16}, {ADJ_BF16, ADJ_F32}};
  return *list;
}
// f64: the row has a program for any rows only, in f64.
template <bool f64>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const bool reduced = d.reduction != ADJ_REDUCTION_NONE;
  if (d.rows == 0 && !reduced) return {};
  std::uint64_t totals_at = 0;
  if (d.rows > 0) {
    const RowGeometry g = row_geometry(d.num_classes, d.element);
    P p{};
    p.rows = d.rows;
    p.classes = d.num_classes;
    p.group = g.group;
    p.resident = g.resident;
    p.output_dtype = d.output ? d.output : d.element;
    if (reduced) totals_at = builder.book(static_cast<std::uint64_t>(d.rows) * 2 * sizeof(double));
    const bool whole = g.whole && !f64;
    auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.grid(*request.device, d.rows), g.block);
    if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kScores, kLabels, kLogProb});
    kernel.params(p)
        .tensor(offsetof(P, scores), kScores)
        .tensor(offsetof(P, labels), kLabels)
        .tensor(offsetof(P, log_prob), kLogProb)
        .tensor(offsetof(P, lse), kLse);
    if (reduced) kernel.workspace(offsetof(P, totals), totals_at);
    else kernel.tensor(offsetof(P, loss), kLoss);
  }
  if (reduced) loss::plan_total(builder, *request.device, false, totals_at, d.rows, is_mean(d.reduction), d.nan_when_empty, kLoss);
  return {};
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.rows > 0 || d.reduction != ADJ_REDUCTION_NONE) builder.host(host_call<Descriptor, Args, host::soft_label_cross_entropy_loss>);
  return {};
}

// Terms of log_prob: t = |x - m| + |log of the sum| + q. Terms of a row's loss: the sum of |label| * t. Terms of lse: |m| more. Here m is
// the largest score of a row, and q the mean of 1 + |x - m| weighted by the exponentials.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-19);
}
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); }
constexpr auto kAlone = loss::alone_without_reduction<Descriptor>;
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a group of threads has a row, in registers where it fits, else the scores are read twice",
       .programs = {{"loss/soft_label.cu", "soft_label_cross_entropy_loss", "ADJ_T={0} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/soft_label.cu", "soft_label_cross_entropy_loss", "ADJ_T={0} ADJ_ALIGNED=0", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{1}")},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .finish = plan<false>},
      {.algorithm = "row_f64",
       .summary = "as row, in f64 for every element type",
       .programs = {{"loss/soft_label.cu", "soft_label_cross_entropy_loss_f64", "ADJ_T={0} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}},
                    ADJ_LOSS_TOTAL_PROGRAM("{1}")},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = plan<true>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee,
       .guarantee_for = kAlone,
       .finish = plan_host}};
  return *list;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxCrossEntropy", describe<Descriptor>}};

}  // namespace forward

namespace backward {

using namespace soft_label_cross_entropy_loss_backward_tables;
using P = SoftLabelBackwardParams;

// f64: the row has a program for any rows only, in f64.
template <bool f64>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.rows == 0 || d.num_classes == 0) return {};
  const RowGeometry g = row_geometry(d.num_classes, d.element);
  P p{};
  p.inverse = is_mean(d.reduction) ? 1 / static_cast<double>(d.rows) : 1;
  p.rows = d.rows;
  p.classes = d.num_classes;
  p.group = g.group;
  p.resident = g.resident;
  p.exact = d.exact;
  p.dloss_per_row = d.reduction == ADJ_REDUCTION_NONE;
  const int input = d.from_scores ? kScores : kLogProb;
  const bool whole = g.whole && !f64;
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.grid(*request.device, d.rows), g.block);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, {input, kLabels, kDscores});
  kernel.params(p)
      .tensor(offsetof(P, input), input)
      .tensor(offsetof(P, labels), kLabels)
      .tensor(offsetof(P, dloss), kDloss)
      .tensor(offsetof(P, dscores), kDscores);
  if (d.from_scores) kernel.tensor(offsetof(P, lse), kLse);
  return {};
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.rows > 0 && d.num_classes > 0) builder.host(host_call<Descriptor, Args, host::soft_label_cross_entropy_loss_backward>);
  return {};
}

// Terms: |dloss / z| * (exp(log_prob) * (1 + |x| + |lse|) * s + |label|). x is the score, or log_prob when there is no lse. s is the sum of
// |labels| if the descriptor says `exact`, else 1.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-20, 0x1p-120);
}
adj_guarantee f64_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14); }
constexpr auto kAlone = loss::alone_without_mean<Descriptor>;
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-14); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a group of threads writes a row; with exact, its labels are added up first",
       .programs = {{"loss/soft_label_backward.cu", "soft_label_cross_entropy_loss_backward", "ADJ_T={0} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/soft_label_backward.cu", "soft_label_cross_entropy_loss_backward", "ADJ_T={0} ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .guarantee_for = kAlone,
       .finish = plan<false>},
      {.algorithm = "row_f64",
       .summary = "as row, in f64 for every element type",
       .programs = {{"loss/soft_label_backward.cu", "soft_label_cross_entropy_loss_backward_f64", "ADJ_T={0} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}}},
       .guarantee = f64_guarantee,
       .guarantee_for = kAlone,
       .accepts = loss::is_narrow,
       .finish = plan<true>},
      {.algorithm = "reference",
       .summary = "host memory",
       .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee,
       .guarantee_for = kAlone,
       .finish = plan_host}};
  return *list;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "SoftmaxCrossEntropyGrad", describe<Descriptor>}};

}  // namespace backward

}  // namespace

const OpInfo& info_soft_label_cross_entropy_loss() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element, output",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = element_output_signature<Descriptor>});
  return info;
}

const OpInfo& info_soft_label_cross_entropy_loss_backward() {
  using namespace backward;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = float_signatures(), .signature_columns = "element", .variants = variants(), .onnx = kOnnx, .signature = element_signature<Descriptor>});
  return info;
}

}  // namespace adj

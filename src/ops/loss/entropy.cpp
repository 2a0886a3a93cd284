// Planning of log_prob_entropy and its gradient.
#include <adjoint/ops/loss.h>

#include "host/loss.hpp"
#include "ops/loss/sums.hpp"
#include "ops/loss.gen.hpp"

namespace adj {

namespace {

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype label : {ADJ_I32, ADJ_I64}) made->push_back({element, label});
    return made.release();
  }();
  return *list;
}
template <class Descriptor>
Signature signature_of(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.label};
}
template <class Descriptor>
LossLabelParams label_params(const Descriptor& d) {
  LossLabelParams p{};
  p.num_classes = d.num_classes;
  p.ignore_index = d.ignore_index;
  p.has_ignore_index = d.has_ignore_index;
  return p;
}
template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*)>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  if (static_cast<const Descriptor*>(request.descriptor)->samples > 0) builder.host(host_call<Descriptor, Args, host>);
  return {};
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

namespace forward {

using namespace log_prob_entropy_tables;
using P = LogProbEntropyParams;

// f64: the row has a program for any rows only, in f64.
template <bool f64>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.samples == 0) return {};
  // Blocks of at most 256 threads let a multiprocessor work on several rows, so that some are read while others begin or end.
  const RowGeometry g = row_geometry(d.num_classes, d.element, 1, 256);
  P p{};
  p.label = label_params(d);
  p.samples = d.samples;
  p.group = g.group;
  const bool whole = g.whole && !f64;
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.grid(*request.device, d.samples), g.block);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kScores});
  kernel.params(p)
      .tensor(offsetof(P, scores), kScores)
      .tensor(offsetof(P, log_prob), kLogProb)
      .tensor(offsetof(P, entropy), kEntropy)
      .tensor(offsetof(P, lse), kLse);
  loss::bind_labels(kernel, offsetof(P, label), {.labels = kLabels, .error_flag = kErrorFlag});
  return {};
}

// Terms: q + |log of the sum|; for log_prob also |x - m| at the label, for lse also |m|. Here m is the largest score of a row, and q the
// mean of (1 + |x - m|)^2 weighted by the exponentials.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-19);
}
const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "row",
                                .summary = "a group of threads reads a row once, keeping a running maximum and two sums",
                                .programs = {{"loss/entropy.cu", "log_prob_entropy", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                                             {"loss/entropy.cu", "log_prob_entropy", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0", {kMain, kAnyRows}}},
                                .guarantee = guarantee,
                                .finish = plan<false>},
                               {.algorithm = "row_f64",
                                .summary = "as row, in f64 for every element type",
                                .programs = {{"loss/entropy.cu", "log_prob_entropy_f64", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}}},
                                .guarantee = [](const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-13); },
                                .accepts = loss::is_narrow,
                                .finish = plan<true>},
                               host_row(host_guarantee, plan_host<Descriptor, Args, host::log_prob_entropy>)};
  return *list;
}

}  // namespace forward

namespace backward {

using namespace log_prob_entropy_backward_tables;
using P = LogProbEntropyBackwardParams;

// f64: the row has a program for any rows only, in f64.
template <bool f64>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.samples == 0) return {};
  const RowGeometry g = row_geometry(d.num_classes, d.element);
  P p{};
  p.label = label_params(d);
  p.samples = d.samples;
  p.group = g.group;
  const bool whole = g.whole && !f64;
  auto kernel = builder.kernel({kMain, whole ? kWholeRows : kAnyRows}, g.grid(*request.device, d.samples), g.block);
  if (whole) kernel.when_unaligned({kMain, kAnyRows}, {kScores, kDscores});
  kernel.params(p)
      .tensor(offsetof(P, scores), kScores)
      .tensor(offsetof(P, lse), kLse)
      .tensor(offsetof(P, entropy), kEntropy)
      .tensor(offsetof(P, dlog_prob), kDlogProb)
      .tensor(offsetof(P, dentropy), kDentropy)
      .tensor(offsetof(P, dscores), kDscores);
  loss::bind_labels(kernel, offsetof(P, label), {.labels = kLabels, .error_flag = kErrorFlag});
  return {};
}

// Terms: p * y * (|dlog_prob| + |dentropy| * (1 + y + |entropy|)) with y = 1 + |x| + |lse|; at the label also |dlog_prob|.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_FAST, ADJ_F32, 0.51, 0x1p-20, 0x1p-115);
}
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row",
       .summary = "a group of threads writes a row",
       .programs = {{"loss/entropy_backward.cu", "log_prob_entropy_backward", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"loss/entropy_backward.cu", "log_prob_entropy_backward", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan<false>},
      {.algorithm = "row_f64",
       .summary = "as row, in f64 for every element type",
       .programs = {{"loss/entropy_backward.cu", "log_prob_entropy_backward_f64", "ADJ_T={0} ADJ_L={1} ADJ_ALIGNED=0 ADJ_ACC_F64=1", {kMain, kAnyRows}}},
       .guarantee = [](const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-14); },
       .accepts = loss::is_narrow,
       .finish = plan<true>},
      host_row(host_guarantee, plan_host<Descriptor, Args, host::log_prob_entropy_backward>)};
  return *list;
}

}  // namespace backward

}  // namespace

const OpInfo& info_log_prob_entropy() {
  using namespace forward;
  static const OpInfo info = op_info(
      base_info(), {.signatures = signatures(),
                    .signature_columns = "element, label",
                    .variants = variants(),
                    .signature = signature_of<Descriptor>,
                    .integers_below = [](const void* d, int argument) { return argument == kLabels ? static_cast<const Descriptor*>(d)->num_classes : 0; }});
  return info;
}

const OpInfo& info_log_prob_entropy_backward() {
  using namespace backward;
  static const OpInfo info = op_info(
      base_info(), {.signatures = signatures(),
                    .signature_columns = "element, label",
                    .variants = variants(),
                    .signature = signature_of<Descriptor>,
                    .integers_below = [](const void* d, int argument) { return argument == kLabels ? static_cast<const Descriptor*>(d)->num_classes : 0; }});
  return info;
}

}  // namespace adj

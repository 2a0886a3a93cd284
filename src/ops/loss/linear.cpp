// Planning of the losses of a linear layer: products and losses of a chunk of samples at a time, which are plans of other operators.
#include <cmath>

#include <adjoint/ops/loss.h>
#include <adjoint/ops/matmul.h>

#include "host/linear_loss.hpp"
#include "kernels/prelude/scalar.h"
#include "ops/common/common.hpp"
#include "ops/loss/sums.hpp"
#include "ops/loss.gen.hpp"
#include "ops/matmul.gen.hpp"

#include "kernels/loss/linear.h"

namespace adj {

namespace {

namespace products = matmul_tables;
enum Program : int { kScale, kRows, kLossTotal };
constexpr std::int64_t kScoreBytes = std::int64_t{1} << 29, kMostRows = 2048, kRowsTogether = 128, kMostChunks = 4096;
constexpr unsigned kOneBlock = 1024, kRowsBlock = 512;

// What the operators have in common, and differ in.
struct CrossEntropy {
  using Descriptor = adj_linear_cross_entropy_descriptor;
  using Args = adj_linear_cross_entropy_args;
  static constexpr const char* kName = linear_cross_entropy_tables::kName;
  static constexpr bool log_prob = false, backward = false;
};
struct CrossEntropyBackward {
  using Descriptor = adj_linear_cross_entropy_backward_descriptor;
  using Args = adj_linear_cross_entropy_backward_args;
  static constexpr const char* kName = linear_cross_entropy_backward_tables::kName;
  static constexpr bool log_prob = false, backward = true;
};
struct LogProb {
  using Descriptor = adj_linear_log_prob_descriptor;
  using Args = adj_linear_log_prob_args;
  static constexpr const char* kName = linear_log_prob_tables::kName;
  static constexpr bool log_prob = true, backward = false;
};
struct LogProbBackward {
  using Descriptor = adj_linear_log_prob_backward_descriptor;
  using Args = adj_linear_log_prob_backward_args;
  static constexpr const char* kName = linear_log_prob_backward_tables::kName;
  static constexpr bool log_prob = true, backward = true;
};

template <class Descriptor>
bool is_mean(const Descriptor& d) {
  return d.reduction == ADJ_REDUCTION_DEFAULT || d.reduction == ADJ_REDUCTION_MEAN;
}
// Elements from one row of scores to the next.
template <class Op>
std::int64_t pitch_of(const typename Op::Descriptor& d) {
  if constexpr (Op::log_prob) return d.num_classes;
  else return loss::padded_classes(d);
}
// True when the gradients are written.
template <class Op>
bool differentiates(const typename Op::Descriptor& d) {
  if constexpr (Op::backward) return true;
  else if constexpr (Op::log_prob) return false;
  else return d.with_gradient;
}
template <class Op>
std::int64_t chunk_rows(const typename Op::Descriptor& d) {
  std::int64_t rows = d.chunk_rows;
  if (rows == 0) {
    rows = std::clamp<std::int64_t>((d.max_workspace ? d.max_workspace : kScoreBytes) / std::max<std::int64_t>(1, pitch_of<Op>(d) * size_of(d.element)), 1,
                                    kMostRows);
    if (rows > kRowsTogether) rows = rows / kRowsTogether * kRowsTogether;
  }
  return std::max<std::int64_t>(1, std::min(rows, d.samples));
}

template <class Op>
Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(descriptor);
  const char* const op = Op::kName;
  if constexpr (!Op::log_prob)
    if (d.weight && d.z_loss > 0 && is_mean(d))
      return fail(ADJ_ERROR_UNSUPPORTED, "{}: z_loss = {} with class weights under the reduction mean, whose terms have two divisors", op, d.z_loss);
  return check_volume(op, "the scores of a chunk", {chunk_rows<Op>(d), pitch_of<Op>(d)});
}

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F16, ADJ_BF16})
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

// Arguments of an operator; a negative one is not there.
struct Places {
  int input, linear_weight, labels, error_flag, bias = -1, weight = -1, dinput = -1, dlinear_weight = -1, dbias = -1;
};
template <class Op>
Places places_of(const typename Op::Descriptor& d) {
  if constexpr (Op::log_prob && !Op::backward) {
    using namespace linear_log_prob_tables;
    return {kInput, kLinearWeight, kLabels, kErrorFlag};
  } else if constexpr (Op::log_prob) {
    using namespace linear_log_prob_backward_tables;
    return {.input = kInput, .linear_weight = kLinearWeight, .labels = kLabels, .error_flag = kErrorFlag, .dinput = kDinput, .dlinear_weight = kDlinearWeight};
  } else if constexpr (Op::backward) {
    using namespace linear_cross_entropy_backward_tables;
    return {kInput, kLinearWeight, kLabels, kErrorFlag, d.has_bias ? kBias : -1, d.weight ? kWeight : -1, kDinput, kDlinearWeight, d.has_bias ? kDbias : -1};
  } else {
    using namespace linear_cross_entropy_tables;
    return {kInput, kLinearWeight, kLabels, kErrorFlag, d.has_bias ? kBias : -1, d.weight ? kWeight : -1, kDinput, kDlinearWeight, d.has_bias ? kDbias : -1};
  }
}

template <class Op>
class Planner {
 public:
  using Descriptor = typename Op::Descriptor;
  Planner(const PlanRequest& request, PlanBuilder& builder)
      : request_(request),
        builder_(builder),
        d_(*static_cast<const Descriptor*>(request.descriptor)),
        at_(places_of<Op>(d_)),
        pitch_(pitch_of<Op>(d_)),
        size_(size_of(d_.element)),
        rows_(chunk_rows<Op>(d_)) {}

  Result<void> plan() {
    const bool gradients = differentiates<Op>(d_);
    if (ceil_div(d_.samples, rows_) > kMostChunks)
      return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} chunks, here {} of {} samples", kMostChunks, ceil_div(d_.samples, rows_), rows_);
    const auto bytes = static_cast<std::uint64_t>(rows_ * pitch_ * size_);
    if (d_.samples > 0) {
      scores_ = builder_.book(bytes);
      gradient_ = gradients && softcap() > 0 ? builder_.book(bytes) : scores_;
    }
    if constexpr (!Op::log_prob) {
      scale_ = builder_.book(sizeof(float));
      inverse_ = builder_.book(sizeof(double));
      losses_ = builder_.book(static_cast<std::uint64_t>(d_.samples) * sizeof(float));
    }
    const std::uint64_t room = builder_.parts_begin();
    if (gradients && !accumulates() && d_.samples == 0) {
      builder_.clear_output(at_.dlinear_weight);
      if (at_.dbias >= 0) builder_.clear_output(at_.dbias);
    }
    if constexpr (!Op::log_prob)
      if (is_mean(d_) || Op::backward) add_scale();
    for (std::int64_t first = 0; first < d_.samples; first += rows_) ADJ_TRY(chunk(first, std::min(rows_, d_.samples - first), room));
    if constexpr (!Op::log_prob && !Op::backward)
      if (d_.reduction != ADJ_REDUCTION_NONE) add_total();
    return {};
  }

 private:
  double softcap() const {
    if constexpr (Op::log_prob) return 0;
    else return d_.softcap;
  }
  bool accumulates() const {
    if constexpr (requires { d_.write_mode; }) return d_.write_mode == ADJ_WRITE_ACCUMULATE;
    else return false;
  }
  LossLabelParams label_params() const {
    LossLabelParams label{};
    label.num_classes = d_.num_classes;
    label.ignore_index = d_.ignore_index;
    label.has_ignore_index = d_.has_ignore_index;
    if constexpr (!Op::log_prob) label.weight_dtype = d_.weight;
    return label;
  }
  std::uint64_t offset(std::int64_t elements, adj_dtype type) const { return static_cast<std::uint64_t>(elements * size_of(type)); }

  // The factor of the gradient, and 1 / Z.
  void add_scale() {
    LinearLossParams p{};
    p.label = label_params();
    p.samples = d_.samples;
    p.mean = is_mean(d_);
    p.dloss.value = 1;
    p.dloss.dtype = ADJ_F32;
    auto kernel = builder_.kernel(kScale, 1, kOneBlock);
    kernel.params(p).workspace(offsetof(LinearLossParams, scale), scale_).workspace(offsetof(LinearLossParams, inverse), inverse_);
    kernel.tensor(offsetof(LinearLossParams, label) + offsetof(LossLabelParams, labels), at_.labels);
    if (at_.weight >= 0) kernel.tensor(offsetof(LinearLossParams, label) + offsetof(LossLabelParams, weight), at_.weight);
    if constexpr (!Op::backward) kernel.scalar(offsetof(LinearLossParams, dloss), linear_cross_entropy_tables::kDloss);
    else if (d_.reduction != ADJ_REDUCTION_NONE)
      kernel.tensor(offsetof(LinearLossParams, dloss) + offsetof(ScalarParam, device), linear_cross_entropy_backward_tables::kDloss);
  }
  void add_total() {
    LinearLossParams p{};
    p.samples = d_.samples;
    if (!is_mean(d_)) {  // the factor 1
      add_scale();
    }
    builder_.kernel(kLossTotal, 1, kOneBlock)
        .params(p)
        .workspace(offsetof(LinearLossParams, losses), losses_)
        .workspace(offsetof(LinearLossParams, inverse), inverse_)
        .tensor(offsetof(LinearLossParams, loss), linear_cross_entropy_tables::kLoss);
  }

  // A pass of linear_rows.cu over the rows of a chunk.
  enum class Pass { caps, scales, drops };
  void add_rows(Pass pass, std::int64_t first, std::int64_t rows) {
    LinearRowsParams p{};
    p.label = label_params();
    p.samples = rows;
    p.classes = d_.num_classes;
    p.pitch = pitch_;
    p.softcap = softcap() > 0 ? softcap() : 1;
    p.caps = pass == Pass::caps;
    p.drops = pass == Pass::drops;
    auto kernel = builder_.kernel(kRows, strided_grid(*request_.device, rows), kRowsBlock);
    if constexpr (Op::backward && !Op::log_prob) p.factor_of_sample = d_.reduction == ADJ_REDUCTION_NONE;
    kernel.params(p).workspace(offsetof(LinearRowsParams, gradient), pass == Pass::caps ? scores_ : gradient_);
    if (pass == Pass::scales && softcap() > 0) kernel.workspace(offsetof(LinearRowsParams, scores), scores_);
    kernel.tensor(offsetof(LinearRowsParams, label) + offsetof(LossLabelParams, labels), at_.labels, offset(first, d_.label));
    if constexpr (Op::backward && !Op::log_prob)
      if (pass == Pass::scales) {
        if (p.factor_of_sample) kernel.tensor(offsetof(LinearRowsParams, factors), linear_cross_entropy_backward_tables::kDloss, offset(first, ADJ_F32));
        else kernel.workspace(offsetof(LinearRowsParams, factors), scale_);
      }
  }

  Result<void> chunk(std::int64_t first, std::int64_t rows, std::uint64_t room) {
    const Place input = Place::of(at_.input, offset(first * d_.hidden, d_.element)), labels = Place::of(at_.labels, offset(first, d_.label));
    const Place weight = Place::of(at_.linear_weight), scores = Place::in_workspace(scores_), gradient = Place::in_workspace(gradient_);
    adj_matmul_descriptor product;
    product.m = rows;
    product.n = pitch_;
    product.k = d_.hidden;
    product.transpose_b = 1;
    product.alpha = 1 / d_.temperature;
    product.has_bias = at_.bias >= 0;
    product.element = d_.element;
    std::vector<PartArgument> arguments{{products::kA, input}, {products::kB, weight}, {products::kD, scores}};
    if (at_.bias >= 0) arguments.push_back({products::kBias, Place::of(at_.bias)});
    ADJ_TRY(builder_.part(request_, product.header, arguments, room));
    if (softcap() > 0) add_rows(Pass::caps, first, rows);
    ADJ_TRY(losses(first, rows, labels, room));
    if (!differentiates<Op>(d_)) return {};
    if constexpr (Op::backward && !Op::log_prob) add_rows(Pass::scales, first, rows);
    else if (softcap() > 0) add_rows(Pass::scales, first, rows);
    adj_matmul_descriptor back;
    back.m = rows;
    back.n = d_.hidden;
    back.k = pitch_;
    back.alpha = product.alpha;
    back.element = d_.element;
    ADJ_TRY(builder_.part(request_, back.header,
                          std::vector<PartArgument>{
                              {products::kA, gradient}, {products::kB, weight}, {products::kD, Place::of(at_.dinput, offset(first * d_.hidden, d_.element))}},
                          room));
    add_rows(Pass::drops, first, rows);
    adj_matmul_descriptor sums;
    sums.m = pitch_;
    sums.n = d_.hidden;
    sums.k = rows;
    sums.transpose_a = 1;
    sums.alpha = product.alpha;
    sums.write_mode = first > 0 || accumulates() ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;
    sums.has_dbias = at_.dbias >= 0;
    sums.element = d_.element;
    if constexpr (requires { d_.gradient; }) sums.out = d_.gradient ? d_.gradient : d_.element;
    arguments = {{products::kA, gradient}, {products::kB, input}, {products::kD, Place::of(at_.dlinear_weight)}};
    if (at_.dbias >= 0) arguments.push_back({products::kDbias, Place::of(at_.dbias)});
    return builder_.part(request_, sums.header, arguments, room);
  }

  // The losses of a chunk, and G in place of its scores.
  Result<void> losses(std::int64_t first, std::int64_t rows, const Place& labels, std::uint64_t room) {
    const Place scores = Place::in_workspace(scores_), error_flag = Place::of(at_.error_flag);
    const auto of_samples = [&](int argument) { return Place::of(argument, offset(first, ADJ_F32)); };
    auto fill = [&](auto& own) {
      own.samples = rows;
      own.num_classes = d_.num_classes;
      own.ignore_index = d_.ignore_index;
      own.has_ignore_index = d_.has_ignore_index;
      own.element = d_.element;
      own.label = d_.label;
    };
    if constexpr (Op::log_prob && !Op::backward) {
      namespace own = log_prob_entropy_tables;
      using namespace linear_log_prob_tables;
      adj_log_prob_entropy_descriptor part;
      fill(part);
      return builder_.part(request_, part.header,
                           std::vector<PartArgument>{{own::kScores, scores},
                                                     {own::kLabels, labels},
                                                     {own::kLogProb, of_samples(kLogProb)},
                                                     {own::kEntropy, of_samples(kEntropy)},
                                                     {own::kLse, of_samples(kLse)},
                                                     {own::kErrorFlag, error_flag}},
                           room);
    } else if constexpr (Op::log_prob) {
      namespace own = log_prob_entropy_backward_tables;
      using namespace linear_log_prob_backward_tables;
      adj_log_prob_entropy_backward_descriptor part;
      fill(part);
      part.with_entropy = d_.with_entropy;
      std::vector<PartArgument> arguments{{own::kDlogProb, of_samples(kDlogProb)}, {own::kScores, scores},  {own::kLabels, labels},
                                          {own::kLse, of_samples(kLse)},           {own::kDscores, scores}, {own::kErrorFlag, error_flag}};
      if (d_.with_entropy) {
        arguments.push_back({own::kDentropy, of_samples(kDentropy)});
        arguments.push_back({own::kEntropy, of_samples(kEntropy)});
      }
      return builder_.part(request_, part.header, arguments, room);
    } else {
      namespace own = cross_entropy_with_gradient_tables;
      adj_cross_entropy_with_gradient_descriptor part;
      fill(part);
      part.padded_classes = d_.padded_classes;
      part.label_smoothing = d_.label_smoothing;
      part.z_loss = d_.z_loss;
      part.reduction = ADJ_REDUCTION_NONE;
      part.weight = d_.weight;
      std::vector<PartArgument> arguments{
          {own::kScores, scores}, {own::kLabels, labels}, {own::kDscores, Place::in_workspace(gradient_)}, {own::kErrorFlag, error_flag}};
      if (at_.weight >= 0) arguments.push_back({own::kWeight, Place::of(at_.weight)});
      Place loss = Place::in_workspace(losses_ + offset(first, ADJ_F32));
      if constexpr (!Op::backward) {
        using namespace linear_cross_entropy_tables;
        if (d_.reduction == ADJ_REDUCTION_NONE) loss = of_samples(kLoss);
        arguments.push_back({own::kLse, of_samples(kLse)});
        arguments.push_back({own::kDloss, is_mean(d_) ? Place::in_workspace(scale_, ADJ_F32) : Place::of(kDloss)});
      }
      arguments.push_back({own::kLoss, loss});
      return builder_.part(request_, part.header, arguments, room);
    }
  }

  const PlanRequest& request_;
  PlanBuilder& builder_;
  const Descriptor& d_;
  Places at_;
  std::int64_t pitch_, size_, rows_;
  std::uint64_t scores_ = 0, gradient_ = 0, scale_ = 0, inverse_ = 0, losses_ = 0;
};

template <class Op, auto host>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  if (request.device) return Planner<Op>(request, builder).plan();
  builder.host(host_call<typename Op::Descriptor, typename Op::Args, host>);
  return {};
}

// Scores and their gradient are rounded to the element type.
double rounding_of(adj_dtype element) { return element == ADJ_BF16 ? 0x1p-8 : element == ADJ_F16 ? 0x1p-11 : 0x1p-18; }
// The gradient of the weights in the element type is rounded after each chunk.
double rounding_of_chunks(adj_dtype element, std::int64_t chunks) { return element == ADJ_F32 ? 0 : static_cast<double>(chunks) * rounding_of(element) / 2; }
template <class Op, adj_determinism level>
adj_guarantee guarantee(const Signature& s) {
  constexpr bool chosen = requires(typename Op::Descriptor d) { d.gradient; };
  return make_guarantee(level, ADJ_MATH_FAST, ADJ_F32, 0.51, rounding_of(s[0]) + rounding_of_chunks(s[0], chosen ? kMostChunks : 0), 0x1p-120);
}
template <class Op>
adj_guarantee guarantee_for(const adj_guarantee& general, const void* descriptor) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(descriptor);
  adj_guarantee own = general;
  if constexpr (requires { d.gradient; }) {
    const bool rounded = d.gradient == 0 || d.gradient == d.element;
    own.bound_terms = rounding_of(d.element) + rounding_of_chunks(d.element, rounded ? ceil_div(d.samples, chunk_rows<Op>(d)) : 0);
  }
  return own;
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-12); }

Signature scores_of(const Signature& s) { return {s[0], s[0]}; }
Signature wide_sums_of(const Signature& s) { return {s[0], ADJ_F32}; }
Signature loss_of(const Signature& s) { return {s[0], s[1], ADJ_F32}; }
Signature log_prob_of(const Signature& s) { return {s[0], s[1]}; }

template <class Op>
std::vector<PartTemplate> parts_of(std::vector<const char*> algorithms, bool clusters) {
  std::vector<PartTemplate> parts{{"matmul", algorithms, scores_of}, {"matmul", algorithms, wide_sums_of}};
  if constexpr (Op::log_prob) parts.push_back({Op::backward ? "log_prob_entropy_backward" : "log_prob_entropy", {"row"}, log_prob_of});
  else parts.push_back({"cross_entropy_with_gradient", clusters ? std::vector<const char*>{"row_cluster", "row"} : std::vector<const char*>{"row"}, loss_of});
  return parts;
}
template <class Op, auto host>
const std::vector<Variant>& variants() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Variant>>();
    std::vector<ProgramTemplate> programs;
    if constexpr (!Op::log_prob) programs.push_back({"loss/linear_scale.cu", "linear_cross_entropy_scale", "ADJ_L={1}", kScale});
    if constexpr (!Op::log_prob || Op::backward) programs.push_back({"loss/linear_rows.cu", "linear_loss_rows", "ADJ_T={0} ADJ_L={1}", kRows});
    if constexpr (!Op::log_prob && !Op::backward) programs.push_back({"loss/linear_total.cu", "linear_cross_entropy_total", "", kLossTotal});
    auto add = [&](const char* algorithm, const char* summary, adj_backend backend, int min_cc, std::vector<const char*> of_products, auto promise) {
      all->push_back({.algorithm = algorithm,
                      .summary = summary,
                      .backend = backend,
                      .min_cc = min_cc,
                      .programs = programs,
                      .parts = parts_of<Op>(std::move(of_products), min_cc >= 90),
                      .guarantee = promise,
                      .guarantee_for = guarantee_for<Op>});
    };
    constexpr bool clusters = !Op::log_prob;
    if (clusters)
      add("cublaslt_cluster", "products by cuBLASLt, a cluster of blocks for a row of scores", ADJ_BACKEND_CUBLASLT, 90, {"cublaslt"},
          guarantee<Op, ADJ_RUN_TO_RUN>);
    add("cublaslt", "products by cuBLASLt", ADJ_BACKEND_CUBLASLT, 80, {"cublaslt"}, guarantee<Op, ADJ_RUN_TO_RUN>);
    if (clusters)
      add("own_cluster", "products on tensor cores or by tiles, a cluster of blocks for a row of scores", ADJ_BACKEND_BESPOKE, 90, {"tensor_cores", "tiles"},
          guarantee<Op, ADJ_SHAPE_ONLY>);
    add("own", "products on tensor cores or by tiles", ADJ_BACKEND_BESPOKE, 80, {"tensor_cores", "tiles"}, guarantee<Op, ADJ_SHAPE_ONLY>);
    all->push_back(host_row(host_guarantee));
    return all.release();
  }();
  return *list;
}
template <class Op, auto host>
OpRules rules_of(int labels) {
  static int labels_at = labels;
  return {
      .signatures = signatures(),
      .signature_columns = "element, label",
      .variants = variants<Op, host>(),
      .validate = validate<Op>,
      .signature = signature_of<typename Op::Descriptor>,
      .finish = finish<Op, host>,
      .integers_below = [](const void* d, int argument) { return argument == labels_at ? static_cast<const typename Op::Descriptor*>(d)->num_classes : 0; }};
}

}  // namespace

const OpInfo& info_linear_cross_entropy() {
  static const OpInfo info =
      op_info(linear_cross_entropy_tables::base_info(), rules_of<CrossEntropy, host::linear_cross_entropy>(linear_cross_entropy_tables::kLabels));
  return info;
}
const OpInfo& info_linear_cross_entropy_backward() {
  static const OpInfo info = op_info(linear_cross_entropy_backward_tables::base_info(),
                                     rules_of<CrossEntropyBackward, host::linear_cross_entropy_backward>(linear_cross_entropy_backward_tables::kLabels));
  return info;
}
const OpInfo& info_linear_log_prob() {
  static const OpInfo info = op_info(linear_log_prob_tables::base_info(), rules_of<LogProb, host::linear_log_prob>(linear_log_prob_tables::kLabels));
  return info;
}
const OpInfo& info_linear_log_prob_backward() {
  static const OpInfo info = op_info(linear_log_prob_backward_tables::base_info(),
                                     rules_of<LogProbBackward, host::linear_log_prob_backward>(linear_log_prob_backward_tables::kLabels));
  return info;
}

}  // namespace adj

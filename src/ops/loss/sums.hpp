// Sums over the samples of a loss (kernels/loss/total.cu, normalizer.cu). Many samples take two launches.
#pragma once

#include "kernels/prelude/scalar.h"
#include "kernels/prelude/divide.h"
#include "kernels/loss/params.h"
#include "kernels/loss/rows.h"
#include "ops/common/rows.hpp"

namespace adj::loss {

// Rows of the variants "..._f64": programs with ADJ_ACC_F64, for preference.math = ADJ_MATH_IEEE. An f64 row needs no such variant.
inline bool is_narrow(const Signature& s) { return s[0] != ADJ_F64; }
// Results of a sample depend on that sample alone when no sum runs over the samples.
template <class Descriptor>
adj_guarantee alone_without_reduction(const adj_guarantee& general, const void* descriptor) {
  return static_cast<const Descriptor*>(descriptor)->reduction == ADJ_REDUCTION_NONE ? raised(general, ADJ_BATCH_INVARIANT) : general;
}
// Gradients of a sample depend on other samples only through the divisor of a mean.
template <class Descriptor>
adj_guarantee alone_without_mean(const adj_guarantee& general, const void* descriptor) {
  const adj_reduction reduction = static_cast<const Descriptor*>(descriptor)->reduction;
  return reduction == ADJ_REDUCTION_NONE || reduction == ADJ_REDUCTION_SUM ? raised(general, ADJ_BATCH_INVARIANT) : general;
}

// Elements from one row of scores to the next.
template <class Descriptor>
std::int64_t padded_classes(const Descriptor& d) {
  return d.padded_classes ? d.padded_classes : d.num_classes;
}
// Checks the number of classes with their padding; `inner` is 1 where a descriptor has none.

enum Program : int { kTotal, kNormalizer };
#define ADJ_LOSS_TOTAL_PROGRAM(type) {"loss/total.cu", "softmax_cross_entropy_loss_total", "ADJ_O=" type, loss::kTotal}
#define ADJ_LOSS_NORMALIZER_PROGRAM {"loss/normalizer.cu", "softmax_cross_entropy_loss_backward_normalizer", "ADJ_L={1}", loss::kNormalizer}

// Least items of a block. At most kSumBlock blocks are launched, so that one block can add their results.
constexpr std::int64_t kItemsPerBlock = 4096;
constexpr unsigned kSumBlock = 1024;
inline std::int64_t items_of_block(std::int64_t count) { return std::max(kItemsPerBlock, ceil_div(count, kSumBlock)); }

// Adds the launches that compute the reduced loss from `count` pairs (loss, weight) in the workspace. follows: true if the kernel that
// writes them lets the next grid begin early.
inline void plan_total(PlanBuilder& builder, const Device& device, bool follows, std::uint64_t totals_at, std::int64_t count, bool mean, bool nan_when_empty,
                       int loss) {
  LossTotalParams p{};
  p.mean = mean;
  p.nan_when_empty = nan_when_empty;
  p.count = count;
  p.chunk = items_of_block(count);
  const std::int64_t blocks = ceil_div(p.count, p.chunk);
  if (blocks > 1) {
    const std::uint64_t partials_at = builder.book(static_cast<std::uint64_t>(blocks) * 2 * sizeof(double));
    auto first = builder.kernel(kTotal, blocks, kSumBlock);
    first.params(p).workspace(offsetof(LossTotalParams, totals), totals_at).workspace(offsetof(LossTotalParams, partials), partials_at);
    if (follows) first.early(device);
    follows = true;
    p.count = p.chunk = blocks;
    totals_at = partials_at;
  }
  auto last = builder.kernel(kTotal, 1, kSumBlock);
  last.params(p).tensor(offsetof(LossTotalParams, loss), loss);
  if (p.count > 0) last.workspace(offsetof(LossTotalParams, totals), totals_at);
  if (follows) last.early(device);
}

// Places of the arguments that decide the weight of a sample. A negative one is not bound.
struct LabelArguments {
  int labels, weight = -1, sample_weight = -1, error_flag = -1;
};
inline void bind_labels(PlanBuilder::Kernel& kernel, std::size_t offset, const LabelArguments& arguments) {
  kernel.tensor(offset + offsetof(LossLabelParams, labels), arguments.labels);
  if (arguments.weight >= 0) kernel.tensor(offset + offsetof(LossLabelParams, weight), arguments.weight);
  if (arguments.sample_weight >= 0) kernel.tensor(offset + offsetof(LossLabelParams, sample_weight), arguments.sample_weight);
  if (arguments.error_flag >= 0) kernel.tensor(offset + offsetof(LossLabelParams, error_flag), arguments.error_flag);
}

// What the launches of plan_normalizer leave in the workspace: 1 / Z, or `sums` parts of Z.
struct Normalizer {
  std::uint64_t at;
  int sums;
};
// Adds the launches that compute 1 / Z, where Z is the sum of the weights of `samples` labels. Up to `most_sums` parts of Z are left as they are, without a
// second launch.
inline Normalizer plan_normalizer(PlanBuilder& builder, const Device& device, const LossLabelParams& label, std::int64_t samples, LabelArguments arguments,
                                  int most_sums = 1) {
  LossNormalizerParams p{};
  p.label = label;
  p.count = samples;
  p.chunk = items_of_block(p.count);
  const std::int64_t blocks = ceil_div(p.count, p.chunk);
  const bool once = blocks <= most_sums;
  const std::uint64_t sums_at = builder.book(static_cast<std::uint64_t>(blocks) * sizeof(double));
  arguments.error_flag = -1;
  auto first = builder.kernel(kNormalizer, blocks, kSumBlock);
  first.params(p).workspace(offsetof(LossNormalizerParams, sums), sums_at);
  bind_labels(first, offsetof(LossNormalizerParams, label), arguments);
  if (once) return {sums_at, static_cast<int>(blocks)};
  const std::uint64_t result_at = builder.book(sizeof(double));
  p.count = p.chunk = blocks;
  builder.kernel(kNormalizer, 1, kSumBlock)
      .params(p)
      .workspace(offsetof(LossNormalizerParams, partials), sums_at)
      .workspace(offsetof(LossNormalizerParams, sums), result_at)
      .early(device);
  return {result_at, 1};
}

}  // namespace adj::loss

// Planning of group norm and its gradient. The launches are those of batch norm with a row of each sample in place of a channel: forward a group,
// backward a channel.
#include <bit>
#include <cmath>

#include <adjoint/ops/batch_norm.h>

#include "host/group_norm.hpp"
#include "kernels/batch_norm/params.h"
#include "kernels/prelude/column_sums.h"
#include "ops/batch_norm.gen.hpp"
#include "ops/common/common.hpp"
#include "ops/common/tuning.hpp"

namespace adj {

namespace {

using P = BatchNormParams;
constexpr unsigned kBlock = 256, kWarp = 32;
constexpr std::int64_t kMostBlocksY = 65535;
using tuning::kMultiprocessors;
constexpr std::int64_t kBlocksAtOnce = 8, kMostTerms = 128;
enum Program : int { kSums, kGroups, kWeights, kApply };

struct Forward {
  using Descriptor = adj_group_norm_forward_descriptor;
  using Args = adj_group_norm_forward_args;
  static constexpr const char* kName = group_norm_forward_tables::kName;
  static constexpr bool backward = false;
};
struct Backward {
  using Descriptor = adj_group_norm_backward_descriptor;
  using Args = adj_group_norm_backward_args;
  static constexpr const char* kName = group_norm_backward_tables::kName;
  static constexpr bool backward = true;
};

template <class Op>
void bind_tensors(PlanBuilder::Kernel&& kernel, const P& p, std::uint64_t partials, std::uint64_t coefficients) {
  kernel.params(p).workspace(offsetof(P, coefficients), coefficients).workspace(offsetof(P, partials), partials);
  if constexpr (Op::backward) {
    using namespace group_norm_backward_tables;
    kernel.tensor(offsetof(P, input), kInput)
        .tensor(offsetof(P, dout), kDout)
        .tensor(offsetof(P, out), kDinput)
        .tensor(offsetof(P, scale), kScale)
        .tensor(offsetof(P, mean), kMean)
        .tensor(offsetof(P, deviation), kInvStd)
        .tensor(offsetof(P, dscale), kDscale)
        .tensor(offsetof(P, dbias), kDbias);
  } else {
    using namespace group_norm_forward_tables;
    kernel.tensor(offsetof(P, input), kInput)
        .tensor(offsetof(P, out), kOut)
        .tensor(offsetof(P, scale), kScale)
        .tensor(offsetof(P, bias), kBias)
        .tensor(offsetof(P, saved_mean), kMean)
        .tensor(offsetof(P, saved_inv_std), kInvStd);
  }
}

template <class Op>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  const Device& device = *request.device;
  const std::int64_t size_of_group = d.channels / d.groups * d.inner;
  if (d.outer == 0 || size_of_group == 0) {
    if constexpr (Op::backward)
      if (d.channels > 0) {
        builder.clear_output(group_norm_backward_tables::kDscale);
        builder.clear_output(group_norm_backward_tables::kDbias);
      }
    return {};
  }
  const std::int64_t vector = 16 / size_of(d.element), size = accumulator_of(d.element) == ADJ_F64 ? 8 : 4;
  P p{};
  p.groups = d.groups;
  if constexpr (!Op::backward) p.epsilon = d.epsilon;
  p.inverse_count = 1 / static_cast<double>(size_of_group);
  p.backward = Op::backward;
  p.element_type = d.element;
  p.weight_type = d.weight ? d.weight : d.element;
  p.stats_type = accumulator_of(d.element);
  p.rows_of_mean = d.channels / d.groups;
  // Rows of the sums.
  const std::int64_t rows = d.outer * (Op::backward ? d.channels : d.groups), length = Op::backward ? d.inner : size_of_group;
  const std::int64_t vectors = ceil_div(length, vector);
  const unsigned threads = static_cast<unsigned>(std::min<std::int64_t>(kBlock, ceil_div(vectors, kWarp) * kWarp));
  p.splits = std::max(std::min(ceil_div(vectors, threads), std::max<std::int64_t>(ceil_div(kMultiprocessors * kBlocksAtOnce, rows), 1)),
                      ceil_div(ceil_div(vectors, threads), kMostTerms / vector));
  if (p.splits > kMostBlocksY) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} partial sums of a row, here {}", kMostBlocksY, p.splits);
  ADJ_TRY(check_volume(Op::kName, "the workspace", {16, p.splits, rows}));
  ADJ_TRY(check_volume(Op::kName, "the workspace", {4 * size, d.outer, d.channels}));
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(2 * (Op::backward ? size : 8) * p.splits * rows));
  const std::uint64_t coefficients = builder.book(static_cast<std::uint64_t>(4 * size * d.outer * d.channels));
  auto rows_of = [&](std::int64_t channels, std::int64_t inner) {
    P own = p;
    own.outer = 1;
    own.channels = channels;
    own.inner = inner;
    own.vectors = ceil_div(inner, vector);
    return own;
  };
  bind_tensors<Op>(builder.kernel(kSums, strided_grid(device, rows), threads, p.splits), rows_of(rows, length), partials, coefficients);
  p.outer = d.outer;
  p.channels = d.channels;
  p.inner = d.inner;
  bind_tensors<Op>(std::move(builder.kernel(kGroups, strided_grid(device, ceil_div(d.outer * d.groups, kBlock / kWarp)), kBlock).early(device)), p, partials,
                   coefficients);
  if constexpr (Op::backward)
    bind_tensors<Op>(std::move(builder.kernel(kWeights, strided_grid(device, ceil_div(d.channels, kColumnsAcross)), kColumnThreads, 2).early(device)), p,
                     partials, coefficients);
  const std::int64_t work = ceil_div(d.outer * d.channels * d.inner, vector * kBlock);
  bind_tensors<Op>(std::move(builder.kernel(kApply, grid_for(device, work, 8, 4), kBlock).early(device)), rows_of(d.outer * d.channels, d.inner), partials,
                   coefficients);
  return {};
}

template <class Op, auto host>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const typename Op::Descriptor*>(request.descriptor);
  if (d.channels > 0 && (Op::backward || (d.outer > 0 && d.inner > 0))) builder.host(host_call<typename Op::Descriptor, typename Op::Args, host>);
  return {};
}

// The longest chain of a sum has 128 additions in a thread and 40 more.
adj_guarantee guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.51, 1e-12);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F32, 0.51, 0x1p-16, 0x1p-126);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

template <class Op>
OpRules rules_of(std::span<const Variant> variants) {
  return {.signatures = float_signatures(), .signature_columns = "element", .variants = variants, .signature = element_signature<typename Op::Descriptor>};
}

}  // namespace

const OpInfo& info_group_norm_forward() {
  static const auto* variants =
      new std::vector<Variant>{{.algorithm = "two_pass",
                                .summary = "sums of each group, then each element",
                                .programs = {{"batch_norm/sums.cu", "group_norm_forward_sums", "ADJ_T={0} ADJ_BACKWARD=0 ADJ_GROUPED=1", kSums},
                                             {"batch_norm/group_finish.cu", "group_norm_forward_finish", "ADJ_A={a} ADJ_BACKWARD=0", kGroups},
                                             {"batch_norm/apply.cu", "group_norm_forward_apply", "ADJ_T={0} ADJ_BACKWARD=0 ADJ_GROUPED=1", kApply}},
                                .guarantee = guarantee,
                                .finish = plan<Forward>},
                               host_row(host_guarantee, plan_host<Forward, host::group_norm_forward>)};
  static const OpInfo info = op_info(group_norm_forward_tables::base_info(), rules_of<Forward>(*variants));
  return info;
}
const OpInfo& info_group_norm_backward() {
  static const auto* variants =
      new std::vector<Variant>{{.algorithm = "two_pass",
                                .summary = "sums of each channel of each sample, then each element",
                                .programs = {{"batch_norm/sums.cu", "group_norm_backward_sums", "ADJ_T={0} ADJ_BACKWARD=1 ADJ_GROUPED=1", kSums},
                                             {"batch_norm/group_finish.cu", "group_norm_backward_finish", "ADJ_A={a} ADJ_BACKWARD=1", kGroups},
                                             {"batch_norm/group_weights.cu", "group_norm_weights", "ADJ_A={a}", kWeights},
                                             {"batch_norm/apply.cu", "group_norm_backward_apply", "ADJ_T={0} ADJ_BACKWARD=1 ADJ_GROUPED=1", kApply}},
                                .guarantee = guarantee,
                                .finish = plan<Backward>},
                               host_row(host_guarantee, plan_host<Backward, host::group_norm_backward>)};
  static const OpInfo info = op_info(group_norm_backward_tables::base_info(), rules_of<Backward>(*variants));
  return info;
}

}  // namespace adj

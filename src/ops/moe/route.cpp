// Planning of moe_route and its gradient.
#include <cmath>

#include "host/moe.hpp"
#include "kernels/moe/params.h"
#include "ops/common/shared.hpp"
#include "ops/moe.gen.hpp"
#include "ops/common/common.hpp"

namespace adj {

namespace {

enum Program : int { kRoute, kFinish };
// Threads of a block, so few that the arrays of its warps take at most 48 KB of shared memory.
int block_of(std::int64_t experts) { return experts <= 256 ? kMoeRouteBlock : kMoeRouteBlock / 4; }

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_F32}, {ADJ_F16}, {ADJ_BF16}};
  return *list;
}
// An exponential of a difference of logits costs 2^-24 of the difference, sums of up to 1024 terms some more; scores and their slopes are made of a few.
adj_guarantee guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_FAST, ADJ_F32, 2, 0x1p-17, 0x1p-122); }
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-12); }

template <class Params, class Descriptor>
void set_common(Params& p, const Descriptor& d) {
  p.tokens = d.tokens;
  p.scale = static_cast<float>(d.scale);
  p.balance = static_cast<float>(d.balance * static_cast<double>(d.num_experts) / static_cast<double>(d.top_k));
  p.z_loss = static_cast<float>(d.z_loss);
  p.num_experts = static_cast<int>(d.num_experts);
  p.top_k = static_cast<int>(d.top_k);
  p.score = static_cast<int>(d.score);
  p.normalise = d.normalise && d.top_k > 1;
  p.has_losses = d.has_losses;
}

namespace forward {

using namespace moe_route_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (d.groups == 0) return {};
  if (d.top_groups == 0 || d.top_groups > d.groups || d.top_k % d.top_groups || d.top_k / d.top_groups > d.num_experts / d.groups)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: top_groups = {}, expected a divisor of top_k = {} of at most groups = {}, with at most {} experts of a group",
                kName, d.top_groups, d.top_k, d.groups, d.num_experts / d.groups);
  return {};
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_route>);
    return {};
  }
  MoeRouteParams p{};
  set_common(p, d);
  p.groups = static_cast<int>(d.groups);
  p.top_groups = static_cast<int>(d.top_groups);
  p.tokens_of_block = std::max<std::int64_t>(kMoeRouteTokens, ceil_div(d.tokens, kMoeRouteBlocks));
  p.blocks = static_cast<int>(ceil_div(d.tokens, p.tokens_of_block));
  const auto blocks = static_cast<std::uint64_t>(p.blocks), of_experts = blocks * static_cast<std::uint64_t>(d.num_experts) * 4;
  const std::uint64_t counts = builder.book(of_experts), sums = d.has_losses ? builder.book(of_experts) : 0,
                      squares = d.has_losses ? builder.book(blocks * 4) : 0, counted = d.has_losses ? builder.book(blocks * 4) : 0;
  const auto bind_sums = [&](PlanBuilder::Kernel& kernel) {
    kernel.workspace(offsetof(MoeRouteParams, block_counts), counts);
    if (!d.has_losses) return;
    kernel.workspace(offsetof(MoeRouteParams, sums), sums)
        .workspace(offsetof(MoeRouteParams, squares), squares)
        .workspace(offsetof(MoeRouteParams, block_counted), counted);
  };
  if (p.blocks > 0) {
    const int threads = block_of(d.num_experts);
    const std::int64_t arrays = 1 + threads / 32 * (kMoeRouteArrays + d.has_losses + (d.groups > 0));
    const auto shared = static_cast<std::uint32_t>(arrays * d.num_experts * 4);
    ADJ_TRY(check_shared(*request.device, shared));
    auto kernel = builder.kernel(kRoute, p.blocks, threads);
    kernel.params(p).shared(shared);
    kernel.tensor(offsetof(MoeRouteParams, logits), kLogits)
        .tensor(offsetof(MoeRouteParams, mask), kMask)
        .tensor(offsetof(MoeRouteParams, experts), kExperts)
        .tensor(offsetof(MoeRouteParams, weights), kWeights)
        .tensor(offsetof(MoeRouteParams, error_flag), kErrorFlag);
    if (d.has_bias) kernel.tensor(offsetof(MoeRouteParams, bias), kExpertBias);
    bind_sums(kernel);
  }
  auto kernel = builder.kernel(kFinish, 1, kMoeRouteFinishBlock);
  kernel.params(p).tensor(offsetof(MoeRouteParams, counts), kCounts);
  if (d.has_losses) kernel.tensor(offsetof(MoeRouteParams, counted), kCounted).tensor(offsetof(MoeRouteParams, loss), kLoss);
  if (p.blocks > 0) {
    bind_sums(kernel);
    kernel.early(*request.device);
  }
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "warps",
                                .summary = "a warp takes a token; a second launch adds up what blocks have counted",
                                .programs = {{"moe/route.cu", "moe_route", "ADJ_T={0}", {kRoute}}, {"moe/route_finish.cu", "moe_route_finish", "", {kFinish}}},
                                .guarantee = guarantee},
                               host_row(host_guarantee)};
  return *list;
}

}  // namespace forward

namespace backward {

using namespace moe_route_backward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.tokens == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_route_backward>);
    return {};
  }
  MoeRouteBackwardParams p{};
  set_common(p, d);
  p.z_loss *= 2;
  const int threads = block_of(d.num_experts);
  const auto shared = static_cast<std::uint32_t>(threads / 32 * kMoeRouteBackwardArrays * d.num_experts * 4);
  ADJ_TRY(check_shared(*request.device, shared));
  auto kernel = builder.kernel(kRoute, grid_for(*request.device, ceil_div(d.tokens, threads / 32), 8), threads);
  kernel.params(p)
      .shared(shared)
      .tensor(offsetof(MoeRouteBackwardParams, logits), kLogits)
      .tensor(offsetof(MoeRouteBackwardParams, experts), kExperts)
      .tensor(offsetof(MoeRouteBackwardParams, dweights), kDweights)
      .tensor(offsetof(MoeRouteBackwardParams, dlogits), kDlogits);
  if (d.has_losses)
    kernel.tensor(offsetof(MoeRouteBackwardParams, counts), kCounts)
        .tensor(offsetof(MoeRouteBackwardParams, counted), kCounted)
        .tensor(offsetof(MoeRouteBackwardParams, dloss), kDloss);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "warps",
                                                      .summary = "a warp takes a token",
                                                      .programs = {{"moe/route_backward.cu", "moe_route_backward", "ADJ_T={0}", {kRoute}}},
                                                      .guarantee = guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

}  // namespace backward

}  // namespace

const OpInfo& info_moe_route() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}
const OpInfo& info_moe_route_backward() {
  using namespace backward;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "element", .variants = variants(), .signature = element_signature<Descriptor>, .finish = finish});
  return info;
}

}  // namespace adj

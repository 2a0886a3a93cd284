// Planning of moe_plan.
#include <bit>

#include "host/moe.hpp"
#include "kernels/moe/params.h"
#include "ops/common/common.hpp"
#include "ops/moe.gen.hpp"

namespace adj {

namespace {

using namespace moe_plan_tables;

enum Program : int { kCounts, kPlaces };

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_I32}, {ADJ_I64}};
  return *list;
}
Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->index}; }

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_plan>);
    return {};
  }
  MoePlanParams p{};
  p.pairs = static_cast<unsigned>(d.tokens * d.top_k);
  p.rows = p.pairs + static_cast<unsigned>(d.num_experts * (d.align - 1));
  p.capacity = static_cast<unsigned>(d.capacity);
  p.align = static_cast<unsigned>(d.align);
  p.num_experts = static_cast<int>(d.num_experts);
  p.bits = std::bit_width(static_cast<unsigned>(d.num_experts - 1));
  p.pairs_of_block = static_cast<unsigned>(ceil_div(std::max<std::int64_t>(p.pairs, 1), std::int64_t{kMoePlanBlocks} * kMoePlanTile) * kMoePlanTile);
  const std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(p.pairs, p.pairs_of_block));
  std::uint64_t counts = 0;
  if (blocks > 1) {
    counts = builder.book(static_cast<std::uint64_t>(blocks * d.num_experts) * sizeof(unsigned));
    builder.kernel(kCounts, blocks, kMoePlanBlock)
        .params(p)
        .tensor(offsetof(MoePlanParams, experts), kExperts)
        .workspace(offsetof(MoePlanParams, counts), counts);
  }
  auto kernel = builder.kernel(kPlaces, blocks, kMoePlanBlock);
  kernel.params(p)
      .shared(static_cast<std::uint32_t>(kMoePlanArrays * d.num_experts * static_cast<std::int64_t>(sizeof(unsigned))))
      .tensor(offsetof(MoePlanParams, experts), kExperts)
      .tensor(offsetof(MoePlanParams, offsets), kOffsets)
      .tensor(offsetof(MoePlanParams, order), kOrder)
      .tensor(offsetof(MoePlanParams, inverse), kInverse)
      .tensor(offsetof(MoePlanParams, error_flag), kErrorFlag);
  if (blocks > 1) kernel.workspace(offsetof(MoePlanParams, counts), counts).early(*request.device);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "counting_sort",
                                                      .summary = "two launches; one up to 2048 pairs",
                                                      .programs = {{"moe/plan.cu", "moe_plan_counts", "ADJ_STAGE=0 ADJ_I={0}", {kCounts}},
                                                                   {"moe/plan.cu", "moe_plan_places", "ADJ_STAGE=1 ADJ_I={0}", {kPlaces}}},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_moe_plan() {
  static const OpInfo info =
      op_info(base_info(), {.signatures = signatures(), .signature_columns = "index", .variants = variants(), .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj

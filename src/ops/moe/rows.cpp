// Planning of the operators that move rows by a plan: moe_permute, moe_unpermute and their gradients.
#include <bit>

#include "host/moe.hpp"
#include "kernels/moe/params.h"
#include "ops/moe.gen.hpp"
#include "ops/common/common.hpp"

namespace adj {

namespace {

enum Program : int { kMove, kMoveWeighted };
#define ADJ_MOE_PROGRAMS(name, source, entry, more)                          \
  {source, entry, "ADJ_T={0} ADJ_ALIGNED=1" more, {name, kWholeRows}}, {     \
    source, entry "_any", "ADJ_T={0} ADJ_ALIGNED=0" more, { name, kAnyRows } \
  }

// A sum of top_k products.
constexpr double kMostSumRoundings = kMoeMostTopK;
adj_guarantee sums_guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 2 * kMostSumRoundings * 0x1p-53);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.5, kMostSumRoundings * 0x1p-24, 0x1p-149);
}
// The products of a row: each of 32 lanes adds its own one after the other.
constexpr std::int64_t kMostDotColumns = std::int64_t{1} << 17;
constexpr double kMostDotRoundings = kMostDotColumns / 32 + 64;
adj_guarantee dot_guarantee(const Signature& s) {
  if (s[0] == ADJ_F64) return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, kMostDotRoundings * 0x1p-53);
  return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F32, 0.5, kMostDotRoundings * 0x1p-24, 0x1p-149);
}
adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-15); }

// Arguments of the kernels; -1: none.
struct Arguments {
  int tokens = -1, rows = -1, weights = -1, order = -1, inverse = -1, out = -1, dweights = -1, error_flag = -1;
};
// most_lanes: threads that may share a row.
template <class Descriptor>
void add_kernel(const PlanRequest& request, PlanBuilder& builder, const Descriptor& d, Program program, std::int64_t most_lanes, const Arguments& s) {
  MoeRowsParams p{};
  p.num_tokens = d.tokens;
  p.num_rows = d.num_rows;
  p.columns = d.columns;
  p.top_k = static_cast<int>(d.top_k);
  const std::int64_t vector = 16 / size_of(d.element), vectors = ceil_div(d.columns, vector);
  const bool whole = d.columns % vector == 0;
  std::int64_t lanes = std::min<std::int64_t>(32, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(vectors, 1)))));
  if (vectors > 32 && most_lanes > 32) lanes = most_lanes;
  p.lanes = static_cast<int>(lanes);
  const std::int64_t work = std::max(ceil_div(d.tokens * lanes, kMoeRowBlock), s.order >= 0 ? ceil_div(d.num_rows, kMoeRowBlock) : 1);
  auto kernel = builder.kernel({program, whole ? kWholeRows : kAnyRows}, grid_for(*request.device, work, 8, 4), kMoeRowBlock);
  std::vector<int> addresses;
  for (int argument : {s.tokens, s.rows, s.out})
    if (argument >= 0) addresses.push_back(argument);
  if (whole) kernel.when_unaligned({program, kAnyRows}, addresses);
  kernel.params(p);
  const auto bind = [&](std::size_t offset, int argument) {
    if (argument >= 0) kernel.tensor(offset, argument);
  };
  bind(offsetof(MoeRowsParams, tokens), s.tokens);
  bind(offsetof(MoeRowsParams, rows), s.rows);
  bind(offsetof(MoeRowsParams, weights), s.weights);
  bind(offsetof(MoeRowsParams, order), s.order);
  bind(offsetof(MoeRowsParams, inverse), s.inverse);
  bind(offsetof(MoeRowsParams, out), s.out);
  bind(offsetof(MoeRowsParams, dweights), s.dweights);
  bind(offsetof(MoeRowsParams, error_flag), s.error_flag);
}

namespace permute {

using namespace moe_permute_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_permute>);
    return {};
  }
  add_kernel(request, builder, d, kMove, kMoeRowBlock, {.tokens = kInput, .order = kOrder, .inverse = kInverse, .out = kOut, .error_flag = kErrorFlag});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "scatter",
                                                      .summary = "a token is read once and written to the rows of its pairs",
                                                      .programs = {ADJ_MOE_PROGRAMS(kMove, "moe/scatter.cu", "moe_scatter", " ADJ_WEIGHTS=0")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace permute

namespace permute_backward {

using namespace moe_permute_backward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.tokens == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_permute_backward>);
    return {};
  }
  add_kernel(request, builder, d, kMove, kMoeRowBlock, {.rows = kDout, .inverse = kInverse, .out = kDinput, .error_flag = kErrorFlag});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "gather",
                                                      .summary = "the rows of a token's pairs are read and added in their order",
                                                      .programs = {ADJ_MOE_PROGRAMS(kMove, "moe/gather.cu", "moe_gather", "")},
                                                      .guarantee = sums_guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

}  // namespace permute_backward

namespace unpermute {

using namespace moe_unpermute_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.tokens == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_unpermute>);
    return {};
  }
  add_kernel(request, builder, d, kMove, kMoeRowBlock,
             {.rows = kRows, .weights = d.has_weights ? kWeights : -1, .inverse = kInverse, .out = kOut, .error_flag = kErrorFlag});
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "gather",
                                                      .summary = "the rows of a token's pairs are read and added in their order",
                                                      .programs = {ADJ_MOE_PROGRAMS(kMove, "moe/gather.cu", "moe_gather", "")},
                                                      .guarantee = sums_guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

}  // namespace unpermute

namespace unpermute_backward {

using namespace moe_unpermute_backward_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::moe_unpermute_backward>);
    return {};
  }
  if (d.has_weights && d.columns > kMostDotColumns)
    return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} columns with weights, {} are given", kMostDotColumns, d.columns);
  Arguments s{.tokens = kDout, .order = kOrder, .inverse = kInverse, .out = kDrows, .error_flag = kErrorFlag};
  if (d.has_weights) s.rows = kRows, s.weights = kWeights, s.dweights = kDweights;
  add_kernel(request, builder, d, d.has_weights ? kMoveWeighted : kMove, d.has_weights ? 32 : kMoeRowBlock, s);
  return {};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "scatter",
                                                      .summary = "a token is read once and written to the rows of its pairs, each of which is read before",
                                                      .programs = {ADJ_MOE_PROGRAMS(kMove, "moe/scatter.cu", "moe_scatter", " ADJ_WEIGHTS=0"),
                                                                   ADJ_MOE_PROGRAMS(kMoveWeighted, "moe/scatter.cu", "moe_scatter_weighted", " ADJ_WEIGHTS=1")},
                                                      .guarantee = dot_guarantee},
                                                     host_row(host_guarantee)};
  return *list;
}

}  // namespace unpermute_backward

}  // namespace

#define ADJ_MOE_INFO(name, space)                                                                \
  const OpInfo& info_##name() {                                                                  \
    using namespace space;                                                                       \
    static const OpInfo info = op_info(base_info(), {.signatures = float_signatures(),           \
                                                     .signature_columns = "element",             \
                                                     .variants = variants(),                     \
                                                     .signature = element_signature<Descriptor>, \
                                                     .finish = finish});                         \
    return info;                                                                                 \
  }
ADJ_MOE_INFO(moe_permute, permute)
ADJ_MOE_INFO(moe_permute_backward, permute_backward)
ADJ_MOE_INFO(moe_unpermute, unpermute)
ADJ_MOE_INFO(moe_unpermute_backward, unpermute_backward)

}  // namespace adj

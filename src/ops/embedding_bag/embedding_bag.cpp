// embedding_bag: forward, gradient of the weight, gradient of the weights of positions.
#include <adjoint/ops/embedding_bag.h>

#include "kernels/embedding_bag/params.h"
#include "kernels/segment_sum/sum.h"
#include "host/embedding_bag.hpp"
#include "ops/segment_sum/segment_sum.hpp"
#include "ops/embedding_bag.gen.hpp"

namespace adj {

namespace {

// ---- what the operators have in common

std::int64_t bag_length(std::int64_t num_indices, std::int64_t num_bags) { return num_bags ? num_indices / num_bags : 0; }

template <class Descriptor>
BagParams bag_params(const Descriptor& d) {
  BagParams p{};
  p.num_embeddings = d.num_embeddings;
  p.num_indices = d.num_indices;
  p.num_bags = d.num_bags;
  p.bag_length = bag_length(d.num_indices, d.num_bags);
  p.padding_row = padding_row(d);
  p.include_last_offset = d.include_last_offset;
  return p;
}
// Every parameter structure begins with BagParams.
PlanBuilder::Kernel& bind_bags(PlanBuilder::Kernel& kernel, int indices, int offsets) {
  return kernel.tensor(offsetof(BagParams, indices), indices).tensor(offsetof(BagParams, offsets), offsets);
}

constexpr int kMostLanes = 32;
int lanes_of_row(std::int64_t columns, adj_dtype element) { return power_of_two(ceil_div(columns * size_of(element), 16), kMostLanes); }

enum Program : int { kMap, kEntries };  // beside kMain and those of finish_sorted
// Launch of kMain, for rows of whole vectors at multiples of 16 bytes or for any rows.
template <class Descriptor>
PlanBuilder::Kernel row_kernel(const Descriptor& d, PlanBuilder& builder, std::initializer_list<int> arguments, std::int64_t blocks,
                               std::int64_t blocks_y = 1) {
  if (d.embedding_dim * size_of(d.element) % 16 != 0) return builder.kernel({kMain, kAnyRows}, blocks, kBagBlock, blocks_y);
  return builder.kernel({kMain, kWholeRows}, blocks, kBagBlock, blocks_y).when_unaligned({kMain, kAnyRows}, arguments);
}

// Map from positions to bags and, for the mean, the share 1 / entries of each bag.
struct BagMap {
  std::uint64_t bag_of = BagSums::kAbsent, shares = BagSums::kAbsent;  // offsets in the workspace
};
struct BagMapArguments {
  int indices, offsets, error_flag;
};
template <class Descriptor>
BagMap map_positions(const Descriptor& d, bool mean, const Device& device, const BagMapArguments& arguments, PlanBuilder& builder) {
  BagMap map;
  if (d.has_offsets) {
    const auto bytes = static_cast<std::uint64_t>(d.num_indices) * sizeof(unsigned);
    map.bag_of = builder.book(bytes);
    builder.clear_workspace(map.bag_of, bytes);
  }
  if (mean) map.shares = builder.book(static_cast<std::uint64_t>(d.num_bags) * size_of(accumulator_of(d.element)));
  if (d.num_bags == 0 || !(d.has_offsets || mean)) return map;
  EmbeddingBagMapParams p{};
  p.bags = bag_params(d);
  constexpr std::int64_t kPositions = 4;  // of a lane, in a bag of average length
  p.lanes = power_of_two(ceil_div(d.num_indices, kPositions * d.num_bags), kMostLanes);
  auto kernel = builder.kernel(kMap, grid_for(device, ceil_div(d.num_bags * p.lanes, kBagBlock), 8, 4), kBagBlock).params(p);
  bind_bags(kernel, arguments.indices, arguments.offsets).tensor(offsetof(EmbeddingBagMapParams, error_flag), arguments.error_flag);
  if (d.has_offsets) kernel.workspace(offsetof(EmbeddingBagMapParams, bag_of), map.bag_of);
  if (mean) kernel.workspace(offsetof(EmbeddingBagMapParams, shares), map.shares);
  return map;
}

// Kernels keep rows in 32 bits, one value of which means none.
template <class Descriptor>
Result<void> serves_rows(const Descriptor& d) {
  constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max();
  if (d.num_embeddings <= kMostRows) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} rows, num_embeddings = {}", kMostRows, d.num_embeddings);
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

template <class Descriptor, class Args, std::uint64_t (*workspace)(const Descriptor&), void (*reference)(const Descriptor&, const Args&, void*)>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  builder.book(workspace(*static_cast<const Descriptor*>(request.descriptor)));
  builder.host(host_call<Descriptor, Args, reference>);
  return {};
}

// Guarantee of a result with `roundings` roundings in the accumulator's type.
adj_guarantee rounded(const Signature& s, adj_determinism determinism, int roundings) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(determinism, ADJ_MATH_IEEE, accumulator, 0.5, roundings * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

// Maxima have kernels of their own.
Result<void> serves_mode(bool max, adj_bag_mode mode) {
  if ((mode == ADJ_BAG_MAX) == max) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "serves {} only, mode = {}", max ? "max" : "sum and mean", mode);
}

// ---- forward

namespace forward {

using namespace embedding_bag_forward_tables;

template <bool max>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(serves_mode(max, d.mode));
  ADJ_TRY(serves_rows(d));
  if (d.num_bags == 0) return {};
  EmbeddingBagForwardParams p{};
  p.bags = bag_params(d);
  p.embedding_dim = d.embedding_dim;
  p.mean = d.mode != ADJ_BAG_SUM;
  p.lanes = lanes_of_row(d.embedding_dim, d.element);
  const std::int64_t stretches = std::max<std::int64_t>(1, ceil_div(d.embedding_dim * size_of(d.element), 16 * p.lanes));
  // Long bags are split into streams while there are too few threads for a large device (132 multiprocessors of 1024 threads). The number is
  // fixed so that every device adds in the same order.
  constexpr std::int64_t kThreads = 1 << 17;
  constexpr std::int64_t kLeast = 16;  // least positions of a stream
  p.streams = 1;
  while (p.streams < kMostLanes && p.lanes * p.streams < kBagBlock && d.num_bags * stretches * p.lanes * p.streams < kThreads &&
         d.num_indices / d.num_bags >= kLeast * p.streams * 2)
    p.streams *= 2;
  const std::int64_t blocks = grid_for(*request.device, ceil_div(d.num_bags, kBagBlock / (p.lanes * p.streams)), 4, 16);
  constexpr std::int64_t kMostBlocksY = 65535;
  auto kernel = row_kernel(d, builder, {kWeight, kOut, kMaxPositions}, blocks, std::min(stretches, kMostBlocksY)).params(p);
  bind_bags(kernel, kIndices, kOffsets)
      .tensor(offsetof(EmbeddingBagForwardParams, weight), kWeight)
      .tensor(offsetof(EmbeddingBagForwardParams, sample_weights), kPerSampleWeights)
      .tensor(offsetof(EmbeddingBagForwardParams, out), kOut)
      .tensor(offsetof(EmbeddingBagForwardParams, max_positions), kMaxPositions)
      .tensor(offsetof(EmbeddingBagForwardParams, error_flag), kErrorFlag);
  return {};
}

// Roundings: 128 additions in a window, 3 for compensation, 31 of streams, a division.
adj_guarantee sum_guarantee(const Signature& s) { return rounded(s, ADJ_SHAPE_ONLY, 163); }
adj_guarantee max_guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, s[0], 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "sum",
                                .summary = "sum or mean, a few threads for a bag",
                                .programs = {{"embedding_bag/bag.cu", "embedding_bag_sum", "ADJ_T={0} ADJ_I={1} ADJ_MAX=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                                             {"embedding_bag/bag.cu", "embedding_bag_sum", "ADJ_T={0} ADJ_I={1} ADJ_MAX=0 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
                                .guarantee = sum_guarantee,
                                .finish = plan<false>},
                               {.algorithm = "max",
                                .summary = "maximum, a few threads for a bag",
                                .programs = {{"embedding_bag/bag.cu", "embedding_bag_max", "ADJ_T={0} ADJ_I={1} ADJ_MAX=1 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                                             {"embedding_bag/bag.cu", "embedding_bag_max", "ADJ_T={0} ADJ_I={1} ADJ_MAX=1 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
                                .guarantee = max_guarantee,
                                .finish = plan<true>},
                               host_row(host_guarantee, plan_host<Descriptor, Args, host::embedding_bag_forward_workspace, host::embedding_bag_forward>,
                                        "host memory, f64 sums in order of positions")};
  return *list;
}

}  // namespace forward

// ---- gradient of the weight

namespace backward {

using namespace embedding_bag_backward_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_index_plan(kName, d, "num_embeddings", d.num_embeddings);
}

// sorts: `sums_function` takes an index plan too. max: the row is for maxima.
template <SumsFunction sums_function, bool sorts, bool max>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(serves_mode(max, d.mode));
  ADJ_TRY(serves_rows(d));
  const bool mean = d.mode != ADJ_BAG_SUM && !max, planned = d.use_index_plan;
  if (!sorts && planned) return fail(ADJ_ERROR_UNSUPPORTED, "takes indices, use_index_plan = 1 has none");
  const BagMap map = map_positions(d, mean && !planned, *request.device, {kIndices, kOffsets, kErrorFlag}, builder);
  if (d.num_indices == 0) {
    if (d.write_mode != ADJ_WRITE_ACCUMULATE) builder.clear_output(kDweight);
    return {};
  }
  const auto bind = [&](PlanBuilder::Kernel& kernel) {
    kernel.tensor(offsetof(EmbeddingBackwardParams, dout), kDout)
        .tensor(offsetof(EmbeddingBackwardParams, indices), kIndices)
        .tensor(offsetof(EmbeddingBackwardParams, sample_weights), kPerSampleWeights)
        .tensor(offsetof(EmbeddingBackwardParams, max_positions), kMaxPositions)
        .tensor(offsetof(EmbeddingBackwardParams, dweight), kDweight)
        .tensor(offsetof(EmbeddingBackwardParams, error_flag), kErrorFlag);
    if (d.has_offsets) kernel.workspace(offsetof(EmbeddingBackwardParams, bag_of), map.bag_of);
    if (mean) kernel.workspace(offsetof(EmbeddingBackwardParams, shares), map.shares);
  };
  BagSums bags{.bag_of = map.bag_of,
               .shares = map.shares,
               .entries = BagSums::kAbsent,
               .weighted = mean || d.has_per_sample_weights,
               .sample_weights = kPerSampleWeights,
               .max_positions = max ? int{kMaxPositions} : -1};
  if (mean && planned) {
    const auto bytes = static_cast<std::uint64_t>(d.num_bags) * sizeof(unsigned);
    bags.entries = builder.book(bytes);
    builder.clear_workspace(bags.entries, bytes);
    EmbeddingBagSourcesParams p{};
    p.num_embeddings = d.num_embeddings;
    p.bag_length = bag_length(d.num_indices, d.num_bags);
    p.num_indices = static_cast<unsigned>(d.num_indices);
    auto kernel = builder.kernel(kEntries, grid_for(*request.device, ceil_div(d.num_indices, kRowSumBlock), 8), kRowSumBlock).params(p);
    kernel.tensor(offsetof(EmbeddingBagSourcesParams, rows), kSortedRows)
        .tensor(offsetof(EmbeddingBagSourcesParams, order), kOrder)
        .workspace(offsetof(EmbeddingBagSourcesParams, entries), bags.entries);
    if (d.has_offsets) kernel.workspace(offsetof(EmbeddingBagSourcesParams, bag_of), map.bag_of);
  }
  const RowSums sums{.outer = 1,
                     .rows = d.num_embeddings,
                     .columns = d.embedding_dim,
                     .indices = d.num_indices,
                     .padding_row = padding_row(d),
                     .element = d.element,
                     .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
                     .scale_by_count = d.scale_grad_by_freq != 0,
                     .dout_rows = d.num_bags,
                     .rows_arguments = {kDout, kMaxPositions, kDweight},
                     .bag_length = bag_length(d.num_indices, d.num_bags),
                     .bind = bind,
                     .gather = false,
                     .arguments = {kDout, kIndices, kDweight, kErrorFlag, planned ? int{kSortedRows} : -1, planned ? int{kOrder} : -1},
                     .bags = &bags};
  return sums_function(sums, *request.device, builder);
}

bool yields(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return sorts_faster({.outer = 1,
                       .rows = d.num_embeddings,
                       .columns = d.embedding_dim,
                       .indices = d.num_indices,
                       .padding_row = -1,
                       .element = d.element,
                       .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
                       .scale_by_count = false,
                       .dout_rows = d.num_bags},
                      d.mode == ADJ_BAG_MAX);
}

// One rounding more than a sum: the share of a mean is rounded too.
adj_guarantee guarantee(const Signature& s) { return rounded(s, ADJ_SHAPE_ONLY, kRowSumRoundings + 1); }

const std::vector<Variant>& variants() {
  static const ProgramTemplate map{"embedding_bag/map.cu", "embedding_bag_map", "ADJ_T={0} ADJ_I={1}", kMap};
  static const ProgramTemplate entries{"embedding_bag/sources.cu", "embedding_bag_entries", "ADJ_STAGE=0", kEntries};
  static const ProgramTemplate sources{"embedding_bag/sources.cu", "embedding_bag_sources", "ADJ_STAGE=1 ADJ_T={0}", kBagSources};
  static const ProgramTemplate combine ADJ_COMBINE_PROGRAM("embedding", "0");
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "atomic",
       .summary = "sum or mean, additions in memory, in the order of arrival",
       .programs = {map,
                    {"segment_sum/atomic.cu", "embedding_bag_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=1 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/atomic.cu", "embedding_bag_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=1 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = atomic_guarantee,
       .accepts = adds_in_accumulator,
       .yields = yields,
       .finish = plan<finish_atomic, false, false>},
      {.algorithm = "atomic_max",
       .summary = "maximum, additions in memory, in the order of arrival",
       .programs =
           {map, {"segment_sum/atomic.cu", "embedding_bag_backward_atomic_max", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=2 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = atomic_guarantee,
       .accepts = adds_in_accumulator,
       .yields = yields,
       .finish = plan<finish_atomic, false, true>},
      {.algorithm = "few",
       .summary = "sum or mean, up to 1024 indices",
       .programs = {map,
                    {"segment_sum/few.cu", "embedding_bag_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=1 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/few.cu", "embedding_bag_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=1 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan<finish_few, false, false>},
      {.algorithm = "grouped",
       .summary = "sum or mean, occurrences sorted by row, each gradient row written once",
       .programs = {map, entries, ADJ_SORT_PROGRAMS(0, "embedding_bag", "{1}", "ADJ_GATHER=0 ADJ_BAG=1"), ADJ_ROWS_PROGRAM, combine, sources,
                    ADJ_SUM_PROGRAMS("embedding_bag", "any", 0, "ADJ_GATHER=0 ADJ_BAG=1"),
                    ADJ_SUM_PROGRAMS("embedding_bag", "narrow", 1, "ADJ_GATHER=0 ADJ_BAG=1"),
                    ADJ_SUM_PROGRAMS("embedding_bag", "wide", 2, "ADJ_GATHER=0 ADJ_BAG=1")},
       .guarantee = guarantee,
       .finish = plan<finish_sorted, true, false>},
      {.algorithm = "few_max",
       .summary = "maximum, up to 1024 indices",
       .programs = {map,
                    {"segment_sum/few.cu", "embedding_bag_backward_few_max", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=2 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/few.cu", "embedding_bag_backward_few_max", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=2 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan<finish_few, false, true>},
      {.algorithm = "grouped_max",
       .summary = "maximum, occurrences sorted by row, each gradient row written once",
       .programs = {map, ADJ_SORT_PROGRAMS(0, "embedding_bag", "{1}", "ADJ_GATHER=0 ADJ_BAG=1"), ADJ_ROWS_PROGRAM, combine, sources,
                    ADJ_SUM_PROGRAMS("embedding_bag_max", "any", 0, "ADJ_GATHER=0 ADJ_BAG=2"),
                    ADJ_SUM_PROGRAMS("embedding_bag_max", "narrow", 1, "ADJ_GATHER=0 ADJ_BAG=2")},
       .guarantee = guarantee,
       .finish = plan<finish_sorted, true, true>},
      host_row(host_guarantee, plan_host<Descriptor, Args, host::embedding_bag_backward_workspace, host::embedding_bag_backward>,
               "host memory, f64 sums in order of positions")};
  return *list;
}

}  // namespace backward

// ---- gradient of the weights of positions

namespace sample_weights {

using namespace embedding_bag_per_sample_weights_backward_tables;

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  ADJ_TRY(serves_rows(d));
  const BagMap map = map_positions(d, false, *request.device, {kIndices, kOffsets, kErrorFlag}, builder);
  if (d.num_indices == 0) return {};
  EmbeddingBagSampleWeightsParams p{};
  p.bags = bag_params(d);
  p.embedding_dim = d.embedding_dim;
  p.lanes = lanes_of_row(d.embedding_dim, d.element);
  if (!d.has_offsets) p.bag_reciprocal = std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(p.bags.bag_length);
  constexpr std::int64_t kDepth = 4;  // positions that a thread takes together
  const std::int64_t blocks = ceil_div(d.num_indices, kDepth * (kBagBlock / p.lanes));
  auto kernel = row_kernel(d, builder, {kDout, kWeight}, grid_for(*request.device, blocks, 3, 16)).params(p);
  bind_bags(kernel, kIndices, kOffsets)
      .tensor(offsetof(EmbeddingBagSampleWeightsParams, dout), kDout)
      .tensor(offsetof(EmbeddingBagSampleWeightsParams, weight), kWeight)
      .tensor(offsetof(EmbeddingBagSampleWeightsParams, dsample_weights), kDperSampleWeights)
      .tensor(offsetof(EmbeddingBagSampleWeightsParams, error_flag), kErrorFlag);
  if (d.has_offsets) kernel.workspace(offsetof(EmbeddingBagSampleWeightsParams, bag_of), map.bag_of);
  return {};
}

// Roundings: a vector's 8 products, 3 for compensation, 5 of lanes. The order depends on the columns alone.
adj_guarantee guarantee(const Signature& s) { return rounded(s, ADJ_BATCH_INVARIANT, 16); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "dot",
       .summary = "a few threads for a position",
       .programs = {{"embedding_bag/map.cu", "embedding_bag_map", "ADJ_T={0} ADJ_I={1}", kMap},
                    {"embedding_bag/sample_weights.cu", "embedding_bag_sample_weights", "ADJ_T={0} ADJ_I={1} ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"embedding_bag/sample_weights.cu", "embedding_bag_sample_weights", "ADJ_T={0} ADJ_I={1} ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan},
      host_row(host_guarantee,
               plan_host<Descriptor, Args, host::embedding_bag_per_sample_weights_backward_workspace, host::embedding_bag_per_sample_weights_backward>,
               "host memory, f64 sums in order of columns")};
  return *list;
}

}  // namespace sample_weights

}  // namespace

const OpInfo& info_embedding_bag_forward() {
  using namespace forward;
  static const OpInfo info = op_info(base_info(), {.signatures = element_index_signatures(),
                                                   .signature_columns = "element, index",
                                                   .variants = variants(),
                                                   .signature = element_index_signature<Descriptor>});
  return info;
}

const OpInfo& info_embedding_bag_backward() {
  using namespace backward;
  static const OpInfo info = op_info(base_info(), {.signatures = element_index_signatures(),
                                                   .signature_columns = "element, index",
                                                   .variants = variants(),
                                                   .validate = validate,
                                                   .signature = element_index_signature<Descriptor>});
  return info;
}

const OpInfo& info_embedding_bag_per_sample_weights_backward() {
  using namespace sample_weights;
  static const OpInfo info = op_info(base_info(), {.signatures = element_index_signatures(),
                                                   .signature_columns = "element, index",
                                                   .variants = variants(),
                                                   .signature = element_index_signature<Descriptor>});
  return info;
}

}  // namespace adj

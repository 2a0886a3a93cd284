// index_plan: the sort alone, for gradients that share its result. For positions of slices or elements, a launch before the sort makes one
// key for each position (kernels/segment_sum/keys.cu).
#include <adjoint/ops/embedding.h>

#include "host/embedding.hpp"
#include "ops/segment_sum/sort.hpp"
#include "ops/embedding.gen.hpp"
#include "ops/segment_sum/keys.hpp"

namespace adj {

namespace {

namespace plan {

using namespace index_plan_tables;

// Forms of the sort's programs.
enum SortForm : int { kAsGiven, kWrapped, kOfKeys };

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_I32}, {ADJ_I64}};
  return *list;
}

IndexKeysParams keys_of(const Descriptor& d) {
  return d.positions == ADJ_INDEX_POSITIONS_SLICES ? slice_keys(d.input_shape, d.indices_shape, d.batch_dims)
                                                   : element_keys(d.input_shape, d.indices_shape, d.axis);
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (d.positions == ADJ_INDEX_POSITIONS_ROWS) {
    if (d.input_shape.rank || d.indices_shape.rank || d.batch_dims || d.axis)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: input_shape, indices_shape, batch_dims and axis are not for positions = rows", kName);
    return {};
  }
  const bool slices = d.positions == ADJ_INDEX_POSITIONS_SLICES;
  if (d.wrap_negative || d.has_padding_idx)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: wrap_negative and has_padding_idx are for positions = rows only", kName);
  if (slices ? d.axis != 0 : d.batch_dims != 0)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} is not for positions = {}", kName, slices ? "axis" : "batch_dims", slices ? "slices" : "elements");
  ADJ_TRY(slices ? check_slices(kName, d.input_shape, d.indices_shape, d.batch_dims) : check_elements(kName, d.input_shape, d.indices_shape, d.axis));
  const IndexKeysParams keys = keys_of(d);
  if (keys.none != d.num_embeddings || keys.count != d.num_indices)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the shapes have {} rows and {} positions, num_embeddings = {} and num_indices = {}", kName, keys.none,
                keys.count, d.num_embeddings, d.num_indices);
  return {};
}

Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->index}; }

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.num_indices == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::index_plan>);
    return {};
  }
  RowSums sort{.outer = 0,
               .rows = d.num_embeddings,
               .columns = 0,
               .indices = d.num_indices,
               .padding_row = padding_row(d),
               .element = ADJ_DTYPE_NONE,
               .accumulate = false,
               .scale_by_count = false,
               .sort_form = d.wrap_negative ? kWrapped : kAsGiven,
               .arguments = {.dout = -1, .indices = kIndices, .gradient = -1, .error_flag = kErrorFlag, .sorted_rows = kSortedRows, .order = kOrder}};
  if (d.positions != ADJ_INDEX_POSITIONS_ROWS) {
    sort.keys = plan_keys(keys_of(d), kIndices, kErrorFlag, *request.device, builder);
    sort.sort_form = kOfKeys;
    sort.arguments.indices = sort.arguments.error_flag = -1;
  }
  sort_indices(sort, SortLayout(sort, *request.device), *request.device, builder, Occurrences::of_plan(sort.arguments));
  return {};
}

// Exact: integers, and for given indices only one result is right.
adj_guarantee guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_I32, 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "radix_sort",
                                .summary = "digits of the rows from the lowest on; one launch up to 4096 indices",
                                .programs = {ADJ_SORT_PROGRAMS(kAsGiven, "embedding", "{0}", "ADJ_GATHER=0 ADJ_BAG=0"),
                                             ADJ_SORT_PROGRAMS(kWrapped, "gather", "{0}", "ADJ_GATHER=1 ADJ_BAG=0"), ADJ_KEYS_PROGRAM("{0}"),
                                             ADJ_SORT_PROGRAMS(kOfKeys, "embedding", "i64", "ADJ_GATHER=0 ADJ_BAG=0")},
                                .guarantee = guarantee},
                               host_row(guarantee, nullptr, "host memory, in place")};
  return *list;
}

}  // namespace plan

}  // namespace

const OpInfo& info_index_plan() {
  using namespace plan;
  static const OpInfo info = op_info(
      base_info(),
      {.signatures = signatures(), .signature_columns = "index", .variants = variants(), .validate = validate, .signature = signature, .finish = finish});
  return info;
}

}  // namespace adj

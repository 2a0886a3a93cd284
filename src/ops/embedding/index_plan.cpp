// index_plan: the sort alone, for gradients that share it.
#include <adjoint/ops/embedding.h>

#include "host/embedding.hpp"
#include "ops/embedding/sort.hpp"
#include "ops/embedding/tables.gen.hpp"

namespace adj {

namespace {

namespace plan {

using namespace index_plan_tables;

const std::vector<Signature>& signatures() {
  static const auto* list = new std::vector<Signature>{{ADJ_I32}, {ADJ_I64}};
  return *list;
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(kName, "num_embeddings", d.num_embeddings, kMostPlanRows));
  ADJ_TRY(check_extent(kName, "num_indices", d.num_indices, kMostIndices));
  ADJ_TRY(check_flag(kName, "wrap_negative", d.wrap_negative));
  return check_padding(kName, d);
}

Signature signature(const void* descriptor) { return {static_cast<const Descriptor*>(descriptor)->index}; }

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kIndices] = SlotSpec::tensor(d.index, {d.num_indices}).with_flat_tail();
  slots[kSortedRows] = slots[kOrder] = SlotSpec::tensor(ADJ_I32, {d.num_indices});
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.num_indices == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::index_plan>);
    return {};
  }
  const RowSums sort{.outer = 0, .rows = d.num_embeddings, .columns = 0, .indices = d.num_indices, .padding_row = padding_row(d),
                     .element = ADJ_DTYPE_NONE, .accumulate = false, .scale_by_count = false, .program = d.wrap_negative ? kSortPrograms : 0,
                     .slots = {.dout = -1, .indices = kIndices, .gradient = -1, .error_flag = kErrorFlag, .sorted_rows = kSortedRows,
                               .order = kOrder}};
  sort_indices(sort, SortLayout(sort, *request.device), *request.device, builder, Occurrences::of_plan(sort.slots));
  return {};
}

// Integers, and one result for any indices.
adj_guarantee guarantee(const Signature&) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, ADJ_I32, 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "radix_sort", .summary = "digits of the rows from the lowest on; one launch up to 4096 indices",
       .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {ADJ_SORT_PROGRAMS("embedding", "{0}", "ADJ_GATHER=0 ADJ_BAG=0"),
                    ADJ_SORT_PROGRAMS("gather", "{0}", "ADJ_GATHER=1 ADJ_BAG=0")}, .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory, in place", .backend = ADJ_BACKEND_HOST, .guarantee = guarantee}};
  return *list;
}

}  // namespace plan

}  // namespace

const OpInfo& info_index_plan() {
  using namespace plan;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = signatures();
    made.signature_columns = "index";
    made.variants = variants();
    made.validate = validate;
    made.signature = signature;
    made.shapes = shapes;
    made.finish = finish;
    return made;
  }();
  return info;
}

}  // namespace adj

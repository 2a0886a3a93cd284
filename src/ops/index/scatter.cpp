// gather_nd_backward, gather_elements_backward and index_add: additions to the rows that indices name. The first two make one key for each position
// (kernels/segment_sum/keys.cu): the number of a row of the gradient. With keys in place of indices they are the gradient of an embedding.
#include <bit>

#include "host/index.hpp"
#include "kernels/segment_sum/keys.h"
#include "kernels/segment_sum/params.h"
#include "kernels/index/params.h"
#include "ops/common/shapes.hpp"
#include "ops/segment_sum/keys.hpp"
#include "ops/segment_sum/segment_sum.hpp"
#include "ops/index.gen.hpp"

namespace adj {

namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() - 1;  // rows that a sort can tell apart
constexpr int kBlocksPerMultiprocessor = 8;

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }
// No addend goes through more roundings than kRowSumRoundings. The order depends on the indices alone.
adj_guarantee guarantee(const Signature& s) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator, 0.5, kRowSumRoundings * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

// Sums by key: each position adds to the row whose number is its key.
struct KeyedSums {
  IndexKeysParams keys;
  std::int64_t rows, columns;
  adj_dtype element;
  bool accumulate, planned;
  int dout, indices, dinput, error_flag, sorted_rows, order;  // arguments
};

// Check and specs of an index plan, whose sorted occurrences take the place of indices.
template <class Descriptor>
Result<void> check_keyed_plan(const char* op, const Descriptor& d, const IndexKeysParams& keys) {
  if (d.use_index_plan == 1 && keys.count > kMostIndices)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: use_index_plan = 1 serves up to {} positions, not {}", op, kMostIndices, keys.count);
  return check_index_plan(op, d, "rows of dinput", keys.none);
}

// Rows of keyed sums: a program for the keys, and the programs of an embedding's gradient with i64 indices.
// Rows of one element need no shape of rows but `any`.
#define ADJ_KEYED_VARIANTS(reference_summary, ...)                                                                                                    \
  {.algorithm = "grouped",                                                                                                                            \
   .summary = "positions sorted by the element they name, each written once",                                                                         \
   .programs = {ADJ_KEYS_PROGRAM("{1}"), ADJ_SORT_PROGRAMS(0, "embedding", "i64", "ADJ_GATHER=0 ADJ_BAG=0"), ADJ_ROWS_PROGRAM,                        \
                ADJ_COMBINE_PROGRAM("embedding", "0"), ADJ_SUM_PROGRAMS("embedding", "any", 0, "ADJ_GATHER=0 ADJ_BAG=0") __VA_OPT__(, ) __VA_ARGS__}, \
   .guarantee = guarantee},                                                                                                                           \
      host_row(host_guarantee, nullptr, reference_summary)

Result<void> plan_keyed_sums(const KeyedSums& k, const Device& device, PlanBuilder& builder) {
  if (k.keys.count == 0 || k.rows == 0 || k.columns == 0) {
    if (!k.accumulate) builder.clear_output(k.dinput);
    if (k.keys.count == 0) return {};
  }
  if (k.keys.count > kMostIndices) return fail(ADJ_ERROR_UNSUPPORTED, "sorts up to {} positions, not {}", kMostIndices, k.keys.count);
  if (k.rows > kMostRows) return fail(ADJ_ERROR_UNSUPPORTED, "sorts by up to {} rows, not {}", kMostRows, k.rows);
  RowSums sums{.outer = 1,
               .rows = k.rows,
               .columns = k.columns,
               .indices = k.keys.count,
               .padding_row = -1,
               .element = k.element,
               .accumulate = k.accumulate,
               .scale_by_count = false,
               .dout_rows = k.keys.count,
               .rows_arguments = {k.dout, k.dinput},
               .arguments = {.dout = k.dout, .indices = -1, .gradient = k.dinput, .error_flag = -1}};
  if (k.planned) {
    sums.arguments.sorted_rows = k.sorted_rows;
    sums.arguments.order = k.order;
    return k.rows == 0 || k.columns == 0 ? Result<void>() : finish_sorted(sums, device, builder);
  }
  sums.keys = plan_keys(k.keys, k.indices, k.error_flag, device, builder);
  if (k.rows == 0 || k.columns == 0) return {};  // only invalid indices to count
  return finish_sorted(sums, device, builder);
}

// ---- gather_nd_backward

namespace nd {

using namespace gather_nd_backward_tables;

std::int64_t depth_of(const Descriptor& d) { return d.indices_shape.dims[d.indices_shape.rank - 1]; }

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_slices(kName, d.input_shape, d.indices_shape, d.batch_dims));
  return check_keyed_plan(kName, d, slice_keys(d.input_shape, d.indices_shape, d.batch_dims));
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  builder.book(host::gather_nd_backward_workspace(*static_cast<const Descriptor*>(request.descriptor)));
  builder.host(host_call<Descriptor, Args, host::gather_nd_backward>);
  return {};
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) return plan_host(request, builder);
  const std::int64_t tail = d.batch_dims + depth_of(d);
  return plan_keyed_sums({.keys = slice_keys(d.input_shape, d.indices_shape, d.batch_dims),
                          .rows = volume_of(part(d.input_shape, 0, tail)),
                          .columns = volume_of(part(d.input_shape, tail, d.input_shape.rank)),
                          .element = d.element,
                          .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
                          .planned = d.use_index_plan != 0,
                          .dout = kDout,
                          .indices = kIndices,
                          .dinput = kDinput,
                          .error_flag = kErrorFlag,
                          .sorted_rows = kSortedRows,
                          .order = kOrder},
                         *request.device, builder);
}

// The registration is typed by its index type.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.input_shape = {3, {2, 5, 8}};
  d.indices_shape = {3, {2, 4, 1}};
  d.batch_dims = 1;
  d.element = ADJ_F32;
  d.index = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GatherNDGrad", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_KEYED_VARIANTS("host memory, f64 sums in the order of the slices",
                                                                        ADJ_SUM_PROGRAMS("embedding", "narrow", 1, "ADJ_GATHER=0 ADJ_BAG=0"),
                                                                        ADJ_SUM_PROGRAMS("embedding", "wide", 2, "ADJ_GATHER=0 ADJ_BAG=0"))};
  return *list;
}

}  // namespace nd

// ---- gather_elements_backward

namespace elements {

using namespace gather_elements_backward_tables;

constexpr std::int64_t kMostRowThreads = 1024;
enum Program : int { kElementRows };

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_elements(kName, d.input_shape, d.indices_shape, d.axis));
  return check_keyed_plan(kName, d, element_keys(d.input_shape, d.indices_shape, d.axis));
}

Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  builder.book(host::gather_elements_backward_workspace(*static_cast<const Descriptor*>(request.descriptor)));
  builder.host(host_call<Descriptor, Args, host::gather_elements_backward>);
  return {};
}

// True when a block may hold a row in shared memory: rows lie along the last axis (but for dimensions of 1), have at most 8192 positions and
// elements, and at most kManyPositions positions per element on average: beyond that a sort is faster.
bool has_short_rows(const Descriptor& d, int axis) {
  constexpr std::int64_t kManyPositions = 8;
  const std::int64_t count = d.indices_shape.dims[axis], elements = d.input_shape.dims[axis];
  if (count == 0 || elements == 0 || volume_of(dims_of(d.indices_shape)) == 0) return false;
  if (std::max(count, elements) > kMostRowThreads * kElementsOfThread || count > elements * kManyPositions) return false;
  for (int k = 0; k < d.input_shape.rank; ++k)
    if (k != axis && (k > axis ? d.input_shape.dims[k] != 1 : d.input_shape.dims[k] != d.indices_shape.dims[k])) return false;
  return true;
}

bool plan_rows(const Descriptor& d, int axis, const PlanRequest& request, PlanBuilder& builder) {
  constexpr std::int64_t kLeastThreads = 64, kStatic = 1024;
  if (!has_short_rows(d, axis)) return false;
  const std::int64_t count = d.indices_shape.dims[axis], elements = d.input_shape.dims[axis], longest = std::max(count, elements);
  const std::int64_t threads =
      std::max(kLeastThreads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(longest, kElementsOfThread)))));
  const std::int64_t positions_at = (kElementsOfThread * threads + 4) * 4 + ceil_div(count * size_of(d.element), 16) * 16;
  const std::int64_t shared = positions_at + (count + count / 3 + 1) * 2;
  if (shared + kStatic > request.device->shared_optin) return false;
  IndexElementRowsParams p{};
  p.rows = volume_of(part(d.indices_shape, 0, axis));
  p.count = static_cast<int>(count);
  p.elements = static_cast<int>(elements);
  p.accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE;
  p.positions_at = static_cast<unsigned>(positions_at);
  // One wave of blocks: a block fetches its next row while it works on one.
  builder.kernel(kElementRows, grid_for(*request.device, p.rows, static_cast<int>(kMostRowThreads / threads)), static_cast<unsigned>(threads))
      .params(p)
      .tensor(offsetof(IndexElementRowsParams, indices), kIndices)
      .tensor(offsetof(IndexElementRowsParams, dout), kDout)
      .tensor(offsetof(IndexElementRowsParams, dinput), kDinput)
      .tensor(offsetof(IndexElementRowsParams, error_flag), kErrorFlag)
      .shared(static_cast<unsigned>(shared));
  return true;
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) return plan_host(request, builder);
  const int axis = *normalise_axis(kName, "axis", d.axis, d.input_shape.rank);
  if (!d.use_index_plan && plan_rows(d, axis, request, builder)) return {};
  return plan_keyed_sums({.keys = element_keys(d.input_shape, d.indices_shape, axis),
                          .rows = volume_of(dims_of(d.input_shape)),
                          .columns = 1,
                          .element = d.element,
                          .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
                          .planned = d.use_index_plan != 0,
                          .dout = kDout,
                          .indices = kIndices,
                          .dinput = kDinput,
                          .error_flag = kErrorFlag,
                          .sorted_rows = kSortedRows,
                          .order = kOrder},
                         *request.device, builder);
}

// Additions in memory. Only the positions along the axis add to one element.
Result<void> plan_atomic(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const int axis = *normalise_axis(kName, "axis", d.axis, d.input_shape.rank);
  if (d.use_index_plan) return fail(ADJ_ERROR_UNSUPPORTED, "takes indices, use_index_plan = 1 has none");
  if (const std::int64_t most = d.indices_shape.dims[axis]; most > kMostAdditions)
    return fail(ADJ_ERROR_UNSUPPORTED, "states its error for up to {} additions to one element, indices_shape has extent {} along the axis", kMostAdditions,
                most);
  if (d.write_mode != ADJ_WRITE_ACCUMULATE) builder.clear_output(kDinput);
  const IndexElementAtomicParams p{.keys = element_keys(d.input_shape, d.indices_shape, axis), .dout = nullptr, .dinput = nullptr};
  if (p.keys.count == 0) return {};
  builder.kernel(kMain, grid_for(*request.device, ceil_div(p.keys.count, kIndexBlock), kBlocksPerMultiprocessor, 2), kIndexBlock)
      .params(p)
      .tensor(offsetof(IndexElementAtomicParams, keys) + offsetof(IndexKeysParams, indices), kIndices)
      .tensor(offsetof(IndexElementAtomicParams, keys) + offsetof(IndexKeysParams, error_flag), kErrorFlag)
      .tensor(offsetof(IndexElementAtomicParams, dout), kDout)
      .tensor(offsetof(IndexElementAtomicParams, dinput), kDinput);
  return {};
}
// True when rows fit shared memory: they need no additions in memory at all.
bool yields(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return has_short_rows(d, *normalise_axis(kName, "axis", d.axis, d.input_shape.rank));
}

// The registration lists the types of the data, of the shape (host metadata) and of the indices.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3 || types[1] != ADJ_I64) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.input_shape = {2, {4, 8}};
  d.indices_shape = {2, {4, 5}};
  d.axis = 1;
  d.element = types[0];
  d.index = types[2];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GatherElementsGrad", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "atomic",
                                                      .summary = "additions in memory, in the order of arrival",
                                                      .programs = {{"index/element_atomic.cu", "index_element_atomic", "ADJ_T={0} ADJ_I={1}"}},
                                                      .guarantee = atomic_guarantee,
                                                      .accepts = adds_in_accumulator,
                                                      .yields = yields,
                                                      .finish = plan_atomic},
                                                     ADJ_KEYED_VARIANTS("host memory, f64 sums in the order of the indices",
                                                                        {"index/element_rows.cu", "index_element_rows", "ADJ_T={0} ADJ_I={1}", kElementRows})};
  return *list;
}

}  // namespace elements

// ---- index_add

namespace add {

using namespace index_add_tables;

struct Extents {
  std::int64_t outer, extent, inner;
};
Extents extents_of(const Descriptor& d) {
  const int axis = *normalise_axis(kName, "axis", d.axis, d.shape.rank);
  return {volume_of(part(d.shape, 0, axis)), d.shape.dims[axis], volume_of(part(d.shape, axis + 1, d.shape.rank))};
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_ranked(kName, "shape", d.shape));
  if (auto axis = normalise_axis(kName, "axis", d.axis, d.shape.rank); !axis) return axis.take_error();
  const Extents e = extents_of(d);
  return check_index_plan(kName, d, "the extent of the axis", e.extent);
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.book(host::index_add_workspace(d));
    builder.host(host_call<Descriptor, Args, host::index_add>);
    return {};
  }
  const Extents e = extents_of(d);
  if (d.num_indices == 0) {
    builder.copy(kInput, kOutput);
    return {};
  }
  const RowSums sums{.outer = e.outer,
                     .rows = e.extent,
                     .columns = e.outer ? e.inner : 0,
                     .indices = d.num_indices,
                     .padding_row = -1,
                     .element = d.element,
                     .accumulate = true,
                     .scale_by_count = false,
                     .dout_rows = d.num_indices,
                     .rows_arguments = {kSource, kOutput},
                     .gather = true,
                     .arguments = {.dout = kSource,
                                   .indices = kIndices,
                                   .gradient = kOutput,
                                   .error_flag = kErrorFlag,
                                   .sorted_rows = d.use_index_plan ? int{kSortedRows} : -1,
                                   .order = d.use_index_plan ? int{kOrder} : -1,
                                   .copied = kInput}};
  return finish_sorted(sums, *request.device, builder);
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "grouped",
                                                      .summary = "occurrences sorted by row, each row written once",
                                                      .programs = {ADJ_GATHER_SUM_PROGRAMS("{1}", ADJ_ADDING_SUM_PROGRAMS)},
                                                      .guarantee = guarantee},
                                                     host_row(host_guarantee, nullptr, "host memory, f64 sums in the order of the indices")};
  return *list;
}

}  // namespace add

}  // namespace

const OpInfo& info_gather_nd_backward() {
  static const OpInfo info = op_info(nd::base_info(), {.signatures = element_index_signatures(),
                                                       .signature_columns = "element, index",
                                                       .variants = nd::variants(),
                                                       .onnx = nd::kOnnx,
                                                       .validate = nd::validate,
                                                       .signature = element_index_signature<nd::Descriptor>,
                                                       .finish = nd::plan});
  return info;
}

const OpInfo& info_gather_elements_backward() {
  static const OpInfo info = op_info(elements::base_info(), {.signatures = element_index_signatures(),
                                                             .signature_columns = "element, index",
                                                             .variants = elements::variants(),
                                                             .onnx = elements::kOnnx,
                                                             .validate = elements::validate,
                                                             .signature = element_index_signature<elements::Descriptor>,
                                                             .finish = elements::plan});
  return info;
}

const OpInfo& info_index_add() {
  static const OpInfo info = op_info(add::base_info(), {.signatures = element_index_signatures(),
                                                        .signature_columns = "element, index",
                                                        .variants = add::variants(),
                                                        .validate = add::validate,
                                                        .signature = element_index_signature<add::Descriptor>,
                                                        .finish = add::plan});
  return info;
}

}  // namespace adj

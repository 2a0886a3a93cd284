// pad_and_unflatten is a lookup of rows by the inverse of the indices, flatten_and_unpad a lookup by the indices.
#include "host/index.hpp"
#include "kernels/segment_sum/keys.h"
#include "kernels/index/params.h"
#include "ops/common/shapes.hpp"
#include "ops/segment_sum/segment_sum.hpp"
#include "ops/index.gen.hpp"

namespace adj {

namespace {

template <class Descriptor>
Result<void> check(const char* op, const Descriptor& d) {
  return check_volume(op, "the rows", {d.batch, d.length});
}

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto made = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I32, ADJ_I64})
      for (adj_dtype index : {ADJ_I32, ADJ_I64}) made->push_back({element, index});
    return made.release();
  }();
  return *list;
}

template <class Descriptor>
void sample(Descriptor& d, adj_dtype element) {
  d.num_indices = 4;
  d.batch = 2;
  d.length = 3;
  d.inner = 8;
  d.element = element;
  d.index = ADJ_I64;
}

namespace pad {

using namespace pad_and_unflatten_tables;

Result<void> validate(const void* descriptor) { return check(kName, *static_cast<const Descriptor*>(descriptor)); }

// Two launches: the first finds the position that each row of the output comes from, the second copies the rows.
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::pad_and_unflatten>);
    return {};
  }
  const std::int64_t rows = d.batch * d.length, row_bytes = d.inner * size_of(d.element);
  if (d.num_indices == 0) {
    builder.clear_output(kOutput);
    return {};
  }
  const auto map_bytes = static_cast<std::uint64_t>(rows) * sizeof(std::int32_t);
  const std::uint64_t map = builder.book(map_bytes);
  builder.clear_workspace(map, map_bytes, 0xff);
  IndexPadMapParams p{};
  p.count = d.num_indices;
  p.rows = rows;
  builder.kernel(kMain, grid_for(*request.device, ceil_div(d.num_indices, kIndexBlock), 8), kIndexBlock)
      .params(p)
      .tensor(offsetof(IndexPadMapParams, indices), kIndices)
      .tensor(offsetof(IndexPadMapParams, error_flag), kErrorFlag)
      .workspace(offsetof(IndexPadMapParams, map), map);
  if (rows == 0 || row_bytes == 0) return {};  // only invalid indices to count
  plan_row_lookup({.rows = d.num_indices, .row_bytes = row_bytes, .count = rows, .weight = kInput, .indices = -1, .out = kOutput, .map = map}, *request.device,
                  builder);
  return {};
}

// The registration lists the types of the data, of the extents (host metadata) and of the indices.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3 || types[1] != ADJ_I64 || types[2] != ADJ_I64) return false;
  sample(*static_cast<Descriptor*>(descriptor), types[0]);
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "PadAndUnflatten", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "map",
                                                      .summary = "the inverse of the indices, then each row of the output once",
                                                      .programs = {{"index/pad_map.cu", "index_pad_map", "ADJ_I={1}"}, ADJ_LOOKUP_PROGRAMS("{0}", "i32")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace pad

namespace unpad {

using namespace flatten_and_unpad_tables;

Result<void> validate(const void* descriptor) { return check(kName, *static_cast<const Descriptor*>(descriptor)); }

void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const auto& a = *static_cast<const Args*>(args);
  if (!a.unflatten_dims.data) return;
  static_cast<std::int64_t*>(a.unflatten_dims.data)[0] = d.batch;
  static_cast<std::int64_t*>(a.unflatten_dims.data)[1] = d.length;
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.num_indices == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::flatten_and_unpad>);
    return {};
  }
  plan_row_lookup({.rows = d.batch * d.length,
                   .row_bytes = d.inner * size_of(d.element),
                   .count = d.num_indices,
                   .weight = kInput,
                   .indices = kIndices,
                   .out = kOutput,
                   .error_flag = kErrorFlag},
                  *request.device, builder);
  return {};
}

// The registration lists the types of the data and of the indices and extents.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || types[1] != ADJ_I64) return false;
  sample(*static_cast<Descriptor*>(descriptor), types[0]);
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "FlattenAndUnpad", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "row_copy",
                                                      .summary = "blocks copy stretches of the output, or groups of threads rows",
                                                      .programs = {ADJ_LOOKUP_PROGRAMS("{0}", "{1}")},
                                                      .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee)};
  return *list;
}

}  // namespace unpad

}  // namespace

const OpInfo& info_pad_and_unflatten() {
  static const OpInfo info = op_info(pad::base_info(), {.signatures = signatures(),
                                                        .signature_columns = "element, index",
                                                        .variants = pad::variants(),
                                                        .onnx = pad::kOnnx,
                                                        .validate = pad::validate,
                                                        .signature = element_index_signature<pad::Descriptor>,
                                                        .finish = pad::plan});
  return info;
}

const OpInfo& info_flatten_and_unpad() {
  static const OpInfo info = op_info(unpad::base_info(), {.signatures = signatures(),
                                                          .signature_columns = "element, index",
                                                          .variants = unpad::variants(),
                                                          .onnx = unpad::kOnnx,
                                                          .validate = unpad::validate,
                                                          .signature = element_index_signature<unpad::Descriptor>,
                                                          .finish = unpad::plan,
                                                          .host_outputs = unpad::host_outputs});
  return info;
}

}  // namespace adj

// Planning of view, copy and transpose.
#include <numeric>

#include "host/shape.hpp"
#include "ops/common/multi_tensor.hpp"
#include "ops/parts/parts.hpp"
#include "ops/shape.gen.hpp"

#include "kernels/shape/params.h"

namespace adj {

namespace {

// Element counts of the sample descriptors behind the ONNX registrations.
constexpr std::int64_t kSampleCounts[] = {6, 2};

namespace views {

using namespace view_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  const std::int64_t sum = std::accumulate(d.numel, d.numel + d.count, std::int64_t{0});
  if (sum != d.total) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: numel adds up to {}, total = {}", kName, sum, d.total);
  return {};
}

void host_outputs(const void* descriptor, const void* args) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  auto* offsets = static_cast<std::int64_t*>(static_cast<const Args*>(args)->offsets.data);
  if (offsets) std::exclusive_scan(d.numel, d.numel + d.count, offsets, std::int64_t{0});
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!d.copies || d.total == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::view>);
    return {};
  }
  return add_parts(builder, *request.device, kName, {.lengths = {d.numel, static_cast<std::size_t>(d.count)}, .element = d.element}, kOutputs, kInput, true);
}

// The registration lists the types of the data and of the shapes.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 2 || types[1] != ADJ_I64) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.total = 8;
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "View", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "parts", .summary = "no launch, or one that copies all parts", .programs = {ADJ_PARTS_WIDE_PROGRAMS}, .guarantee = exact_guarantee},
      host_row(exact_guarantee)};
  return *list;
}

}  // namespace views

namespace copies {

using namespace copy_tables;

Result<void> plan_memcpy(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.count > 1) return fail(ADJ_ERROR_UNSUPPORTED, "copies one tensor, the list has {}", d.count);
  builder.copy(kInputs, kOutputs);
  return {};
}

Result<void> plan_list(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  const int arrays[] = {kInputs, kOutputs};
  add_multi_tensor(
      builder, *request.device, kMain, numel_of(d), arrays, [](bool) { return CopyHead{}; },
      [](PlanBuilder::Kernel& kernel) { kernel.unless_in_place(kInputs, kOutputs); });
  return {};
}

Result<void> plan_host(const PlanRequest&, PlanBuilder& builder) {
  builder.host(host_call<Descriptor, Args, host::copy>);
  return {};
}

template <std::uint32_t bytes>
bool of_width(const Signature& s) {
  return size_of(s[0]) == bytes;
}

bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.count = std::size(kSampleCounts);
  d.numel = kSampleCounts;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "PassThrough", describe, kMixedTypes}};

#define ADJ_COPY_VARIANT(bytes, type)                                                          \
  {.algorithm = "multi_tensor",                                                                \
   .summary = "one launch over what is not in place",                                          \
   .programs = {ADJ_MULTI_TENSOR_PROGRAMS(kMain, "shape/copy.cu", "copy", "ADJ_T=" type " ")}, \
   .guarantee = exact_guarantee,                                                               \
   .accepts = of_width<bytes>,                                                                 \
   .finish = plan_list}

const std::vector<Variant>& variants() {
  static const auto* list =
      new std::vector<Variant>{{.algorithm = "memcpy", .summary = "the driver's copy of one tensor", .guarantee = exact_guarantee, .finish = plan_memcpy},
                               ADJ_COPY_VARIANT(1, "u8"),
                               ADJ_COPY_VARIANT(2, "u16"),
                               ADJ_COPY_VARIANT(4, "u32"),
                               ADJ_COPY_VARIANT(8, "u64"),
                               host_row(exact_guarantee, plan_host)};
  return *list;
}

}  // namespace copies

namespace transposes {

using namespace transpose_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.batch == 0 || d.rows == 0 || d.columns == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::transpose>);
    return {};
  }
  TransposeParams p{};
  p.batch = d.batch;
  p.rows = d.rows;
  p.columns = d.columns;
  const std::int64_t tile = size_of(d.element) == 8 ? 32 : 64;
  builder.kernel(kMain, strided_grid(*request.device, d.batch * ceil_div(d.rows, tile) * ceil_div(d.columns, tile)), kTransposeBlock)
      .params(p)
      .tensor(offsetof(TransposeParams, in), kInput)
      .tensor(offsetof(TransposeParams, out), kOutput);
  return {};
}

#define ADJ_TRANSPOSE_VARIANT(bytes, type)                           \
  {.algorithm = "tiles",                                             \
   .summary = "square tiles by way of shared memory",                \
   .programs = {{"shape/transpose.cu", "transpose", "ADJ_T=" type}}, \
   .guarantee = exact_guarantee,                                     \
   .accepts = copies::of_width<bytes>}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_TRANSPOSE_VARIANT(1, "u8"), ADJ_TRANSPOSE_VARIANT(2, "u16"), ADJ_TRANSPOSE_VARIANT(4, "u32"),
                                                     ADJ_TRANSPOSE_VARIANT(8, "u64"), host_row(exact_guarantee)};
  return *list;
}

}  // namespace transposes

}  // namespace

const OpInfo& info_view() {
  static const OpInfo info = op_info(views::base_info(), {.signatures = all_element_signatures(),
                                                          .signature_columns = "element",
                                                          .variants = views::variants(),
                                                          .onnx = views::kOnnx,
                                                          .validate = views::validate,
                                                          .signature = element_signature<views::Descriptor>,
                                                          .finish = views::plan,
                                                          .host_outputs = views::host_outputs});
  return info;
}

const OpInfo& info_copy() {
  static const OpInfo info = op_info(copies::base_info(), {.signatures = all_element_signatures(),
                                                           .signature_columns = "element",
                                                           .variants = copies::variants(),
                                                           .onnx = copies::kOnnx,
                                                           .signature = element_signature<copies::Descriptor>});
  return info;
}

const OpInfo& info_transpose() {
  using namespace transposes;
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj

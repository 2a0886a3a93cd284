#include <adjoint/ops/embedding.h>

#include "../../kernels/params/embedding.h"
#include "host/embedding.hpp"
#include "ops/common.hpp"

namespace adj {

namespace {

const std::vector<Signature>& element_index_signatures() {
  static const auto* signatures = [] {
    auto* list = new std::vector<Signature>;
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype index : {ADJ_I32, ADJ_I64}) list->push_back({element, index});
    return list;
  }();
  return *signatures;
}

template <class Descriptor>
Result<void> check_padding(const char* op, const Descriptor& d) {
  ADJ_TRY(check_flag(op, "has_padding_idx", d.has_padding_idx));
  if (d.has_padding_idx && (d.padding_idx < -d.num_embeddings || d.padding_idx >= d.num_embeddings))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: padding_idx = {} is outside [-{}, {})", op, d.padding_idx, d.num_embeddings,
                d.num_embeddings);
  return {};
}
template <class Descriptor>
std::int64_t padding_row(const Descriptor& d) {
  if (!d.has_padding_idx) return -1;
  return d.padding_idx < 0 ? d.padding_idx + d.num_embeddings : d.padding_idx;
}

// ---- forward

namespace forward {

using Descriptor = adj_embedding_forward_descriptor;
using Args = adj_embedding_forward_args;
constexpr const char* kName = "embedding_forward";
const Descriptor kDefault{};
enum Slot { kWeight, kIndices, kOut, kErrorFlag };
constexpr SlotInfo kSlots[] = {ADJ_SLOT(Args, weight, tensor, in), ADJ_SLOT(Args, indices, tensor, in),
                               ADJ_SLOT(Args, out, tensor, out), ADJ_SLOT(Args, error_flag, tensor, inout)};
constexpr Field kFields[] = {
    ADJ_FIELD(Descriptor, num_embeddings, kFieldI64), ADJ_FIELD(Descriptor, embedding_dim, kFieldI64),
    ADJ_FIELD(Descriptor, num_indices, kFieldI64),    ADJ_FIELD(Descriptor, element, kFieldDtype),
    ADJ_FIELD(Descriptor, index, kFieldDtype),        ADJ_FIELD(Descriptor, has_padding_idx, kFieldI32),
    ADJ_FIELD(Descriptor, padding_zeroes_forward, kFieldI32), ADJ_FIELD(Descriptor, padding_idx, kFieldI64)};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(kName, "num_embeddings", d.num_embeddings));
  ADJ_TRY(check_extent(kName, "embedding_dim", d.embedding_dim));
  ADJ_TRY(check_extent(kName, "num_indices", d.num_indices));
  ADJ_TRY(check_volume(kName, "weight", {d.num_embeddings, d.embedding_dim}));
  ADJ_TRY(check_volume(kName, "out", {d.num_indices, d.embedding_dim}));
  ADJ_TRY(check_flag(kName, "padding_zeroes_forward", d.padding_zeroes_forward));
  return check_padding(kName, d);
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.index};
}

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kWeight] = SlotSpec::tensor(d.element, {d.num_embeddings, d.embedding_dim});
  slots[kIndices] = SlotSpec::tensor(d.index, {d.num_indices});
  slots[kOut] = SlotSpec::tensor(d.element, {d.num_indices, d.embedding_dim});
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.num_indices == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::embedding_forward>);
    return {};
  }
  EmbeddingForwardParams p{};
  p.num_embeddings = d.num_embeddings;
  p.row_bytes = d.embedding_dim * size_of(d.element);
  p.num_indices = d.num_indices;
  p.zero_row = d.padding_zeroes_forward ? padding_row(d) : -1;
  constexpr unsigned kBlock = 256;
  constexpr int kBlocksPerMultiprocessor = 8;
  const std::int64_t work = std::max<std::int64_t>(d.num_indices, ceil_div(d.num_indices * std::max<std::int64_t>(p.row_bytes, 1), kBlock * 16));
  builder.kernel(0, grid_for(*request.device, work, kBlocksPerMultiprocessor, 4), kBlock)
      .params(p)
      .tensor(offsetof(EmbeddingForwardParams, weight), kWeight)
      .tensor(offsetof(EmbeddingForwardParams, indices), kIndices)
      .tensor(offsetof(EmbeddingForwardParams, out), kOut)
      .tensor(offsetof(EmbeddingForwardParams, error_flag), kErrorFlag);
  return {};
}

// A copy has no error.
adj_guarantee guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, s[0], 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row_copy", .summary = "one group of threads copies one row", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {{"embedding.cu", "embedding_forward", "ADJ_T={0} ADJ_I={1}"}}, .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = guarantee}};
  return *list;
}

}  // namespace forward

// ---- backward

namespace backward {

using Descriptor = adj_embedding_backward_descriptor;
using Args = adj_embedding_backward_args;
constexpr const char* kName = "embedding_backward";
const Descriptor kDefault{};
enum Slot { kDout, kIndices, kDweight, kErrorFlag };
constexpr SlotInfo kSlots[] = {ADJ_SLOT(Args, dout, tensor, in), ADJ_SLOT(Args, indices, tensor, in),
                               ADJ_SLOT(Args, dweight, tensor, inout), ADJ_SLOT(Args, error_flag, tensor, inout)};
constexpr Field kFields[] = {
    ADJ_FIELD(Descriptor, num_embeddings, kFieldI64),  ADJ_FIELD(Descriptor, embedding_dim, kFieldI64),
    ADJ_FIELD(Descriptor, num_indices, kFieldI64),     ADJ_FIELD(Descriptor, element, kFieldDtype),
    ADJ_FIELD(Descriptor, index, kFieldDtype),         ADJ_FIELD(Descriptor, write_mode, kFieldI32),
    ADJ_FIELD(Descriptor, scale_grad_by_freq, kFieldI32), ADJ_FIELD(Descriptor, has_padding_idx, kFieldI32),
    ADJ_FIELD(Descriptor, padding_idx, kFieldI64)};

// Positions are kept in 32 bits.
constexpr std::int64_t kMostIndices = std::numeric_limits<std::int32_t>::max();

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(kName, "num_embeddings", d.num_embeddings));
  ADJ_TRY(check_extent(kName, "embedding_dim", d.embedding_dim));
  ADJ_TRY(check_extent(kName, "num_indices", d.num_indices, kMostIndices));
  ADJ_TRY(check_volume(kName, "dweight", {d.num_embeddings, d.embedding_dim}));
  ADJ_TRY(check_volume(kName, "dout", {d.num_indices, d.embedding_dim}));
  ADJ_TRY(check_enum(kName, "write_mode", d.write_mode, ADJ_WRITE_ACCUMULATE));
  ADJ_TRY(check_flag(kName, "scale_grad_by_freq", d.scale_grad_by_freq));
  return check_padding(kName, d);
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.index};
}

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kDout] = SlotSpec::tensor(d.element, {d.num_indices, d.embedding_dim});
  slots[kIndices] = SlotSpec::tensor(d.index, {d.num_indices});
  slots[kDweight] = SlotSpec::tensor(d.element, {d.num_embeddings, d.embedding_dim});
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.book(host::embedding_backward_workspace(d));
    builder.host(host_call<Descriptor, Args, host::embedding_backward>);
  }
  return {};
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "reference", .summary = "host memory, f64 sums in token order", .backend = ADJ_BACKEND_HOST, .guarantee = host_guarantee}};
  return *list;
}

}  // namespace backward

}  // namespace

const OpInfo& info_embedding_forward() {
  using namespace forward;
  static const OpInfo info{.id = ADJ_OP_EMBEDDING_FORWARD, .name = kName, .descriptor_size = sizeof(Descriptor),
                           .args_size = sizeof(Args), .default_descriptor = &kDefault, .fields = kFields, .slots = kSlots,
                           .signatures = element_index_signatures(), .signature_columns = "element, index",
                           .variants = variants(), .onnx = {}, .validate = validate, .signature = signature,
                           .shapes = shapes, .finish = finish};
  return info;
}

const OpInfo& info_embedding_backward() {
  using namespace backward;
  static const OpInfo info{.id = ADJ_OP_EMBEDDING_BACKWARD, .name = kName, .descriptor_size = sizeof(Descriptor),
                           .args_size = sizeof(Args), .default_descriptor = &kDefault, .fields = kFields, .slots = kSlots,
                           .signatures = element_index_signatures(), .signature_columns = "element, index",
                           .variants = variants(), .onnx = {}, .validate = validate, .signature = signature,
                           .shapes = shapes, .finish = finish};
  return info;
}

}  // namespace adj

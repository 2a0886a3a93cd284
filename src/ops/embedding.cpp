#include <adjoint/ops/embedding.h>

#include "../../kernels/params/embedding.h"
#include "host/embedding.hpp"
#include "ops/embedding.hpp"

namespace adj {

const std::vector<Signature>& element_index_signatures() {
  static const auto* signatures = [] {
    auto list = std::make_unique<std::vector<Signature>>();
    for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16})
      for (adj_dtype index : {ADJ_I32, ADJ_I64}) list->push_back({element, index});
    return list.release();
  }();
  return *signatures;
}

namespace {

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

}  // namespace

// ---- sums of rows

namespace {

EmbeddingBackwardParams common_params(const RowSums& d, const Device& device) {
  EmbeddingBackwardParams p{};
  const std::int64_t vector = 16 / size_of(d.element);  // elements
  p.num_embeddings = d.rows;
  p.embedding_dim = d.columns;
  p.num_indices = d.indices;
  p.padding_row = d.padding_row;
  p.accumulate = d.accumulate;
  p.scale_by_count = d.scale_by_count;
  p.row_lanes = power_of_two(ceil_div(d.columns, vector), 32);
  p.bag_length = d.bag_length;
  p.outer = d.outer;
  p.dout_matrix = d.indices * d.columns;
  p.dweight_matrix = d.rows * d.columns;
  p.tile_lanes = std::min<int>(p.row_lanes, kEmbeddingTileLanes);
  p.resident_blocks = static_cast<unsigned>(device.multiprocessors * d.blocks);
  return p;
}

constexpr std::int64_t kMostBlocksY = 65535;

}  // namespace

// One launch: every block reads all indices and writes its own rows.
Result<void> finish_few(const RowSums& d, const Device& device, PlanBuilder& builder) {
  if (d.indices > kEmbeddingFew)
    return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} indices, num_indices = {}", int{kEmbeddingFew}, d.indices);
  EmbeddingBackwardParams p = common_params(d, device);
  p.outer_step = kEmbeddingTileLanes / p.tile_lanes;
  // A block writes up to 128 rows of one warp-wide stretch of 512 bytes; less when that leaves multiprocessors idle, more
  // pieces when the result is so large that reading the indices would show.
  const std::int64_t stretches = std::max<std::int64_t>(1, ceil_div(d.columns, 32 * 16 / size_of(d.element)));
  const std::int64_t steps = std::max<std::int64_t>(1, ceil_div(d.outer, p.outer_step));
  const std::int64_t pieces = stretches * steps;
  p.batch_rows = static_cast<int>(std::clamp<std::int64_t>(d.rows / ceil_div(p.resident_blocks, pieces), 1, kEmbeddingFewRows));
  const std::int64_t stripes = std::max<std::int64_t>(1, ceil_div(d.rows, p.batch_rows));
  const std::int64_t blocks_y = std::min({pieces, ceil_div(std::int64_t{p.resident_blocks} * 8, stripes), kMostBlocksY});
  p.column_blocks = static_cast<unsigned>(std::min(stretches, blocks_y));
  const std::int64_t outer_blocks = std::min(steps, blocks_y / p.column_blocks);
  p.dout_rows = d.dout_rows;
  const bool apart = !d.rows_slots.empty(), vectors = d.columns * size_of(d.element) % 16 == 0;
  auto kernel = builder.kernel(d.program + (apart && !vectors), stripes, kEmbeddingBlock, p.column_blocks * outer_blocks).params(p);
  if (apart && vectors) kernel.when_unaligned(d.program + 1, d.rows_slots);
  d.patch(kernel);
  return {};
}

// A fill and two launches. Workspace, for V rows, T indices and D columns of O matrices, about 68 V + 10 T + O T D / 32 bytes
// (D / 16 for f64), in closed form:
//   cleared   4 V + 8 S + 4 H tiles + 64      counts, keys, tickets, control; S = T / 8 + 64 chunk slots
//   slots     64 V
//   chunks    64 S
//   lists     8 (T / 33) + 12 H + 8 R         medium rows; H = T / 2049 huge rows with R = T / 128 ranges
//   partials  R O D accumulators, when H > 0
Result<void> finish_grouped(const RowSums& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 36;
  if (d.rows >= kMostRows) return fail(ADJ_ERROR_UNSUPPORTED, "serves fewer than {} rows, not {}", kMostRows, d.rows);
  EmbeddingBackwardParams p = common_params(d, device);
  const std::int64_t column_tiles = ceil_div(d.columns * size_of(d.element), 16 * kEmbeddingTileLanes);
  const std::int64_t all_tiles = column_tiles * ceil_div(d.outer, kEmbeddingTileLanes / p.tile_lanes);
  if (all_tiles > std::numeric_limits<std::int32_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "writes what one index selects in fewer than 2^31 pieces of 256 bytes, not {}", all_tiles);
  p.tiles = static_cast<unsigned>(all_tiles);
  p.column_tiles = static_cast<unsigned>(column_tiles);
  const auto rows = static_cast<std::uint64_t>(d.rows), tokens = static_cast<std::uint64_t>(d.indices);
  const auto tiles = std::uint64_t{p.tiles}, columns = static_cast<std::uint64_t>(d.outer * d.columns);
  const std::uint64_t medium = tokens / (kEmbeddingLight + 1), huge = tokens / (kEmbeddingMedium + 1);
  const std::uint64_t ranges = huge ? tokens / kEmbeddingRangeGrain : 0;
  // At most one chunk for every 16 occurrences beyond a row's slots, so the table is at most half full.
  p.chunk_slots = static_cast<unsigned>(tokens / 8 + 64);

  constexpr std::uint64_t kControl = 64;
  static_assert(sizeof(EmbeddingControl) <= kControl);
  const std::uint64_t keys = std::uint64_t{p.chunk_slots} * 8, counts = rows * 4, tickets = huge * tiles * 4;
  const std::uint64_t cleared = builder.book(kControl + keys + counts + tickets);
  const std::uint64_t slots = builder.book(rows * kEmbeddingSlots * 4);
  const std::uint64_t chunks = builder.book(std::uint64_t{p.chunk_slots} * kEmbeddingSlots * 4);
  const std::uint64_t medium_rows = builder.book(medium * 8);
  const std::uint64_t huge_rows = builder.book(huge * 8);
  const std::uint64_t huge_first = builder.book(huge * 4);
  const std::uint64_t range_list = builder.book(ranges * sizeof(EmbeddingRange));
  const std::uint64_t partials = builder.book(ranges * columns * static_cast<std::uint64_t>(size_of(accumulator_of(d.element))));
  const auto patch_all = [&](PlanBuilder::Kernel kernel) {
    d.patch(kernel);
    kernel.workspace(offsetof(EmbeddingBackwardParams, control), cleared)
        .workspace(offsetof(EmbeddingBackwardParams, keys), cleared + kControl)
        .workspace(offsetof(EmbeddingBackwardParams, counts), cleared + kControl + keys)
        .workspace(offsetof(EmbeddingBackwardParams, tickets), cleared + kControl + keys + counts)
        .workspace(offsetof(EmbeddingBackwardParams, slots), slots)
        .workspace(offsetof(EmbeddingBackwardParams, chunks), chunks)
        .workspace(offsetof(EmbeddingBackwardParams, medium_rows), medium_rows)
        .workspace(offsetof(EmbeddingBackwardParams, huge_rows), huge_rows)
        .workspace(offsetof(EmbeddingBackwardParams, huge_first), huge_first)
        .workspace(offsetof(EmbeddingBackwardParams, ranges), range_list)
        .workspace(offsetof(EmbeddingBackwardParams, partials), partials);
  };

  builder.clear_workspace(cleared, kControl + keys + counts + tickets);
  patch_all(builder.kernel(d.program, grid_for(device, ceil_div(d.indices, kEmbeddingBlock), 8), kEmbeddingBlock).params(p));
  if (rows == 0 || columns == 0) return {};  // nothing but errors to count

  // A warp takes about 8 KB of consecutive rows; heavy rows want the whole device even when there are few rows.
  const std::int64_t row_bytes = d.columns * size_of(d.element);
  p.batch_rows = 1;
  while (p.batch_rows < 16 && p.batch_rows * 2 * row_bytes <= 8192) p.batch_rows *= 2;
  const std::int64_t light = ceil_div(d.rows, std::int64_t{p.batch_rows} * (kEmbeddingBlock / 32));
  // A batch is sorted once for all the matrices of a block: no more blocks along them than keep the device busy, of equal shares.
  p.outer_step = row_bytes < 16 ? kEmbeddingNarrow : row_bytes <= 32 * 16 ? kEmbeddingAcross : 1;
  const std::int64_t steps = ceil_div(d.outer, p.outer_step);
  const std::int64_t most_y = std::min({steps, ceil_div(std::int64_t{p.resident_blocks} * 8, light), kMostBlocksY});
  const std::int64_t blocks_y = ceil_div(steps, ceil_div(steps, most_y));
  const std::int64_t heavy = grid_for(device, static_cast<std::int64_t>((medium + ranges) * tiles), d.blocks);
  patch_all(builder.kernel(d.program + 1, std::max(light, ceil_div(heavy, blocks_y)), kEmbeddingBlock, blocks_y).params(p));
  return {};
}

namespace {

// ---- gradients of lookups

namespace gradient {

enum Slot { kDout, kIndices, kGradient, kErrorFlag };

void patch_tensors(PlanBuilder::Kernel& kernel) {
  kernel.tensor(offsetof(EmbeddingBackwardParams, dout), kDout)
      .tensor(offsetof(EmbeddingBackwardParams, indices), kIndices)
      .tensor(offsetof(EmbeddingBackwardParams, dweight), kGradient)
      .tensor(offsetof(EmbeddingBackwardParams, error_flag), kErrorFlag);
}

template <class Descriptor, class Args, RowSums (*problem)(const Descriptor&), std::uint64_t (*workspace)(const Descriptor&),
          void (*reference)(const Descriptor&, const Args&, void*)>
Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& descriptor = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    builder.book(workspace(descriptor));
    builder.host(host_call<Descriptor, Args, reference>);
    return {};
  }
  const RowSums d = problem(descriptor);
  if (d.indices == 0) {
    if (!d.accumulate)
      builder.clear_output(kGradient, static_cast<std::uint64_t>(d.outer * d.rows * d.columns * size_of(d.element)));
    return {};
  }
  const bool few = std::string_view(request.sku->variant->algorithm) == "few";
  return few ? finish_few(d, *request.device, builder) : finish_grouped(d, *request.device, builder);
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// No addend goes through more than 288 roundings: 128 additions in a stream and its window, 16 streams, 128 ranges, and
// some for compensation, scale and accumulation. The order depends on the indices alone.
adj_guarantee guarantee(const Signature& s) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator, 0.5, kRowSumRoundings * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

// `gather` is the kernels' macro ADJ_GATHER, `few` the programs of the single launch.
#define ADJ_GRADIENT_VARIANTS(op, gather, few)                                                                                         \
  {.algorithm = "few", .summary = "up to 1024 indices, one launch", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,                 \
   .programs = few,                                                                                                               \
   .guarantee = guarantee},                                                                                                       \
  {.algorithm = "grouped", .summary = "occurrences grouped by row, each gradient row written once",                               \
   .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,                                                                                  \
   .programs = {{"embedding_backward.cu", op "_group", "ADJ_STAGE=0 ADJ_GATHER=" gather " ADJ_BAG=0 ADJ_I={1}"},                  \
                {"embedding_backward.cu", op "_sum", "ADJ_STAGE=1 ADJ_GATHER=" gather " ADJ_BAG=0 ADJ_T={0} ADJ_I={1}"}},         \
   .guarantee = guarantee},                                                                                                       \
  {.algorithm = "reference", .summary = "host memory, f64 sums in token order", .backend = ADJ_BACKEND_HOST,                      \
   .guarantee = host_guarantee}

}  // namespace gradient

// ---- backward

namespace backward {

using namespace gradient;
using Descriptor = adj_embedding_backward_descriptor;
using Args = adj_embedding_backward_args;
constexpr const char* kName = "embedding_backward";
const Descriptor kDefault{};
constexpr SlotInfo kSlots[] = {ADJ_SLOT(Args, dout, tensor, in), ADJ_SLOT(Args, indices, tensor, in),
                               ADJ_SLOT(Args, dweight, tensor, inout), ADJ_SLOT(Args, error_flag, tensor, inout)};
constexpr Field kFields[] = {
    ADJ_FIELD(Descriptor, num_embeddings, kFieldI64),  ADJ_FIELD(Descriptor, embedding_dim, kFieldI64),
    ADJ_FIELD(Descriptor, num_indices, kFieldI64),     ADJ_FIELD(Descriptor, element, kFieldDtype),
    ADJ_FIELD(Descriptor, index, kFieldDtype),         ADJ_CHOICE_FIELD(Descriptor, write_mode, "default,overwrite,accumulate"),
    ADJ_FIELD(Descriptor, scale_grad_by_freq, kFieldI32), ADJ_FIELD(Descriptor, has_padding_idx, kFieldI32),
    ADJ_FIELD(Descriptor, padding_idx, kFieldI64)};

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
  slots[kGradient] = SlotSpec::tensor(d.element, {d.num_embeddings, d.embedding_dim});
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

RowSums problem_of(const Descriptor& d) {
  return {.outer = 1, .rows = d.num_embeddings, .columns = d.embedding_dim, .indices = d.num_indices, .padding_row = padding_row(d),
          .element = d.element, .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE, .scale_by_count = d.scale_grad_by_freq != 0,
          .blocks = kEmbeddingBlocks, .dout_rows = d.num_indices, .rows_slots = {kDout, kGradient}, .patch = patch_tensors};
}

const std::vector<Variant>& variants() {
  static const std::vector<ProgramTemplate> few{{"embedding_few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_BAG=0 ADJ_VECTORS=1"},
                                                {"embedding_few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_BAG=0 ADJ_VECTORS=0"}};
  static const auto* list = new std::vector<Variant>{ADJ_GRADIENT_VARIANTS("embedding_backward", "0", few)};
  return *list;
}

}  // namespace backward

namespace gather {

using namespace gradient;
using Descriptor = adj_gather_grad_descriptor;
using Args = adj_gather_grad_args;
constexpr const char* kName = "gather_grad";
const Descriptor kDefault{};
constexpr SlotInfo kSlots[] = {ADJ_SLOT(Args, dout, tensor, in), ADJ_SLOT(Args, indices, tensor, in),
                               ADJ_SLOT(Args, dinput, tensor, inout), ADJ_SLOT(Args, error_flag, tensor, inout)};
constexpr Field kFields[] = {
    ADJ_FIELD(Descriptor, outer, kFieldI64),       ADJ_FIELD(Descriptor, extent, kFieldI64), ADJ_FIELD(Descriptor, inner, kFieldI64),
    ADJ_FIELD(Descriptor, num_indices, kFieldI64), ADJ_FIELD(Descriptor, element, kFieldDtype), ADJ_FIELD(Descriptor, index, kFieldDtype),
    ADJ_CHOICE_FIELD(Descriptor, write_mode, "default,overwrite,accumulate")};

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(kName, "outer", d.outer));
  ADJ_TRY(check_extent(kName, "extent", d.extent));
  ADJ_TRY(check_extent(kName, "inner", d.inner));
  ADJ_TRY(check_extent(kName, "num_indices", d.num_indices, kMostIndices));
  ADJ_TRY(check_volume(kName, "dinput", {d.outer, d.extent, d.inner}));
  ADJ_TRY(check_volume(kName, "dout", {d.outer, d.num_indices, d.inner}));
  return check_enum(kName, "write_mode", d.write_mode, ADJ_WRITE_ACCUMULATE);
}

Signature signature(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return {d.element, d.index};
}

void shapes(const void* descriptor, std::span<SlotSpec> slots) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  slots[kDout] = SlotSpec::tensor(d.element, {d.outer, d.num_indices, d.inner}).with_flat_tail();
  slots[kIndices] = SlotSpec::tensor(d.index, {d.num_indices}).with_flat_tail();
  slots[kGradient] = SlotSpec::tensor(d.element, {d.outer, d.extent, d.inner}).with_flat_tail();
  slots[kErrorFlag] = SlotSpec::tensor(ADJ_I64, {1}, Presence::optional);
}

RowSums problem_of(const Descriptor& d) {
  return {.outer = d.outer, .rows = d.extent, .columns = d.outer ? d.inner : 0, .indices = d.num_indices, .padding_row = -1,
          .element = d.element, .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE, .scale_by_count = false,
          .blocks = kEmbeddingGatherBlocks, .patch = patch_tensors};
}

// The registration lists the types of the shape (host metadata), of the data and of the indices.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3 || types[0] != ADJ_I64) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 2;
  d.extent = 16;
  d.inner = 8;
  d.num_indices = 4;
  d.element = types[1];
  d.index = types[2];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GatherGrad", describe}};

const std::vector<Variant>& variants() {
  static const std::vector<ProgramTemplate> few{
      {"embedding_backward.cu", "gather_grad_few", "ADJ_STAGE=2 ADJ_GATHER=1 ADJ_BAG=0 ADJ_T={0} ADJ_I={1}"}};
  static const auto* list = new std::vector<Variant>{ADJ_GRADIENT_VARIANTS("gather_grad", "1", few)};
  return *list;
}

}  // namespace gather

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
                           .shapes = shapes,
                           .finish = finish<Descriptor, Args, problem_of, host::embedding_backward_workspace, host::embedding_backward>};
  return info;
}

const OpInfo& info_gather_grad() {
  using namespace gather;
  static const OpInfo info{.id = ADJ_OP_GATHER_GRAD, .name = kName, .descriptor_size = sizeof(Descriptor),
                           .args_size = sizeof(Args), .default_descriptor = &kDefault, .fields = kFields, .slots = kSlots,
                           .signatures = element_index_signatures(), .signature_columns = "element, index",
                           .variants = variants(), .onnx = kOnnx, .validate = validate, .signature = signature, .shapes = shapes,
                           .finish = finish<Descriptor, Args, problem_of, host::gather_grad_workspace, host::gather_grad>};
  return info;
}

}  // namespace adj

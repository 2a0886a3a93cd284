#include <adjoint/ops/embedding.h>

#include <bit>

#include "../../kernels/params/embedding.h"
#include "../../kernels/params/embedding_sum.h"
#include "../../kernels/params/index_sort.h"
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

constexpr std::int64_t kMostBlocksY = 65535;

// One launch: every block reads all indices and writes its own rows.
Result<void> finish_few(const RowSums& d, const Device& device, PlanBuilder& builder) {
  // To look for occurrences in every block takes longer than a sort when there are many blocks.
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  const std::int64_t bytes = d.rows * d.columns * size_of(d.element);
  if (d.indices > kEmbeddingFew)
    return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} indices, num_indices = {}", int{kEmbeddingFew}, d.indices);
  if (d.outer != 1) return fail(ADJ_ERROR_UNSUPPORTED, "serves one matrix, not {}", d.outer);
  if (bytes > kMostBytes) return fail(ADJ_ERROR_UNSUPPORTED, "serves gradients of up to {} bytes, not {}", kMostBytes, bytes);
  EmbeddingBackwardParams p{};
  p.num_embeddings = d.rows;
  p.embedding_dim = d.columns;
  p.num_indices = d.indices;
  p.padding_row = d.padding_row;
  p.accumulate = d.accumulate;
  p.scale_by_count = d.scale_by_count;
  p.row_lanes = power_of_two(ceil_div(d.columns, 16 / size_of(d.element)), 32);
  p.bag_length = d.bag_length;
  p.dout_rows = d.dout_rows;
  const std::int64_t resident = std::int64_t{device.multiprocessors} * kEmbeddingBlocks;
  // A block writes up to 128 rows of one warp-wide stretch of 512 bytes; less when that leaves multiprocessors idle, more
  // stretches when the result is so large that reading the indices would show.
  const std::int64_t stretches = std::max<std::int64_t>(1, ceil_div(d.columns, 32 * 16 / size_of(d.element)));
  p.batch_rows = static_cast<int>(std::clamp<std::int64_t>(d.rows / ceil_div(resident, stretches), 1, kEmbeddingFewRows));
  const std::int64_t stripes = std::max<std::int64_t>(1, ceil_div(d.rows, p.batch_rows));
  const std::int64_t blocks_y = std::min({stretches, ceil_div(resident * 8, stripes), kMostBlocksY});
  const bool vectors = d.columns * size_of(d.element) % 16 == 0;
  auto kernel = builder.kernel(d.program + !vectors, stripes, kEmbeddingBlock, blocks_y).params(p);
  if (vectors) kernel.when_unaligned(d.program + 1, d.rows_slots);
  d.patch(kernel);
  return {};
}

namespace {

// Where a sort leaves its result in the workspace, and two words that it clears.
struct SortedIndices {
  std::uint64_t rows, order, counters;
};

// One launch for up to kSortSmall indices, and from sm_90 on for as many as a cluster holds, else two for every digit of the rows'
// numbers. Workspace for N indices: 8 N bytes for one launch; else 16 N, and for every tile of kSortTile indices, or kSortBlocks
// tiles, the 2^digit bins of a block.
SortedIndices sort_indices(const RowSums& d, const Device& device, PlanBuilder& builder) {
  IndexSortParams p{};
  p.num_embeddings = d.rows;
  p.padding_row = d.padding_row;
  p.num_indices = static_cast<unsigned>(d.indices);
  const auto tokens = static_cast<std::uint64_t>(d.indices);
  const int width = std::max<int>(1, std::bit_width(static_cast<std::uint64_t>(d.rows)));  // of a key: a row, or their number
  const bool small = d.indices <= kSortSmall;
  p.passes = static_cast<int>(ceil_div(width, small ? kSortSmallBits : kSortBits));
  p.bits = std::max<int>(kSortLeastBits, static_cast<int>(ceil_div(width, p.passes)));
  constexpr std::int64_t kRound = std::int64_t{kSortClusterBlocks} * kSortSmallBlock;
  p.rounds_log2 = std::bit_width(static_cast<std::uint64_t>(ceil_div(d.indices, kRound) - 1));
  const auto cluster_bytes = [&] { return static_cast<std::uint32_t>(ADJ_SORT_CLUSTER_BYTES(p.bits, p.rounds_log2)); };
  const bool one_cluster = !small && device.cc >= 90 && d.indices <= kRound * kSortClusterRounds && cluster_bytes() <= device.shared_optin;
  const std::int64_t tiles = ceil_div(d.indices, kSortTile);
  p.tiles = static_cast<unsigned>(ceil_div(tiles, kSortBlocks));
  const std::int64_t blocks = ceil_div(tiles, p.tiles);

  struct Pair {
    std::uint64_t rows, order;
  };
  const std::uint64_t counters = builder.book(2 * sizeof(unsigned));
  const std::uint64_t bins = small || one_cluster ? 0 : builder.book((static_cast<std::uint64_t>(blocks) << p.bits) * sizeof(unsigned));
  const auto pair = [&] { return Pair{builder.book(tokens * sizeof(unsigned)), builder.book(tokens * sizeof(unsigned))}; };
  const Pair result = pair();
  const auto patch_first = [&](PlanBuilder::Kernel kernel, const Pair& to) {
    kernel.tensor(offsetof(IndexSortParams, indices), d.slots.indices)
        .tensor(offsetof(IndexSortParams, error_flag), d.slots.error_flag)
        .workspace(offsetof(IndexSortParams, counters), counters)
        .workspace(offsetof(IndexSortParams, sorted_rows), to.rows);
    if (d.bags && d.bags->bag_of != BagSums::kAbsent) kernel.workspace(offsetof(IndexSortParams, bag_of), d.bags->bag_of);
    return kernel;
  };
  if (small || one_cluster) {
    auto kernel = builder.kernel(d.program + (small ? kSortSmallSet : kSortCluster), small ? 1 : kSortClusterBlocks, kSortSmallBlock).params(p);
    if (one_cluster) kernel.cluster(kSortClusterBlocks).shared(cluster_bytes());
    patch_first(kernel, result).workspace(offsetof(IndexSortParams, sorted_order), result.order);
    return {result.rows, result.order, counters};
  }
  const Pair other = pair();
  // The last pass writes the result.
  Pair from = p.passes % 2 ? other : result, to = p.passes % 2 ? result : other;
  for (int pass = 0; pass < p.passes; ++pass, std::swap(from, to)) {
    p.shift = pass * p.bits;
    if (pass == 0)
      patch_first(builder.kernel(d.program + kSortRows, blocks, kSortBlock).params(p), from)
          .workspace(offsetof(IndexSortParams, bins), bins);
    else
      builder.kernel(d.program + kSortHistogram, blocks, kSortBlock).params(p)
          .workspace(offsetof(IndexSortParams, rows), from.rows)
          .workspace(offsetof(IndexSortParams, bins), bins);
    auto scatter = builder.kernel(d.program + kSortScatter, blocks, kSortBlock).params(p);
    scatter.workspace(offsetof(IndexSortParams, rows), from.rows)
        .workspace(offsetof(IndexSortParams, bins), bins)
        .workspace(offsetof(IndexSortParams, sorted_rows), to.rows)
        .workspace(offsetof(IndexSortParams, sorted_order), to.order);
    if (pass > 0) scatter.workspace(offsetof(IndexSortParams, order), from.order);
  }
  return {result.rows, result.order, counters};
}

}  // namespace

// Workspace besides the sort's: for N > kRowSumChunk indices the list of heavy rows, 16 (N / (kRowSumChunk + 1)) bytes, and partial
// sums, D accumulators for each of O matrices for every kRowSumChunk indices; for bags 4 N bytes, and N accumulators of weights.
Result<void> finish_sorted(const RowSums& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() - 1;
  if (d.rows > kMostRows) return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} rows, not {}", kMostRows, d.rows);
  const SortedIndices sorted = sort_indices(d, device, builder);
  if (d.rows == 0 || d.columns == 0) return {};  // nothing but errors to count

  EmbeddingSumParams p{};
  const std::int64_t size = size_of(d.element), vector = 16 / size, warp = 32, warps = kRowSumBlock / warp;
  const bool aligned = d.columns % vector == 0, across = d.outer > 1;
  int shape = kRowsAny;
  if (aligned) shape = d.columns > warp * vector ? kRowsWide : across ? kRowsAcross : kRowsNarrow;
  else if (across && d.columns < vector) shape = kRowsTiny;
  p.num_embeddings = d.rows;
  p.embedding_dim = d.columns;
  p.num_indices = static_cast<unsigned>(d.indices);
  p.accumulate = d.accumulate;
  p.scale_by_count = d.scale_by_count;
  p.outer = d.outer;
  p.dout_matrix = d.indices * d.columns;
  p.dweight_matrix = d.rows * d.columns;
  // Columns of a lane; a block takes twice as many of rows that are wider than a warp.
  const std::int64_t lane = aligned ? vector : shape == kRowsTiny ? 1 : row_sum_pieces(kRowsAny);
  p.row_lanes = power_of_two(ceil_div(d.columns, lane), warp);
  p.stretch = p.row_lanes * lane * (d.columns > warp * lane ? row_sum_pieces(kRowsWide) : 1);
  const std::int64_t stretches = ceil_div(d.columns, p.stretch), matrices = row_sum_across(shape) ? row_sum_pieces(shape) : 1;
  const std::int64_t steps = ceil_div(d.outer, matrices), group = warp / p.row_lanes;
  if (stretches > std::numeric_limits<std::int32_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "writes a row in fewer than 2^31 pieces of {} elements, not {}", p.stretch, stretches);
  p.stretches = static_cast<unsigned>(stretches);

  // A warp takes rows of about 8 KB or four times that of occurrences, few of whose rows may be its own, and less while that leaves
  // the device idle.
  const std::int64_t work = d.accumulate ? d.indices : d.rows;
  const std::int64_t resident = std::int64_t{device.multiprocessors} * kRowSumBlocks;
  std::int64_t batch = kRowSumBatch;
  const std::int64_t most_bytes = d.accumulate ? 32768 : 8192, least = ceil_div(resident * warps, stretches * steps);
  while (batch > group && (batch * p.stretch * matrices * size > most_bytes || ceil_div(work, batch) < least)) batch /= 2;
  p.batch = static_cast<int>(batch);
  // Blocks share the matrices as far as that keeps the device busy: what they find of the rows serves all matrices of a share.
  const auto share_matrices = [&](std::int64_t blocks) {
    const std::int64_t most = std::clamp<std::int64_t>(resident * 8 / std::min(blocks * stretches, resident * 8), 1, steps);
    p.outer_step = ceil_div(steps, most) * matrices;
    p.items = static_cast<unsigned>(stretches * ceil_div(d.outer, p.outer_step));
  };

  std::uint64_t sources = 0, weights = 0;
  if (d.bags) {
    EmbeddingBagSourcesParams b{};
    b.num_embeddings = d.rows;
    b.bag_length = d.bag_length;
    b.num_indices = p.num_indices;
    sources = builder.book(std::uint64_t{p.num_indices} * sizeof(unsigned));
    if (d.bags->weighted) weights = builder.book(std::uint64_t{p.num_indices} * static_cast<std::uint64_t>(size_of(accumulator_of(d.element))));
    auto kernel = builder.kernel(d.program + kBagSources, grid_for(device, ceil_div(d.indices, kRowSumBlock), 8), kRowSumBlock).params(b);
    kernel.tensor(offsetof(EmbeddingBagSourcesParams, sample_weights), d.bags->sample_weights)
        .workspace(offsetof(EmbeddingBagSourcesParams, rows), sorted.rows)
        .workspace(offsetof(EmbeddingBagSourcesParams, order), sorted.order)
        .workspace(offsetof(EmbeddingBagSourcesParams, sources), sources);
    if (d.bags->weighted) kernel.workspace(offsetof(EmbeddingBagSourcesParams, weights), weights);
    if (d.bags->bag_of != BagSums::kAbsent) kernel.workspace(offsetof(EmbeddingBagSourcesParams, bag_of), d.bags->bag_of);
    if (d.bags->shares != BagSums::kAbsent) kernel.workspace(offsetof(EmbeddingBagSourcesParams, shares), d.bags->shares);
  }
  const int programs = d.program + kFirstSum + (d.bags ? 1 : 0);
  const auto patch = [&](PlanBuilder::Kernel kernel, int program) {
    kernel.tensor(offsetof(EmbeddingSumParams, dout), d.slots.dout)
        .tensor(offsetof(EmbeddingSumParams, dweight), d.slots.gradient)
        .workspace(offsetof(EmbeddingSumParams, rows), sorted.rows)
        .workspace(offsetof(EmbeddingSumParams, order), sorted.order)
        .workspace(offsetof(EmbeddingSumParams, counters), sorted.counters);
    if (aligned) kernel.when_unaligned(programs + kRowsAny * kSumPrograms + program, {d.slots.dout, d.slots.gradient});
    if (d.bags) {
      kernel.workspace(offsetof(EmbeddingSumParams, sources), sources);
      if (d.bags->weighted) kernel.workspace(offsetof(EmbeddingSumParams, weights), weights);
      if (d.bags->max_positions >= 0) {
        kernel.tensor(offsetof(EmbeddingSumParams, max_positions), d.bags->max_positions);
        if (aligned) kernel.when_unaligned(programs + kRowsAny * kSumPrograms + program, {d.bags->max_positions});
      }
    }
    return kernel;
  };
  const std::int64_t row_blocks = ceil_div(work, batch * warps);
  share_matrices(row_blocks);
  const int light = d.accumulate ? kSumAccumulate : kSumOverwrite;
  const std::int64_t x = d.gather ? row_blocks : p.items, y = d.gather ? p.items : row_blocks;
  patch(builder.kernel(programs + shape * kSumPrograms + light, x, kRowSumBlock, std::min(y, kMostBlocksY)).params(p), light);
  if (d.indices <= kRowSumChunk) return {};

  const std::int64_t chunks = ceil_div(d.indices, kRowSumChunk), chunk_blocks = ceil_div(chunks, group * warps), columns = d.outer * d.columns;
  share_matrices(chunk_blocks);
  p.heavy_rows = p.num_indices / (kRowSumChunk + 1);
  const std::uint64_t heavy = builder.book(p.heavy_rows * sizeof(EmbeddingHeavyRow));
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(chunks * columns * size_of(accumulator_of(d.element))));
  const auto patch_heavy = [&](PlanBuilder::Kernel kernel) {
    kernel.workspace(offsetof(EmbeddingSumParams, heavy), heavy).workspace(offsetof(EmbeddingSumParams, partials), partials);
  };
  patch_heavy(patch(
      builder.kernel(programs + shape * kSumPrograms + kSumChunks, p.items, kRowSumBlock, std::min(chunk_blocks, kMostBlocksY)).params(p),
      kSumChunks));
  auto combine = builder.kernel(d.program + kCombineSums, grid_for(device, std::int64_t{p.heavy_rows} * ceil_div(columns, kCombineGroup), 2),
                                kCombineBlock).params(p);
  combine.tensor(offsetof(EmbeddingSumParams, dweight), d.slots.gradient).workspace(offsetof(EmbeddingSumParams, counters), sorted.counters);
  patch_heavy(combine);
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
  return few ? finish_few(d, *request.device, builder) : finish_sorted(d, *request.device, builder);
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// No addend goes through more roundings than kRowSumRoundings: up to 127 additions in a chunk, 3 for the compensated sum of partial
// sums, 32 of shares, scale and accumulation; 64 in a stream of the single launch and 16 of streams. The order depends on the indices alone.
adj_guarantee guarantee(const Signature& s) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator, 0.5, kRowSumRoundings * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

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
          .dout_rows = d.num_indices, .rows_slots = {kDout, kGradient}, .patch = patch_tensors, .gather = false,
          .slots = {kDout, kIndices, kGradient, kErrorFlag}};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "few", .summary = "up to 1024 indices, one launch", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {{"embedding_few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_VECTORS=1"},
                    {"embedding_few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_VECTORS=0"}},
       .guarantee = guarantee},
      {.algorithm = "grouped", .summary = "occurrences sorted by row, each gradient row written once", .backend = ADJ_BACKEND_BESPOKE,
       .min_cc = 80,
       .programs =
           {ADJ_SORTED_PROGRAMS("embedding", "ADJ_GATHER=0 ADJ_BAG=0"),
            {"embedding_heavy.cu", "embedding_combine", "ADJ_STAGE=1 ADJ_T={0} ADJ_GATHER=0"},
            ADJ_SUM_PROGRAMS("embedding", "any", "0", "ADJ_GATHER=0 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("embedding", "narrow", "1", "ADJ_GATHER=0 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("embedding", "wide", "2", "ADJ_GATHER=0 ADJ_BAG=0")},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory, f64 sums in token order", .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee}};
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
          .dout_rows = d.num_indices, .rows_slots = {kDout, kGradient}, .patch = patch_tensors, .gather = true,
          .slots = {kDout, kIndices, kGradient, kErrorFlag}};
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
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "few", .summary = "up to 1024 indices, one launch", .backend = ADJ_BACKEND_BESPOKE, .min_cc = 80,
       .programs = {{"embedding_few.cu", "gather_grad_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_VECTORS=1"},
                    {"embedding_few.cu", "gather_grad_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_VECTORS=0"}},
       .guarantee = guarantee},
      {.algorithm = "grouped", .summary = "occurrences sorted by row, each gradient row written once", .backend = ADJ_BACKEND_BESPOKE,
       .min_cc = 80,
       .programs =
           {ADJ_SORTED_PROGRAMS("gather", "ADJ_GATHER=1 ADJ_BAG=0"),
            {"embedding_heavy.cu", "gather_combine", "ADJ_STAGE=1 ADJ_T={0} ADJ_GATHER=1"},
            ADJ_SUM_PROGRAMS("gather", "any", "0", "ADJ_GATHER=1 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("gather", "narrow", "1", "ADJ_GATHER=1 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("gather", "wide", "2", "ADJ_GATHER=1 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("gather", "across", "3", "ADJ_GATHER=1 ADJ_BAG=0"),
            ADJ_SUM_PROGRAMS("gather", "tiny", "4", "ADJ_GATHER=1 ADJ_BAG=0")},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory, f64 sums in token order", .backend = ADJ_BACKEND_HOST,
       .guarantee = host_guarantee}};
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

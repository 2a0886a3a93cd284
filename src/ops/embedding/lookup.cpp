// Lookups of rows, and the forward direction of embeddings.
#include <adjoint/ops/embedding.h>

#include "host/embedding.hpp"
#include "kernels/embedding/params.h"
#include "ops/embedding/embedding.hpp"
#include "ops/embedding/tables.gen.hpp"

namespace adj {

namespace {

// Division by multiplication. `x * inverse >> bits` equals `x / period` while `x * e < 2^bits`, where `e = inverse * period - 2^bits` is the
// rounding error of the inverse. The assertion checks the largest `x` and the largest `e`.
constexpr std::int64_t kLongestStretch = std::int64_t{kForwardBlock} * kForwardUnits;
static_assert((2 * kLongestStretch - 1) * (kLongestStretch - 1) < 1 << kForwardInverseBits);

}  // namespace

void plan_row_lookup(const RowLookup& d, const Device& device, PlanBuilder& builder) {
  EmbeddingForwardParams p{};
  p.num_embeddings = d.rows;
  p.row_bytes = d.row_bytes;
  p.num_indices = d.count;
  p.zero_row = d.zero_row;
  const bool vectors = p.row_bytes > 0 && p.row_bytes % 16 == 0;
  unsigned block = kForwardBlock;
  std::int64_t blocks;
  if (vectors) {
    // A small output gets smaller blocks, for more multiprocessors.
    constexpr unsigned kSmallestBlock = 64;
    p.units = d.count * (p.row_bytes / 16);
    const auto stretch = [&] { return std::int64_t{block} * kForwardUnits; };
    while (block > kSmallestBlock && ceil_div(p.units, stretch()) < device.multiprocessors) block /= 2;
    blocks = ceil_div(p.units, stretch());
    p.period = static_cast<unsigned>(std::min<std::int64_t>(p.row_bytes / 16, stretch()));
    p.inverse_period = static_cast<unsigned>(ceil_div(1 << kForwardInverseBits, p.period));
  } else {
    constexpr int kBlocksPerMultiprocessor = 8;
    const std::int64_t work = std::max<std::int64_t>(d.count, ceil_div(d.count * p.row_bytes, kForwardBlock * 16));
    blocks = grid_for(device, work, kBlocksPerMultiprocessor, 4);
  }
  auto kernel = builder.kernel(d.program + !vectors, blocks, block);
  if (vectors) kernel.when_unaligned(d.program + 1, {d.weight, d.out});
  kernel.params(p).tensor(offsetof(EmbeddingForwardParams, weight), d.weight).tensor(offsetof(EmbeddingForwardParams, out), d.out);
  if (d.indices >= 0) kernel.tensor(offsetof(EmbeddingForwardParams, indices), d.indices);
  else kernel.workspace(offsetof(EmbeddingForwardParams, indices), d.map);
  if (d.error_flag >= 0) kernel.tensor(offsetof(EmbeddingForwardParams, error_flag), d.error_flag);
}

namespace {

// ---- forward

namespace forward {

using namespace embedding_forward_tables;

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
  plan_row_lookup({.rows = d.num_embeddings, .row_bytes = d.embedding_dim * size_of(d.element), .count = d.num_indices,
                   .zero_row = d.padding_zeroes_forward ? padding_row(d) : -1, .weight = kWeight, .indices = kIndices, .out = kOut,
                   .error_flag = kErrorFlag},
                  *request.device, builder);
  return {};
}

// A copy has no error.
adj_guarantee guarantee(const Signature& s) { return make_guarantee(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE, s[0], 0, 0); }

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "row_copy", .summary = "blocks copy stretches of the output, or groups of threads rows", .backend = ADJ_BACKEND_BESPOKE,
       .min_cc = 80,
       .programs = {{"embedding/lookup.cu", "embedding_forward", "ADJ_VECTORS=1 ADJ_I={1}"},
                    {"embedding/lookup.cu", "embedding_forward_any", "ADJ_VECTORS=0 ADJ_T={0} ADJ_I={1}"}},
       .guarantee = guarantee},
      {.algorithm = "reference", .summary = "host memory", .backend = ADJ_BACKEND_HOST, .guarantee = guarantee}};
  return *list;
}

}  // namespace forward

}  // namespace

const OpInfo& info_embedding_forward() {
  using namespace forward;
  static const OpInfo info = [] {
    OpInfo made = base_info();
    made.signatures = element_index_signatures();
    made.signature_columns = "element, index";
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

#include "ops/segment_sum/sort.hpp"

namespace adj {

Spare sort_indices(const RowSums& d, const SortLayout& layout, const Device& device, PlanBuilder& builder, const Occurrences& result,
                   std::optional<std::uint64_t> counters, std::optional<std::uint64_t> presence) {
  IndexSortParams p{};
  p.num_embeddings = d.rows;
  p.padding_row = d.padding_row;
  p.num_indices = static_cast<unsigned>(d.indices);
  p.passes = layout.passes;
  p.bits = layout.bits;
  p.rounds = layout.rounds;
  p.tiles = layout.tiles;
  const std::uint64_t stretches = static_cast<std::uint64_t>(p.rounds) * p.tiles;
  p.inverse_tiles = ((std::uint64_t{1} << kSortInverseBits) + stretches - 1) / stretches;

  const auto launch = [&](SortedProgram program, std::int64_t grid, unsigned threads) {
    return builder.kernel({program, d.sort_form}, grid, threads).params(p).early(device);
  };
  const auto bind_first = [&](PlanBuilder::Kernel kernel, const Place& sorted_rows) {
    if (d.arguments.indices >= 0) kernel.tensor(offsetof(IndexSortParams, indices), d.arguments.indices);
    else kernel.workspace(offsetof(IndexSortParams, indices), d.keys);
    if (d.arguments.error_flag >= 0) kernel.tensor(offsetof(IndexSortParams, error_flag), d.arguments.error_flag);
    bind_place(kernel, offsetof(IndexSortParams, sorted_rows), sorted_rows);
    kernel.shared(layout.shared + (presence ? static_cast<unsigned>(present_words(d.rows)) * sizeof(unsigned) : 0));
    if (counters) kernel.workspace(offsetof(IndexSortParams, counters), *counters);
    if (presence) kernel.workspace(offsetof(IndexSortParams, present), *presence);
    if (d.bags && d.bags->bag_of != BagSums::kAbsent) kernel.workspace(offsetof(IndexSortParams, bag_of), d.bags->bag_of);
    return kernel;
  };
  if (layout.small) {
    auto kernel = launch(kSortSmallSet, 1, kSortSmallBlock);
    bind_place(kernel, offsetof(IndexSortParams, sorted_order), result.order);
    bind_first(kernel, result.rows);
    return {};
  }
  const std::uint64_t digit_bytes = (static_cast<std::uint64_t>(layout.blocks) << p.bits) * sizeof(unsigned);
  const std::uint64_t bins = builder.book(static_cast<std::uint64_t>(p.passes) * digit_bytes);
  const Occurrences other = Occurrences::in_workspace(d.indices, builder);
  // The passes alternate between two buffers so that the last one writes the result.
  Occurrences from = p.passes % 2 ? other : result, to = p.passes % 2 ? result : other;
  const auto bind_bins = [&](PlanBuilder::Kernel kernel, int pass) {
    const std::uint64_t own = bins + static_cast<std::uint64_t>(pass) * digit_bytes;
    kernel.workspace(offsetof(IndexSortParams, bins), own);
    if (pass + 1 < p.passes) kernel.workspace(offsetof(IndexSortParams, next_bins), own + digit_bytes);
    return kernel;
  };
  bind_first(bind_bins(launch(kSortRows, layout.blocks, kSortBlock), 0), from.rows);
  for (int pass = 0; pass < p.passes; ++pass, std::swap(from, to)) {
    p.shift = pass * p.bits;
    auto scatter = bind_bins(launch(kSortScatter, layout.blocks, kSortBlock).shared(sort_scatter_bytes(p.bits)), pass);
    bind_place(scatter, offsetof(IndexSortParams, rows), from.rows);
    if (pass > 0) bind_place(scatter, offsetof(IndexSortParams, order), from.order);
    bind_place(scatter, offsetof(IndexSortParams, sorted_rows), to.rows);
    bind_place(scatter, offsetof(IndexSortParams, sorted_order), to.order);
  }
  return {.begin = other.rows.offset, .end = other.order.offset + static_cast<std::uint64_t>(d.indices) * sizeof(unsigned)};
}

}  // namespace adj

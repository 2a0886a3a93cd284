// Plans of the sums over the occurrences of each row: in one launch, or after a sort.
#include "kernels/segment_sum/params.h"
#include "ops/segment_sum/sort.hpp"

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
constexpr std::int64_t kMostBlocksY = 65535;
}  // namespace

// One launch: every block reads all indices and writes its own rows.
Result<void> finish_few(const RowSums& d, const Device& device, PlanBuilder& builder) {
  // Limit of the gradient: every block reads all indices, and with many blocks a sort is faster.
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  const std::int64_t bytes = d.rows * d.columns * size_of(d.element);
  if (d.indices > kEmbeddingFew) return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} indices, num_indices = {}", int{kEmbeddingFew}, d.indices);
  if (d.outer != 1) return fail(ADJ_ERROR_UNSUPPORTED, "serves one matrix, not {}", d.outer);
  if (bytes > kMostBytes) return fail(ADJ_ERROR_UNSUPPORTED, "serves gradients of up to {} bytes, not {}", kMostBytes, bytes);
  if (d.rows > kMostBytes) return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} rows without elements, not {}", kMostBytes, d.rows);
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
  // A block writes up to 128 rows of one stretch, 512 bytes wide. It takes fewer rows when multiprocessors would idle, and several stretches
  // when the gradient is so large that reading the indices would show.
  const std::int64_t stretches = std::max<std::int64_t>(1, ceil_div(d.columns, 32 * 16 / size_of(d.element)));
  p.batch_rows = static_cast<int>(std::clamp<std::int64_t>(d.rows / ceil_div(resident, stretches), 1, kEmbeddingFewRows));
  const std::int64_t stripes = std::max<std::int64_t>(1, ceil_div(d.rows, p.batch_rows));
  const std::int64_t blocks_y = std::min({stretches, ceil_div(resident * 8, stripes), kMostBlocksY});
  const bool vectors = d.columns * size_of(d.element) % 16 == 0;
  auto kernel = builder.kernel({kMain, vectors ? kWholeRows : kAnyRows}, stripes, kEmbeddingBlock, blocks_y).params(p);
  if (vectors) kernel.when_unaligned({kMain, kAnyRows}, d.rows_arguments);
  d.bind(kernel);
  return {};
}

namespace {

// Offsets in the workspace of the lists of rows with more than `light` occurrences.
struct ShareLists {
  std::uint64_t counters, shares, heavy;
};
// Plans the launches of kernels/segment_sum/rows.cu: zeros for the rows without occurrences, and the ShareLists.
class RowsSortedOut {
 public:
  RowsSortedOut(const RowSums& d, const EmbeddingSumParams& sums, const ShareLists& lists, const Place& sorted_rows, const Device& device)
      : d_(d), lists_(lists), sorted_rows_(sorted_rows), device_(device) {
    p_.num_embeddings = d.rows;
    p_.row_bytes = d.columns * size_of(d.element);
    p_.outer = d.outer;
    p_.num_indices = sums.num_indices;
    p_.most_heavy = sums.most_heavy;
    p_.most_partials = sums.most_partials;
    p_.light = sums.light;
    p_.share = sums.share;
    p_.large_share = sums.large_share;
    if (d.accumulate || fills_all_rows(d)) return;
    p_.batch = 32;  // rows, up to 8 KB: warps that fill at the same time stay close together in memory
    while (p_.batch > 1 && p_.batch * p_.row_bytes > 8192) p_.batch /= 2;
    p_.batches = ceil_div(d.rows, p_.batch);
    if (p_.row_bytes % 16 == 0 && p_.row_bytes <= kRowsShortBytes) {
      p_.vectors = static_cast<int>(p_.row_bytes / 16);
      p_.inverse_vectors = static_cast<unsigned>(ceil_div(1 << 16, p_.vectors));
    }
    constexpr std::int64_t kWarps = kRowSumBlock / 32;
    p_.outer_step = ceil_div(d.outer, std::clamp<std::int64_t>(2 * blocks(kRowsBlocks) * kWarps / p_.batches, 1, d.outer));
    items_ = p_.batches * ceil_div(d.outer, p_.outer_step);
  }

  // First launch: makes the lists. The sort leaves memory idle, so this launch also fills rows (all short rows, or with the presence of the sort)
  // or copies what a gradient begins as that accumulates (`copies`). Where it does neither, it fetches dout into the level-2 cache.
  void begin(unsigned most_shares, const std::optional<SortLayout>& sort, std::optional<std::uint64_t> presence, bool copies, PlanBuilder& builder) {
    EmbeddingRowsParams p = p_;
    p.most_shares = most_shares;
    // With four occurrences a row, next to no rows are left to fill.
    constexpr std::int64_t kOften = 4, kMegabyte = std::int64_t{1} << 20;
    const bool idle = d_.accumulate ? !copies : d_.gather && d_.rows * kOften <= d_.indices && !fills_all_rows(d_);
    const std::int64_t most_prefetched = (d_.gather ? 16 : 8) * kMegabyte;
    if (sort && idle && device_.early_launches) p.prefetched_bytes = std::min<std::int64_t>(most_prefetched, d_.outer * d_.dout_rows * p.row_bytes);
    if (fills_all_rows(d_)) p.filled_bytes = d_.outer * d_.rows * p.row_bytes;
    if (copies) p.copied_bytes = d_.outer * d_.rows * p.row_bytes;
    int resident = p.filled_bytes || copies ? int{kRowsBlocks} : 0;
    if (items_ && presence) {
      p.present_sources = static_cast<int>(sort->blocks);
      p.present_words = present_words(d_.rows);
      // When rows outnumber occurrences, the sort hides only kBesideSort bytes of the fill; the sums hide the rest. With 32 rows or more an
      // occurrence the sums are too short for that.
      constexpr std::int64_t kBesideSort = std::int64_t{48} << 20, kShortFill = std::int64_t{96} << 20;
      const bool ends_beside_sums = d_.rows > d_.indices && d_.rows < 32 * d_.indices;
      filled_ = ends_beside_sums ? std::min<std::int64_t>(items_, kBesideSort / (p.batch * p.row_bytes * p.outer_step)) : items_;
      p.items = filled_;
      p.beside = true;
      // A short fill uses few blocks: they find room beside the sort's blocks.
      resident = ends_beside_sums || d_.outer * d_.rows * p.row_bytes <= kShortFill ? int{kRowsBlocksBeside} : kRowsBlocks;
    }
    const std::int64_t grid = std::max(blocks(resident), grid_for(device_, ceil_div(d_.indices, kRowSumBlock), kRowsBlocks));
    auto kernel = launch(p, grid, builder);
    if (p.items) kernel.workspace(offsetof(EmbeddingRowsParams, present), *presence);
    if (copies) kernel.tensor(offsetof(EmbeddingRowsParams, copied), d_.arguments.copied);
  }

  // Second launch: fills the remaining rows. `beside`: it runs beside the sums, which is right only when the sums wait for the lists.
  void end(bool beside, PlanBuilder& builder) {
    if (filled_ == items_) return;
    EmbeddingRowsParams p = p_;
    p.first_item = filled_;
    p.items = items_ - filled_;
    p.beside = beside;
    launch(p, blocks(kRowsBlocks), builder);
  }

 private:
  std::int64_t blocks(int resident) const { return std::int64_t{device_.multiprocessors} * resident; }
  PlanBuilder::Kernel launch(const EmbeddingRowsParams& p, std::int64_t grid, PlanBuilder& builder) const {
    auto kernel = builder.kernel(kSortOutRows, grid, kRowSumBlock);
    kernel.params(p)
        .tensor(offsetof(EmbeddingRowsParams, dweight), d_.arguments.gradient)
        .tensor(offsetof(EmbeddingRowsParams, prefetched), d_.arguments.dout)
        .workspace(offsetof(EmbeddingRowsParams, counters), lists_.counters)
        .workspace(offsetof(EmbeddingRowsParams, shares), lists_.shares)
        .workspace(offsetof(EmbeddingRowsParams, heavy), lists_.heavy)
        .early(device_);
    bind_place(kernel, offsetof(EmbeddingRowsParams, rows), sorted_rows_);
    return kernel;
  }

  const RowSums& d_;
  const ShareLists lists_;
  const Place sorted_rows_;
  const Device& device_;
  EmbeddingRowsParams p_{};
  std::int64_t items_ = 0, filled_ = 0;
};

// Work split of kernels/segment_sum/panels.cu: a block takes a group of matrices into shared memory.
struct PanelLayout {
  EmbeddingPanelsParams p{};
  unsigned shared = 0;  // bytes of shared memory of a block
  int resident = 0;     // blocks that a multiprocessor holds

  // No layout when rows are long or whole vectors, or when the shared memory of a multiprocessor is too small for two blocks, each with one
  // matrix of dout and one of dweight.
  static std::optional<PanelLayout> of(const RowSums& d, const Device& device) {
    const std::int64_t size = size_of(d.element), dout = d.indices * d.columns, dweight = d.rows * d.columns;
    const bool tiny = d.columns * size < 16;
    if (!d.gather || d.outer < 2 || d.columns * size % 16 == 0 || (!tiny && d.indices < 8 * d.columns)) return {};
    if (d.indices > kPanelMost * kPanelBlock || dout > kPanelDoutElements || dweight > kPanelDweightElements) return {};
    if (d.accumulate && dweight > 8 * dout) return {};  // panels read and write all of dweight
    PanelLayout layout;
    EmbeddingPanelsParams& p = layout.p;
    p.outer = d.outer;
    p.num_embeddings = static_cast<unsigned>(d.rows);
    p.num_indices = static_cast<unsigned>(d.indices);
    p.embedding_dim = static_cast<int>(d.columns);
    p.accumulate = d.accumulate;
    p.team_warps = power_of_two(ceil_div(d.indices, 32 * kPanelFew), kPanelBlock / 32);
    p.occurrences = static_cast<int>(ceil_div(ceil_div(d.indices, 32 * p.team_warps), kPanelStep) | 1) * kPanelStep;
    // Bytes of a panel with `elements` elements of `width` bytes. A panel begins where the tensor does between multiples of 16 bytes, hence
    // 16 / size elements more.
    const auto panel_bytes = [&](std::int64_t elements, std::int64_t width) {
      return static_cast<unsigned>(ceil_div((elements + 16 / size) * width, 16) * 16);
    };
    const auto take = [&](std::int64_t matrices) {
      p.matrices = static_cast<int>(matrices);
      p.dout_bytes = panel_bytes(matrices * dout, size);
      p.dweight_bytes = panel_bytes(matrices * dweight, size_of(accumulator_of(d.element)));
      const std::int64_t words = std::int64_t{p.occurrences} * p.team_warps * 32 + 2 * matrices * d.columns;
      layout.shared = p.dout_bytes + p.dweight_bytes + static_cast<unsigned>(words) * sizeof(unsigned);
    };
    constexpr unsigned kReserved = 1024, kStatic = 512;
    const unsigned all = device.shared_optin + kReserved, half = all / 2 - kReserved - kStatic;
    take(1);
    if (layout.shared > half) return {};
    // Matrices of a group: doubled until every team has columns, while there are enough groups for the device.
    const std::int64_t columns = std::int64_t{kPanelBlock / 32 / p.team_warps} * panel_columns(static_cast<int>(size));
    while (p.matrices * d.columns < columns && std::int64_t{p.matrices} * device.multiprocessors * 6 < d.outer) {
      const std::int64_t matrices = p.matrices;
      take(2 * matrices);
      if (layout.shared > half) {
        take(matrices);
        break;
      }
    }
    constexpr unsigned kMostResident = 5;
    layout.resident = static_cast<int>(std::min(kMostResident, all / (layout.shared + kReserved + kStatic)));
    p.groups = ceil_div(d.outer, p.matrices);
    return layout;
  }
};

void add_panels(const RowSums& d, const PanelLayout& panels, const Occurrences& sorted, bool after_sort, const Device& device, PlanBuilder& builder) {
  auto kernel = builder.kernel(kGatherPanels, grid_for(device, panels.p.groups, panels.resident), kPanelBlock);
  kernel.params(panels.p)
      .shared(panels.shared)
      .tensor(offsetof(EmbeddingPanelsParams, dout), d.arguments.dout)
      .tensor(offsetof(EmbeddingPanelsParams, dweight), d.arguments.gradient);
  if (after_sort) kernel.early(device);  // may begin beside the sort: the sort has waited for the kernel that writes dout
  bind_place(kernel, offsetof(EmbeddingPanelsParams, rows), sorted.rows);
  bind_place(kernel, offsetof(EmbeddingPanelsParams, order), sorted.order);
}

// The shape of rows that the sums are built for.
int shape_of(const RowSums& d) {
  const std::int64_t vector = 16 / size_of(d.element), warp = 32;
  const bool across = d.outer > 1, maxima = d.bags && d.bags->max_positions >= 0;
  if (d.columns % vector != 0) return across && d.columns < vector ? kRowsTiny : kRowsAny;
  // Max mode spends the registers of a second piece on positions. When narrow rows occur often, a warp meets few row starts; smaller groups
  // of lanes would idle, so a row keeps the whole warp with one piece a lane.
  const std::int64_t one_piece = across || d.indices > 4 * d.rows ? warp * vector : vector;
  return d.columns > one_piece && !maxima ? kRowsWide : across ? kRowsAcross : kRowsNarrow;
}

// Offsets in the workspace of what sums of bags read in place of positions: bags, and their weights.
struct BagSources {
  std::uint64_t sources = 0, weights = 0;
};
// Books them and adds the launch that writes them.
BagSources add_bag_sources(const RowSums& d, const Occurrences& sorted, Spare& spare, const Device& device, PlanBuilder& builder) {
  EmbeddingBagSourcesParams b{};
  b.num_embeddings = d.rows;
  b.bag_length = d.bag_length;
  b.num_indices = static_cast<unsigned>(d.indices);
  BagSources s;
  s.sources = spare.book(std::uint64_t{b.num_indices} * sizeof(unsigned), builder);
  if (d.bags->weighted) s.weights = builder.book(b.num_indices * static_cast<std::uint64_t>(size_of(accumulator_of(d.element))));
  auto kernel = builder.kernel(kBagSources, grid_for(device, ceil_div(d.indices, kRowSumBlock), 8), kRowSumBlock).params(b);
  kernel.tensor(offsetof(EmbeddingBagSourcesParams, sample_weights), d.bags->sample_weights)
      .workspace(offsetof(EmbeddingBagSourcesParams, sources), s.sources)
      .early(device);
  bind_place(kernel, offsetof(EmbeddingBagSourcesParams, rows), sorted.rows);
  bind_place(kernel, offsetof(EmbeddingBagSourcesParams, order), sorted.order);
  if (d.bags->weighted) kernel.workspace(offsetof(EmbeddingBagSourcesParams, weights), s.weights);
  if (d.bags->bag_of != BagSums::kAbsent) kernel.workspace(offsetof(EmbeddingBagSourcesParams, bag_of), d.bags->bag_of);
  if (d.bags->shares != BagSums::kAbsent) kernel.workspace(offsetof(EmbeddingBagSourcesParams, shares), d.bags->shares);
  if (d.bags->entries != BagSums::kAbsent) kernel.workspace(offsetof(EmbeddingBagSourcesParams, entries), d.bags->entries);
  return s;
}

}  // namespace

// Workspace besides the sort's, at most, for N indices, rows of D columns and O matrices:
//   without an index plan 8 N bytes of sorted occurrences;
//   16 (N / 17) bytes for the shares of rows with more than 16 occurrences;
//   for N > 127 indices 16 (N / 128) bytes for rows with several shares, and O D accumulators of partial sums for every 64 indices;
//   for bags 4 N bytes, and N accumulators of weights.
// The 8 N bytes that the sort has used are used again for as much of this as fits.
Result<void> finish_sorted(const RowSums& d, const Device& device, PlanBuilder& builder) {
  constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max() - 1;
  if (d.rows > kMostRows) return fail(ADJ_ERROR_UNSUPPORTED, "serves up to {} rows, not {}", kMostRows, d.rows);
  const bool planned = d.arguments.sorted_rows >= 0;
  const Occurrences sorted = planned ? Occurrences::of_plan(d.arguments) : Occurrences::in_workspace(d.indices, builder);
  std::optional<SortLayout> layout;
  if (!planned) layout.emplace(d, device);
  const auto copy_first = [&] {
    if (d.arguments.copied >= 0) builder.copy(d.arguments.copied, d.arguments.gradient);
  };
  if (d.rows == 0 || d.columns == 0) {  // only invalid indices to count
    if (layout) sort_indices(d, *layout, device, builder, sorted);
    return {};
  }

  if (const auto panels = PanelLayout::of(d, device)) {
    copy_first();
    if (layout) sort_indices(d, *layout, device, builder, sorted);
    add_panels(d, *panels, sorted, layout.has_value(), device, builder);
    return {};
  }

  const std::uint64_t counters = builder.book(kCounters * sizeof(unsigned));
  EmbeddingSumParams p{};
  const std::int64_t size = size_of(d.element), vector = 16 / size, warp = 32, warps = kRowSumBlock / warp;
  const bool aligned = d.columns % vector == 0;
  const int shape = shape_of(d);
  p.num_embeddings = d.rows;
  p.embedding_dim = d.columns;
  p.num_indices = static_cast<unsigned>(d.indices);
  p.accumulate = d.accumulate;
  p.scale_by_count = d.scale_by_count;
  p.outer = d.outer;
  p.dout_matrix = d.indices * d.columns;
  p.dweight_matrix = d.rows * d.columns;
  const std::int64_t matrices = row_sum_across(shape) ? row_sum_pieces(shape) : 1;
  const std::int64_t lane = (aligned ? vector : 1) * (matrices > 1 ? 1 : row_sum_pieces(shape));  // columns of a lane
  const int lanes = power_of_two(ceil_div(d.columns, lane), warp);
  const std::int64_t steps = ceil_div(d.outer, matrices);
  const auto divide_rows = [&](int row_lanes) {
    p.row_lanes = row_lanes;
    p.stretch = p.row_lanes * lane;
    p.stretches = static_cast<unsigned>(ceil_div(d.columns, p.stretch));
  };
  // Light rows get half a warp when that leaves fewer lanes idle at the end of a row.
  const auto covered = [&](int row_lanes) { return ceil_div(d.columns, row_lanes * lane) * row_lanes; };
  const int sum_lanes = aligned && lanes == warp && covered(lanes / 2) < covered(lanes) ? lanes / 2 : lanes;
  if (const std::int64_t most = ceil_div(d.columns, sum_lanes * lane); most > std::numeric_limits<std::int32_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "writes a row in fewer than 2^31 pieces of {} elements, not {}", sum_lanes * lane, most);
  divide_rows(sum_lanes);
  const std::int64_t stretches = p.stretches, group = warp / p.row_lanes;

  // The batch of a warp is halved until there are twice as many warps as the device holds at a time. Half as many do where two halves of a
  // warp share a batch.
  const std::int64_t resident = std::int64_t{device.multiprocessors} * kRowSumBlocks;
  std::int64_t batch = shape == kRowsTiny ? warp : std::int64_t{kRowSumBatch};
  const std::int64_t least = ceil_div(resident * warps * (sum_lanes < lanes ? 1 : 4), 2 * stretches * steps);
  while (shape != kRowsTiny && batch > group && ceil_div(d.indices, batch) < least) batch /= 2;
  p.batch = static_cast<int>(batch);
  // Matrices are divided among blocks only as far as that keeps the device busy: the rows that a block finds serve all of its matrices.
  const auto share_matrices = [&](std::int64_t blocks) {
    const std::int64_t most = std::clamp<std::int64_t>(resident * 8 / std::min(blocks * p.stretches, resident * 8), 1, steps);
    p.outer_step = ceil_div(steps, most) * matrices;
    p.items = static_cast<unsigned>(p.stretches * ceil_div(d.outer, p.outer_step));
  };

  const std::int64_t columns = d.outer * d.columns;
  const bool narrow = lanes < warp && matrices == 1;
  p.light = narrow ? kRowSumLightNarrow : kRowSumLight;
  p.share = narrow ? kRowSumShareNarrow : kRowSumShare;
  p.large_share = narrow ? 0 : kRowSumLargeShare;
  p.most_shares = p.num_indices / (p.light + 1);
  p.most_heavy = p.num_indices / (2 * p.share);
  p.most_partials = p.most_heavy ? p.num_indices / p.share : 0;
  const std::uint64_t partial_bytes = p.most_partials * static_cast<std::uint64_t>(columns * size_of(accumulator_of(d.element)));
  // Where there is a sort, the launch beside it copies.
  const bool copies = d.arguments.copied >= 0 && layout && p.most_shares > 0;
  if (!copies) copy_first();
  // Partial sums that would not fit the sort's spare workspace are booked before the sort. Until the sums begin, the presence lie there.
  std::optional<std::uint64_t> partials, presence;
  Spare spare;
  if (layout) {
    if (partial_bytes > 2 * sizeof(unsigned) * p.num_indices) partials = builder.book(partial_bytes);
    const bool asks = !d.accumulate && !fills_all_rows(d);
    if (asks && partials && layout->takes_presence(d.rows, device) && layout->presence_bytes(d.rows) <= partial_bytes) presence = partials;
    spare = sort_indices(d, *layout, device, builder, sorted, counters, presence);
  } else {
    builder.clear_workspace(counters, kCounters * sizeof(unsigned));
  }

  BagSources bags;
  if (d.bags) bags = add_bag_sources(d, sorted, spare, device, builder);
  const std::uint64_t shares = spare.book(p.most_shares * sizeof(EmbeddingShare), builder);
  const std::uint64_t heavy = spare.book(p.most_heavy * sizeof(EmbeddingHeavyRow), builder);
  if (!partials) partials = spare.book(partial_bytes, builder);
  const auto bind = [&](PlanBuilder::Kernel kernel, SumProgram program) {
    kernel.tensor(offsetof(EmbeddingSumParams, dout), d.arguments.dout)
        .tensor(offsetof(EmbeddingSumParams, dweight), d.arguments.gradient)
        .workspace(offsetof(EmbeddingSumParams, counters), counters)
        .workspace(offsetof(EmbeddingSumParams, shares), shares)
        .workspace(offsetof(EmbeddingSumParams, heavy), heavy)
        .workspace(offsetof(EmbeddingSumParams, partials), *partials);
    bind_place(kernel, offsetof(EmbeddingSumParams, rows), sorted.rows);
    bind_place(kernel, offsetof(EmbeddingSumParams, order), sorted.order);
    if (aligned) kernel.when_unaligned({program, kRowsAny}, {d.arguments.dout, d.arguments.gradient});
    if (d.bags) {
      kernel.workspace(offsetof(EmbeddingSumParams, sources), bags.sources);
      if (d.bags->weighted) kernel.workspace(offsetof(EmbeddingSumParams, weights), bags.weights);
      if (d.bags->max_positions >= 0) {
        kernel.tensor(offsetof(EmbeddingSumParams, max_positions), d.bags->max_positions);
        if (aligned) kernel.when_unaligned({program, kRowsAny}, {d.bags->max_positions});
      }
    }
    return kernel;
  };
  RowsSortedOut rows(d, p, {counters, shares, heavy}, sorted.rows, device);
  if (p.most_shares || fills_all_rows(d)) rows.begin(p.most_shares, layout, presence, copies, builder);
  // Shares go first: a block takes long for one, and the blocks of the light rows then fill the rest of the device.
  if (p.most_shares) {
    divide_rows(lanes);
    share_matrices(std::min<std::int64_t>(p.most_shares, resident));
    constexpr std::int64_t kMostWorks = std::int64_t{1} << 31;
    constexpr int kBlocks = 3;  // of a multiprocessor: leaves room for the light rows
    const std::int64_t works = std::int64_t{p.most_shares} * p.items;
    if (works > kMostWorks)
      return fail(ADJ_ERROR_UNSUPPORTED, "serves up to 2^31 shares of rows times pieces of them, not {} times {}", p.most_shares, p.items);
    bind(builder.kernel({kSumShares, shape}, grid_for(device, works, kBlocks), kRowSumBlock).params(p).early(device), kSumShares);
  }
  // With few occurrences, a few small blocks combine the partial sums: they wait for the shares while the light rows are summed, which saves
  // a launch at the end. With many occurrences, more blocks combine them at the end.
  constexpr std::int64_t kCombinedBeside = std::int64_t{1} << 17;
  const auto combine = [&](int resident) {
    if (p.most_heavy == 0) return;
    builder.kernel(kCombineSums, grid_for(device, std::int64_t{p.most_heavy} * ceil_div(columns, kCombineGroup), resident), kCombineBlock)
        .params(p)
        .tensor(offsetof(EmbeddingSumParams, dweight), d.arguments.gradient)
        .workspace(offsetof(EmbeddingSumParams, counters), counters)
        .workspace(offsetof(EmbeddingSumParams, heavy), heavy)
        .workspace(offsetof(EmbeddingSumParams, partials), *partials)
        .early(device);
  };
  const bool combined_beside = d.indices <= kCombinedBeside;
  if (combined_beside) combine(1);
  divide_rows(sum_lanes);
  const std::int64_t row_blocks = ceil_div(d.indices, batch * warps);
  share_matrices(row_blocks);
  const std::int64_t x = d.gather ? row_blocks : p.items, y = d.gather ? p.items : row_blocks;
  // The closing program lists one more entry for a row: to add the row of dweight, or to scale the sum.
  const SumProgram program = shape != kRowsTiny && (d.accumulate || d.scale_by_count) ? kSumClosing : kSumRows;
  auto sums = builder.kernel({program, shape}, x, kRowSumBlock, std::min(y, kMostBlocksY)).params(p);
  if (p.most_shares) sums.early(device);  // it begins beside the shares, which have waited for the launches before
  bind(sums, program);
  rows.end(p.most_shares && shape != kRowsTiny, builder);
  if (!combined_beside) combine(4);
  return {};
}

}  // namespace adj

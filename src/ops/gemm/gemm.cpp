#include "ops/gemm/gemm.hpp"

namespace adj::gemm {

Result<void> check_limit(std::int64_t limit, const char* what, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (std::int64_t f : factors) {
    if (f > limit / product) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} {}, has {}", limit, what, fmt::join(factors, " times "));
    product *= f;
  }
  return {};
}

ProgramTemplate pack_program() { return {"gemm/pack.cu", "gemm_pack", "", kPack}; }
ProgramTemplate column_sums_program() { return {"gemm/column_sums.cu", "gemm_column_sums", "ADJ_T={0}", kColumnSums}; }
ProgramTemplate split_product_program() { return {"gemm/tiles.cu", "gemm_tiles", "ADJ_T={0} ADJ_ROLE=2", kWeightProduct}; }

std::int64_t splits_of(const Tuning& tuning, const SplitRule& rule, std::int64_t depth, std::int64_t blocks, std::int64_t results) {
  std::int64_t splits = std::max(ceil_div(rule.blocks, std::max<std::int64_t>(blocks, 1)), ceil_div(depth, rule.longest));
  splits = std::min(
      {splits, ceil_div(depth, rule.shortest), tuning.most_splits, std::max<std::int64_t>(tuning.most_partials / std::max<std::int64_t>(results, 1), 1)});
  return std::max<std::int64_t>(splits, 1);
}

Result<PartialSums> add_split_product(PlanBuilder& builder, const Device& device, GemmParams p, adj_dtype element, int gathered, int matrix) {
  p.line_tiles = narrow(ceil_div(p.lines, kGemmLines));
  p.column_tiles = narrow(ceil_div(p.columns, kGemmColumns));
  ADJ_TRY(check_limit(kMost, "tiles", {p.line_tiles, p.column_tiles, p.groups}));
  const std::int64_t tiles = std::int64_t{p.line_tiles} * p.column_tiles * p.groups, count = std::int64_t{p.lines} * p.columns * p.groups;
  const std::int64_t splits = splits_of(tuning_of(device), tuning_of(device).tiles, p.depth, tiles, count);
  p.split_depth = narrow(std::min<std::int64_t>(ceil_div(ceil_div(p.depth, splits), kGemmChunk) * kGemmChunk, p.depth));
  p.splits = narrow(ceil_div(p.depth, p.split_depth));
  p.out_split = count;
  ADJ_TRY(check_limit(kMost, "tiles", {tiles, p.splits}));
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(p.splits * count) * size_of(accumulator_of(element)));
  builder.kernel(kWeightProduct, tiles * p.splits, kGemmThreads)
      .params(p)
      .tensor(offsetof(GemmParams, gathered) + offsetof(GemmTensor, data), gathered)
      .tensor(offsetof(GemmParams, matrix), matrix)
      .workspace(offsetof(GemmParams, out), partials);
  return PartialSums{partials, p.splits};
}

Result<PartialSums> add_column_sums(PlanBuilder& builder, const Device& device, GemmColumnSumsParams p, bool last, adj_dtype element, int dout) {
  const int vector = static_cast<int>(16 / size_of(element));
  p.width_log2 = last ? 5 : 0;
  p.each = last && p.channel == 1 && p.unit % vector == 0 && p.batch % vector == 0 ? vector : 1;
  p.by_places = divide_below_2_31(p.places);
  const std::int64_t blocks = ceil_div(p.channels, (std::int64_t{1} << p.width_log2) * p.each),
                     splits = splits_of(tuning_of(device), tuning_of(device).tiles, p.total, blocks, p.channels);
  p.split_places = narrow(ceil_div(p.total, splits));
  p.splits = narrow(ceil_div(std::int64_t{p.total}, p.split_places));
  ADJ_TRY(check_limit(kMost, "blocks", {blocks, p.splits}));
  const std::uint64_t partials = builder.book(static_cast<std::uint64_t>(p.splits) * static_cast<std::uint64_t>(p.channels) * size_of(accumulator_of(element)));
  builder.kernel(kColumnSums, blocks * p.splits, kGemmThreads)
      .params(p)
      .tensor(offsetof(GemmColumnSumsParams, dout), dout)
      .workspace(offsetof(GemmColumnSumsParams, partials), partials);
  return PartialSums{partials, p.splits};
}

Result<Operand> add_pack(PlanBuilder& builder, int argument, GemmPackParams p, std::int64_t images, std::int64_t vectors) {
  p.vectors = narrow(vectors_of(p.channels));
  p.place_tiles = narrow(ceil_div(p.places, kGemmPackTile));
  p.channel_tiles = narrow(ceil_div(p.channels, kGemmPackTile));
  ADJ_TRY(check_limit(kMost, "tiles to pack", {images, p.groups, p.place_tiles, p.channel_tiles}));
  const std::uint64_t to = builder.book(static_cast<std::uint64_t>(vectors) * 16);
  builder.kernel(kPack, images * p.groups * p.place_tiles * p.channel_tiles, kGemmPackThreads)
      .params(p)
      .tensor(offsetof(GemmPackParams, from), argument)
      .workspace(offsetof(GemmPackParams, to), to);
  return Operand{argument, true, to};
}

}  // namespace adj::gemm

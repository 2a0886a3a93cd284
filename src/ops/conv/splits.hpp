// Sums divided into splits, whose partial sums kernels/conv/finish.cu adds.
#pragma once

#include "kernels/conv/params.h"
#include "ops/common/common.hpp"

namespace adj::conv {

// Rule for the number of splits; it looks at shapes alone, so that sums do not depend on the device. `blocks`: wanted in all, for a large device.
// `longest`: most terms of a split, since rounding errors grow with them; exceeded when there would be too many splits. `shortest`: least terms
// of a split; with fewer, adding up the splits costs more than it saves.
struct SplitRule {
  std::int64_t blocks, longest, shortest;
};
// Some blocks for each multiprocessor of a large device, splits of 512 to 32768 products.
constexpr SplitRule kSplitRule{512, std::int64_t{1} << 15, 2 * kConvChunk};
// Splits of a sum of `depth` terms, when a launch of one split has `blocks` blocks and `results` results.
inline std::int64_t splits_of(const SplitRule& rule, std::int64_t depth, std::int64_t blocks, std::int64_t results) {
  constexpr std::int64_t kMostSplits = 1024, kMostPartials = std::int64_t{1} << 26;
  std::int64_t splits = std::max(ceil_div(rule.blocks, std::max<std::int64_t>(blocks, 1)), ceil_div(depth, rule.longest));
  splits = std::min({splits, ceil_div(depth, rule.shortest), kMostSplits, std::max<std::int64_t>(kMostPartials / std::max<std::int64_t>(results, 1), 1)});
  return std::max<std::int64_t>(splits, 1);
}

// Programs of convolutions and of matrix products. kFinish adds up what the others write, kColumnSums adds the rows of a matrix. On tensor cores kProduct
// and kWeightProduct have the forms kWholeRows and kAnyRows.
enum Program : int { kProduct, kWeightProduct, kPack, kFinish, kColumnSums };

// Adds the launch of kernels/conv/finish.cu. `f` has the layout of a split and says whether the sums are added to `out`.
inline void add_finish(PlanBuilder& builder, const Device& device, const ConvFinishParams& f, std::uint64_t partials, int out) {
  builder.kernel(kFinish, grid_for(device, ceil_div(f.count, kConvThreads), 8), kConvThreads)
      .params(f)
      .workspace(offsetof(ConvFinishParams, partials), partials)
      .tensor(offsetof(ConvFinishParams, out), out);
}

// Sums over places in the workspace: [splits, channels] accumulators.
struct ColumnSums {
  std::uint64_t partials;
  int splits;
};
// Adds the launch of kernels/conv/bias.cu. `p` has strides and extents, and places that are not empty; `last`: channels lie beside each other.
Result<ColumnSums> add_column_sums(PlanBuilder& builder, ConvBiasParams p, bool last, adj_dtype element, int dout);

}  // namespace adj::conv

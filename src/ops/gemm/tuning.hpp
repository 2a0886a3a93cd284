// Numbers by which products are split, by architecture. They look at no device, so that sums depend on the shape and the architecture alone.
#pragma once

#include "driver/device.hpp"
#include "ops/common/tuning.hpp"
#include "kernels/gemm/params.h"

namespace adj::gemm {

// Rule for the number of splits. `blocks`: wanted in all, for a large device. `longest`: most terms of a split, since rounding errors grow with them; exceeded
// when there would be too many splits. `shortest`: least terms of a split; with fewer, adding up the splits costs more than it saves.
struct SplitRule {
  std::int64_t blocks, longest, shortest;
};

// What a product on tensor cores costs, in steps along the depth of a tile.
struct SplitCosts {
  std::int64_t multiprocessors;  // each takes a tile at a time
  std::int64_t shortest;         // least products of a split
  std::int64_t tile, finish;     // for the results of a tile, and for one more launch
  std::int64_t partials;         // partial sums that are written and read in a step
};

struct Tuning {
  std::int64_t most_splits = 1024, most_partials = std::int64_t{1} << 26;
  // tiles.cu and column_sums.cu: some blocks for each multiprocessor, splits of 512 to 32768 products.
  SplitRule tiles{512, std::int64_t{1} << 15, 2 * kGemmChunk};
  // Weight gradients of convolutions on tensor cores: at most four times the blocks that an H200 holds at once, two on a multiprocessor. The last blocks then
  // leave it idle for a short time only, and there are few partial sums to add up.
  std::int64_t weight_blocks = 4 * 2 * tuning::kMultiprocessors, weight_shortest = 512;
  // Matrix products on tensor cores.
  SplitCosts products{.multiprocessors = tuning::kMultiprocessors, .shortest = 512, .tile = 6, .finish = 10, .partials = 200'000};
};
constexpr Tuning kSm80;  // measured on an H200

// An architecture that is measured by itself has its own Tuning, and its line here.
constexpr const Tuning& tuning_of(const Device&) { return kSm80; }

}  // namespace adj::gemm

// Sums divided into slots, whose partial sums kernels/conv/finish.cu adds.
#pragma once

#include "kernels/conv/params.h"
#include "ops/common/common.hpp"

namespace adj::conv {

// How a sum is divided, by shapes alone: enough blocks for the multiprocessors of a large device, and no slot longer than that rounding
// errors would grow, unless there would be too many; none so short that finishing costs more than it saves.
struct SlotRule {
  std::int64_t blocks, longest, shortest;
};
inline std::int64_t slots_of(const SlotRule& rule, std::int64_t depth, std::int64_t blocks, std::int64_t results) {
  constexpr std::int64_t kMostSlots = 1024, kMostPartials = std::int64_t{1} << 26;
  std::int64_t slots = std::max(ceil_div(rule.blocks, std::max<std::int64_t>(blocks, 1)), ceil_div(depth, rule.longest));
  slots = std::min({slots, ceil_div(depth, rule.shortest), kMostSlots, std::max<std::int64_t>(kMostPartials / std::max<std::int64_t>(results, 1), 1)});
  return std::max<std::int64_t>(slots, 1);
}

// f: how a slot is laid out, and whether out is added to.
inline void add_finish(PlanBuilder& builder, int program, const Device& device, const ConvFinishParams& f, std::uint64_t partials, int out) {
  builder.kernel(program, grid_for(device, ceil_div(f.count, kConvThreads), 8), kConvThreads)
      .params(f)
      .workspace(offsetof(ConvFinishParams, partials), partials)
      .tensor(offsetof(ConvFinishParams, out), out);
}

}  // namespace adj::conv

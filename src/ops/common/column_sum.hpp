// Sums over the rows of a tensor, column by column, in two launches. The first writes a row of partial sums for each split of rows into the
// workspace; the second (kernels/prelude/columns.cu) adds the partial sums.
#pragma once

#include "kernels/prelude/columns.h"
#include "ops/common/common.hpp"

namespace adj {

// Row of a variant's programs: `acc` is the type of the partial sums, `type` the element type of the results: for example "f32", "{0}".
enum ColumnSumProgram : int { kColumnSum };
#define ADJ_COLUMN_SUM_PROGRAM(acc, type) {"prelude/columns.cu", "column_sum", "ADJ_A=" acc " ADJ_T=" type, kColumnSum}

// Division of the rows into splits. A block covers `width` units of a row and `depth` rows of one split at a time; `tiles` such blocks stand
// side by side in a row. Depends on the shape and the element type alone, and so does the order of additions.
struct ColumnSplits {
  std::int64_t rows_of_split = 1, splits = 1, tiles = 1;
  int width = 1, depth = 1;
  std::int64_t blocks() const { return splits * tiles; }
};
// Splits for rows of `units` units and blocks of `block` threads: about `blocks` blocks in all, from `least` to `most` rows for a thread.
inline ColumnSplits split_rows(std::int64_t rows, std::int64_t units, int block, std::int64_t blocks, std::int64_t least, std::int64_t most) {
  ColumnSplits s;
  s.tiles = ceil_div(units, block);
  s.width = static_cast<int>(ceil_div(units, s.tiles));
  s.depth = static_cast<int>(std::clamp<std::int64_t>(rows, 1, block / s.width));
  const std::int64_t wanted = ceil_div(rows, std::max<std::int64_t>(1, blocks / s.tiles));
  s.rows_of_split = std::clamp(ceil_div(wanted, s.depth), least, most) * s.depth;
  s.splits = ceil_div(rows, s.rows_of_split);
  return s;
}

// Bytes of the partial sums [results, splits, columns].
inline std::uint64_t column_sum_bytes(std::int64_t results, std::int64_t splits, std::int64_t columns, adj_dtype acc) {
  return static_cast<std::uint64_t>(results) * static_cast<std::uint64_t>(splits) * static_cast<std::uint64_t>(columns) * size_of(acc);
}

// Adds the second launch. The partial sums [results, splits, columns] lie at `offset` of the workspace; arguments[i] is the output of result i.
// `early`: the device, when the first launch lets this one begin while its blocks still run. `accumulate`: the sums are added to what the outputs hold.
inline Result<void> add_column_sum(PlanBuilder& builder, std::uint64_t offset, std::int64_t splits, std::int64_t columns, std::span<const int> arguments,
                                   const Device* early = nullptr, bool accumulate = false) {
  const std::int64_t blocks = ceil_div(columns, kColumnSumAcross);
  if (blocks > std::numeric_limits<std::int32_t>::max())
    return fail(ADJ_ERROR_UNSUPPORTED, "sums at most {} columns, the tensor has {}", std::int64_t{kColumnSumAcross} << 31, columns);
  ColumnSumParams p{};
  p.splits = splits;
  p.columns = columns;
  p.accumulate = accumulate;
  auto kernel = builder.kernel(kColumnSum, blocks, kColumnSumThreads, static_cast<std::int64_t>(arguments.size()));
  kernel.params(p).workspace(offsetof(ColumnSumParams, partials), offset);
  if (early) kernel.early(*early);
  for (std::size_t i = 0; i < arguments.size(); ++i) kernel.tensor(offsetof(ColumnSumParams, results) + i * sizeof(void*), arguments[i]);
  return {};
}

}  // namespace adj

// The scales of a matrix of f8 codes: where they lie.
#pragma once

#include <cstdint>

#include <adjoint/types.h>

namespace adj::host {

// Element i of the rows and j of the columns shares the scale at(i, j). With granularity block_1x128 and block_128x128 scales have two dimensions.
struct ScaleGrid {
  adj_scale_granularity granularity;
  bool gemm;  // the layout of products
  std::int64_t rows, columns;

  ScaleGrid(adj_scale_granularity g, adj_scale_layout layout, std::int64_t r, std::int64_t c)
      : granularity(g), gemm(layout == ADJ_SCALE_LAYOUT_GEMM), rows(r), columns(c) {}

  static std::int64_t blocks(std::int64_t extent) { return (extent + 127) / 128; }
  static std::int64_t padded(std::int64_t extent) { return (extent + 3) / 4 * 4; }

  std::int64_t at(std::int64_t i, std::int64_t j) const {
    switch (granularity) {
      case ADJ_SCALE_GRANULARITY_ROW: return i;
      case ADJ_SCALE_GRANULARITY_BLOCK_1X128: return gemm ? j / 128 * padded(rows) + i : i * blocks(columns) + j / 128;
      case ADJ_SCALE_GRANULARITY_BLOCK_128X128: return i / 128 * (gemm ? padded(blocks(columns)) : blocks(columns)) + j / 128;
      default: return 0;
    }
  }
  // Numbers in memory, padding included.
  std::int64_t count() const {
    switch (granularity) {
      case ADJ_SCALE_GRANULARITY_ROW: return rows;
      case ADJ_SCALE_GRANULARITY_BLOCK_1X128: return gemm ? blocks(columns) * padded(rows) : rows * blocks(columns);
      case ADJ_SCALE_GRANULARITY_BLOCK_128X128: return blocks(rows) * (gemm ? padded(blocks(columns)) : blocks(columns));
      default: return 1;
    }
  }
};

}  // namespace adj::host

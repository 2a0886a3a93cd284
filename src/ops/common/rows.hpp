// Division of rows among threads, for kernels built on kernels/prelude/row_vectors.cuh.
#pragma once

#include "ops/common/common.hpp"

namespace adj {

struct RowGeometry {
  static constexpr int kVectors = 4;  // 16-byte vectors that a thread has in registers
  int group = 1;            // threads that share a row: a power of two up to a warp, or the block
  unsigned block = 256;     // threads of a block
  bool resident = true;     // true when the registers of a group hold a row, at kVectors vectors a thread
  bool whole = true;        // true when rows are whole 16-byte vectors
  std::int64_t side_by_side = 0;  // rows that a block takes at a time

  std::int64_t grid(const Device& device, std::int64_t rows) const { return strided_grid(device, ceil_div(rows, side_by_side)); }
};

// Geometry of rows of `columns` elements. It depends on the row alone, and so does the order of additions.
// `least`, `most`: bounds of the number of threads that share a row, powers of two. `turns`: a row takes more threads only where each of them would take its
// vectors more than so often; where a thread has much to do for each row, fewer threads a row are faster, although they read it again.
inline RowGeometry row_geometry(std::int64_t columns, adj_dtype element, int least = 1, int most = 512, int turns = 1) {
  constexpr int kWarpThreads = 32, kVectors = RowGeometry::kVectors;
  const std::int64_t vector = 16 / size_of(element), vectors = ceil_div(columns, vector);
  RowGeometry g;
  g.whole = columns % vector == 0;
  g.group = least;
  while (g.group < kWarpThreads && std::int64_t{g.group} * kVectors * turns < vectors) g.group *= 2;
  if (vectors > kWarpThreads * kVectors) {
    const std::int64_t warps = ceil_div(ceil_div(vectors, kVectors), kWarpThreads);
    g.group = static_cast<int>(std::min<std::int64_t>(warps * kWarpThreads, most));
    g.block = static_cast<unsigned>(g.group);
  }
  g.resident = vectors <= std::int64_t{g.group} * kVectors;
  g.side_by_side = g.block / static_cast<unsigned>(g.group);
  return g;
}

}  // namespace adj

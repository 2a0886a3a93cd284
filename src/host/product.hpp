// Products of matrices in blocks, whose elements the caller reads and whose sums it finishes.
//
// Order of additions: the products of a sum are added in f64, one after another, in rounds of 256; the sums of the rounds are added with compensation
// (host/sum.hpp). It depends on the depth alone: neither on the number of rows, columns and threads nor on the processor.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/dtype.hpp"
#include "host/parallel.hpp"
#include "host/sum.hpp"

namespace adj::host {

constexpr std::int64_t kTile = 64;         // rows, columns and depth of a block
constexpr std::int64_t kRound = 4 * kTile; // products that are added without compensation
constexpr std::int64_t kLane = 8;          // columns of a block are computed in groups of as many

// A block of numbers. Rows are 576 bytes apart, so that a column of them does not fall on the same lines of a cache.
struct Tile {
  alignas(64) double at[kTile][kTile + kLane];
  double* operator[](std::int64_t row) { return at[row]; }
  const double* operator[](std::int64_t row) const { return at[row]; }
};

// sums[r][j] += a[r][q] * b[q][j] for each q below depth, in that order. Columns behind `columns` up to a multiple of kLane are read and written too.
void add_products(Tile& sums, const Tile& a, const Tile& b, std::int64_t rows, std::int64_t columns, std::int64_t depth);

// to[i * to_stride] = from[i * from_stride] for each i below count.
template <class T>
void widen(const T* from, std::int64_t from_stride, double* to, std::int64_t to_stride, std::int64_t count) {
  std::int64_t i = 0;
  if (from_stride == 1 && to_stride == 1)
    for (; i + 8 <= count; i += 8)
      for (int j = 0; j < 8; ++j) to[i + j] = to_double(from[i + j]);
  for (; i < count; ++i) to[i * to_stride] = to_double(from[i * from_stride]);
}

struct ProductExtents {
  std::int64_t matrices, rows, columns, depth;
};
// A block of the result: rows [row, row + rows) and columns [column, column + columns) of one matrix.
struct ProductBlock {
  std::int64_t matrix, row, rows, column, columns;
};
enum class Reading { values, presence };

namespace product {

bool all_finite(const Tile& t, std::int64_t rows, std::int64_t columns);

// Elements of B that do not exist count as 0, also where A is not finite.
template <class Problem>
[[gnu::noinline]] void add_present(const Problem& p, const ProductBlock& block, std::int64_t from, std::int64_t depth, const Tile& a, const Tile& b,
                                   Tile& sums) {
  Tile present;
  p.load_b(block, from, depth, present, Reading::presence);
  for (std::int64_t r = 0; r < block.rows; ++r)
    for (std::int64_t q = 0; q < depth; ++q)
      for (std::int64_t j = 0; j < block.columns; ++j)
        if (present[q][j] != 0) sums[r][j] += a[r][q] * b[q][j];
}

}  // namespace product

// Computes all blocks of a product. A problem has
//   extents()                               numbers of matrices, rows, columns, and products of a sum
//   load_a(block, from, depth, to)          to[r][q] = A[block.row + r][from + q] for r below block.rows, q below depth
//   load_b(block, from, depth, to, what)    to[q][j] = B[from + q][block.column + j] for j below block.columns; returns whether some of them do not exist.
//                                           They are written as 0. With Reading::presence the others are written as 1
//   finish(block, sums)                     takes the sums of a block
template <class Problem>
void multiply(const Problem& p) {
  const ProductExtents e = p.extents();
  if (e.matrices == 0 || e.rows == 0 || e.columns == 0) return;
  const double cost = static_cast<double>(e.depth + 1) * 0.2;  // nanoseconds of a sum
  std::int64_t high = std::min(kTile, e.rows), wide = std::min(kTile, e.columns);
  const auto blocks = [&] { return e.matrices * ((e.rows + high - 1) / high) * ((e.columns + wide - 1) / wide); };
  // Few blocks of much work are divided among threads.
  constexpr std::int64_t kLeastBlocks = 32, kLeastExtent = 16;
  constexpr double kWork = 4e6;
  if (static_cast<double>(e.matrices) * static_cast<double>(e.rows) * static_cast<double>(e.columns) * cost > kWork) {
    while (blocks() < kLeastBlocks && high >= 2 * kLeastExtent) high /= 2;
    while (blocks() < kLeastBlocks && wide >= 2 * kLeastExtent) wide /= 2;
  }
  const std::int64_t down = (e.rows + high - 1) / high, across = (e.columns + wide - 1) / wide;
  const double load = static_cast<double>(e.depth) * static_cast<double>(high + wide);
  parallel_for(blocks(), static_cast<double>(high * wide) * cost + load, [&](std::int64_t begin, std::int64_t end) {
    Tile a, b, sums;
    std::array<Sums<kTile>, kTile> rounds;
    for (std::int64_t at = begin; at < end; ++at) {
      ProductBlock block{.matrix = at / (down * across), .row = at % down * high, .rows = 0, .column = at / down % across * wide, .columns = 0};
      block.rows = std::min(high, e.rows - block.row);
      block.columns = std::min(wide, e.columns - block.column);
      const std::int64_t lanes = (block.columns + kLane - 1) / kLane * kLane;
      const auto clear = [&] {
        for (std::int64_t r = 0; r < block.rows; ++r) std::fill_n(sums[r], lanes, 0.0);
      };
      clear();
      for (std::int64_t from = 0; from < e.depth; from += kTile) {
        if (from > 0 && from % kRound == 0) {
          for (std::int64_t r = 0; r < block.rows; ++r) {
            auto& row = rounds[static_cast<std::size_t>(r)];
            if (from == kRound) row = {};
            row.add(static_cast<std::size_t>(block.columns), [&](std::size_t j) { return sums[r][j]; });
          }
          clear();
        }
        const std::int64_t depth = std::min(kTile, e.depth - from);
        p.load_a(block, from, depth, a);
        const bool absent = p.load_b(block, from, depth, b, Reading::values);
        if (absent && !product::all_finite(a, block.rows, depth)) {
          product::add_present(p, block, from, depth, a, b, sums);
          continue;
        }
        if (lanes > block.columns)
          for (std::int64_t q = 0; q < depth; ++q) std::fill(b[q] + block.columns, b[q] + lanes, 0.0);
        add_products(sums, a, b, block.rows, block.columns, depth);
      }
      if (e.depth > kRound)
        for (std::int64_t r = 0; r < block.rows; ++r) {
          auto& row = rounds[static_cast<std::size_t>(r)];
          row.add(static_cast<std::size_t>(block.columns), [&](std::size_t j) { return sums[r][j]; });
          for (std::int64_t j = 0; j < block.columns; ++j) sums[r][j] = row.value(static_cast<std::size_t>(j));
        }
      p.finish(block, sums);
    }
  });
}

// Where the terms of a gradient of a bias lie: term (n, i) of sum c is element n * outer_stride + i * inner_stride + c * column_stride.
struct ColumnSums {
  std::int64_t outer, outer_stride, inner, inner_stride, columns, column_stride;
};
// Calls set(c, sum) for each column. Its terms are added in their order with compensation.
template <class T, class Set>
void add_columns(const ColumnSums& s, const T* from, const Set& set) {
  constexpr std::int64_t kColumns = 8;
  const double cost = 2.0 * kColumns * static_cast<double>(s.outer) * static_cast<double>(s.inner);
  parallel_for((s.columns + kColumns - 1) / kColumns, cost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t first = block * kColumns, count = std::min(kColumns, s.columns - first);
      Sums<kColumns> sums;
      for (std::int64_t n = 0; n < s.outer; ++n)
        for (std::int64_t i = 0; i < s.inner; ++i) {
          const T* const at = from + n * s.outer_stride + i * s.inner_stride + first * s.column_stride;
          sums.add(static_cast<std::size_t>(count), [&](std::size_t c) { return to_double(at[static_cast<std::int64_t>(c) * s.column_stride]); });
        }
      for (std::int64_t c = 0; c < count; ++c) set(first + c, sums.value(static_cast<std::size_t>(c)));
    }
  });
}

}  // namespace adj::host

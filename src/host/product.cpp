// Sums of products of one block, with the widest registers that leave their bits alone.
#include "host/product.hpp"

#include <cstring>

#include "host/wide.hpp"

namespace adj::host {

namespace {

// Rows [row, row + kRows) of two vectors of columns. Each sum stays in a register while its products are added.
template <class Vector, int kRows>
[[gnu::always_inline]] inline void add_some(Tile& sums, const Tile& a, const Tile& b, std::int64_t row, std::int64_t column, std::int64_t depth) {
  constexpr std::int64_t kWide = sizeof(Vector) / sizeof(double);
  Vector left[kRows], right[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(&left[r], &sums[row + r][column], sizeof(Vector));
    std::memcpy(&right[r], &sums[row + r][column + kWide], sizeof(Vector));
  }
  for (std::int64_t q = 0; q < depth; ++q) {
    Vector b_left, b_right;
    std::memcpy(&b_left, &b[q][column], sizeof(Vector));
    std::memcpy(&b_right, &b[q][column + kWide], sizeof(Vector));
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      left[r] += a[row + r][q] * b_left;
      right[r] += a[row + r][q] * b_right;
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    std::memcpy(&sums[row + r][column], &left[r], sizeof(Vector));
    std::memcpy(&sums[row + r][column + kWide], &right[r], sizeof(Vector));
  }
}

template <class Vector>
[[gnu::always_inline]] inline void add_all(Tile& sums, const Tile& a, const Tile& b, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  constexpr std::int64_t kWide = 2 * sizeof(Vector) / sizeof(double);
  static_assert(kLane % kWide == 0);
  for (std::int64_t column = 0; column < columns; column += kWide) {
    std::int64_t row = 0;
    for (; row + 4 <= rows; row += 4) add_some<Vector, 4>(sums, a, b, row, column, depth);
    for (; row < rows; ++row) add_some<Vector, 1>(sums, a, b, row, column, depth);
  }
}

}  // namespace

void add_products(Tile& sums, const Tile& a, const Tile& b, std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  using Two [[gnu::vector_size(16)]] = double;
  using Four [[gnu::vector_size(32)]] = double;
  if (has_wide_registers()) in_wide_registers([&, rows, columns, depth]() ADJ_IN_PLACE { add_all<Four>(sums, a, b, rows, columns, depth); });
  else add_all<Two>(sums, a, b, rows, columns, depth);
}

bool product::all_finite(const Tile& t, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      if (!std::isfinite(t[r][c])) return false;
  return true;
}

}  // namespace adj::host

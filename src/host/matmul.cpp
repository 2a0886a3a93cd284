#include "host/matmul.hpp"

#include <algorithm>

#include "host/activation.hpp"
#include "host/parallel.hpp"
#include "host/values.hpp"
#include "host/matmul_problem.hpp"

namespace adj::host {

namespace {

// Calls piece(i, r, c, count, sums) with the sums of products of columns [c, c + count) of row r of matrix i. Each sum is formed in the order of k,
// whatever the number of rows.
template <class T, class Piece>
void for_each_piece(const MatmulProblem& p, const T* a, const T* b, const Piece& piece) {
  constexpr std::int64_t kRows = 16, kDepth = 16, kColumns = 128;  // a block of rows and columns shares each conversion of a tile of B
  const std::int64_t m = p.d.m, n = p.d.n, k = p.d.k, blocks = (m + kRows - 1) / kRows;
  if (n == 0) return;  // whatever m is
  parallel_for(p.d.batch * blocks, static_cast<double>(kRows * n) * static_cast<double>(k + 1), [&](std::int64_t begin, std::int64_t end) {
    double sums[kRows][kColumns], wide[kDepth][kColumns];
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t i = block / blocks, first = block % blocks * kRows, rows = std::min(kRows, m - first);
      const std::int64_t first_a = i * p.a.stride, first_b = i * p.b.stride;
      for (std::int64_t column = 0; column < n; column += kColumns) {
        const std::int64_t count = std::min(kColumns, n - column);
        std::fill(&sums[0][0], &sums[0][0] + kRows * kColumns, 0.0);
        for (std::int64_t from = 0; from < k; from += kDepth) {
          const std::int64_t depth = std::min(kDepth, k - from);
          for (std::int64_t j = 0; j < count; ++j)
            for (std::int64_t q = 0; q < depth; ++q) wide[q][j] = to_double(b[first_b + (from + q) * p.b_down + (column + j) * p.b_across]);
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t q = 0; q < depth; ++q) {
              const double x = to_double(a[first_a + (first + r) * p.a_down + (from + q) * p.a_across]);
              for (std::int64_t j = 0; j < count; ++j) sums[r][j] += x * wide[q][j];
            }
        }
        for (std::int64_t r = 0; r < rows; ++r) piece(i, first + r, column, count, sums[r]);
      }
    }
  });
}

template <class T>
void add_rows_of_a(const MatmulProblem& p, const T* a, const Values& dbias) {
  for (std::int64_t i = 0; i < p.d.m; ++i) {
    double sum = 0;
    for (std::int64_t q = 0; q < p.d.k; ++q) sum += to_double(a[i * p.a_down + q * p.a_across]);
    dbias.set(i, p.accumulates() ? dbias.get(i) + sum : sum);
  }
}

}  // namespace

void matmul(const adj_matmul_descriptor& d, const adj_matmul_args& args, void*) {
  const MatmulProblem p(d);
  const Values bias(args.bias, p.out_element), c(args.c, p.out_element), saved(args.saved, p.out_element), out(args.d, p.out_element),
      preactivation(args.preactivation, p.out_element), dbias(args.dbias, p.out_element);
  with_float(p.element, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const T* const a = static_cast<const T*>(args.a.data);
    auto finish = [&](std::int64_t matrix, std::int64_t row, std::int64_t column, std::int64_t count, const double* sums) {
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t at = matrix * p.out.stride + row * p.out.ld + column + j;
        double z = d.alpha * sums[j];
        if (d.beta != 0) z += d.beta * c.get(at);
        if (d.has_bias) z += bias.get(column + j);
        if (d.has_preactivation) preactivation.set(at, z);
        if (p.gelu()) z = activation_value(ADJ_ACTIVATION_GELU_TANH, z, 0);
        if (p.gelu_gradient()) z *= activation_slope(ADJ_ACTIVATION_GELU_TANH, saved.get(at), 0);
        out.set(at, p.accumulates() ? out.get(at) + z : z);
      }
    };
    for_each_piece(p, a, static_cast<const T*>(args.b.data), finish);
    if (d.has_dbias) add_rows_of_a(p, a, dbias);
  });
}

}  // namespace adj::host

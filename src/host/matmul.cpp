#include "host/matmul.hpp"

#include "host/activation.hpp"
#include "host/matmul_problem.hpp"
#include "host/product.hpp"
#include "host/values.hpp"

namespace adj::host {

namespace {

// to[r][q] of a block of a matrix whose rows are `down` elements apart, and its columns `across`.
template <class T>
void load(const T* from, std::int64_t down, std::int64_t across, std::int64_t rows, std::int64_t columns, Tile& to) {
  if (down == 1)
    for (std::int64_t c = 0; c < columns; ++c) widen(from + c * across, down, to[0] + c, to[1] - to[0], rows);
  else
    for (std::int64_t r = 0; r < rows; ++r) widen(from + r * down, across, to[r], 1, columns);
}

template <class T, class Finish>
struct Product {
  const MatmulProblem& p;
  const T *a, *b;
  Finish finish_row;  // (matrix, row, column, count, sums)

  ProductExtents extents() const { return {p.d.batch, p.d.m, p.d.n, p.d.k}; }
  void load_a(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to) const {
    load(a + block.matrix * p.a.stride + block.row * p.a_down + from * p.a_across, p.a_down, p.a_across, block.rows, depth, to);
  }
  bool load_b(const ProductBlock& block, std::int64_t from, std::int64_t depth, Tile& to, Reading) const {
    load(b + block.matrix * p.b.stride + from * p.b_down + block.column * p.b_across, p.b_down, p.b_across, depth, block.columns, to);
    return false;
  }
  void finish(const ProductBlock& block, const Tile& sums) const {
    for (std::int64_t r = 0; r < block.rows; ++r) finish_row(block.matrix, block.row + r, block.column, block.columns, sums[r]);
  }
};

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
        if (p.gelu_gradient()) z = activation_gradient(ADJ_ACTIVATION_GELU_TANH, z, saved.get(at), 0);
        out.set(at, p.accumulates() ? out.get(at) + z : z);
      }
    };
    multiply(Product<T, decltype(finish)>{p, a, static_cast<const T*>(args.b.data), finish});
    if (!d.has_dbias) return;
    const ColumnSums rows{.outer = 1, .outer_stride = 0, .inner = d.k, .inner_stride = p.a_across, .columns = d.m, .column_stride = p.a_down};
    add_columns(rows, a, [&](std::int64_t i, double sum) { dbias.set(i, p.accumulates() ? dbias.get(i) + sum : sum); });
  });
}

}  // namespace adj::host

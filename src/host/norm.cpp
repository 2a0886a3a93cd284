#include "host/norm.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/dtype.hpp"
#include "host/blocks.hpp"
#include "host/sum.hpp"
#include "host/values.hpp"
#include "host/wide.hpp"

namespace adj::host {

namespace {

struct Extents {
  std::int64_t rows = 1, columns = 1;
};
Extents extents_of(const adj_shape& shape, std::int32_t axis) {
  Extents e;
  const std::int64_t first = axis < 0 ? axis + shape.rank : axis;
  for (std::int64_t i = 0; i < shape.rank; ++i) (i < first ? e.rows : e.columns) *= shape.dims[i];
  return e;
}
adj_dtype first_of(adj_dtype a, adj_dtype b, adj_dtype c) { return a ? a : b ? b : c; }

// Arguments that the gradients of layer norm and RMS norm have; pointers are null for RMS norm.
struct Backward {
  const adj_tensor &dout, &saved, &gamma;
  const adj_tensor* beta;
  const adj_tensor* mean;
  const adj_tensor &inv_std, &dresidual, &dinput, &dgamma;
  const adj_tensor* dbeta;
};

// A sum of each column, of terms that are added row by row.
class ColumnTotals {
 public:
  explicit ColumnTotals(std::size_t columns) : sums_((columns + kLanes - 1) / kLanes), columns_(columns) {}
  // Adds the term get(j) to that of column j.
  template <class Get>
  void add(const Get& get) {
    in_wide_registers([&]() ADJ_IN_PLACE {
      for (std::size_t first = 0; first < columns_; first += kLanes)
        sums_[first / kLanes].add(std::min(kLanes, columns_ - first), [&](std::size_t k) ADJ_IN_PLACE { return get(first + k); });
    });
  }
  double value(std::size_t j) const { return sums_[j / kLanes].value(j % kLanes); }

 private:
  static constexpr std::size_t kLanes = 64;
  std::vector<Sums<kLanes>> sums_;
  std::size_t columns_;
};

// Rows are read whole before they are written, so dinput may be any of the inputs.
template <class Descriptor>
void backward(const Descriptor& d, const Backward& a, bool centred) {
  const auto [rows, columns] = extents_of(d.shape, d.axis);
  const adj_dtype element = d.element, output = first_of(d.output, element, element), weight = first_of(d.weight, d.output, element);
  const adj_dtype stats = element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const auto count = static_cast<std::size_t>(columns);
  const Values inv_std(a.inv_std, stats), mean(a.mean ? *a.mean : adj_tensor{}, stats);
  const void* const beta = a.beta ? a.beta->data : nullptr;
  // No more than the arguments have: without rows, columns may be any number.
  const bool sums = rows > 0 || a.dgamma.data || (a.dbeta && a.dbeta->data);
  ColumnTotals dgamma(sums ? count : 0), dbeta(sums ? count : 0);
  const std::size_t held = rows > 0 ? count : 0;
  std::vector<double> factors(held, 1), shifts(held);
  if (a.gamma.data && rows > 0) read(factors.data(), a.gamma.data, weight, 0, columns);
  if (beta && rows > 0) read(shifts.data(), beta, weight, 0, columns);
  // Short rows are taken some at a time, so that the sums of several are added at once. `g`, `h` and `dy` have a row after another.
  constexpr std::int64_t kRows = 8, kShort = 4096;
  const std::int64_t at_once = columns <= kShort ? kRows : 1;
  const std::size_t taken = held * static_cast<std::size_t>(std::min(at_once, rows));
  std::vector<double> g(taken), h(taken), dy(taken), terms(taken), residual(held);
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const auto some = static_cast<std::size_t>(std::min(at_once, rows - first));
    for (std::size_t r = 0; r < some; ++r) {
      const std::int64_t i = first + static_cast<std::int64_t>(r);
      const double scale = inv_std.get(i), center = mean.given() ? mean.get(i) : 0;
      double *const row_g = g.data() + r * count, *const row_h = h.data() + r * count, *const row_dy = dy.data() + r * count,
                    *const term = terms.data() + r * count;
      read(row_dy, a.dout.data, output, i * columns, columns);
      read(row_h, a.saved.data, d.from_output ? output : element, i * columns, columns);
      if (d.from_output)
        in_wide_registers([=, factors = factors.data(), shifts = shifts.data()]() ADJ_IN_PLACE {
          for (std::size_t j = 0; j < count; ++j) {
            const double product = row_h[j] - shifts[j];
            row_g[j] = row_dy[j] * factors[j];
            row_h[j] = product / factors[j];
            term[j] = row_dy[j] * product;
          }
        });
      else
        in_wide_registers([=, factors = factors.data()]() ADJ_IN_PLACE {
          for (std::size_t j = 0; j < count; ++j) {
            row_g[j] = row_dy[j] * factors[j];
            row_h[j] = (row_h[j] - center) * scale;
            term[j] = row_g[j] * row_h[j];
          }
        });
      dgamma.add([&](std::size_t j) ADJ_IN_PLACE { return row_dy[j] * row_h[j]; });
      dbeta.add([&](std::size_t j) ADJ_IN_PLACE { return row_dy[j]; });
    }
    Sums<kRows> s1, s2;
    in_wide_registers([&]() ADJ_IN_PLACE {
      for (std::size_t j = 0; j < count; ++j) {
        s1.add(some, [&](std::size_t r) ADJ_IN_PLACE { return g[r * count + j]; });
        s2.add(some, [&](std::size_t r) ADJ_IN_PLACE { return terms[r * count + j]; });
      }
    });
    for (std::size_t r = 0; r < some; ++r) {
      const std::int64_t i = first + static_cast<std::int64_t>(r);
      const double scale = inv_std.get(i), divisor = static_cast<double>(columns);
      const double c1 = centred ? s1.value(r) / divisor : 0, c2 = s2.value(r) / divisor;
      double *const row_g = g.data() + r * count, *const row_h = h.data() + r * count;
      if (a.dresidual.data) read(residual.data(), a.dresidual.data, element, i * columns, columns);
      in_wide_registers([=, residual = residual.data()]() ADJ_IN_PLACE {
        for (std::size_t j = 0; j < count; ++j) row_g[j] = scale * (row_g[j] - c1 - row_h[j] * c2) + residual[j];
      });
      write(row_g, a.dinput.data, element, i * columns, columns);
    }
  }
  auto store = [&](const adj_tensor& tensor, ColumnTotals& totals) {
    if (!tensor.data) return;
    std::vector<double> values(count);
    if (d.write_mode == ADJ_WRITE_ACCUMULATE) {
      read(values.data(), tensor.data, weight, 0, columns);
      totals.add([&](std::size_t j) ADJ_IN_PLACE { return values[j]; });
    }
    for (std::size_t j = 0; j < count; ++j) values[j] = totals.value(j);
    write(values.data(), tensor.data, weight, 0, columns);
  };
  store(a.dgamma, dgamma);
  if (a.dbeta) store(*a.dbeta, dbeta);
}

struct Forward {
  const adj_tensor &input, &residual, &gamma;
  const adj_tensor* beta;
  const adj_tensor &out, &sum;
  const adj_tensor* mean;
  const adj_tensor& inv_std;
};

template <class Descriptor>
void forward(const Descriptor& d, const Forward& a, bool centred) {
  const auto [rows, columns] = extents_of(d.shape, d.axis);
  const adj_dtype element = d.element, output = first_of(d.output, element, element), weight = first_of(d.weight, d.output, element);
  const adj_dtype stats = element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const Values input(a.input, element), residual(a.residual, element), gamma(a.gamma, weight), beta(a.beta ? *a.beta : adj_tensor{}, weight);
  const Values out(a.out, output), sum(a.sum, element), mean(a.mean ? *a.mean : adj_tensor{}, stats), inv_std(a.inv_std, stats);
  std::vector<double> v(static_cast<std::size_t>(columns));
  const double count = static_cast<double>(columns);
  if (columns == 0) return;
  for (std::int64_t i = 0; i < rows; ++i) {
    Sum total;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t at = i * columns + c;
      double& x = v[static_cast<std::size_t>(c)];
      x = input.get(at);
      if (residual.given()) x += residual.get(at);
      if (sum.given()) {
        sum.set(at, x);
        x = sum.get(at);
      }
    }
    // The mean is rounded; the mean of what it leaves of the elements corrects it, so that a mean far from 0 costs no digits.
    double center = 0, left = 0;
    if (centred) {
      for (double x : v) total.add(x / count);
      center = total.value();
      Sum rest;
      for (double& x : v) rest.add(x -= center);
      left = rest.value() / count;
      for (double& x : v) x -= left;
    }
    Sum squares;
    for (double x : v) squares.add(x * x);
    const double scale = 1 / std::sqrt(squares.value() / count + d.epsilon);
    if (mean.given()) mean.set(i, std::isnan(left) ? center : center + left);
    if (inv_std.given()) inv_std.set(i, scale);
    for (std::int64_t c = 0; c < columns; ++c)
      out.set(i * columns + c, v[static_cast<std::size_t>(c)] * scale * (gamma.given() ? gamma.get(c) : 1) + (beta.given() ? beta.get(c) : 0));
  }
}

}  // namespace

void layer_norm_backward(const adj_layer_norm_backward_descriptor& d, const adj_layer_norm_backward_args& a, void*) {
  backward(d, {a.dout, d.from_output ? a.out : a.input, a.gamma, &a.beta, &a.mean, a.inv_std, a.dresidual, a.dinput, a.dgamma, &a.dbeta}, true);
}
void rms_norm_backward(const adj_rms_norm_backward_descriptor& d, const adj_rms_norm_backward_args& a, void*) {
  backward(d, {a.dout, d.from_output ? a.out : a.input, a.gamma, nullptr, nullptr, a.inv_std, a.dresidual, a.dinput, a.dgamma, nullptr}, false);
}
void layer_norm_forward(const adj_layer_norm_forward_descriptor& d, const adj_layer_norm_forward_args& a, void*) {
  forward(d, {a.input, a.residual, a.gamma, &a.beta, a.out, a.sum, &a.mean, a.inv_std}, true);
}
void rms_norm_forward(const adj_rms_norm_forward_descriptor& d, const adj_rms_norm_forward_args& a, void*) {
  forward(d, {a.input, a.residual, a.gamma, nullptr, a.out, a.sum, nullptr, a.inv_std}, false);
}

}  // namespace adj::host

#include "host/norm.hpp"

#include <algorithm>
#include <array>
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
  // Adds the terms get(r, j) to the sum of column j, for each row r below `rows` in turn.
  template <class Get>
  void add(std::size_t rows, Get get) {
    in_wide_registers([=, columns = columns_, sums = sums_.data()]() ADJ_IN_PLACE {
      for (std::size_t first = 0; first < columns; first += kLanes)
        for (std::size_t r = 0; r < rows; ++r)
          sums[first / kLanes].add(std::min(kLanes, columns - first), [&](std::size_t k) ADJ_IN_PLACE { return get(r, first + k); });
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
  std::vector<double> all_g(taken), all_h(taken), all_dy(taken), all_terms(taken), all_residuals(taken);
  double *const g = all_g.data(), *const h = all_h.data(), *const dy = all_dy.data(), *const terms = all_terms.data(), *const residual = all_residuals.data();
  const double *const factor = factors.data(), *const shift = shifts.data();
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t some = std::min(at_once, rows - first), start = first * columns, size = some * columns;
    const auto height = static_cast<std::size_t>(some);
    std::array<double, kRows> scales{}, centers{}, c1{}, c2{};
    read(scales.data(), a.inv_std.data, stats, first, some);
    if (a.mean && a.mean->data) read(centers.data(), a.mean->data, stats, first, some);
    read(dy, a.dout.data, output, start, size);
    read(h, a.saved.data, d.from_output ? output : element, start, size);
    if (d.from_output)
      in_wide_registers([=]() ADJ_IN_PLACE {
        for (std::size_t r = 0; r < height; ++r)
          for (std::size_t j = 0, at = r * count; j < count; ++j, ++at) {
            const double product = h[at] - shift[j];
            g[at] = dy[at] * factor[j];
            h[at] = product / factor[j];
            terms[at] = dy[at] * product;
          }
      });
    else
      in_wide_registers([=]() ADJ_IN_PLACE {
        for (std::size_t r = 0; r < height; ++r)
          for (std::size_t j = 0, at = r * count; j < count; ++j, ++at) {
            g[at] = dy[at] * factor[j];
            h[at] = (h[at] - centers[r]) * scales[r];
            terms[at] = g[at] * h[at];
          }
      });
    dgamma.add(height, [=](std::size_t r, std::size_t j) ADJ_IN_PLACE { return dy[r * count + j] * h[r * count + j]; });
    dbeta.add(height, [=](std::size_t r, std::size_t j) ADJ_IN_PLACE { return dy[r * count + j]; });
    Sums<kRows> s1, s2;
    in_wide_registers([=, &s1, &s2]() ADJ_IN_PLACE {
      for (std::size_t j = 0; j < count; ++j) {
        s1.add(height, [=](std::size_t r) ADJ_IN_PLACE { return g[r * count + j]; });
        s2.add(height, [=](std::size_t r) ADJ_IN_PLACE { return terms[r * count + j]; });
      }
    });
    for (std::size_t r = 0; r < height; ++r) {
      c1[r] = centred ? s1.value(r) / static_cast<double>(columns) : 0;
      c2[r] = s2.value(r) / static_cast<double>(columns);
    }
    if (a.dresidual.data) read(residual, a.dresidual.data, element, start, size);
    in_wide_registers([=]() ADJ_IN_PLACE {
      for (std::size_t r = 0; r < height; ++r)
        for (std::size_t j = 0, at = r * count; j < count; ++j, ++at) g[at] = scales[r] * (g[at] - c1[r] - h[at] * c2[r]) + residual[at];
    });
    write(g, a.dinput.data, element, start, size);
  }
  auto store = [&](const adj_tensor& tensor, ColumnTotals& totals) {
    if (!tensor.data) return;
    std::vector<double> values(count);
    if (d.write_mode == ADJ_WRITE_ACCUMULATE) {
      read(values.data(), tensor.data, weight, 0, columns);
      totals.add(1, [old = values.data()](std::size_t, std::size_t j) ADJ_IN_PLACE { return old[j]; });
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

#include "host/norm.hpp"

#include <cmath>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"
#include "host/values.hpp"

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

// A row is read whole before it is written, so dinput may be any of the inputs.
template <class Descriptor>
void backward(const Descriptor& d, const Backward& a, bool centred) {
  const auto [rows, columns] = extents_of(d.shape, d.axis);
  const adj_dtype element = d.element, output = first_of(d.output, element, element), weight = first_of(d.weight, d.output, element);
  const adj_dtype stats = element == ADJ_F64 ? ADJ_F64 : ADJ_F32;
  const auto count = static_cast<std::size_t>(columns);
  const Values dout(a.dout, output), saved(a.saved, d.from_output ? output : element), inv_std(a.inv_std, stats), dresidual(a.dresidual, element);
  const Values gamma(a.gamma, weight), beta(a.beta ? *a.beta : adj_tensor{}, weight), mean(a.mean ? *a.mean : adj_tensor{}, stats);
  const Values dinput(a.dinput, element);
  // No more than the arguments have: without rows, columns may be any number.
  const bool sums = rows > 0 || a.dgamma.data || (a.dbeta && a.dbeta->data);
  std::vector<Sum> dgamma(sums ? count : 0), dbeta(sums ? count : 0);
  std::vector<double> g(rows > 0 ? count : 0), h(rows > 0 ? count : 0), dy(rows > 0 ? count : 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    const double scale = inv_std.get(i), center = mean.given() ? mean.get(i) : 0;
    Sum s1, s2;
    for (std::size_t j = 0; j < count; ++j) {
      const auto c = static_cast<std::int64_t>(j), at = i * columns + c;
      const double factor = gamma.given() ? gamma.get(c) : 1, value = saved.get(at);
      dy[j] = dout.get(at);
      g[j] = dy[j] * factor;
      if (d.from_output) {
        const double product = value - (beta.given() ? beta.get(c) : 0);
        h[j] = product / factor;
        s2.add(dy[j] * product);
      } else {
        h[j] = (value - center) * scale;
        s2.add(g[j] * h[j]);
      }
      s1.add(g[j]);
    }
    for (std::size_t j = 0; j < count; ++j) dgamma[j].add(dy[j] * h[j]);
    for (std::size_t j = 0; j < count; ++j) dbeta[j].add(dy[j]);
    const double c1 = centred ? s1.value() / static_cast<double>(columns) : 0, c2 = s2.value() / static_cast<double>(columns);
    for (std::size_t j = 0; j < count; ++j) {
      const std::int64_t at = i * columns + static_cast<std::int64_t>(j);
      dinput.set(at, scale * (g[j] - c1 - h[j] * c2) + (dresidual.given() ? dresidual.get(at) : 0));
    }
  }
  auto store = [&](const adj_tensor& tensor, std::vector<Sum>& sums) {
    const Values out(tensor, weight);
    if (!out.given()) return;
    for (std::size_t j = 0; j < count; ++j) {
      const auto c = static_cast<std::int64_t>(j);
      if (d.write_mode == ADJ_WRITE_ACCUMULATE) sums[j].add(out.get(c));
      out.set(c, sums[j].value());
    }
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

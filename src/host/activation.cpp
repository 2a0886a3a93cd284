#include "host/activation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "host/blocks.hpp"
#include "host/functions.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

// Functions are templates of the arithmetic's type R: double, and long double where a double would underflow.
template <class R> constexpr R kSqrtHalf = R(0.70710678118654752440L);       // 1 / sqrt(2)
template <class R> constexpr R kDensityScale = R(0.39894228040143267794L);   // 1 / sqrt(2 pi)
template <class R> constexpr R kTanhScale = R(1.59576912160573071176L);      // sqrt(8 / pi)
template <class R> constexpr R kTanhCube = R(0.044715L);

template <class R>
R sigmoid(R v) {
  if (v >= 0) return 1 / (1 + std::exp(-v));
  const R e = std::exp(v);
  return e / (1 + e);
}
// Product in which `small` goes to 0 faster than `large` grows: 0 also when `large` is infinite.
template <class R>
R vanishing(R large, R small) {
  return small == 0 ? std::copysign(R(0), large) : large * small;
}
template <class R>
R softplus(R z) {
  return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
}
// alpha * z; 0 where alpha is 0 and z infinite.
template <class R>
R scaled(R alpha, R z) {
  return alpha == 0 && std::isinf(z) ? 0 : alpha * z;
}

template <class R>
R value_of(adj_activation function, R z, R alpha) {
  switch (function) {
    case ADJ_ACTIVATION_RELU: return z <= 0 ? 0 : z;
    case ADJ_ACTIVATION_RELU_SQUARED: return z <= 0 ? 0 : z * z;
    case ADJ_ACTIVATION_LEAKY_RELU: return z > 0 ? z : scaled(alpha, z);
    case ADJ_ACTIVATION_GELU: return vanishing(z, R(0.5) * std::erfc(-z * kSqrtHalf<R>));
    case ADJ_ACTIVATION_GELU_TANH: return vanishing(z, sigmoid(kTanhScale<R> * (z + kTanhCube<R> * z * z * z)));
    case ADJ_ACTIVATION_QUICK_GELU: return vanishing(z, sigmoid(scaled(alpha, z)));
    case ADJ_ACTIVATION_SIGMOID: return sigmoid(z);
    case ADJ_ACTIVATION_TANH: return std::tanh(z);
    case ADJ_ACTIVATION_SILU: return vanishing(z, sigmoid(z));
    case ADJ_ACTIVATION_ELU: return z > 0 ? z : alpha * std::expm1(z);
    case ADJ_ACTIVATION_SOFTPLUS: return softplus(z);
    case ADJ_ACTIVATION_MISH: return vanishing(z, std::tanh(softplus(z)));
    default: return z >= 3 ? z : z <= -3 ? 0 : z * (z + 3) / 6;
  }
}

template <class R>
R slope_of(adj_activation function, R z, R alpha) {
  switch (function) {
    case ADJ_ACTIVATION_RELU: return z > 0 ? 1 : 0;
    case ADJ_ACTIVATION_RELU_SQUARED: return z <= 0 ? 0 : 2 * z;
    case ADJ_ACTIVATION_LEAKY_RELU: return z > 0 ? 1 : alpha;
    case ADJ_ACTIVATION_GELU: {
      const R density = kDensityScale<R> * std::exp(R(-0.5) * z * z);
      return R(0.5) * std::erfc(-z * kSqrtHalf<R>) + vanishing(z, density);
    }
    case ADJ_ACTIVATION_GELU_TANH: {
      const R v = kTanhScale<R> * (z + kTanhCube<R> * z * z * z), falling = sigmoid(v) * sigmoid(-v);
      return sigmoid(v) + vanishing(z, vanishing(kTanhScale<R> * (1 + 3 * kTanhCube<R> * z * z), falling));
    }
    case ADJ_ACTIVATION_QUICK_GELU: {
      const R v = scaled(alpha, z);
      return sigmoid(v) + vanishing(v, sigmoid(v) * sigmoid(-v));
    }
    case ADJ_ACTIVATION_SIGMOID: return sigmoid(z) * sigmoid(-z);
    case ADJ_ACTIVATION_TANH: return 4 * sigmoid(2 * z) * sigmoid(-2 * z);
    case ADJ_ACTIVATION_SILU: return sigmoid(z) + vanishing(z, sigmoid(z) * sigmoid(-z));
    case ADJ_ACTIVATION_ELU: return z > 0 ? 1 : alpha * std::exp(z);
    case ADJ_ACTIVATION_SOFTPLUS: return sigmoid(z);
    case ADJ_ACTIVATION_MISH: {
      // The slope of tanh is 1 / cosh^2 of the softplus. cosh overflows only when the term is 0 anyway.
      const R soft = softplus(z), half = 1 / std::cosh(soft);
      return std::tanh(soft) + vanishing(z, half * half * sigmoid(z));
    }
    default: return z >= 3 ? 1 : z <= -3 ? 0 : z / 3 + R(0.5);
  }
}

// Most of |z| for which the functions are computed: the exponential is then at least exp(-10000), a long double, and any product with two
// finite numbers is 0.
long double farthest(adj_activation function, double alpha) {
  switch (function) {
    case ADJ_ACTIVATION_GELU: return 140;
    case ADJ_ACTIVATION_GELU_TANH: return 50;
    case ADJ_ACTIVATION_QUICK_GELU: return 10000 / std::fabs(static_cast<long double>(alpha));
    case ADJ_ACTIVATION_SIGMOID:
    case ADJ_ACTIVATION_SILU:
    case ADJ_ACTIVATION_ELU:
    case ADJ_ACTIVATION_SOFTPLUS:
    case ADJ_ACTIVATION_MISH: return 10000;
    case ADJ_ACTIVATION_TANH: return 5000;
    default: return std::numeric_limits<long double>::infinity();
  }
}
// f(z) * first * second, or f'(z) * first * second: in range wherever the exact product is, and infinite where a factor is, unless f or f' is 0 there.
double product(adj_activation function, double z, double alpha, bool slope, double first, double second = 1) {
  const double factor = slope ? slope_of(function, z, alpha) : value_of(function, z, alpha), partial = factor * first, result = partial * second;
  auto in_range = [](double v) { return std::fabs(v) > 1e-290 && std::fabs(v) < 1e290; };
  if (std::isnan(z) || std::isinf(z) || (in_range(factor) && in_range(partial) && in_range(result))) return result;
  const long double most = farthest(function, alpha), c = std::clamp<long double>(z, -most, most);
  const long double wide = slope ? slope_of<long double>(function, c, alpha) : value_of<long double>(function, z > 0 ? z : c, alpha);
  return static_cast<double>(wide * first * second);
}

double slope_of_value(adj_activation function, double y, double alpha) {
  switch (function) {
    case ADJ_ACTIVATION_LEAKY_RELU: return y > 0 ? 1 : alpha;
    case ADJ_ACTIVATION_SIGMOID: return y * (1 - y);
    case ADJ_ACTIVATION_TANH: return (1 - y) * (1 + y);
    case ADJ_ACTIVATION_ELU: return y > 0 ? 1 : y + alpha;
    default: return -std::expm1(-y);  // softplus
  }
}
// dout * linear * f'(z). Branches with slope 0 or 1 select 0 or the product, also when it is not finite.
double gradient(adj_activation function, double dout, double z, double alpha, double linear = 1) {
  if (function == ADJ_ACTIVATION_RELU) return z > 0 ? dout * linear : 0;
  if (function == ADJ_ACTIVATION_HARD_SWISH && z >= 3) return dout * linear;
  if ((function == ADJ_ACTIVATION_HARD_SWISH && z <= -3) || (function == ADJ_ACTIVATION_RELU_SQUARED && z <= 0)) return 0;
  return product(function, z, alpha, true, dout, linear);
}

// Replaces z by f(z), or by f'(z), for results of 32 bits or less, where there is a fast way. Says whether there is.
bool fast_factors(adj_activation function, bool slope, std::span<double> z) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  if (function != ADJ_ACTIVATION_GELU || !all_within(z, -kLargest, kLargest)) return false;
  slope ? gelu_slope_all(z) : gelu_all(z);
  return true;
}

template <class Descriptor>
double alpha_of(const Descriptor& d) {
  if (d.function == ADJ_ACTIVATION_LEAKY_RELU) return d.leaky_slope;
  return d.function == ADJ_ACTIVATION_QUICK_GELU ? d.quick_gelu_alpha : d.elu_alpha;
}
// Arguments of the function: input plus bias, rounded to the type that the contract names.
template <class T>
void read_biased(Block& z, const T* input, const T* bias, std::int64_t inner, std::int64_t first, std::int64_t count) {
  read(z, input, dtype_of<T>, first, count);
  if (!bias) return;
  for (std::int64_t i = 0; i < count; ++i) {
    double& v = z[static_cast<std::size_t>(i)];
    v += to_double(bias[(first + i) % inner]);
    if (sizeof(T) < 8) v = static_cast<float>(v);
  }
}
template <class Descriptor, class Each>
void for_elements(const Descriptor& d, const Each& each) {
  for (std::int64_t first = 0, end = d.outer * d.inner; first < end; first += kBlock) each(first, std::min(kBlock, end - first));
}

adj_activation gate_function(adj_gated_activation function) {
  switch (function) {
    case ADJ_GATED_ACTIVATION_SWIGLU: return ADJ_ACTIVATION_SILU;
    case ADJ_GATED_ACTIVATION_GEGLU: return ADJ_ACTIVATION_GELU;
    case ADJ_GATED_ACTIVATION_GEGLU_TANH: return ADJ_ACTIVATION_GELU_TANH;
    default: return ADJ_ACTIVATION_RELU;
  }
}
// Indices in the tensor of an element's gate and linear parts.
struct Pair {
  std::int64_t gate, linear;
};
template <class Descriptor>
Pair places(const Descriptor& d, std::int64_t row, std::int64_t i) {
  const bool interleaved = d.layout == ADJ_GATED_LAYOUT_INTERLEAVED;
  const std::int64_t first = row * 2 * d.inner + (interleaved ? 2 * i : i), second = first + (interleaved ? 1 : d.inner);
  return d.gate_second ? Pair{second, first} : Pair{first, second};
}

}  // namespace

double activation_value(adj_activation function, double z, double alpha) { return value_of(function, z, alpha); }
double activation_gradient(adj_activation function, double dout, double z, double alpha) { return gradient(function, dout, z, alpha); }

void activation_forward(const adj_activation_forward_descriptor& d, const adj_activation_forward_args& a, void*) {
  const double alpha = alpha_of(d);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* input = static_cast<const T*>(a.input.data);
    const auto* bias = d.has_bias ? static_cast<const T*>(a.bias.data) : nullptr;
    for_elements(d, [&](std::int64_t first, std::int64_t count) {
      Block z, value;
      read_biased(z, input, bias, d.inner, first, count);
      value = z;
      if (sizeof(T) == 8 || !fast_factors(d.function, false, {value.data(), static_cast<std::size_t>(count)}))
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) value[i] = product(d.function, z[i], alpha, false, 1);
      write(value, a.out.data, d.element, first, count);
    });
  });
}

void activation_backward(const adj_activation_backward_descriptor& d, const adj_activation_backward_args& a, void*) {
  const double alpha = alpha_of(d);
  const bool default_output = d.function == ADJ_ACTIVATION_LEAKY_RELU || d.function == ADJ_ACTIVATION_SIGMOID || d.function == ADJ_ACTIVATION_TANH;
  const bool from_output = d.saved == ADJ_ACTIVATION_SAVED_OUTPUT || (d.saved == ADJ_ACTIVATION_SAVED_DEFAULT && default_output);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* saved = static_cast<const T*>(a.saved.data);
    const auto* bias = d.has_bias ? static_cast<const T*>(a.bias.data) : nullptr;
    std::vector<Sum> sums(d.has_dbias ? static_cast<std::size_t>(d.inner) : 0);
    for_elements(d, [&](std::int64_t first, std::int64_t count) {
      Block z, g, result;
      read_biased(z, saved, bias, d.inner, first, count);
      read(g, dout, d.element, first, count);
      result = z;
      const auto size = static_cast<std::size_t>(count);
      if (from_output && d.function != ADJ_ACTIVATION_RELU)
        for (std::size_t i = 0; i < size; ++i) result[i] = g[i] * slope_of_value(d.function, z[i], alpha);
      else if (sizeof(T) < 8 && fast_factors(d.function, true, {result.data(), size}))
        for (std::size_t i = 0; i < size; ++i) result[i] *= g[i];
      else
        for (std::size_t i = 0; i < size; ++i) result[i] = gradient(d.function, g[i], z[i], alpha);
      write(result, a.dinput.data, d.element, first, count);
      if (d.has_dbias)
        for (std::size_t i = 0; i < size; ++i) sums[static_cast<std::size_t>((first + static_cast<std::int64_t>(i)) % d.inner)].add(result[i]);
    });
    auto* dbias = static_cast<T*>(a.dbias.data);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (d.write_mode == ADJ_WRITE_ACCUMULATE) sums[i].add(to_double(dbias[i]));
      dbias[i] = from_double<T>(sums[i].value());
    }
  });
}

void gated_activation_forward(const adj_gated_activation_forward_descriptor& d, const adj_gated_activation_forward_args& a, void*) {
  const adj_activation function = gate_function(d.function);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* input = static_cast<const T*>(a.input.data);
    auto* out = static_cast<T*>(a.out.data);
    for (std::int64_t row = 0; row < d.outer; ++row)
      for (std::int64_t i = 0; i < d.inner; ++i) {
        const Pair at = places(d, row, i);
        out[row * d.inner + i] = from_double<T>(product(function, to_double(input[at.gate]), 0, false, to_double(input[at.linear])));
      }
  });
}

void gated_activation_backward(const adj_gated_activation_backward_descriptor& d, const adj_gated_activation_backward_args& a, void*) {
  const adj_activation function = gate_function(d.function);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* dout = static_cast<const T*>(a.dout.data);
    const auto* input = static_cast<const T*>(a.input.data);
    auto* dinput = static_cast<T*>(a.dinput.data);
    for (std::int64_t row = 0; row < d.outer; ++row)
      for (std::int64_t i = 0; i < d.inner; ++i) {
        const Pair at = places(d, row, i);
        const double g = to_double(dout[row * d.inner + i]), gate = to_double(input[at.gate]), linear = to_double(input[at.linear]);
        dinput[at.gate] = from_double<T>(gradient(function, g, gate, 0, linear));
        dinput[at.linear] = from_double<T>(product(function, gate, 0, false, g));
      }
  });
}

}  // namespace adj::host

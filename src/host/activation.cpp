#include "host/activation.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "base/dtype.hpp"
#include "host/sum.hpp"

namespace adj::host {

namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;       // 1 / sqrt(2)
constexpr double kDensityScale = 0.39894228040143267794;   // 1 / sqrt(2 pi)
constexpr double kTanhScale = 1.59576912160573071176;      // sqrt(8 / pi)
constexpr double kTanhCube = 0.044715;

double sigmoid(double v) {
  if (v >= 0) return 1 / (1 + std::exp(-v));
  const double e = std::exp(v);
  return e / (1 + e);
}
// Product in which `small` goes to 0 faster than `large` grows: 0 also when `large` is infinite.
double vanishing(double large, double small) { return small == 0 ? std::copysign(0.0, large) : large * small; }

double slope_of_value(adj_activation function, double y, double alpha) {
  switch (function) {
    case ADJ_ACTIVATION_RELU: return y > 0 ? 1 : 0;
    case ADJ_ACTIVATION_LEAKY_RELU: return y > 0 ? 1 : alpha;
    case ADJ_ACTIVATION_SIGMOID: return y * (1 - y);
    case ADJ_ACTIVATION_TANH: return (1 - y) * (1 + y);
    case ADJ_ACTIVATION_ELU: return y > 0 ? 1 : y + alpha;
    default: return -std::expm1(-y);  // softplus
  }
}
// dout times the slope. Branches with slope 0 or 1 select 0 or dout, also when dout is not finite.
double gradient(adj_activation function, double dout, double z, double slope) {
  if (function == ADJ_ACTIVATION_RELU) return z > 0 ? dout : 0;
  if (function == ADJ_ACTIVATION_HARD_SWISH && z >= 3) return dout;
  if (function == ADJ_ACTIVATION_HARD_SWISH && z <= -3) return 0;
  return dout * slope;
}

template <class Descriptor>
double alpha_of(const Descriptor& d) {
  if (d.function == ADJ_ACTIVATION_LEAKY_RELU) return d.leaky_slope;
  return d.function == ADJ_ACTIVATION_QUICK_GELU ? d.quick_gelu_alpha : d.elu_alpha;
}
// Argument of the function: input plus bias, rounded to the type that the contract names.
template <class T>
double biased(double input, const T* bias, std::int64_t i) {
  if (!bias) return input;
  const double sum = input + to_double(bias[i]);
  return sizeof(T) == 8 ? sum : static_cast<float>(sum);
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

double activation_value(adj_activation function, double z, double alpha) {
  switch (function) {
    case ADJ_ACTIVATION_RELU: return z <= 0 ? 0 : z;
    case ADJ_ACTIVATION_LEAKY_RELU: return z > 0 ? z : alpha * z;
    case ADJ_ACTIVATION_GELU: return vanishing(z, 0.5 * std::erfc(-z * kSqrtHalf));
    case ADJ_ACTIVATION_GELU_TANH: return vanishing(z, sigmoid(kTanhScale * (z + kTanhCube * z * z * z)));
    case ADJ_ACTIVATION_QUICK_GELU: return vanishing(z, sigmoid(alpha * z));
    case ADJ_ACTIVATION_SIGMOID: return sigmoid(z);
    case ADJ_ACTIVATION_TANH: return std::tanh(z);
    case ADJ_ACTIVATION_SILU: return vanishing(z, sigmoid(z));
    case ADJ_ACTIVATION_ELU: return z > 0 ? z : alpha * std::expm1(z);
    case ADJ_ACTIVATION_SOFTPLUS: return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
    case ADJ_ACTIVATION_MISH: return vanishing(z, std::tanh(z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z))));
    default: return z >= 3 ? z : z <= -3 ? 0 : z * (z + 3) / 6;
  }
}

double activation_slope(adj_activation function, double z, double alpha) {
  switch (function) {
    case ADJ_ACTIVATION_RELU: return z > 0 ? 1 : 0;
    case ADJ_ACTIVATION_LEAKY_RELU: return z > 0 ? 1 : alpha;
    case ADJ_ACTIVATION_GELU: {
      const double density = kDensityScale * std::exp(-0.5 * z * z);
      return 0.5 * std::erfc(-z * kSqrtHalf) + vanishing(z, density);
    }
    case ADJ_ACTIVATION_GELU_TANH: {
      const double v = kTanhScale * (z + kTanhCube * z * z * z), falling = sigmoid(v) * sigmoid(-v);
      return sigmoid(v) + vanishing(z, vanishing(kTanhScale * (1 + 3 * kTanhCube * z * z), falling));
    }
    case ADJ_ACTIVATION_QUICK_GELU: {
      const double v = alpha * z;
      return sigmoid(v) + vanishing(v, sigmoid(v) * sigmoid(-v));
    }
    case ADJ_ACTIVATION_SIGMOID: return sigmoid(z) * sigmoid(-z);
    case ADJ_ACTIVATION_TANH: return 4 * sigmoid(2 * z) * sigmoid(-2 * z);
    case ADJ_ACTIVATION_SILU: return sigmoid(z) + vanishing(z, sigmoid(z) * sigmoid(-z));
    case ADJ_ACTIVATION_ELU: return z > 0 ? 1 : alpha * std::exp(z);
    case ADJ_ACTIVATION_SOFTPLUS: return sigmoid(z);
    case ADJ_ACTIVATION_MISH: {
      // The slope of tanh is 1 / cosh^2 of the softplus. cosh overflows only when the term is 0 anyway.
      const double soft = z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z)), half = 1 / std::cosh(soft);
      return std::tanh(soft) + vanishing(z, half * half * sigmoid(z));
    }
    default: return z >= 3 ? 1 : z <= -3 ? 0 : z / 3 + 0.5;
  }
}

void activation_forward(const adj_activation_forward_descriptor& d, const adj_activation_forward_args& a, void*) {
  const double alpha = alpha_of(d);
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* input = static_cast<const T*>(a.input.data);
    const auto* bias = d.has_bias ? static_cast<const T*>(a.bias.data) : nullptr;
    auto* out = static_cast<T*>(a.out.data);
    for (std::int64_t at = 0; at < d.outer * d.inner; ++at)
      out[at] = from_double<T>(activation_value(d.function, biased(to_double(input[at]), bias, at % d.inner), alpha));
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
    auto* dinput = static_cast<T*>(a.dinput.data);
    std::vector<Sum> sums(d.has_dbias ? static_cast<std::size_t>(d.inner) : 0);
    for (std::int64_t at = 0; at < d.outer * d.inner; ++at) {
      const std::int64_t i = at % d.inner;
      const double z = biased(to_double(saved[at]), bias, i);
      const double slope = from_output ? slope_of_value(d.function, z, alpha) : activation_slope(d.function, z, alpha);
      const double result = gradient(d.function, to_double(dout[at]), z, slope);
      dinput[at] = from_double<T>(result);
      if (d.has_dbias) sums[static_cast<std::size_t>(i)].add(result);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) static_cast<T*>(a.dbias.data)[i] = from_double<T>(sums[i].value());
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
        out[row * d.inner + i] = from_double<T>(activation_value(function, to_double(input[at.gate]), 0) * to_double(input[at.linear]));
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
        dinput[at.gate] = from_double<T>(gradient(function, g * linear, gate, activation_slope(function, gate, 0)));
        dinput[at.linear] = from_double<T>(g * activation_value(function, gate, 0));
      }
  });
}

}  // namespace adj::host

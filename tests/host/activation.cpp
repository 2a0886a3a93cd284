// Activations on the host stream: published values, central differences, every 16-bit input against its neighbours' limits, and the rules of
// the contract.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/activation.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Forward = adj_activation_forward_descriptor;
using Backward = adj_activation_backward_descriptor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr adj_activation kLast = ADJ_ACTIVATION_RELU_SQUARED;

template <class T = double>
std::vector<T> forward(Forward d, std::vector<T> x, std::vector<T> bias = {}) {
  d.inner = static_cast<std::int64_t>(x.size()) / std::max<std::int64_t>(d.outer, 1);
  d.element = adj::dtype_of<T>;
  d.has_bias = !bias.empty();
  std::vector<T> y(x.size());
  adj_activation_forward_args a;
  a.input = tensor(x);
  a.out = tensor(y);
  if (d.has_bias) a.bias = tensor(bias);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return y;
}
template <class T = double>
std::vector<T> backward(Backward d, std::vector<T> dout, std::vector<T> saved, std::vector<T> bias = {}, std::vector<T>* dbias = nullptr) {
  d.inner = static_cast<std::int64_t>(saved.size()) / std::max<std::int64_t>(d.outer, 1);
  d.element = adj::dtype_of<T>;
  d.has_bias = !bias.empty();
  d.has_dbias = dbias != nullptr;
  std::vector<T> dinput(saved.size());
  adj_activation_backward_args a;
  a.dout = tensor(dout);
  a.saved = tensor(saved);
  a.dinput = tensor(dinput);
  if (d.has_bias) a.bias = tensor(bias);
  if (dbias) {
    dbias->resize(static_cast<std::size_t>(d.inner));
    a.dbias = tensor(*dbias);
  }
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return dinput;
}
std::vector<double> ones(std::size_t n) { return std::vector<double>(n, 1.0); }
void near(const std::vector<double>& got, const std::vector<double>& want, double tolerance = 1e-8) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - want[i]) <= tolerance * std::max(1e-9, std::fabs(want[i])));
  }
}

}  // namespace

TEST_CASE("activation gradients have the published values") {
  const std::vector<double> x{-6, -3, -1, -0.5, 0, 0.5, 1, 3};
  near(backward({.function = ADJ_ACTIVATION_GELU}, ones(8), x),
       {-3.54687095e-08, -0.0119456472, -0.0833154706, 0.132504875, 0.5, 0.867495125, 1.08331547, 1.01194565});
  near(backward({.function = ADJ_ACTIVATION_GELU_TANH}, ones(8), x),
       {-7.70997393e-10, -0.0115841666, -0.0829640838, 0.132630096, 0.5, 0.867369904, 1.08296408, 1.01158417});
  near(backward({.function = ADJ_ACTIVATION_QUICK_GELU}, ones(8), x),
       {-0.000338302376, -0.0245483239, -0.0677796066, 0.120778088, 0.5, 0.879221912, 1.06777961, 1.02454832}, 1e-7);
  const std::vector<double> wide{-1, 0, 1, 100, -100, 1000, -1000};
  CHECK(backward({.function = ADJ_ACTIVATION_SIGMOID}, ones(7), wide) == std::vector<double>{-2, 0, 0, -9900, -10100, -999000, -1001000});
  CHECK(backward({.leaky_slope = 0.5, .function = ADJ_ACTIVATION_LEAKY_RELU}, ones(7), wide) == std::vector<double>{0.5, 0.5, 1, 1, 0.5, 1, 0.5});
  near(backward({.quick_gelu_alpha = 1, .function = ADJ_ACTIVATION_QUICK_GELU}, ones(5), {-10, -1, 0, 1, 10}),
       {-0.000408560209, 0.0723294881, 0.5, 0.927670512, 1.00040856});
  near(backward({.function = ADJ_ACTIVATION_GELU}, ones(7), wide, std::vector<double>(7, 2)), {1.08331547, 1.0852318, 1.01194565, 1, 0, 1, 0});
}

TEST_CASE("activation gradients agree with central differences, from input and from output") {
  std::vector<double> x = wave(41, 0.3);
  for (double& v : x) v *= 3.1;
  for (adj_activation f : values(ADJ_ACTIVATION_RELU, kLast)) {
    CAPTURE(f);
    constexpr double kStep = 1e-5;
    auto up = x, down = x;
    for (double& v : up) v += kStep;
    for (double& v : down) v -= kStep;
    const auto high = forward({.function = f}, up), low = forward({.function = f}, down), dout = wave(41, 1.2);
    const auto got = backward({.function = f, .saved = ADJ_ACTIVATION_SAVED_INPUT}, dout, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CHECK(std::fabs(got[i] - dout[i] * (high[i] - low[i]) / (2 * kStep)) < 1e-8);
    }
    const bool from_output = f == ADJ_ACTIVATION_RELU || f == ADJ_ACTIVATION_LEAKY_RELU || f == ADJ_ACTIVATION_SIGMOID || f == ADJ_ACTIVATION_TANH ||
                             f == ADJ_ACTIVATION_ELU || f == ADJ_ACTIVATION_SOFTPLUS;
    const Backward d{.inner = 1, .function = f, .saved = ADJ_ACTIVATION_SAVED_OUTPUT, .element = ADJ_F64};
    CHECK((select_status(d) == ADJ_OK) == from_output);
    if (from_output) near(backward({.function = f, .saved = ADJ_ACTIVATION_SAVED_OUTPUT}, dout, forward({.function = f}, x)), got, 1e-10);
  }
}

TEST_CASE("activations take their limits, and NaN goes through") {
  for (adj_activation f : values(ADJ_ACTIVATION_RELU, kLast)) {
    CAPTURE(f);
    const auto y = forward({.function = f}, {kInfinity, -kInfinity, 1e300, -1e300, std::nan("")});
    const bool bounded = f == ADJ_ACTIVATION_SIGMOID || f == ADJ_ACTIVATION_TANH;
    CHECK(y[0] == (bounded ? 1 : kInfinity));
    CHECK(y[1] == (f == ADJ_ACTIVATION_TANH || f == ADJ_ACTIVATION_ELU ? -1 : f == ADJ_ACTIVATION_LEAKY_RELU ? -kInfinity : 0));
    CHECK(std::isnan(y[4]));
    const auto g = backward({.function = f, .saved = ADJ_ACTIVATION_SAVED_INPUT}, ones(5), {kInfinity, -kInfinity, 1e300, -1e300, std::nan("")});
    const bool squared = f == ADJ_ACTIVATION_RELU_SQUARED;
    CHECK(g[0] == (bounded ? 0 : squared ? kInfinity : 1));
    CHECK(g[1] == (f == ADJ_ACTIVATION_LEAKY_RELU ? 0.01 : 0));
    CHECK(g[2] == (squared ? 2e300 : g[0]));
    CHECK(g[3] == g[1]);
    if (f == ADJ_ACTIVATION_RELU) CHECK(g[4] == 0);
    else if (f != ADJ_ACTIVATION_LEAKY_RELU) CHECK(std::isnan(g[4]));
  }
  CHECK(backward({.function = ADJ_ACTIVATION_RELU}, {kInfinity, std::nan("")}, {-1, 0}) == std::vector<double>{0, 0});
  // The product is in range where the slope is not.
  near(backward({.function = ADJ_ACTIVATION_RELU_SQUARED}, {1e-300, kInfinity, std::nan(""), 3}, {1.5e308, 0, -1, 2}), {3e8, 0, 0, 12}, 1e-14);
  CHECK(forward({.function = ADJ_ACTIVATION_RELU_SQUARED}, {-2, 0, 1.5}) == std::vector<double>{0, 0, 2.25});
  CHECK(backward({.function = ADJ_ACTIVATION_HARD_SWISH}, {5, 7, 3}, {-3, 3, 0}) == std::vector<double>{0, 7, 1.5});
}

TEST_CASE("bias is added unrounded, and its gradient sums what is not rounded") {
  // In bf16 1 + 2^-8 rounds to 1; its sum with -1 does not.
  const adj::bf16 one = adj::to_bf16(1), small = adj::to_bf16(0x1p-8);
  const auto y = forward<adj::bf16>({.function = ADJ_ACTIVATION_LEAKY_RELU}, {one}, {small});
  CHECK(adj::to_double(y[0]) == 1);
  const auto g = backward<adj::bf16>({.outer = 2, .function = ADJ_ACTIVATION_RELU}, {one, one}, {one, small}, {adj::to_bf16(-1)});
  CHECK(adj::to_double(g[0]) == 0);
  CHECK(adj::to_double(g[1]) == 0);

  const auto x = wave(15, 0.4), dout = wave(15, 2), bias = wave(3, 1);
  std::vector<double> dbias;
  const auto got = backward({.outer = 5, .function = ADJ_ACTIVATION_GELU}, dout, x, bias, &dbias);
  auto moved = x;
  for (std::size_t i = 0; i < x.size(); ++i) moved[i] += bias[i % 3];
  near(got, backward({.outer = 5, .function = ADJ_ACTIVATION_GELU}, dout, moved), 1e-14);
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::fabs(dbias[c] - (got[c] + got[c + 3] + got[c + 6] + got[c + 9] + got[c + 12])) < 1e-14);
  std::vector<float> empty_sum;
  backward<float>({.outer = 0, .inner = 0, .function = ADJ_ACTIVATION_RELU}, {}, {}, {}, &empty_sum);
  // Without rows the gradient of the bias is 0.
  std::vector<float> sums{1, 2, 3}, none;
  adj_activation_backward_args a;
  a.dout.dtype = a.saved.dtype = a.dinput.dtype = ADJ_F32;
  a.dbias = tensor(sums);
  CHECK(run(Backward{.outer = 0, .inner = 3, .function = ADJ_ACTIVATION_RELU, .has_dbias = 1, .element = ADJ_F32}, a).ok());
  CHECK(sums == std::vector<float>{0, 0, 0});
  // Accumulated gradients of the bias are added to what it holds, which stays where there are no rows.
  sums = {1, 2, 3};
  Backward added{.outer = 0, .inner = 3, .function = ADJ_ACTIVATION_RELU, .has_dbias = 1, .write_mode = ADJ_WRITE_ACCUMULATE, .element = ADJ_F32};
  CHECK(run(added, a).ok());
  CHECK(sums == std::vector<float>{1, 2, 3});
  added.outer = 2;
  std::vector<float> rows{1, -1, 2, 4, 5, 6}, slopes{1, 1, 1, 1, -1, 1}, dx(6);
  a.dout = tensor(rows);
  a.saved = tensor(slopes);
  a.dinput = tensor(dx);
  CHECK(run(added, a).ok());
  CHECK(sums == std::vector<float>{6, 1, 11});
  added.has_dbias = 0;
  std::string message;
  CHECK(select_status(added, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "activation_backward: write_mode = 2 is set, but has_dbias is 0");
}

TEST_CASE("activations refuse problems that cannot be") {
  std::string message;
  CHECK(select_status(Backward{.function = ADJ_ACTIVATION_GELU, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("inner was not given") != std::string::npos);
  CHECK(select_status(Backward{.inner = 4, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("function = 0 is not given") != std::string::npos);
  CHECK(select_status(Backward{.inner = 4, .function = adj_activation{77}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Backward{.outer = -1, .inner = 4, .function = adj_activation{1}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Backward{.inner = 4, .leaky_slope = 0.2, .function = ADJ_ACTIVATION_RELU, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("leaky_slope = 0.2") != std::string::npos);
  CHECK(select_status(Backward{.inner = 4, .leaky_slope = -0.2, .function = ADJ_ACTIVATION_LEAKY_RELU, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Backward{
            .inner = 4, .leaky_slope = -0.2, .function = ADJ_ACTIVATION_LEAKY_RELU, .saved = ADJ_ACTIVATION_SAVED_INPUT, .element = ADJ_F32}) == ADJ_OK);
  CHECK(select_status(Backward{.inner = 4, .elu_alpha = kInfinity, .function = ADJ_ACTIVATION_ELU, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Backward{.inner = 4, .function = ADJ_ACTIVATION_SIGMOID, .has_bias = 1, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("has_bias") != std::string::npos);
  CHECK(select_status(Forward{.inner = 4, .function = ADJ_ACTIVATION_GELU, .element = ADJ_F32}) == ADJ_OK);
  CHECK(select_status(adj_gated_activation_forward_descriptor{.inner = 4, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(adj_gated_activation_backward_descriptor{.function = adj_gated_activation{1}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  // A bias of another length.
  std::vector<float> x(8), y(8), bias(3);
  adj_activation_forward_args a;
  a.input = tensor(x);
  a.out = tensor(y);
  a.bias = tensor(bias);
  CHECK(run(Forward{.outer = 2, .inner = 4, .function = adj_activation{1}, .has_bias = 1, .element = ADJ_F32}, a).error().code == ADJ_ERROR_BUFFER_TOO_SMALL);
  CHECK_FALSE(run(Forward{.outer = 2, .inner = 4, .function = adj_activation{1}, .element = ADJ_F32}, a).ok());
}

TEST_CASE("gated activations: both layouts and orders, and their gradients") {
  for (adj_gated_activation f : values(adj_gated_activation{1}, ADJ_GATED_ACTIVATION_REGLU))
    for (adj_gated_layout layout : {ADJ_GATED_LAYOUT_HALVES, ADJ_GATED_LAYOUT_INTERLEAVED})
      for (int second : {0, 1}) {
        CAPTURE(f);
        CAPTURE(layout);
        CAPTURE(second);
        constexpr std::int64_t kOuter = 2, kInner = 3;
        auto value = [&](std::vector<double> x) {
          std::vector<double> y(kOuter * kInner);
          adj_gated_activation_forward_args a;
          a.input = tensor(x);
          a.out = tensor(y);
          REQUIRE(run(
                      adj_gated_activation_forward_descriptor{
                          .outer = kOuter, .inner = kInner, .function = f, .layout = layout, .gate_second = second, .element = ADJ_F64},
                      a)
                      .ok());
          return y;
        };
        auto x = wave(2 * kOuter * kInner, 0.7), dout = wave(kOuter * kInner, 3);
        // The first element of the first row by hand.
        const double first = x[0], other = x[layout == ADJ_GATED_LAYOUT_HALVES ? kInner : 1], gate = second ? other : first, linear = second ? first : other;
        constexpr adj_activation kOf[] = {adj_activation{}, ADJ_ACTIVATION_SILU, ADJ_ACTIVATION_GELU, ADJ_ACTIVATION_GELU_TANH, ADJ_ACTIVATION_RELU};
        CHECK(std::fabs(value(x)[0] - forward({.function = kOf[f]}, {gate})[0] * linear) < 1e-15);
        std::vector<double> got(x.size());
        adj_gated_activation_backward_args a;
        a.dout = tensor(dout);
        a.input = tensor(x);
        a.dinput = tensor(got);
        const adj_gated_activation_backward_descriptor d{
            .outer = kOuter, .inner = kInner, .function = f, .layout = layout, .gate_second = second, .element = ADJ_F64};
        REQUIRE(run(d, a).ok());
        for (std::size_t i = 0; i < x.size(); ++i) {
          constexpr double kStep = 1e-5;
          auto up = x, down = x;
          up[i] += kStep;
          down[i] -= kStep;
          const auto high = value(up), low = value(down);
          double want = 0;
          for (std::size_t k = 0; k < dout.size(); ++k) want += dout[k] * (high[k] - low[k]) / (2 * kStep);
          CHECK(std::fabs(got[i] - want) < 1e-8);
        }
        a.dinput = a.input;
        REQUIRE(run(d, a).ok());
        CHECK(x == got);
      }
}

TEST_CASE("products of activations are in range wherever the exact product is") {
  constexpr auto kInput = ADJ_ACTIVATION_SAVED_INPUT;
  // exp(-800) is 0 in f64, 3.7e-348.
  near(backward({.function = ADJ_ACTIVATION_SILU, .saved = kInput}, {1e300}, {-800}), {-799 * 3.7200759760208356e-48}, 1e-11);
  near(backward({.function = ADJ_ACTIVATION_SIGMOID, .saved = kInput}, {-1e300}, {800}), {-3.7200759760208356e-48}, 1e-11);
  for (adj_activation f : {ADJ_ACTIVATION_GELU, ADJ_ACTIVATION_GELU_TANH, ADJ_ACTIVATION_QUICK_GELU, ADJ_ACTIVATION_SILU, ADJ_ACTIVATION_MISH}) {
    CAPTURE(f);
    CHECK(backward({.function = f, .saved = kInput}, {kInfinity, -kInfinity}, {-1e30, -1e30}) == std::vector<double>{-kInfinity, kInfinity});
    CHECK(std::isnan(backward({.function = f, .saved = kInput}, {kInfinity}, {-kInfinity})[0]));
  }
  CHECK(backward({.function = ADJ_ACTIVATION_TANH, .saved = kInput}, {kInfinity}, {1e5}) == std::vector<double>{kInfinity});
  // dout * linear overflows, the gradient of the gate does not.
  std::vector<double> x{-700, 1e200}, dout{1e200}, dx(2);
  adj_gated_activation_backward_args a;
  a.dout = tensor(dout);
  a.input = tensor(x);
  a.dinput = tensor(dx);
  REQUIRE(run(adj_gated_activation_backward_descriptor{.inner = 1, .function = ADJ_GATED_ACTIVATION_SWIGLU, .element = ADJ_F64}, a).ok());
  CHECK(dx[0] == doctest::Approx(-699 * 9.8596765437597708e-305 * 1e200 * 1e200).epsilon(1e-9));
}

TEST_CASE("constants of activations at infinities and at 0") {
  CHECK(forward({.leaky_slope = 0, .function = ADJ_ACTIVATION_LEAKY_RELU}, {-kInfinity, -2}) == std::vector<double>{0, 0});
  CHECK(forward({.quick_gelu_alpha = 0, .function = ADJ_ACTIVATION_QUICK_GELU}, {-kInfinity, kInfinity}) == std::vector<double>{-kInfinity, kInfinity});
  CHECK(forward({.quick_gelu_alpha = -1, .function = ADJ_ACTIVATION_QUICK_GELU}, {-kInfinity, kInfinity}) == std::vector<double>{-kInfinity, 0});
  std::string message;
  CHECK(select_status(Forward{.inner = 1, .leaky_slope = 1e300, .function = ADJ_ACTIVATION_LEAKY_RELU, .element = ADJ_F32}, &message) ==
        ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("leaky_slope = 1e+300") != std::string::npos);
  CHECK(select_status(Forward{.inner = 1, .leaky_slope = 1e300, .function = ADJ_ACTIVATION_LEAKY_RELU, .element = ADJ_F64}) == ADJ_OK);
}

TEST_CASE("every activation has a kernel without approximations") {
  adj_preference preference;
  preference.math = ADJ_MATH_IEEE;
  const adj_stream stream = *adj::offline_stream("sm_90a");
  for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16}) {
    CAPTURE(element);
    auto served = [&](const auto& d, bool exact) {
      auto plan = select(d, stream, &preference);
      REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
      CHECK((*plan)->sku->guarantee.math == ADJ_MATH_IEEE);
      if (exact) CHECK((*plan)->sku->guarantee.bound_terms == 0);
    };
    for (adj_activation f : values(ADJ_ACTIVATION_RELU, kLast)) {
      CAPTURE(f);
      const bool exact = f == ADJ_ACTIVATION_RELU && element != ADJ_F64;
      served(Forward{.inner = 64, .function = f, .element = element}, exact);
      for (int dbias : {0, 1}) served(Backward{.inner = 64, .function = f, .has_dbias = dbias, .element = element}, exact && !dbias);
    }
    for (adj_gated_activation f : values(adj_gated_activation{1}, ADJ_GATED_ACTIVATION_REGLU)) {
      CAPTURE(f);
      const bool exact = f == ADJ_GATED_ACTIVATION_REGLU && element != ADJ_F64;
      served(adj_gated_activation_forward_descriptor{.inner = 64, .function = f, .element = element}, exact);
      served(adj_gated_activation_backward_descriptor{.inner = 64, .function = f, .element = element}, exact);
    }
  }
}

// Layer norm and RMS norm on the host stream: published values, central differences of the forward operators, and the rules of the contract.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/norm.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Doubles = std::vector<double>;

struct Layer {
  using Backward = adj_layer_norm_backward_descriptor;
  using BackwardArgs = adj_layer_norm_backward_args;
  using Forward = adj_layer_norm_forward_descriptor;
  using ForwardArgs = adj_layer_norm_forward_args;
  static constexpr bool centred = true;
};
struct Rms {
  using Backward = adj_rms_norm_backward_descriptor;
  using BackwardArgs = adj_rms_norm_backward_args;
  using Forward = adj_rms_norm_forward_descriptor;
  using ForwardArgs = adj_rms_norm_forward_args;
  static constexpr bool centred = false;
};

struct Result {
  Doubles out, mean, inv_std;
};
template <class Op>
Result forward(std::int64_t rows, std::int64_t columns, Doubles x, Doubles gamma, Doubles beta, double epsilon = 1e-5) {
  typename Op::Forward d{.shape = {2, {rows, columns}}, .epsilon = epsilon, .element = ADJ_F64};
  Result r{Doubles(x.size()), Doubles(static_cast<std::size_t>(rows)), Doubles(static_cast<std::size_t>(rows))};
  typename Op::ForwardArgs a;
  a.input = tensor(x);
  a.gamma = tensor(gamma);
  a.out = tensor(r.out);
  a.inv_std = tensor(r.inv_std);
  if constexpr (Op::centred) {
    a.beta = tensor(beta);
    a.mean = tensor(r.mean);
  }
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return r;
}

struct Gradients {
  Doubles dx, dgamma, dbeta;
};
template <class Op>
Gradients backward(std::int64_t rows, std::int64_t columns, Doubles dy, Doubles saved, Doubles gamma, Doubles beta, Result stats, bool from_output,
                   Doubles dresidual = {}) {
  typename Op::Backward d{.shape = {2, {rows, columns}}, .from_output = from_output, .element = ADJ_F64};
  Gradients g{Doubles(dy.size()), Doubles(gamma.size()), Doubles(gamma.size())};
  typename Op::BackwardArgs a;
  a.dout = tensor(dy);
  (from_output ? a.out : a.input) = tensor(saved);
  a.gamma = tensor(gamma);
  a.inv_std = tensor(stats.inv_std);
  a.dinput = tensor(g.dx);
  a.dgamma = tensor(g.dgamma);
  if (!dresidual.empty()) a.dresidual = tensor(dresidual);
  if constexpr (Op::centred) {
    a.dbeta = tensor(g.dbeta);
    if (from_output) a.beta = tensor(beta);
    else a.mean = tensor(stats.mean);
  }
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return g;
}

void check_near(const Doubles& got, const Doubles& want, double tolerance) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - want[i]) <= tolerance);
  }
}

}  // namespace

TEST_CASE("norm gradients of the published example") {
  const Doubles x{1, 2, 4}, gamma{1, .5, 2}, beta{0.5, -1, 2}, dy{.1, -.2, .3};
  const auto layer = forward<Layer>(1, 3, x, gamma, beta);
  CHECK(std::fabs(layer.inv_std[0] - 0.80178114859) < 1e-10);
  const auto g = backward<Layer>(1, 3, dy, x, gamma, beta, layer, false);
  check_near(g.dx, {0.125992855, -0.188991602, 0.062998747}, 1e-9);
  check_near(g.dgamma, {-0.106904153, 0.053452077, 0.400890574}, 1e-9);
  CHECK(g.dbeta == dy);
  const auto rms = forward<Rms>(1, 3, x, gamma, beta);
  CHECK(std::fabs(rms.inv_std[0] - 0.377964203) < 1e-9);
  const auto r = backward<Rms>(1, 3, dy, x, gamma, beta, rms, false);
  check_near(r.dx, {-0.003599600, -0.120588461, 0.061194441}, 1e-9);
  check_near(r.dgamma, {0.037796420, -0.151185681, 0.453557044}, 1e-9);
}

TEST_CASE_TEMPLATE("norm gradients agree with central differences, from X and from Y", Op, Layer, Rms) {
  for (auto [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {2, 2}, {3, 7}, {5, 4}}) {
    const auto x = wave(rows * columns, 0.3), dy = wave(rows * columns, 1.1), gamma = wave(columns, 2.2), beta = wave(columns, 0.7);
    const auto result = forward<Op>(rows, columns, x, gamma, beta);
    const auto got = backward<Op>(rows, columns, dy, x, gamma, beta, result, false);
    const auto inverted = backward<Op>(rows, columns, dy, result.out, gamma, beta, result, true);
    check_near(inverted.dx, got.dx, 1e-9);
    check_near(inverted.dgamma, got.dgamma, 1e-9);
    check_near(inverted.dbeta, got.dbeta, 0);
    auto loss = [&](const Doubles& at, const Doubles& g, const Doubles& b) {
      const auto y = forward<Op>(rows, columns, at, g, b).out;
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
      return sum;
    };
    auto check_gradient = [&](const Doubles& gradient, const Doubles& of, auto moved_loss) {
      for (std::size_t i = 0; i < of.size(); ++i) {
        constexpr double kStep = 1e-5;
        auto moved = of;
        moved[i] = of[i] + kStep;
        const double up = moved_loss(moved);
        moved[i] = of[i] - kStep;
        CAPTURE(i);
        CHECK(std::fabs(gradient[i] - (up - moved_loss(moved)) / (2 * kStep)) < 1e-6);
      }
    };
    check_gradient(got.dx, x, [&](const Doubles& v) { return loss(v, gamma, beta); });
    check_gradient(got.dgamma, gamma, [&](const Doubles& v) { return loss(x, v, beta); });
    if (Op::centred) check_gradient(got.dbeta, beta, [&](const Doubles& v) { return loss(x, gamma, v); });
    // The residual's gradient is added to dinput.
    const auto more = wave(rows * columns, 4);
    const auto added = backward<Op>(rows, columns, dy, x, gamma, beta, result, false, more);
    for (std::size_t i = 0; i < more.size(); ++i) CHECK(added.dx[i] == doctest::Approx(got.dx[i] + more[i]).epsilon(1e-14));
  }
}

TEST_CASE("norms keep their digits far from zero, and NaN in its row") {
  std::vector<float> x, y(64), mean(1), inv_std(1);
  for (int i = 0; i < 64; ++i) x.push_back(static_cast<float>(1e4 + 1e-2 * std::sin(i)));
  const adj_layer_norm_forward_descriptor d{.shape = {1, {64}}, .epsilon = 1e-12, .axis = 0, .element = ADJ_F32};
  adj_layer_norm_forward_args a;
  a.input = tensor(x);
  a.out = tensor(y);
  a.mean = tensor(mean);
  a.inv_std = tensor(inv_std);
  REQUIRE(run(d, a).ok());
  double m = 0, v = 0;
  for (float e : x) m += static_cast<double>(e) / 64;
  for (float e : x) v += (e - m) * (e - m) / 64;
  CHECK(inv_std[0] == static_cast<float>(1 / std::sqrt(v + 1e-12)));
  CHECK(mean[0] == static_cast<float>(m));
  CHECK(y[3] == static_cast<float>((x[3] - m) / std::sqrt(v + 1e-12)));

  Doubles in = wave(12, 0.2);
  const auto clean = forward<Layer>(3, 4, in, {1, 1, 1, 1}, {0, 0, 0, 0});
  in[5] = std::numeric_limits<double>::infinity();
  const auto got = forward<Layer>(3, 4, in, {1, 1, 1, 1}, {0, 0, 0, 0});
  for (std::size_t i : {0, 1, 2, 3, 8, 9, 10, 11}) CHECK(got.out[i] == clean.out[i]);
  CHECK(std::isnan(got.out[4]));
}

TEST_CASE("layer norm of one value, of equal values, of none") {
  const auto one = forward<Layer>(2, 1, {3, -4}, {2}, {0.5});
  CHECK(one.out == Doubles{0.5, 0.5});
  const auto g = backward<Layer>(2, 1, {1, 2}, {3, -4}, {2}, {0.5}, one, false);
  CHECK(g.dx == Doubles{0, 0});
  CHECK(g.dbeta == Doubles{3});
  CHECK(forward<Layer>(1, 3, {2, 2, 2}, {1, 1, 1}, {0, 0, 0}).inv_std[0] == doctest::Approx(1 / std::sqrt(1e-5)));
  // No rows: the gradients of gamma and beta are overwritten with 0, or kept.
  for (adj_write_mode mode : {ADJ_WRITE_DEFAULT, ADJ_WRITE_ACCUMULATE}) {
    Doubles dgamma{7, 8}, dbeta{9, 10};
    const adj_layer_norm_backward_descriptor d{.shape = {2, {0, 2}}, .write_mode = mode, .element = ADJ_F64};
    adj_layer_norm_backward_args a;
    a.dout.dtype = a.input.dtype = a.mean.dtype = a.inv_std.dtype = a.dinput.dtype = ADJ_F64;
    a.dgamma = tensor(dgamma);
    a.dbeta = tensor(dbeta);
    auto ok = run(d, a);
    REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
    CHECK(dgamma == (mode ? Doubles{7, 8} : Doubles{0, 0}));
    CHECK(dbeta == (mode ? Doubles{9, 10} : Doubles{0, 0}));
  }
}

TEST_CASE("norms of a sum with a residual") {
  Doubles x = wave(6, 0.1), residual = wave(6, 3), sum(6), y(6), inv_std(3), want;
  for (std::size_t i = 0; i < 6; ++i) want.push_back(x[i] + residual[i]);
  const adj_rms_norm_forward_descriptor d{.shape = {2, {3, 2}}, .has_residual = 1, .element = ADJ_F64};
  adj_rms_norm_forward_args a;
  a.input = tensor(x);
  a.residual = tensor(residual);
  a.out = tensor(y);
  a.sum = tensor(sum);
  a.inv_std = tensor(inv_std);
  REQUIRE(run(d, a).ok());
  CHECK(sum == want);
  CHECK(y == forward<Rms>(3, 2, want, {1, 1}, {}).out);
  a.sum = {};
  Doubles again(6);
  a.out = tensor(again);
  REQUIRE(run(d, a).ok());
  CHECK(again == y);
}

TEST_CASE_TEMPLATE("norms refuse problems that cannot be", Op, Layer, Rms) {
  using Backward = typename Op::Backward;
  using Forward = typename Op::Forward;
  std::string message;
  CHECK(select_status(Backward{.element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("shape") != std::string::npos);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .axis = 2, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("axis = 2") != std::string::npos);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .axis = -3, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .from_output = 2, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .write_mode = adj_write_mode{3}, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .element = ADJ_F32, .weight = ADJ_F64}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("weight = f64") != std::string::npos);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .element = ADJ_F32, .output = ADJ_U8}, &message) == ADJ_ERROR_UNSUPPORTED);
  CHECK(message.find("output = u8") != std::string::npos);
  CHECK(select_status(Forward{.shape = {2, {2, 3}}, .element = ADJ_F32, .output = ADJ_F64}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("output = f64") != std::string::npos);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .element = ADJ_I32}) == ADJ_ERROR_UNSUPPORTED);
  CHECK(select_status(Backward{.shape = {2, {2, 3}}, .element = ADJ_F16, .output = ADJ_BF16}) == ADJ_ERROR_UNSUPPORTED);
  CHECK(select_status(Backward{.shape = {3, {std::int64_t{1} << 40, std::int64_t{1} << 40, 0}}, .axis = 2, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Backward{.shape = {2, {std::int64_t{1} << 40, std::int64_t{1} << 40}}, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("overflows") != std::string::npos);
  for (double epsilon : {0.0, -1e-5, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK(select_status(Forward{.shape = {2, {2, 3}}, .epsilon = epsilon, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  // gamma is required when saved is the output; statistics of another count are refused.
  Doubles v(6, 1), three(3, 1), two(2, 1), dx(6, 5);
  typename Op::BackwardArgs a;
  a.dout = tensor(v);
  a.out = tensor(v);
  a.inv_std = tensor(two);
  a.dinput = tensor(dx);
  Doubles dgamma(3), dbeta(3);
  a.dgamma = tensor(dgamma);
  if constexpr (Op::centred) a.dbeta = tensor(dbeta);
  const Backward d{.shape = {2, {2, 3}}, .from_output = 1, .element = ADJ_F64};
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_NULL_BUFFER);
  CHECK(refused.error().message.find("gamma") != std::string::npos);
  a.gamma = tensor(three);
  a.inv_std = tensor(three, {3});
  refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_SHAPE_MISMATCH);
  CHECK(dx == Doubles(6, 5));
  a.inv_std = tensor(two, {2, 1});
  CHECK(run(d, a).ok());
}

// Batch norm on the host stream: the published example, central differences of the forward operator, and the rules of the contract.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/batch_norm.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Doubles = std::vector<double>;

struct Shape {
  std::int64_t outer, channels, inner;
  std::int64_t volume() const { return outer * channels * inner; }
};
struct Result {
  Doubles out, mean, inv_std, next_mean, next_variance;
};
Result forward(Shape s, Doubles x, Doubles scale, Doubles bias, Doubles running_mean, Doubles running_variance, bool training, double momentum = 0.9) {
  const adj_batch_norm_forward_descriptor d{
      .outer = s.outer, .channels = s.channels, .inner = s.inner, .momentum = momentum, .training = training, .element = ADJ_F64};
  const auto count = static_cast<std::size_t>(s.channels);
  Result r{Doubles(x.size()), Doubles(count), Doubles(count), Doubles(count), Doubles(count)};
  adj_batch_norm_forward_args a;
  a.input = tensor(x);
  a.scale = tensor(scale);
  a.bias = tensor(bias);
  a.running_mean = tensor(running_mean);
  a.running_variance = tensor(running_variance);
  a.out = tensor(r.out);
  if (training) {
    a.next_running_mean = tensor(r.next_mean);
    a.next_running_variance = tensor(r.next_variance);
    a.saved_mean = tensor(r.mean);
    a.saved_inv_std = tensor(r.inv_std);
  }
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return r;
}

}  // namespace

TEST_CASE("batch norm of the published example") {
  const auto r = forward({2, 1, 2}, {1, 2, 3, 6}, {1}, {0}, {.5}, {1}, true);
  CHECK(r.mean == Doubles{3});
  CHECK(std::fabs(r.inv_std[0] - 0.53452172) < 1e-8);
  CHECK(std::fabs(r.next_mean[0] - 0.75) < 1e-12);
  CHECK(std::fabs(r.next_variance[0] - 1.36666667) < 1e-8);
  // One element: its variance is 0, also the unbiased one.
  const auto one = forward({1, 1, 1}, {5}, {2}, {0.5}, {0}, {1}, true);
  CHECK(one.out == Doubles{0.5});
  CHECK(one.next_variance[0] == doctest::Approx(0.9));
}

TEST_CASE("batch norm's gradients agree with central differences") {
  for (bool training : {true, false})
    for (Shape s : {Shape{3, 2, 2}, {4, 3, 1}, {1, 2, 5}}) {
      const auto x = wave(s.volume(), 0.3), dy = wave(s.volume(), 1.1), scale = wave(s.channels, 2.2), bias = wave(s.channels, 0.7);
      const auto running_mean = wave(s.channels, 4);
      Doubles running_variance;
      for (std::int64_t c = 0; c < s.channels; ++c) running_variance.push_back(0.5 + static_cast<double>(c));
      const auto result = forward(s, x, scale, bias, running_mean, running_variance, training);
      const adj_batch_norm_backward_descriptor d{.outer = s.outer, .channels = s.channels, .inner = s.inner, .frozen = !training, .element = ADJ_F64};
      auto own_x = x, own_dy = dy, own_scale = scale, mean = training ? result.mean : running_mean, deviation = training ? result.inv_std : running_variance;
      Doubles dx(x.size()), dscale(scale.size()), dbias(scale.size());
      adj_batch_norm_backward_args a;
      a.dout = tensor(own_dy);
      a.input = tensor(own_x);
      a.scale = tensor(own_scale);
      (training ? a.saved_mean : a.running_mean) = tensor(mean);
      (training ? a.saved_inv_std : a.running_variance) = tensor(deviation);
      a.dinput = tensor(dx);
      a.dscale = tensor(dscale);
      a.dbias = tensor(dbias);
      auto ok = run(d, a);
      REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
      auto loss = [&](const Doubles& v, const Doubles& g, const Doubles& b) {
        const auto y = forward(s, v, g, b, running_mean, running_variance, training).out;
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
      check_gradient(dx, x, [&](const Doubles& v) { return loss(v, scale, bias); });
      check_gradient(dscale, scale, [&](const Doubles& v) { return loss(x, v, bias); });
      check_gradient(dbias, bias, [&](const Doubles& v) { return loss(x, scale, v); });
    }
}

TEST_CASE("batch norm keeps its digits far from zero, and NaN in its channel") {
  std::vector<float> x, y(100), mean(1), inv_std(1);
  for (int i = 0; i < 100; ++i) x.push_back(static_cast<float>(1e4 + 1e-2 * std::sin(i)));
  const adj_batch_norm_forward_descriptor d{.outer = 10, .channels = 1, .inner = 10, .epsilon = 1e-12, .element = ADJ_F32};
  adj_batch_norm_forward_args a;
  a.input = tensor(x);
  a.out = tensor(y);
  a.saved_mean = tensor(mean);
  a.saved_inv_std = tensor(inv_std);
  REQUIRE(run(d, a).ok());
  double m = 0, v = 0;
  for (float e : x) m += static_cast<double>(e) / 100;
  for (float e : x) v += (e - m) * (e - m) / 100;
  CHECK(inv_std[0] == static_cast<float>(1 / std::sqrt(v + 1e-12)));

  auto in = wave(12, 0.2);
  const Shape s{2, 3, 2};
  const auto clean = forward(s, in, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, true);
  in[2] = std::numeric_limits<double>::infinity();  // channel 1
  const auto got = forward(s, in, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, true);
  for (std::size_t i : {0, 1, 4, 5, 6, 7, 10, 11}) CHECK(got.out[i] == clean.out[i]);
  for (std::size_t i : {2, 3, 8, 9}) CHECK(std::isnan(got.out[i]));
  CHECK(std::isnan(got.mean[1]));
  CHECK(std::isnan(got.next_variance[1]));
}

TEST_CASE("batch norm of no elements, and what it refuses") {
  Doubles dscale{3, 4}, dbias{5, 6}, stats{1, 1};
  adj_batch_norm_backward_args a;
  a.dout.dtype = a.input.dtype = a.dinput.dtype = ADJ_F64;
  a.saved_mean = tensor(stats);
  a.saved_inv_std = a.saved_mean;
  a.dscale = tensor(dscale);
  a.dbias = tensor(dbias);
  auto ok = run(adj_batch_norm_backward_descriptor{.outer = 0, .channels = 2, .inner = 3, .element = ADJ_F64}, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  CHECK(dscale == Doubles{0, 0});
  CHECK(dbias == Doubles{0, 0});

  using Forward = adj_batch_norm_forward_descriptor;
  std::string message;
  CHECK(select_status(Forward{.outer = 2, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("channels was not given") != std::string::npos);
  CHECK(select_status(Forward{.outer = 2, .channels = -3, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.outer = 2, .channels = 3, .epsilon = 0, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.outer = 2, .channels = 3, .momentum = 1.5, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.outer = 2, .channels = 3, .training = 2, .element = ADJ_F32}) == ADJ_ERROR_INVALID_ARGUMENT);
  CHECK(select_status(Forward{.outer = 2, .channels = 3, .element = ADJ_F16, .stats = ADJ_F64}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("stats = f64") != std::string::npos);
  CHECK(select_status(Forward{.outer = 2, .channels = 3, .element = ADJ_F16, .weight = ADJ_F32}) == ADJ_OK);
  // New running statistics without the old ones.
  Doubles x(6, 1), y(6), three(3);
  adj_batch_norm_forward_args f;
  f.input = tensor(x);
  f.out = tensor(y);
  f.next_running_mean = tensor(three);
  auto refused = run(Forward{.outer = 2, .channels = 3, .element = ADJ_F64}, f);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_NULL_BUFFER);
  CHECK(refused.error().message.find("running_mean") != std::string::npos);
}

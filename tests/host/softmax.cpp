// Softmax gradients on the host stream: values worked out by hand, central differences of the forward functions, and the
// rules of the contract.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/softmax.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Softmax {
  using Descriptor = adj_softmax_backward_descriptor;
  using Args = adj_softmax_backward_args;
  static constexpr bool log = false;
};
struct LogSoftmax {
  using Descriptor = adj_log_softmax_backward_descriptor;
  using Args = adj_log_softmax_backward_args;
  static constexpr bool log = true;
};

struct Shape {
  std::int64_t outer, extent, inner;
  std::int64_t volume() const { return outer * extent * inner; }
};

template <class Op, class T = double>
std::vector<T> gradient(Shape s, std::vector<T> dout, std::vector<T> out) {
  const typename Op::Descriptor d{.outer = s.outer, .extent = s.extent, .inner = s.inner, .element = adj::dtype_of<T>};
  std::vector<T> dinput(dout.size());
  typename Op::Args a;
  a.dout = tensor(dout);
  a.out = tensor(out);
  a.dinput = tensor(dinput);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  CHECK((*select(d))->workspace_size == 0);
  return dinput;
}

std::vector<double> forward(bool log, Shape s, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::int64_t n = 0; n < s.outer; ++n)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      auto at = [&](std::int64_t c) { return static_cast<std::size_t>((n * s.extent + c) * s.inner + i); };
      double sum = 0;
      for (std::int64_t c = 0; c < s.extent; ++c) sum += std::exp(x[at(c)]);
      for (std::int64_t c = 0; c < s.extent; ++c) y[at(c)] = log ? x[at(c)] - std::log(sum) : std::exp(x[at(c)]) / sum;
    }
  return y;
}

}  // namespace

TEST_CASE("softmax gradients by hand") {
  // sum of dout * out = 0.25 * 1 + 0.75 * 3 = 2.5
  CHECK(gradient<Softmax>({1, 2, 1}, {1, 3}, {0.25, 0.75}) == std::vector<double>{0.25 * -1.5, 0.75 * 0.5});
  // sum of dout = 4
  const auto g = gradient<LogSoftmax>({1, 2, 1}, {1, 3}, {std::log(0.25), std::log(0.75)});
  CHECK(std::fabs(g[0] - 0) < 1e-15);
  CHECK(std::fabs(g[1] - 0) < 1e-15);
  // A group of one: a probability of 1, whose logarithm is 0.
  CHECK(gradient<Softmax>({2, 1, 1}, {5, -7}, {1, 1}) == std::vector<double>{0, 0});
  CHECK(gradient<LogSoftmax>({1, 1, 2}, {5, -7}, {0, 0}) == std::vector<double>{0, 0});
  // One rounding at the store.
  CHECK(gradient<Softmax, float>({1, 2, 1}, {1, 1}, {0.1f, 0.9f})[0] == static_cast<float>(0.1f * (1 - (1.0 * 0.1f + 1.0 * 0.9f))));
}

TEST_CASE_TEMPLATE("softmax gradients agree with central differences on any axis", Op, Softmax, LogSoftmax) {
  for (Shape s : {Shape{1, 7, 1}, {4, 5, 1}, {2, 3, 4}, {1, 6, 3}, {3, 1, 2}}) {
    const auto x = wave(s.volume(), 0.3), dout = wave(s.volume(), 1.1);
    const auto got = gradient<Op>(s, dout, forward(Op::log, s, x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      constexpr double kStep = 1e-5;
      auto moved = x;
      moved[i] = x[i] + kStep;
      const auto up = forward(Op::log, s, moved);
      moved[i] = x[i] - kStep;
      const auto down = forward(Op::log, s, moved);
      double want = 0;
      for (std::size_t k = 0; k < x.size(); ++k) want += dout[k] * (up[k] - down[k]) / (2 * kStep);
      CAPTURE(i);
      CHECK(std::fabs(got[i] - want) < 1e-8);
    }
  }
}

TEST_CASE_TEMPLATE("softmax gradients write over either operand", Op, Softmax, LogSoftmax) {
  const Shape s{2, 5, 3};
  const typename Op::Descriptor d{.outer = s.outer, .extent = s.extent, .inner = s.inner, .element = ADJ_F64};
  const auto dout = wave(s.volume(), 0.2), out = forward(Op::log, s, wave(s.volume(), 2));
  const auto want = gradient<Op>(s, dout, out);
  for (bool over_dout : {true, false}) {
    auto g = dout, y = out;
    typename Op::Args a;
    a.dout = tensor(g);
    a.out = tensor(y);
    a.dinput = over_dout ? a.dout : a.out;
    REQUIRE(run(d, a).ok());
    CHECK((over_dout ? g : y) == want);
    CHECK((over_dout ? y : g) == (over_dout ? out : dout));
  }
  // Buffers that overlap without being equal are refused.
  std::vector<double> g(static_cast<std::size_t>(s.volume()) + 1, 1), y = out;
  typename Op::Args a;
  a.dout = tensor(g);
  a.dout.bytes -= sizeof(double);
  a.out = tensor(y);
  a.dinput = a.dout;
  a.dinput.data = g.data() + 1;
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_ALIASING);
  CHECK(g == std::vector<double>(g.size(), 1));
}

TEST_CASE("softmax gradients keep NaN and infinities in their group") {
  const Shape s{2, 3, 2};
  for (bool log : {false, true}) {
    auto dout = wave(s.volume(), 0.4);
    auto out = forward(log, s, wave(s.volume(), 1));
    const auto clean = log ? gradient<LogSoftmax>(s, dout, out) : gradient<Softmax>(s, dout, out);
    dout[2] = std::nan("");  // group (0, 0)
    out[7] = log ? -kInfinity : 0;  // group (1, 1)
    const auto got = log ? gradient<LogSoftmax>(s, dout, out) : gradient<Softmax>(s, dout, out);
    for (std::size_t i : {0, 2, 4}) CHECK(std::isnan(got[i]));
    for (std::size_t i : {1, 3, 5, 6, 8, 10}) CHECK(got[i] == clean[i]);
    CHECK(got[7] == (log ? dout[7] : 0));
    CHECK(std::isfinite(got[9]));
  }
}

TEST_CASE("log-softmax gradients where exp(out) rounds to 0: dout, or infinity if the sum is infinite and out is not") {
  for (const double far : {-kInfinity, -1e4}) {
    CHECK(gradient<LogSoftmax>({1, 2, 1}, {3, 5}, {far, 0})[0] == 3);
    const auto infinite = gradient<LogSoftmax>({1, 2, 1}, {3, kInfinity}, {far, 0});
    if (std::isinf(far)) CHECK(std::isnan(infinite[0]));
    else CHECK(infinite[0] == -kInfinity);
    CHECK(std::isnan(infinite[1]));
  }
}

TEST_CASE_TEMPLATE("softmax gradients do nothing with nothing", Op, Softmax, LogSoftmax) {
  for (Shape s : {Shape{0, 4, 2}, {3, 0, 2}, {3, 4, 0}, {0, 0, 0}}) {
    const typename Op::Descriptor d{.outer = s.outer, .extent = s.extent, .inner = s.inner, .element = ADJ_BF16};
    typename Op::Args a;
    a.dout.dtype = a.out.dtype = a.dinput.dtype = ADJ_BF16;
    CHECK(run(d, a).ok());
  }
}

TEST_CASE_TEMPLATE("softmax gradients accept trailing dimensions and refuse other shapes", Op, Softmax, LogSoftmax) {
  const typename Op::Descriptor d{.outer = 2, .extent = 3, .inner = 4, .element = ADJ_F64};
  std::vector<double> dout(24, 1), out(24, 1.0 / 3), dinput(24);
  typename Op::Args a;
  a.dout = tensor(dout);
  a.out = tensor(out);
  a.dinput = tensor(dinput);
  auto set_shape = [](adj_tensor& t, std::initializer_list<std::int64_t> shape) {
    t.rank = 0;
    for (std::int64_t n : shape) t.shape[t.rank++] = n;
  };
  set_shape(a.dout, {2, 3, 2, 2});
  set_shape(a.out, {2, 3, 4});
  CHECK(run(d, a).ok());
  set_shape(a.out, {3, 2, 4});
  auto refused = run(d, a);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ADJ_ERROR_SHAPE_MISMATCH);
  CHECK(refused.error().message.find("out") != std::string::npos);
  set_shape(a.out, {});
  a.out.bytes -= 1;
  CHECK(run(d, a).error().code == ADJ_ERROR_BUFFER_TOO_SMALL);
}

TEST_CASE_TEMPLATE("softmax gradients refuse problems that cannot be", Op, Softmax, LogSoftmax) {
  using Descriptor = typename Op::Descriptor;
  std::string message;
  CHECK(select_status(Descriptor{.outer = 2, .extent = -3, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("extent = -3") != std::string::npos);
  CHECK(select_status(Descriptor{.outer = -1, .extent = 3, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.outer = 2, .extent = 3, .inner = -1, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  const std::int64_t huge = std::int64_t{1} << 40;
  CHECK(select_status(Descriptor{.outer = huge, .extent = huge, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("overflows") != std::string::npos);
  CHECK(select_status(Descriptor{.outer = 2, .extent = 3, .element = ADJ_I32}) == ADJ_ERROR_UNSUPPORTED);
  CHECK(select_status(Descriptor{.outer = 2, .extent = 3, .element = ADJ_F32}) == ADJ_OK);
}

// Group norm on the host stream: values of PyTorch, central differences of the forward operator, its relation to the other norms, and what it refuses.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/batch_norm.h>
#include <adjoint/ops/norm.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Doubles = std::vector<double>;

struct Shape {
  std::int64_t outer, channels, inner, groups;
  std::size_t volume() const { return static_cast<std::size_t>(outer * channels * inner); }
  std::size_t rows() const { return static_cast<std::size_t>(outer * groups); }
};
struct Result {
  Doubles out, mean, inv_std;
};
Result forward(Shape s, Doubles x, Doubles scale, Doubles bias) {
  const adj_group_norm_forward_descriptor d{.outer = s.outer, .channels = s.channels, .inner = s.inner, .groups = s.groups, .element = ADJ_F64};
  Result r{Doubles(x.size()), Doubles(s.rows()), Doubles(s.rows())};
  adj_group_norm_forward_args a;
  a.input = tensor(x);
  a.scale = tensor(scale);
  a.bias = tensor(bias);
  a.out = tensor(r.out);
  a.mean = tensor(r.mean);
  a.inv_std = tensor(r.inv_std);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  return r;
}
struct Gradients {
  Doubles dx, dscale, dbias;
};
Gradients backward(Shape s, Doubles dy, Doubles x, Doubles scale, Result stats) {
  const adj_group_norm_backward_descriptor d{.outer = s.outer, .channels = s.channels, .inner = s.inner, .groups = s.groups, .element = ADJ_F64};
  Gradients g{Doubles(x.size()), Doubles(scale.size()), Doubles(scale.size())};
  adj_group_norm_backward_args a;
  a.dout = tensor(dy);
  a.input = tensor(x);
  a.scale = tensor(scale);
  a.mean = tensor(stats.mean);
  a.inv_std = tensor(stats.inv_std);
  a.dinput = tensor(g.dx);
  a.dscale = tensor(g.dscale);
  a.dbias = tensor(g.dbias);
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

TEST_CASE("group norm and its gradient agree with PyTorch 2.15") {
  const Shape s{2, 4, 3, 2};
  Doubles x, dy;
  for (int i = 0; i < 24; ++i) x.push_back((i * 7 % 11 - 5) / 4.), dy.push_back((i * 5 % 7 - 3) / 2.);
  const Doubles scale{1, -.5, 2, .25};
  const auto y = forward(s, x, scale, {.5, 0, -1, 2});
  check_near(y.out, {-0.893042135731978, 1.19652106786599,   0.00248495152429373, -0.79602407756113,  -0.199006019390283, 0.398012038780565,
                     1.72391970897285,   -0.697342254558573, -3.11860421808999,   2.26482552726125,   1.96216778181982,   1.65951003637839,
                     0.786296463780138,  -0.587926562364524, 1.81696373338863,    0.0286296463780138, 0.715741159450345,  -0.486703988426235,
                     -0.427407072439724, -3.17585312472905,  1.63392746677727,    1.98568517681099,   1.64212942027483,   2.24335199421312},
             1e-13);
  const auto g = backward(s, dy, x, scale, y);
  check_near(g.dx, {-0.626587172573512, 0.910311644457603,  0.543813513157693, -0.307359902494582, -0.972367062879917,  0.452188980332715,
                    0.378882021114638,  -3.11899400559773,  1.85754684004988,  1.32035948708511,   -0.0589123215372614, -0.378882021114638,
                    1.0813548666038,    -0.536168625118334, -1.48461583650241, -0.353693275935227, 0.0901177715596284,  1.20300509939254,
                    3.58762089701528,   0.246693155403028,  -1.46490994057117, -1.19850223855369,  -0.932094536536201,  -0.238807336757244},
             1e-13);
  check_near(g.dscale, {1.49775018445333, -2.42370940534047, -2.74027579757565, -3.23720428877557}, 1e-13);
  check_near(g.dbias, {-2, 1, .5, 0}, 0);
}

TEST_CASE("group norm's gradients agree with central differences") {
  for (Shape s : {Shape{3, 4, 2, 2}, {2, 6, 1, 3}, {1, 3, 5, 1}, {2, 3, 4, 3}}) {
    const auto x = wave(static_cast<std::int64_t>(s.volume()), 0.3), dy = wave(static_cast<std::int64_t>(s.volume()), 1.1);
    const auto scale = wave(s.channels, 2.2), bias = wave(s.channels, 0.7);
    const auto g = backward(s, dy, x, scale, forward(s, x, scale, bias));
    auto check = [&](const Doubles& gradient, const Doubles& of, auto out_of) {
      for (std::size_t i = 0; i < of.size(); ++i) {
        double change = 0;
        for (double step : {1e-5, -1e-5}) {
          auto moved = of;
          moved[i] += step;
          const Doubles y = out_of(moved);
          for (std::size_t j = 0; j < y.size(); ++j) change += (step > 0 ? 1 : -1) * y[j] * dy[j];
        }
        CAPTURE(i);
        CHECK(std::fabs(gradient[i] - change / 2e-5) < 1e-5);
      }
    };
    check(g.dx, x, [&](const Doubles& v) { return forward(s, v, scale, bias).out; });
    check(g.dscale, scale, [&](const Doubles& v) { return forward(s, x, v, bias).out; });
    check(g.dbias, bias, [&](const Doubles& v) { return forward(s, x, scale, v).out; });
  }
}

TEST_CASE("group norm of one group is layer norm, and NaN stays in its group") {
  auto x = wave(2 * 3 * 4, 0.4);
  const auto y = forward({2, 3, 4, 1}, x, {1, 1, 1}, {0, 0, 0});
  Doubles layer(x.size());
  const adj_layer_norm_forward_descriptor d{.shape = {2, {2, 12}}, .axis = 1, .element = ADJ_F64};
  adj_layer_norm_forward_args a;
  a.input = tensor(x);
  a.out = tensor(layer);
  REQUIRE(run(d, a).ok());
  check_near(y.out, layer, 1e-14);

  const auto clean = forward({2, 4, 3, 2}, x, {1, 1, 1, 1}, {0, 0, 0, 0});
  x[7] = std::numeric_limits<double>::infinity();  // sample 0, group 1
  const auto got = forward({2, 4, 3, 2}, x, {1, 1, 1, 1}, {0, 0, 0, 0});
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i / 6 == 1) CHECK(std::isnan(got.out[i]));
    else CHECK(got.out[i] == clean.out[i]);
  }
  CHECK(std::isnan(got.mean[1]));
  CHECK(std::isnan(got.inv_std[1]));
}

TEST_CASE("group norm of no elements, and what it refuses") {
  Doubles dscale{3, 4}, dbias{5, 6};
  adj_group_norm_backward_args a;
  a.dout.dtype = a.input.dtype = a.dinput.dtype = a.mean.dtype = a.inv_std.dtype = ADJ_F64;
  a.dscale = tensor(dscale);
  a.dbias = tensor(dbias);
  auto ok = run(adj_group_norm_backward_descriptor{.outer = 0, .channels = 2, .inner = 3, .groups = 2, .element = ADJ_F64}, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  CHECK(dscale == Doubles{0, 0});
  CHECK(dbias == Doubles{0, 0});

  using Forward = adj_group_norm_forward_descriptor;
  std::string message;
  CHECK(select_status(Forward{.outer = 2, .channels = 6, .inner = 2, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("groups was not given") != std::string::npos);
  CHECK(select_status(Forward{.outer = 2, .channels = 6, .inner = 2, .groups = 4, .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("groups = 4 does not divide channels") != std::string::npos);
  CHECK(select_status(Forward{.outer = 2, .channels = 6, .inner = 2, .groups = 0, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.outer = 2, .channels = 6, .inner = 2, .groups = 3, .epsilon = 0, .element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Forward{.outer = 2, .channels = 6, .groups = 3, .element = ADJ_F16, .weight = ADJ_F64}) == ADJ_ERROR_INVALID_PROBLEM);
}

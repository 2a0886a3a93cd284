// Softmax cross-entropy on the host stream: published values, central differences and the rules of the contract.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/loss.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Forward = adj_softmax_cross_entropy_loss_descriptor;
using ForwardArgs = adj_softmax_cross_entropy_loss_args;
using Backward = adj_softmax_cross_entropy_loss_backward_descriptor;
using BackwardArgs = adj_softmax_cross_entropy_loss_backward_args;

// One problem in f64, with all arguments of a call.
struct Problem {
  std::int64_t n, c, inner = 1;
  std::vector<double> scores;
  std::vector<std::int64_t> labels;
  std::vector<double> weight{};  // empty: none
  adj_reduction reduction = ADJ_REDUCTION_MEAN;
  bool has_ignore = false;
  std::int64_t ignore = 0;
  bool nan_when_empty = false;

  // Results of forward().
  std::vector<double> loss{}, log_prob{}, lse{};
  std::int64_t errors = 0;

  template <class Descriptor>
  Descriptor descriptor() const {
    Descriptor d;
    d.batch = n;
    d.num_classes = c;
    d.inner = inner;
    d.element = ADJ_F64;
    d.label = ADJ_I64;
    d.weight = weight.empty() ? ADJ_DTYPE_NONE : ADJ_F64;
    d.reduction = reduction;
    d.has_ignore_index = has_ignore;
    d.ignore_index = ignore;
    return d;
  }

  Problem& forward() {
    auto d = descriptor<Forward>();
    d.nan_when_empty = nan_when_empty;
    loss.assign(reduction == ADJ_REDUCTION_NONE ? labels.size() : 1, -1);
    log_prob.assign(scores.size(), -1);
    lse.assign(labels.size(), -1);
    std::vector<std::int64_t> flag{0};
    ForwardArgs a;
    a.scores = tensor(scores);
    a.labels = tensor(labels);
    if (!weight.empty()) a.weight = tensor(weight);
    a.loss = tensor(loss);
    a.log_prob = tensor(log_prob);
    a.lse = tensor(lse);
    a.error_flag = tensor(flag);
    auto ok = run(d, a);
    REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
    errors = flag[0];
    return *this;
  }

  std::vector<double> gradient(std::vector<double> dloss, bool from_scores, std::vector<double>* bias = nullptr, std::int64_t* error_count = nullptr) {
    auto d = descriptor<Backward>();
    d.from_scores = from_scores;
    std::vector<double> dscores(scores.size(), -1);
    std::vector<std::int64_t> flag{0};
    BackwardArgs a;
    a.dloss = tensor(dloss);
    if (from_scores) {
      a.scores = tensor(scores);
      a.lse = tensor(lse);
    } else {
      a.log_prob = tensor(log_prob);
    }
    a.labels = tensor(labels);
    if (!weight.empty()) a.weight = tensor(weight);
    if (bias) a.bias = tensor(*bias);
    a.dscores = tensor(dscores);
    a.error_flag = tensor(flag);
    auto ok = run(d, a);
    REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
    if (error_count) *error_count = flag[0];
    return dscores;
  }
};

Problem published() { return {3, 3, 1, {1, 2, 3, 0, 0, 0, 1, -1, 0.5}, {2, 0, 1}}; }

void check_close(const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - want[i]) <= tolerance);
  }
}

}  // namespace

TEST_CASE("softmax_cross_entropy_loss: published values") {
  Problem p = published();
  p.reduction = ADJ_REDUCTION_NONE;
  check_close(p.forward().loss, {0.4076059644, 1.0986122887, 2.5549569196}, 1e-10);
  p.reduction = ADJ_REDUCTION_SUM;
  check_close(p.forward().loss, {4.0611751728}, 1e-10);
  p.reduction = ADJ_REDUCTION_MEAN;
  check_close(p.forward().loss, {1.3537250576}, 1e-10);
  p.reduction = ADJ_REDUCTION_DEFAULT;
  check_close(p.forward().loss, {1.3537250576}, 1e-10);

  p.weight = {1, 2, 0.5};
  p.reduction = ADJ_REDUCTION_NONE;
  check_close(p.forward().loss, {0.2038029822, 1.0986122887, 5.1099138393}, 1e-10);
  p.reduction = ADJ_REDUCTION_SUM;
  check_close(p.forward().loss, {6.4123291102}, 1e-10);
  p.reduction = ADJ_REDUCTION_MEAN;
  check_close(p.forward().loss, {1.8320940315}, 1e-10);

  p.has_ignore = true;
  p.ignore = 0;
  check_close(p.forward().loss, {2.1254867286}, 1e-10);
  const std::vector<double> want{0.0180061146, 0.0489456942, -0.0669518088, 0, 0, 0, 0.4592775944, -0.7378435367, 0.2785659423};
  for (bool from_scores : {false, true}) {
    const auto got = p.gradient({1}, from_scores);
    check_close(got, want, 1e-10);
    for (int i = 3; i < 6; ++i) CHECK(got[static_cast<std::size_t>(i)] == 0);
  }
}

TEST_CASE("softmax_cross_entropy_loss: log_prob and lse") {
  Problem p = published().forward();
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += std::exp(p.scores[i * 3 + c]);
    CHECK(p.lse[i] == doctest::Approx(std::log(sum)).epsilon(1e-14));
    for (std::size_t c = 0; c < 3; ++c) CHECK(p.log_prob[i * 3 + c] == doctest::Approx(p.scores[i * 3 + c] - std::log(sum)).epsilon(1e-14));
  }
}

TEST_CASE("softmax_cross_entropy_loss_backward: central differences") {
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN})
    for (bool weighted : {false, true})
      for (bool from_scores : {false, true}) {
        CAPTURE(reduction);
        CAPTURE(weighted);
        Problem p{2, 4, 3, {}, {0, 3, 1, 2, -1, 0}};
        for (int i = 0; i < 24; ++i) p.scores.push_back(std::sin(1.7 * i) * 2);
        if (weighted) p.weight = {0.5, 1.5, 2, 0.75};
        p.reduction = reduction;
        p.has_ignore = true;
        p.ignore = -1;
        p.forward();
        std::vector<double> dloss(p.loss.size());
        for (std::size_t i = 0; i < dloss.size(); ++i) dloss[i] = 0.5 + 0.25 * static_cast<double>(i);
        const auto gradient = p.gradient(dloss, from_scores);
        auto objective = [&](const Problem& q) {
          double sum = 0;
          for (std::size_t i = 0; i < q.loss.size(); ++i) sum += q.loss[i] * dloss[i];
          return sum;
        };
        for (std::size_t at = 0; at < p.scores.size(); ++at) {
          constexpr double h = 1e-5;
          Problem up = p, down = p;
          up.scores[at] += h;
          down.scores[at] -= h;
          CAPTURE(at);
          CHECK(std::fabs((objective(up.forward()) - objective(down.forward())) / (2 * h) - gradient[at]) < 1e-9);
        }
      }
}

TEST_CASE("softmax_cross_entropy_loss: N-dimensional scores equal their rows") {
  Problem deep{2, 3, 4, {}, {0, 1, 2, 0, 2, 2, 1, 0}};
  for (int i = 0; i < 24; ++i) deep.scores.push_back(std::cos(0.9 * i));
  deep.reduction = ADJ_REDUCTION_NONE;
  deep.forward();
  Problem flat{8, 3, 1, std::vector<double>(24), deep.labels};
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 4; ++d) flat.scores[(n * 4 + d) * 3 + c] = deep.scores[(n * 3 + c) * 4 + d];
  flat.reduction = ADJ_REDUCTION_NONE;
  flat.forward();
  CHECK(deep.loss == flat.loss);
  CHECK(deep.lse == flat.lse);
  const std::vector<double> dloss{1, 2, 3, 4, 5, 6, 7, 8};
  const auto of_deep = deep.gradient(dloss, true), of_flat = flat.gradient(dloss, true);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 4; ++d) CHECK(of_deep[(n * 3 + c) * 4 + d] == of_flat[(n * 4 + d) * 3 + c]);
}

TEST_CASE("softmax_cross_entropy_loss: labels out of range") {
  Problem p{4, 3, 1, {1, 2, 3, 0, 0, 0, 1, -1, 0.5, 4, 5, 6}, {2, 3, -1, 0}};
  p.reduction = ADJ_REDUCTION_NONE;
  p.forward();
  CHECK(p.errors == 2);
  CHECK(p.loss[0] == doctest::Approx(0.4076059644));
  CHECK(std::isnan(p.loss[1]));
  CHECK(std::isnan(p.loss[2]));
  CHECK(std::isfinite(p.loss[3]));
  for (double v : p.log_prob) CHECK(std::isfinite(v));
  p.reduction = ADJ_REDUCTION_MEAN;
  CHECK(std::isnan(p.forward().loss[0]));
  p.reduction = ADJ_REDUCTION_SUM;
  CHECK(std::isnan(p.forward().loss[0]));

  // The valid samples keep their gradient, and the mean is taken over them.
  p.reduction = ADJ_REDUCTION_MEAN;
  std::int64_t errors = 0;
  const auto got = p.gradient({1}, false, nullptr, &errors);
  CHECK(errors == 2);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(got[c] == doctest::Approx((std::exp(p.log_prob[c]) - (c == 2)) / 2).epsilon(1e-14));
    CHECK(std::isnan(got[3 + c]));
    CHECK(std::isnan(got[6 + c]));
    CHECK(got[9 + c] == doctest::Approx((std::exp(p.log_prob[9 + c]) - (c == 0)) / 2).epsilon(1e-14));
  }

  // An ignored label is no error, inside the classes or outside.
  p.has_ignore = true;
  p.ignore = 3;
  p.forward();
  CHECK(p.errors == 1);
  p.ignore = -1;
  p.forward();
  CHECK(p.errors == 1);
  p.labels = {2, -1, -1, 0};
  p.forward();
  CHECK(p.errors == 0);
  CHECK(std::isfinite(p.loss[0]));

  // Without classes every label is out of range.
  Problem none{2, 0, 1, {}, {0, -1}};
  none.reduction = ADJ_REDUCTION_NONE;
  none.forward();
  CHECK(none.errors == 2);
  CHECK(std::isnan(none.loss[0]));
  CHECK(none.lse[0] == -kInfinity);
}

TEST_CASE("softmax_cross_entropy_loss: nothing to take the mean of") {
  for (bool nan : {false, true}) {
    Problem ignored = published();
    ignored.has_ignore = true;
    ignored.ignore = 7;
    ignored.labels = {7, 7, 7};
    ignored.nan_when_empty = nan;
    CHECK(std::isnan(ignored.forward().loss[0]) == nan);
    if (!nan) CHECK(ignored.loss[0] == 0);
    for (double v : ignored.gradient({1}, true)) CHECK(v == 0);

    Problem weightless = published();
    weightless.weight = {0, 0, 0};
    weightless.nan_when_empty = nan;
    CHECK(std::isnan(weightless.forward().loss[0]) == nan);
    if (!nan) CHECK(weightless.loss[0] == 0);
    std::vector<double> bias{1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(weightless.gradient({kInfinity}, false, &bias) == bias);

    Problem empty{0, 3, 1, {}, {}};
    empty.nan_when_empty = nan;
    CHECK(std::isnan(empty.forward().loss[0]) == nan);
    if (!nan) CHECK(empty.loss[0] == 0);
    empty.nan_when_empty = false;
    empty.reduction = ADJ_REDUCTION_SUM;
    CHECK(empty.forward().loss[0] == 0);
    empty.reduction = ADJ_REDUCTION_NONE;
    CHECK(empty.forward().loss.empty());
    CHECK(empty.gradient({}, true).empty());
  }
  // Ignored samples are zeros by selection, for any scores.
  Problem poisoned = published();
  poisoned.scores[1] = std::nan("");
  poisoned.scores[2] = kInfinity;
  poisoned.has_ignore = true;
  poisoned.ignore = 2;
  poisoned.reduction = ADJ_REDUCTION_NONE;
  CHECK(poisoned.forward().loss[0] == 0);
  for (bool from_scores : {false, true})
    for (std::size_t c = 0; c < 3; ++c) CHECK(poisoned.gradient({1, 1, 1}, from_scores)[c] == 0);
}

TEST_CASE("softmax_cross_entropy_loss: infinities and extremes") {
  Problem p{4, 3, 1, {-kInfinity, 0, 0, -kInfinity, -kInfinity, -kInfinity, 0, kInfinity, 0, 1000, 1000, -1000}, {1, 0, 0, 0}};
  p.reduction = ADJ_REDUCTION_NONE;
  p.forward();
  CHECK(p.loss[0] == doctest::Approx(std::log(2.0)));
  CHECK(p.log_prob[0] == -kInfinity);
  CHECK(std::isnan(p.loss[1]));
  CHECK(p.lse[1] == -kInfinity);
  CHECK(std::isnan(p.loss[2]));
  CHECK(std::isnan(p.lse[2]));
  CHECK(p.loss[3] == doctest::Approx(std::log(2.0)));
  const auto gradient = p.gradient({1, 1, 1, 1}, true);
  CHECK(gradient[0] == 0);
  CHECK(gradient[1] == doctest::Approx(-0.5));
  CHECK(gradient[9] == doctest::Approx(-0.5));
  // A target of probability 0 has an infinite loss.
  p.labels[0] = 0;
  CHECK(p.forward().loss[0] == kInfinity);
  // A loss, and a target's gradient, far below the rounding of 1 keep their digits.
  Problem sure{1, 2, 1, {50, 0}, {0}};
  sure.reduction = ADJ_REDUCTION_NONE;
  CHECK(sure.forward().loss[0] == doctest::Approx(std::exp(-50.0)).scale(0).epsilon(1e-12));
  CHECK(sure.log_prob[0] == -sure.loss[0]);
  CHECK(sure.gradient({1}, false)[0] == doctest::Approx(-std::exp(-50.0)).scale(0).epsilon(1e-12));
}

TEST_CASE("softmax_cross_entropy_loss: in place and bias") {
  Problem p = published();
  p.forward();
  const auto want_log_prob = p.log_prob, want = p.gradient({2}, false);
  std::vector<double> bias{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto with_bias = p.gradient({2}, false, &bias);
  for (std::size_t i = 0; i < 9; ++i) CHECK(with_bias[i] == doctest::Approx(want[i] + bias[i]).epsilon(1e-14));

  std::vector<double> buffer = p.scores, loss(1), dloss{2};
  ForwardArgs f;
  f.scores = f.log_prob = tensor(buffer);
  f.labels = tensor(p.labels);
  f.loss = tensor(loss);
  REQUIRE(run(p.descriptor<Forward>(), f));
  CHECK(buffer == want_log_prob);
  BackwardArgs b;
  b.dloss = tensor(dloss);
  b.log_prob = b.dscores = tensor(buffer);
  b.labels = tensor(p.labels);
  REQUIRE(run(p.descriptor<Backward>(), b));
  CHECK(buffer == want);

  buffer = p.scores;
  auto d = p.descriptor<Backward>();
  d.from_scores = 1;
  b.log_prob = {};
  b.scores = b.dscores = tensor(buffer);
  b.lse = tensor(p.lse);
  REQUIRE(run(d, b));
  check_close(buffer, want, 1e-14);

  // Buffers that overlap, shifted by an element.
  std::vector<double> wide(10);
  b.scores = b.dscores = tensor(wide);
  b.dscores.data = wide.data() + 1;
  b.dscores.bytes -= sizeof(double);
  auto shifted = run(d, b);
  REQUIRE(!shifted);
  CHECK(shifted.error().code == ADJ_ERROR_ALIASING);
}

TEST_CASE("softmax_cross_entropy_loss: 16-bit scores round once") {
  std::vector<adj::bf16> scores;
  for (double v : {1.0, 2.0, 3.0, 0.0, 0.0, 0.0}) scores.push_back(adj::to_bf16(v));
  std::vector<std::int32_t> labels{2, 0};
  std::vector<float> loss(2), log_prob(6), lse(2);
  Forward d;
  d.batch = 2;
  d.num_classes = 3;
  d.element = ADJ_BF16;
  d.label = ADJ_I32;
  d.output = ADJ_F32;
  d.reduction = ADJ_REDUCTION_NONE;
  ForwardArgs a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  a.loss = tensor(loss);
  a.log_prob = tensor(log_prob);
  a.lse = tensor(lse);
  REQUIRE(run(d, a));
  CHECK(loss[0] == static_cast<float>(std::log1p(std::exp(-1.0) + std::exp(-2.0))));
  CHECK(loss[1] == static_cast<float>(std::log(3.0)));
  std::vector<adj::bf16> rounded(2);
  d.output = ADJ_DTYPE_NONE;
  a.loss = tensor(rounded);
  a.log_prob = {};
  REQUIRE(run(d, a));
  CHECK(rounded[1].bits == adj::to_bf16(std::log(3.0)).bits);
}

TEST_CASE("softmax_cross_entropy_loss: descriptor and argument errors") {
  const Problem p = published();
  std::string message;
  auto forward = p.descriptor<Forward>();
  CHECK(select_status(forward) == ADJ_OK);
  forward.batch = -1;
  CHECK(select_status(forward, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "softmax_cross_entropy_loss: batch = -1 is negative (batch was not given)");
  forward = p.descriptor<Forward>();
  forward.batch = forward.inner = std::int64_t{1} << 40;
  CHECK(select_status(forward, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("of scores overflows") != std::string::npos);
  forward = p.descriptor<Forward>();
  forward.reduction = adj_reduction{4};
  CHECK(select_status(forward) == ADJ_ERROR_INVALID_ARGUMENT);
  forward = p.descriptor<Forward>();
  forward.nan_when_empty = 2;
  CHECK(select_status(forward) == ADJ_ERROR_INVALID_ARGUMENT);
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM}) {
    forward.nan_when_empty = 1;
    forward.reduction = reduction;
    CHECK(select_status(forward, &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find("nan_when_empty = 1 is set") != std::string::npos);
    CHECK(select_status(
              adj_soft_label_cross_entropy_loss_descriptor{.rows = 2, .num_classes = 3, .reduction = reduction, .nan_when_empty = 1, .element = ADJ_F32},
              &message) == ADJ_ERROR_INVALID_PROBLEM);
    CHECK(message.find("nan_when_empty = 1 is set") != std::string::npos);
  }
  forward = p.descriptor<Forward>();
  forward.weight = ADJ_I32;
  CHECK(select_status(forward, &message) == ADJ_ERROR_UNSUPPORTED);
  CHECK(message.find("weight = i32") != std::string::npos);
  forward = p.descriptor<Forward>();
  forward.output = ADJ_F32;
  CHECK(select_status(forward, &message) == ADJ_ERROR_UNSUPPORTED);
  CHECK(message.find("f64.i64.f32") != std::string::npos);
  auto backward = p.descriptor<Backward>();
  CHECK(select_status(backward) == ADJ_OK);
  backward.from_scores = 3;
  CHECK(select_status(backward) == ADJ_ERROR_INVALID_ARGUMENT);
  backward = p.descriptor<Backward>();
  backward.element = ADJ_F16;
  backward.output = ADJ_F32;
  CHECK(select_status(backward) == ADJ_ERROR_UNSUPPORTED);

  std::vector<double> scores(9), loss(1), weight(3), dscores(9), lse(3);
  std::vector<std::int64_t> labels(3);
  ForwardArgs a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  auto status = [](auto&& result) { return result ? ADJ_OK : result.error().code; };
  CHECK(status(run(p.descriptor<Forward>(), a)) == ADJ_ERROR_NULL_BUFFER);
  a.loss = tensor(loss);
  CHECK(status(run(p.descriptor<Forward>(), a)) == ADJ_OK);
  a.weight = tensor(weight);
  CHECK(status(run(p.descriptor<Forward>(), a)) == ADJ_ERROR_INVALID_ARGUMENT);
  BackwardArgs b;
  b.dloss = tensor(loss);
  b.scores = tensor(scores);
  b.lse = tensor(lse);
  b.labels = tensor(labels);
  b.dscores = tensor(dscores);
  CHECK(status(run(p.descriptor<Backward>(), b)) == ADJ_ERROR_NULL_BUFFER);  // log_prob, as from_scores is 0
  b.log_prob = tensor(scores);
  CHECK(status(run(p.descriptor<Backward>(), b)) == ADJ_ERROR_INVALID_ARGUMENT);  // scores and lse are not wanted
}

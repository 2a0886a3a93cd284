// Losses of a linear layer on the host stream: values of PyTorch, the operators that they consist of, central differences, and the rules of the contract.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <adjoint/ops/loss.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Floats = std::vector<float>;
using Labels = std::vector<std::int32_t>;

struct Layer {
  std::int64_t samples, hidden, classes;
  Floats x, w, b;
  Layer(std::int64_t n, std::int64_t h, std::int64_t c) : samples(n), hidden(h), classes(c) {
    for (std::int64_t i = 0; i < n * h; ++i) x.push_back(static_cast<float>(i * 7 % 11 - 5) / 4);
    for (std::int64_t i = 0; i < c * h; ++i) w.push_back(static_cast<float>(i * 5 % 7 - 3) / 4);
  }
};
struct Outcome {
  Floats loss, lse, dx, dw, db;
};
using Descriptor = adj_linear_cross_entropy_descriptor;
Descriptor descriptor(const Layer& l) {
  Descriptor d{.samples = l.samples, .hidden = l.hidden, .num_classes = l.classes, .with_gradient = 1, .element = ADJ_F32, .label = ADJ_I32};
  d.has_bias = !l.b.empty();
  return d;
}
Outcome run_loss(Layer l, Labels labels, Descriptor d, Floats weight = {}, std::int64_t* invalid = nullptr, float dloss = 1) {
  const auto n = static_cast<std::size_t>(l.samples);
  Outcome o{Floats(d.reduction == ADJ_REDUCTION_NONE ? n : 1), Floats(n), Floats(l.x.size()), Floats(l.w.size()), Floats(l.b.size())};
  adj_linear_cross_entropy_args a;
  a.input = tensor(l.x);
  a.linear_weight = tensor(l.w);
  if (d.has_bias) a.bias = tensor(l.b);
  a.labels = tensor(labels);
  if (d.weight) a.weight = tensor(weight);
  a.dloss.value = static_cast<double>(dloss);
  a.loss = tensor(o.loss);
  a.lse = tensor(o.lse);
  if (d.with_gradient) {
    a.dinput = tensor(o.dx);
    a.dlinear_weight = tensor(o.dw);
    if (d.has_bias) a.dbias = tensor(o.db);
  }
  std::vector<std::int64_t> flag{0};
  a.error_flag = tensor(flag);
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  if (invalid) *invalid = flag[0];
  return o;
}
void check_near(const Floats& got, const std::vector<double>& want, double tolerance = 1e-6) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(static_cast<double>(got[i]) - want[i]) <= tolerance);
  }
}

}  // namespace

TEST_CASE("linear cross-entropy agrees with PyTorch 2.15's linear and cross_entropy") {
  Layer l(5, 3, 4);
  l.b = {.5, 0, -1, .25};
  Descriptor d = descriptor(l);
  d.has_ignore_index = 1;
  d.ignore_index = -100;
  d.weight = ADJ_F32;
  d.label_smoothing = 0.25;
  const Outcome o = run_loss(l, {1, 3, -100, 0, 2}, d, {1, .5, 2, .25});
  check_near(o.loss, {1.67439682176387});
  check_near(o.dx, {-0.0236950197164039, 0.0108857713071083, -0.0236950197164039, -0.0215426873081845, 0.0554386011486394, -0.0215426873081845, 0, 0, 0,
                    0.0602965200214393, -0.0490773865064526, 0.0602965200214393, 0.0389166518975894, 0.189958328802857, 0.0389166518975894});
  check_near(o.dw, {-0.134840227786701, 0.0526328434751585, 0.131728414689173, 0.161406530842904, -0.0592852115864149, 0.0114105095605844, -0.187776904226298,
                    0.167734443304965, -0.423125023926798, 0.161210601170095, -0.161082075193708, 0.279986099677041});
  check_near(o.db, {0.0424283034504908, 0.0451316107539158, -0.433449991437065, 0.345890077232659});
}

TEST_CASE("linear cross-entropy: gradients are central differences, also with cap, temperature and z-loss, and for each chunk") {
  Layer l(4, 3, 5);
  const Labels labels{0, 4, 2, 2};
  for (bool bias : {false, true}) {
    if (bias) l.b = {.5, 0, -1, .25, 2};
    Descriptor d = descriptor(l);
    d.reduction = ADJ_REDUCTION_SUM;
    d.chunk_rows = 3;
    d.softcap = 1.5;
    d.z_loss = 0.125;
    d.label_smoothing = 0.25;
    d.temperature = bias ? 1 : 0.75;
    const Outcome o = run_loss(l, labels, d, {}, nullptr, 2);
    auto check = [&](Floats Layer::* part, const Floats& gradient) {
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        constexpr float kStep = 1.f / 64;
        Layer up = l, down = l;
        (up.*part)[i] += kStep;
        (down.*part)[i] -= kStep;
        const float change = run_loss(up, labels, d).loss[0] - run_loss(down, labels, d).loss[0];
        CAPTURE(i);
        CHECK(std::fabs(gradient[i] - 2 * change / (2 * kStep)) < 2e-2f);
      }
    };
    check(&Layer::x, o.dx);
    check(&Layer::w, o.dw);
    check(&Layer::b, o.db);
  }
}

TEST_CASE("linear cross-entropy: ignored samples, labels outside of the classes, one class, and padding") {
  Layer l(5, 3, 4);
  Descriptor d = descriptor(l);
  d.has_ignore_index = 1;
  d.ignore_index = -1;
  Outcome o = run_loss(l, Labels(5, -1), d);
  CHECK(o.loss == Floats{0});
  for (const Floats* v : {&o.dx, &o.dw})
    for (float g : *v) CHECK(g == 0);

  std::int64_t invalid = 0;
  o = run_loss(l, {0, 4, 1, -7, 3}, d, {}, &invalid);
  CHECK(invalid == 2);
  CHECK(std::isnan(o.loss[0]));
  for (std::size_t i = 0; i < o.dx.size(); ++i) CHECK(std::isnan(o.dx[i]) == (i / 3 == 1 || i / 3 == 3));
  const Outcome clean = run_loss(l, {0, -1, 1, -1, 3}, d);
  CHECK(o.dw == clean.dw);

  Layer one(3, 2, 1);
  o = run_loss(one, {0, 0, 0}, descriptor(one));
  CHECK(o.loss == Floats{0});
  for (float g : o.dw) CHECK(g == 0);

  // Two rows of padding, whose weights are NaN.
  Layer padded = l;
  padded.w.resize(6 * 3, std::numeric_limits<float>::quiet_NaN());
  d.padded_classes = 6;
  const Outcome with = run_loss(padded, {0, -1, 1, -1, 3}, d);
  CHECK(with.loss == clean.loss);
  CHECK(with.dx == clean.dx);
  for (std::size_t i = 0; i < with.dw.size(); ++i) CHECK(with.dw[i] == (i < 12 ? clean.dw[i] : 0));
}

TEST_CASE("linear cross-entropy: its gradient alone, for a dloss of each sample, and scores near 2^24") {
  Layer l(5, 3, 4);
  l.b = {.5, 0, -1, .25};
  Labels labels{1, 3, 0, 0, 2};
  Descriptor d = descriptor(l);
  d.z_loss = 0.25;
  const Outcome o = run_loss(l, labels, d, {}, nullptr, 3);
  adj_linear_cross_entropy_backward_descriptor back{
      .samples = 5, .hidden = 3, .num_classes = 4, .z_loss = 0.25, .reduction = ADJ_REDUCTION_NONE, .has_bias = 1, .element = ADJ_F32, .label = ADJ_I32};
  for (bool none : {false, true}) {
    back.reduction = none ? ADJ_REDUCTION_NONE : ADJ_REDUCTION_MEAN;
    Floats dloss(none ? 5 : 1, none ? 3.f / 5 : 3.f), dx(15), dw(12), db(4);
    adj_linear_cross_entropy_backward_args a;
    a.dloss = tensor(dloss);
    a.input = tensor(l.x);
    a.linear_weight = tensor(l.w);
    a.bias = tensor(l.b);
    a.labels = tensor(labels);
    a.dinput = tensor(dx);
    a.dlinear_weight = tensor(dw);
    a.dbias = tensor(db);
    REQUIRE(run(back, a).ok());
    check_near(dx, {o.dx.begin(), o.dx.end()});
    check_near(dw, {o.dw.begin(), o.dw.end()});
    check_near(db, {o.db.begin(), o.db.end()});
  }
  Layer large(1, 1, 2);
  large.x = {4096};
  large.w = {4096, 4096};
  CHECK(run_loss(large, {1}, descriptor(large)).loss[0] == doctest::Approx(std::log(2.0)));
}

TEST_CASE("linear log-probability and entropy, with their gradient") {
  Layer l(4, 3, 5);
  Labels labels{0, 4, -1, 2};
  auto forward = [&](Layer of) {
    const adj_linear_log_prob_descriptor d{
        .samples = 4, .hidden = 3, .num_classes = 5, .ignore_index = -1, .temperature = 0.5, .has_ignore_index = 1, .element = ADJ_F32, .label = ADJ_I32};
    Outcome o{Floats(4), Floats(4), Floats(4), {}, {}};
    adj_linear_log_prob_args a;
    a.input = tensor(of.x);
    a.linear_weight = tensor(of.w);
    a.labels = tensor(labels);
    a.log_prob = tensor(o.loss);
    a.lse = tensor(o.lse);
    a.entropy = tensor(o.dx);
    REQUIRE(run(d, a).ok());
    return o;
  };
  Outcome o = forward(l);
  double sum = 0, own = 0;
  for (std::size_t c = 0; c < 5; ++c) {
    double z = 0;
    for (std::size_t h = 0; h < 3; ++h) z += static_cast<double>(l.x[h] * l.w[c * 3 + h]) / 0.5;
    sum += std::exp(z);
    if (c == 0) own = z;
  }
  CHECK(o.loss[0] == doctest::Approx(own - std::log(sum)));
  CHECK(o.loss[2] == 0);
  CHECK(o.dx[2] == 0);

  Floats dlp{1, -2, 3, .5}, dh{.5, 1, 2, -1}, dx(12), dw(15);
  const adj_linear_log_prob_backward_descriptor d{.samples = 4,
                                                  .hidden = 3,
                                                  .num_classes = 5,
                                                  .ignore_index = -1,
                                                  .temperature = 0.5,
                                                  .has_ignore_index = 1,
                                                  .with_entropy = 1,
                                                  .element = ADJ_F32,
                                                  .label = ADJ_I32};
  adj_linear_log_prob_backward_args a;
  a.dlog_prob = tensor(dlp);
  a.dentropy = tensor(dh);
  a.input = tensor(l.x);
  a.linear_weight = tensor(l.w);
  a.labels = tensor(labels);
  a.lse = tensor(o.lse);
  a.entropy = tensor(o.dx);
  a.dinput = tensor(dx);
  a.dlinear_weight = tensor(dw);
  REQUIRE(run(d, a).ok());
  auto check = [&](Floats Layer::* part, const Floats& gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      float change = 0;
      for (float step : {1.f / 64, -1.f / 64}) {
        Layer moved = l;
        (moved.*part)[i] += step;
        const Outcome at = forward(moved);
        for (std::size_t k = 0; k < 4; ++k) change += (step > 0 ? 1.f : -1.f) * (dlp[k] * at.loss[k] + dh[k] * at.dx[k]);
      }
      CAPTURE(i);
      CHECK(std::fabs(gradient[i] - change * 32) < 2e-2f);
    }
  };
  check(&Layer::x, dx);
  check(&Layer::w, dw);
}

TEST_CASE("linear cross-entropy: what is refused") {
  std::string message;
  Layer l(2, 3, 4);
  Descriptor d = descriptor(l);
  d.with_gradient = 0;
  d.write_mode = ADJ_WRITE_ACCUMULATE;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("write_mode = 2 is set, but with_gradient is 0") != std::string::npos);
  d = descriptor(l);
  d.temperature = 0;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d.temperature = 2;
  d.has_bias = 1;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("temperature = 2 does not go with has_bias") != std::string::npos);
  d = descriptor(l);
  d.z_loss = 1;
  d.weight = ADJ_F32;
  CHECK(select_status(d, &message) == ADJ_ERROR_UNSUPPORTED);
  CHECK(message.find("z_loss = 1 with class weights") != std::string::npos);
  d = descriptor(l);
  d.gradient = ADJ_BF16;
  CHECK(select_status(d) == ADJ_ERROR_UNSUPPORTED);
  d = descriptor(l);
  d.hidden = 0;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d = descriptor(l);
  d.padded_classes = 3;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
  d = descriptor(l);
  d.softcap = -1;
  CHECK(select_status(d) == ADJ_ERROR_INVALID_PROBLEM);
}

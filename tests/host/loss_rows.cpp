// Losses on rows of classes on the host stream: closed forms, central differences, and the losses against each other.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <adjoint/ops/loss.h>
#include <adjoint/ops/softmax.h>
#include <doctest/doctest.h>

#include "harness/harness.hpp"
#include "support.hpp"

namespace {

using namespace support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Descriptor, class Args>
void run_or_fail(const Descriptor& d, const Args& a) {
  auto ok = run(d, a);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
}

double soft_label_loss(std::vector<double> scores, std::vector<double> labels, std::int64_t classes, adj_reduction reduction) {
  const adj_soft_label_cross_entropy_loss_descriptor d{
      .rows = static_cast<std::int64_t>(scores.size()) / classes, .num_classes = classes, .reduction = reduction, .element = ADJ_F64};
  std::vector<double> loss(1);
  adj_soft_label_cross_entropy_loss_args a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  a.loss = tensor(loss);
  run_or_fail(d, a);
  return loss[0];
}

struct Fused {
  std::vector<double> loss, lse, dscores;
};
Fused with_gradient(std::vector<double> scores, std::vector<std::int64_t> labels, adj_cross_entropy_with_gradient_descriptor d, std::vector<double> weight = {},
                    double dloss = 1) {
  d.samples = static_cast<std::int64_t>(labels.size());
  d.num_classes = static_cast<std::int64_t>(scores.size()) / d.samples;
  d.element = ADJ_F64;
  d.label = ADJ_I64;
  d.weight = weight.empty() ? ADJ_DTYPE_NONE : ADJ_F64;
  Fused r{std::vector<double>(d.reduction == ADJ_REDUCTION_NONE ? labels.size() : 1), std::vector<double>(labels.size()), std::vector<double>(scores.size())};
  adj_cross_entropy_with_gradient_args a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  if (!weight.empty()) a.weight = tensor(weight);
  a.dloss.value = dloss;
  a.loss = tensor(r.loss);
  a.lse = tensor(r.lse);
  a.dscores = tensor(r.dscores);
  run_or_fail(d, a);
  return r;
}

const std::vector<double> kScores{1, 2, 3, 0, 0, 0, 1, -1, 0.5};

}  // namespace

TEST_CASE("cross entropy with gradient: the reference values of the loss") {
  const std::vector<std::int64_t> labels{2, 0, 1};
  const std::vector<double> weight{1, 2, 0.5};
  const auto none = with_gradient(kScores, labels, {.reduction = ADJ_REDUCTION_NONE});
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(none.loss[i] - std::vector<double>{0.4076059644, 1.0986122887, 2.5549569196}[i]) < 1e-9);
  CHECK(std::fabs(with_gradient(kScores, labels, {}).loss[0] - 1.3537250576) < 1e-9);
  CHECK(std::fabs(with_gradient(kScores, labels, {}, weight).loss[0] - 1.8320940315) < 1e-9);
  const auto ignoring = with_gradient(kScores, labels, {.ignore_index = 0, .has_ignore_index = 1}, weight);
  CHECK(std::fabs(ignoring.loss[0] - 2.1254867286) < 1e-9);
  const double want[] = {0.0180061146, 0.0489456942, -0.0669518088, 0, 0, 0, 0.4592775944, -0.7378435367, 0.2785659423};
  for (std::size_t i = 0; i < 9; ++i) CHECK(std::fabs(ignoring.dscores[i] - want[i]) < 1e-9);
}

TEST_CASE("cross entropy with gradient agrees with central differences") {
  const std::vector<std::int64_t> labels{2, 0, 1, 4, 3};
  const auto scores = wave(25, 0.6);
  const std::vector<double> weight{1, 2, 0.5, 1.5, 0.25};
  for (adj_reduction reduction : {ADJ_REDUCTION_MEAN, ADJ_REDUCTION_SUM, ADJ_REDUCTION_NONE})
    for (double smoothing : {0.0, 0.2, 1.0})
      for (double z : {0.0, 0.3})
        for (bool weighted : {false, true}) {
          const adj_cross_entropy_with_gradient_descriptor d{
              .ignore_index = 4, .label_smoothing = smoothing, .z_loss = z, .reduction = reduction, .has_ignore_index = 1};
          const auto w = weighted ? weight : std::vector<double>{};
          auto total = [&](const std::vector<double>& x) {
            double sum = 0;
            for (double v : with_gradient(x, labels, d, w).loss) sum += v;
            return sum;
          };
          const auto got = with_gradient(scores, labels, d, w, 3).dscores;
          for (std::size_t i = 0; i < scores.size(); ++i) {
            constexpr double kStep = 1e-5;
            auto up = scores, down = scores;
            up[i] += kStep;
            down[i] -= kStep;
            CHECK(std::fabs(got[i] - 3 * (total(up) - total(down)) / (2 * kStep)) < 1e-8);
          }
        }
}

TEST_CASE("cross entropy with gradient: labels outside of the classes, and means over nothing") {
  auto r = with_gradient(kScores, {2, 7, -1}, {.reduction = ADJ_REDUCTION_NONE});
  CHECK(std::isfinite(r.loss[0]));
  CHECK(std::isnan(r.loss[1]));
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(std::isfinite(r.dscores[c]));
    CHECK(std::isnan(r.dscores[3 + c]));
  }
  r = with_gradient(kScores, {9, 9, 9}, {.ignore_index = 9, .has_ignore_index = 1});
  CHECK(r.loss[0] == 0);
  CHECK(r.dscores == std::vector<double>(9, 0));
  std::string message;
  using Descriptor = adj_cross_entropy_with_gradient_descriptor;
  CHECK(select_status(Descriptor{.samples = 2, .num_classes = 3, .label_smoothing = 1.5, .element = ADJ_F32, .label = ADJ_I64}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.samples = 2, .num_classes = 3, .ignore_index = 5, .element = ADJ_F32, .label = ADJ_I64}, &message) ==
        ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("has_ignore_index") != std::string::npos);
  CHECK(select_status(Descriptor{.samples = 2, .element = ADJ_F32, .label = ADJ_I64}) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(select_status(Descriptor{.samples = 2, .num_classes = 3, .z_loss = -1, .element = ADJ_F32, .label = ADJ_I64}) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("soft labels: hard ones are the known loss, a label of 0 counts nothing, gradients by central differences") {
  CHECK(std::fabs(soft_label_loss(kScores, {0, 0, 1, 1, 0, 0, 0, 1, 0}, 3, ADJ_REDUCTION_MEAN) - 1.3537250576) < 1e-9);
  CHECK(std::fabs(soft_label_loss({0, -kInfinity}, {1, 0}, 2, ADJ_REDUCTION_SUM)) == 0);
  const auto scores = wave(12, 0.3);
  std::vector<double> labels = wave(12, 1.4);
  for (double& v : labels) v = std::fabs(v);
  const adj_soft_label_cross_entropy_loss_backward_descriptor d{.rows = 3, .num_classes = 4, .from_scores = 1, .exact = 1, .element = ADJ_F64};
  std::vector<double> x = scores, lse(3), dloss{1}, dscores(12);
  for (std::size_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += std::exp(x[4 * r + c]);
    lse[r] = std::log(sum);
  }
  adj_soft_label_cross_entropy_loss_backward_args a;
  a.dloss = tensor(dloss);
  a.scores = tensor(x);
  a.lse = tensor(lse);
  a.labels = tensor(labels);
  a.dscores = tensor(dscores);
  run_or_fail(d, a);
  for (std::size_t i = 0; i < 12; ++i) {
    constexpr double kStep = 1e-5;
    auto up = scores, down = scores;
    up[i] += kStep;
    down[i] -= kStep;
    CHECK(std::fabs(dscores[i] - (soft_label_loss(up, labels, 4, ADJ_REDUCTION_MEAN) - soft_label_loss(down, labels, 4, ADJ_REDUCTION_MEAN)) / (2 * kStep)) <
          1e-8);
  }
}

TEST_CASE("log-probability and entropy: a uniform row, and gradients by central differences") {
  auto forward = [](std::vector<double> scores, std::vector<std::int64_t> labels, std::vector<double>& log_prob, std::vector<double>& entropy,
                    std::vector<double>& lse) {
    const auto samples = static_cast<std::int64_t>(labels.size());
    const adj_log_prob_entropy_descriptor d{
        .samples = samples, .num_classes = static_cast<std::int64_t>(scores.size()) / samples, .element = ADJ_F64, .label = ADJ_I64};
    log_prob.resize(labels.size());
    entropy.resize(labels.size());
    lse.resize(labels.size());
    adj_log_prob_entropy_args a;
    a.scores = tensor(scores);
    a.labels = tensor(labels);
    a.log_prob = tensor(log_prob);
    a.entropy = tensor(entropy);
    a.lse = tensor(lse);
    run_or_fail(d, a);
  };
  std::vector<double> log_prob, entropy, lse;
  forward({2, 2, 2, 2, 0, -kInfinity, -kInfinity, -kInfinity}, {1, 0}, log_prob, entropy, lse);
  CHECK(std::fabs(log_prob[0] + std::log(4)) < 1e-15);
  CHECK(std::fabs(entropy[0] - std::log(4)) < 1e-15);
  CHECK(log_prob[1] == 0);
  CHECK(entropy[1] == 0);
  auto scores = wave(10, 0.8);
  std::vector<std::int64_t> labels{3, 1};
  std::vector<double> dlog_prob{0.7, -1.1}, dentropy{0.4, 2}, dscores(10);
  forward(scores, labels, log_prob, entropy, lse);
  const adj_log_prob_entropy_backward_descriptor d{.samples = 2, .num_classes = 5, .with_entropy = 1, .element = ADJ_F64, .label = ADJ_I64};
  adj_log_prob_entropy_backward_args a;
  a.dlog_prob = tensor(dlog_prob);
  a.dentropy = tensor(dentropy);
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  a.lse = tensor(lse);
  a.entropy = tensor(entropy);
  a.dscores = tensor(dscores);
  run_or_fail(d, a);
  for (std::size_t i = 0; i < 10; ++i) {
    constexpr double kStep = 1e-5;
    double want = 0;
    for (double sign : {1.0, -1.0}) {
      auto moved = scores;
      moved[i] += sign * kStep;
      std::vector<double> l, e, s;
      forward(moved, labels, l, e, s);
      want += sign * (dlog_prob[i / 5] * l[i / 5] + dentropy[i / 5] * e[i / 5]) / (2 * kStep);
    }
    CHECK(std::fabs(dscores[i] - want) < 1e-8);
  }
}

TEST_CASE("sample weights multiply class weights, and a mean divides by their sum") {
  std::vector<double> scores = kScores, sample_weight{2, 0.5, 4}, loss(1);
  std::vector<std::int64_t> labels{2, 0, 1};
  const adj_softmax_cross_entropy_loss_descriptor d{.batch = 3, .num_classes = 3, .element = ADJ_F64, .label = ADJ_I64, .sample_weight = ADJ_F64};
  adj_softmax_cross_entropy_loss_args a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  a.sample_weight = tensor(sample_weight);
  a.loss = tensor(loss);
  run_or_fail(d, a);
  CHECK(std::fabs(loss[0] - (2 * 0.4076059644 + 0.5 * 1.0986122887 + 4 * 2.5549569196) / 6.5) < 1e-9);
}

TEST_CASE("softmax forward on any axis") {
  const auto in = wave(24, 0.5);
  for (auto [outer, extent, inner] : {std::tuple{4, 6, 1}, {2, 3, 4}, {1, 24, 1}}) {
    auto x = in;
    std::vector<double> p(24), l(24);
    adj_softmax_forward_args a;
    a.input = tensor(x);
    a.out = tensor(p);
    run_or_fail(adj_softmax_forward_descriptor{.outer = outer, .extent = extent, .inner = inner, .element = ADJ_F64}, a);
    adj_log_softmax_forward_args b;
    b.input = tensor(x);
    b.out = tensor(l);
    run_or_fail(adj_log_softmax_forward_descriptor{.outer = outer, .extent = extent, .inner = inner, .element = ADJ_F64}, b);
    for (int n = 0; n < outer; ++n)
      for (int i = 0; i < inner; ++i) {
        double sum = 0;
        auto at = [&](int c) { return static_cast<std::size_t>((n * extent + c) * inner + i); };
        for (int c = 0; c < extent; ++c) sum += std::exp(in[at(c)]);
        for (int c = 0; c < extent; ++c) {
          CHECK(std::fabs(p[at(c)] - std::exp(in[at(c)]) / sum) < 1e-14);
          CHECK(std::fabs(l[at(c)] - std::log(p[at(c)])) < 1e-13);
        }
      }
  }
  CHECK(select_status(adj_softmax_forward_descriptor{.element = ADJ_F32}) == ADJ_ERROR_INVALID_PROBLEM);
}

TEST_CASE("a single class with a score of -inf has no loss") {
  const double nan = std::nan("");
  for (const double score : {-kInfinity, kInfinity, nan}) {
    CAPTURE(score);
    std::vector<double> scores{score}, loss(1), log_prob(1), entropy(1), lse(1);
    std::vector<std::int64_t> labels{0};
    adj_softmax_cross_entropy_loss_args a;
    a.scores = tensor(scores);
    a.labels = tensor(labels);
    a.loss = tensor(loss);
    a.log_prob = tensor(log_prob);
    run_or_fail(adj_softmax_cross_entropy_loss_descriptor{.batch = 1, .num_classes = 1, .element = ADJ_F64, .label = ADJ_I64}, a);
    CHECK(std::isnan(loss[0]));
    CHECK(std::isnan(log_prob[0]));
    CHECK(std::isnan(soft_label_loss({score}, {1}, 1, ADJ_REDUCTION_SUM)));
    for (const adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN})
      for (const double smoothing : {0.0, 0.5}) {
        const auto r = with_gradient({score}, {0}, {.label_smoothing = smoothing, .reduction = reduction});
        CHECK(std::isnan(r.loss[0]));
        CHECK(std::isnan(r.dscores[0]));
        CHECK((score == -kInfinity ? r.lse[0] == -kInfinity : std::isnan(r.lse[0])));
      }
    adj_log_prob_entropy_args b;
    b.scores = tensor(scores);
    b.labels = tensor(labels);
    b.log_prob = tensor(log_prob);
    b.entropy = tensor(entropy);
    b.lse = tensor(lse);
    log_prob[0] = 0;
    run_or_fail(adj_log_prob_entropy_descriptor{.samples = 1, .num_classes = 1, .element = ADJ_F64, .label = ADJ_I64}, b);
    CHECK(std::isnan(log_prob[0]));
    CHECK(std::isnan(entropy[0]));
  }
}

TEST_CASE("a weight of 0 hides no NaN, an ignored label does") {
  const double nan = std::nan("");
  // Sample 0 has class 0 of weight 0; sample 1 is ordinary; sample 2 is ignored.
  const std::vector<std::int64_t> labels{0, 1, 7};
  const std::vector<double> weight{0, 2};
  for (const double score : {nan, kInfinity})
    for (const adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN})
      for (const bool fused : {false, true}) {
        CAPTURE(score);
        CAPTURE(reduction);
        CAPTURE(fused);
        std::vector<double> scores{score, 1, 0, 1, score, 1}, loss(reduction == ADJ_REDUCTION_NONE ? 3 : 1), dscores(6, -1);
        if (fused) {
          const auto r = with_gradient(scores, labels, {.ignore_index = 7, .reduction = reduction, .has_ignore_index = 1}, weight);
          loss = r.loss;
          dscores = r.dscores;
        } else {
          auto ids = labels;
          auto weights = weight;
          std::vector<double> log_prob(6), dloss(loss.size(), 1);
          adj_softmax_cross_entropy_loss_descriptor d{
              .batch = 3, .num_classes = 2, .reduction = reduction, .element = ADJ_F64, .label = ADJ_I64, .weight = ADJ_F64};
          d.has_ignore_index = 1;
          d.ignore_index = 7;
          adj_softmax_cross_entropy_loss_args a;
          a.scores = tensor(scores);
          a.labels = tensor(ids);
          a.weight = tensor(weights);
          a.loss = tensor(loss);
          a.log_prob = tensor(log_prob);
          run_or_fail(d, a);
          adj_softmax_cross_entropy_loss_backward_descriptor e{
              .batch = 3, .num_classes = 2, .reduction = reduction, .element = ADJ_F64, .label = ADJ_I64, .weight = ADJ_F64};
          e.has_ignore_index = 1;
          e.ignore_index = 7;
          adj_softmax_cross_entropy_loss_backward_args b;
          b.dloss = tensor(dloss);
          b.log_prob = tensor(log_prob);
          b.labels = tensor(ids);
          b.weight = tensor(weights);
          b.dscores = tensor(dscores);
          run_or_fail(e, b);
        }
        CHECK(std::isnan(loss[0]));
        for (std::size_t i : {0, 1}) CHECK(std::isnan(dscores[i]));
        for (std::size_t i : {2, 3}) CHECK(std::isfinite(dscores[i]));
        for (std::size_t i : {4, 5}) CHECK(dscores[i] == 0);
      }
  // A mean over nothing is 0, whatever the scores are.
  const auto nothing = with_gradient({nan, 1}, {0}, {}, {0, 2});
  CHECK(nothing.loss[0] == 0);
  CHECK(nothing.dscores == std::vector<double>{0, 0});
  // The z-loss has a mean of its own, over the samples that count.
  CHECK(std::isnan(with_gradient({nan, 1}, {0}, {.z_loss = 0.5}, {0, 2}).dscores[0]));
}

TEST_CASE("losses and softmax: IEEE kernels for every problem, and batch invariance where no sum runs over the samples" *
          doctest::test_suite("every operator")) {
  std::set<std::string> with_reduction;
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (op->family != std::string("loss") && op->family != std::string("softmax")) continue;
    if (std::string(op->name).starts_with("linear_")) continue;  // their scores are products in the accumulator of tensor cores
    const auto field = std::find_if(op->fields.begin(), op->fields.end(), [](const adj::Field& f) { return f.name == std::string("reduction"); });
    for (const adj::Signature& signature : op->signatures)
      for (const harness::Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        adj_reduction reduction = ADJ_REDUCTION_NONE;
        if (field != op->fields.end()) {
          std::memcpy(&reduction, reinterpret_cast<const std::byte*>(c.problem->descriptor()) + field->offset, sizeof reduction);
          with_reduction.insert(op->name);
        }
        const bool backward = std::string(op->name).ends_with("_backward");
        const bool alone = reduction == ADJ_REDUCTION_NONE || (backward && reduction == ADJ_REDUCTION_SUM);
        const std::string what = fmt::format("{} {} [{}]", op->name, signature.name(), c.name);
        for (const char* arch : {"host", "sm_80", "sm_90a", "sm_100"}) {
          const adj_stream stream = arch == std::string("host") ? adj::host_stream() : *adj::offline_stream(arch);
          auto plan_for = [&](adj_determinism determinism, adj_math math) -> support::PlanPtr {
            adj_preference preference;
            preference.determinism = determinism;
            preference.math = math;
            auto plan = adj::select_plan(stream, c.problem->descriptor(), &preference);
            return support::PlanPtr(plan ? *plan : nullptr);
          };
          const auto ieee = plan_for(ADJ_DETERMINISM_DEFAULT, ADJ_MATH_IEEE);
          REQUIRE_MESSAGE(ieee, fmt::format("{} {}: no IEEE kernel", what, arch));
          CHECK(ieee->guarantee.math == ADJ_MATH_IEEE);
          CHECK((ieee->guarantee.accumulator == ADJ_F64 || op->name == std::string("softmax_backward")));
          CHECK_MESSAGE((plan_for(ADJ_BATCH_INVARIANT, ADJ_MATH_DEFAULT) != nullptr) == alone, fmt::format("{} {}", what, arch));
          if (alone) CHECK(plan_for(ADJ_BATCH_INVARIANT, ADJ_MATH_IEEE)->guarantee.determinism == ADJ_BATCH_INVARIANT);
        }
      }
  }
  CHECK(with_reduction.size() == 5);
}

TEST_CASE("padded classes change no result, whatever the padding holds, and get gradients of 0") {
  constexpr std::size_t kSamples = 5, kClasses = 3, kPadded = 7;
  const auto scores = wave(kSamples * kClasses, 0.4);
  std::vector<std::int64_t> labels{0, 2, -100, 3, 1};  // one ignored, one that is padding and no class
  std::vector<double> padded;
  for (std::size_t i = 0; i < kSamples; ++i) {
    padded.insert(padded.end(), scores.begin() + static_cast<std::ptrdiff_t>(i * kClasses), scores.begin() + static_cast<std::ptrdiff_t>((i + 1) * kClasses));
    for (std::size_t c = kClasses; c < kPadded; ++c) padded.push_back(c % 2 ? std::nan("") : kInfinity);
  }
  auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  auto check_gradient = [&](const std::vector<double>& got, const std::vector<double>& want) {
    for (std::size_t i = 0; i < kSamples * kPadded; ++i) {
      CAPTURE(i);
      CHECK(same(got[i], i % kPadded < kClasses ? want[i / kPadded * kClasses + i % kPadded] : 0));
    }
  };
  for (adj_reduction reduction : {ADJ_REDUCTION_NONE, ADJ_REDUCTION_SUM, ADJ_REDUCTION_MEAN}) {
    const std::size_t losses = reduction == ADJ_REDUCTION_NONE ? kSamples : 1;
    struct Results {
      std::vector<double> loss, lse = std::vector<double>(kSamples), dscores, fused_loss, fused;
      std::vector<std::int64_t> errors{0};
    };
    auto results = [&](std::vector<double> x, std::int64_t padded_classes) {
      Results r;
      r.loss.resize(losses);
      r.fused_loss.resize(losses);
      r.dscores.resize(x.size());
      r.fused.resize(x.size());
      adj_softmax_cross_entropy_loss_args f;
      f.scores = tensor(x);
      f.labels = tensor(labels);
      f.loss = tensor(r.loss);
      f.lse = tensor(r.lse);
      f.error_flag = tensor(r.errors);
      run_or_fail(adj_softmax_cross_entropy_loss_descriptor{.batch = kSamples,
                                                            .num_classes = kClasses,
                                                            .padded_classes = padded_classes,
                                                            .ignore_index = -100,
                                                            .reduction = reduction,
                                                            .has_ignore_index = 1,
                                                            .element = ADJ_F64,
                                                            .label = ADJ_I64},
                  f);
      std::vector<double> dloss(losses, 0.5);
      adj_softmax_cross_entropy_loss_backward_args b;
      b.dloss = tensor(dloss);
      b.scores = tensor(x);
      b.lse = tensor(r.lse);
      b.labels = tensor(labels);
      b.dscores = tensor(r.dscores);
      adj_softmax_cross_entropy_loss_backward_descriptor backward{.batch = kSamples,
                                                                  .num_classes = kClasses,
                                                                  .padded_classes = padded_classes,
                                                                  .ignore_index = -100,
                                                                  .reduction = reduction,
                                                                  .from_scores = 1,
                                                                  .has_ignore_index = 1,
                                                                  .element = ADJ_F64,
                                                                  .label = ADJ_I64};
      run_or_fail(backward, b);
      // From log_prob, whose padding is not read either.
      std::vector<double> log_prob = x, from_log_prob(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) log_prob[i] -= r.lse[i / (x.size() / kSamples)];
      b.scores = b.lse = {};
      b.log_prob = tensor(log_prob);
      b.dscores = tensor(from_log_prob);
      backward.from_scores = 0;
      run_or_fail(backward, b);
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(same(from_log_prob[i], r.dscores[i]));
      adj_cross_entropy_with_gradient_args w;
      w.scores = tensor(x);
      w.labels = tensor(labels);
      w.loss = tensor(r.fused_loss);
      w.dscores = tensor(r.fused);
      run_or_fail(adj_cross_entropy_with_gradient_descriptor{.samples = kSamples,
                                                             .num_classes = kClasses,
                                                             .padded_classes = padded_classes,
                                                             .ignore_index = -100,
                                                             .label_smoothing = 0.1,
                                                             .z_loss = 1e-3,
                                                             .reduction = reduction,
                                                             .has_ignore_index = 1,
                                                             .element = ADJ_F64,
                                                             .label = ADJ_I64},
                  w);
      return r;
    };
    const Results got = results(padded, kPadded), want = results(scores, 0);
    CHECK(got.errors == want.errors);
    CHECK(got.errors[0] == 1);
    CHECK(got.lse == want.lse);
    for (std::size_t i = 0; i < losses; ++i) {
      CHECK(same(got.loss[i], want.loss[i]));
      CHECK(same(got.fused_loss[i], want.fused_loss[i]));
    }
    check_gradient(got.dscores, want.dscores);
    check_gradient(got.fused, want.fused);
  }
  std::string message;
  adj_softmax_cross_entropy_loss_backward_descriptor d{.batch = 2, .num_classes = 3, .padded_classes = 2, .element = ADJ_F32, .label = ADJ_I64};
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "softmax_cross_entropy_loss_backward: padded_classes = 2 is below num_classes");
  d.padded_classes = 4;
  d.inner = 2;
  CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message == "softmax_cross_entropy_loss_backward: padded_classes = 4 is set, but inner is not 1");
}

TEST_CASE("losses: an infinite gradient beside a probability that rounds to 0 gives infinity") {
  std::vector<double> scores{0, -2000, 1}, dloss{kInfinity}, lse{std::log1p(std::exp(1.0))}, dscores(3), loss(1);
  std::vector<std::int64_t> labels{2};
  const std::vector<double> want{kInfinity, kInfinity, -kInfinity};
  adj_softmax_cross_entropy_loss_backward_args b;
  b.dloss = tensor(dloss);
  b.scores = tensor(scores);
  b.lse = tensor(lse);
  b.labels = tensor(labels);
  b.dscores = tensor(dscores);
  run_or_fail(adj_softmax_cross_entropy_loss_backward_descriptor{.batch = 1, .num_classes = 3, .from_scores = 1, .element = ADJ_F64, .label = ADJ_I64}, b);
  CHECK(dscores == want);
  adj_cross_entropy_with_gradient_args w;
  w.scores = tensor(scores);
  w.labels = tensor(labels);
  w.loss = tensor(loss);
  w.dscores = tensor(dscores);
  w.dloss.value = kInfinity;
  run_or_fail(adj_cross_entropy_with_gradient_descriptor{.samples = 1, .num_classes = 3, .element = ADJ_F64, .label = ADJ_I64}, w);
  CHECK(dscores == want);
  adj_log_prob_entropy_backward_args e;
  e.scores = tensor(scores);
  e.labels = tensor(labels);
  e.lse = tensor(lse);
  e.dlog_prob = tensor(dloss);
  e.dscores = tensor(dscores);
  run_or_fail(adj_log_prob_entropy_backward_descriptor{.samples = 1, .num_classes = 3, .element = ADJ_F64, .label = ADJ_I64}, e);
  CHECK(dscores == std::vector<double>{-kInfinity, -kInfinity, kInfinity});
  // A label decides the sign where it is above the probability.
  std::vector<double> soft{0.25, 0, 0.75};
  adj_soft_label_cross_entropy_loss_backward_args s;
  s.dloss = tensor(dloss);
  s.scores = tensor(scores);
  s.lse = tensor(lse);
  s.labels = tensor(soft);
  s.dscores = tensor(dscores);
  run_or_fail(adj_soft_label_cross_entropy_loss_backward_descriptor{.rows = 1, .num_classes = 3, .from_scores = 1, .element = ADJ_F64}, s);
  CHECK(dscores == std::vector<double>{kInfinity, kInfinity, -kInfinity});
}

TEST_CASE("log-probability and entropy: labels outside of the classes are counted, and have gradients of NaN") {
  auto scores = wave(6, 0.8);
  std::vector<std::int64_t> labels{1, 3, -1}, flag{10};
  std::vector<double> log_prob(3), lse(3), dlog_prob{1, 1, 1}, dscores(6);
  scores.resize(6);
  const adj_log_prob_entropy_descriptor d{.samples = 3, .num_classes = 2, .element = ADJ_F64, .label = ADJ_I64};
  adj_log_prob_entropy_args a;
  a.scores = tensor(scores);
  a.labels = tensor(labels);
  a.log_prob = tensor(log_prob);
  a.lse = tensor(lse);
  a.error_flag = tensor(flag);
  run_or_fail(d, a);
  CHECK(flag[0] == 12);
  const adj_log_prob_entropy_backward_descriptor back{.samples = 3, .num_classes = 2, .element = ADJ_F64, .label = ADJ_I64};
  adj_log_prob_entropy_backward_args b;
  b.dlog_prob = tensor(dlog_prob);
  b.scores = tensor(scores);
  b.labels = tensor(labels);
  b.lse = tensor(lse);
  b.dscores = tensor(dscores);
  b.error_flag = tensor(flag);
  run_or_fail(back, b);
  CHECK(flag[0] == 14);
  for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(dscores[i]) == (i >= 2));
}

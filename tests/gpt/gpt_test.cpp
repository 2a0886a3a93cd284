// The model of tools/gpt on the host: its gradients against differences of the loss, in f64.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gpt/trainer.hpp"
#include "support/ranks.hpp"

using namespace gpt;

namespace {

constexpr Config kGpt2{.family = Family::gpt2,
                       .layers = 2,
                       .width = 8,
                       .heads = 2,
                       .kv_heads = 2,
                       .head_dim = 4,
                       .hidden = 12,
                       .vocabulary = 11,
                       .context = 6,
                       .element = ADJ_F64};
constexpr Config kLlama{.family = Family::llama,
                        .layers = 2,
                        .width = 8,
                        .heads = 4,
                        .kv_heads = 2,
                        .head_dim = 4,
                        .hidden = 12,
                        .vocabulary = 11,
                        .context = 6,
                        .qk_norm = 1,
                        .element = ADJ_F64};
Config untied() {
  Config c = kLlama;
  c.qk_norm = c.tied = 0;
  return c;
}

// A training that leaves the weights as they are: its learning rate is 0.
Settings still(const Config& c) {
  Settings s;
  s.shape = {.batch = 2, .tokens = 5};
  s.shape.score_bytes = 5 * 128 * size_of(c.type());  // the scores come in two parts
  s.lr = 0;
  s.interval = 1;
  return s;
}

struct Run {
  Machine machine{Machine::kHost};
  Engine engine{machine};
  Trainer trainer;
  Batches batches;
  std::vector<std::vector<double>> values;

  Run(const Config& c, const Settings& s) : trainer(engine, c, s), batches(3, c.vocabulary) {
    for (std::size_t t = 0; t < parameters().size(); ++t) {
      Parameter p = parameters()[t];
      if (p.matrix) p.power += 3;  // weights of a size at which attention is far from uniform
      const auto bytes = initial_values(p, t, 3, ADJ_F64);
      std::vector<double>& own = values.emplace_back(static_cast<std::size_t>(p.numel()));
      std::memcpy(own.data(), bytes.data(), bytes.size());
      set(t, own);
    }
  }
  const std::vector<Parameter>& parameters() const { return trainer.layout().parameters; }
  void set(std::size_t t, const std::vector<double>& to) { trainer.set(Checkpoint::kWeights, parameters()[t], reinterpret_cast<const std::byte*>(to.data())); }
  std::vector<std::vector<double>> gradients() {
    trainer.prepare(0, 1, batches);
    trainer.upload();
    trainer.step(0);
    std::vector<std::vector<double>> all;
    for (const Parameter& p : parameters()) all.push_back(trainer.gradient(p));
    return all;
  }
  // Derivative of the loss along a direction of parameter t, from four differences.
  double slope(std::size_t t, const std::vector<double>& direction) {
    constexpr double h = 2e-4;
    auto loss = [&](double way) {
      std::vector<double> moved = values[t];
      for (std::size_t e = 0; e < moved.size(); ++e) moved[e] += way * direction[e];
      set(t, moved);
      return trainer.evaluate(batches, 1);
    };
    const double sum = 8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h));
    set(t, values[t]);
    return sum / (12 * h);
  }
};

}  // namespace

TEST_CASE("gpt: numbers by formula") {
  CHECK(unit(1, 0, 0) == 0.49966495774311181);
  CHECK(unit(1, 0, 1) == -0.86490127747288126);
  CHECK(unit(1, 0, 2) == 0.0012716296013561834);
}

TEST_CASE("gpt: the gradient of every parameter is the slope of the loss") {
  for (const Config& c : {kGpt2, kLlama, untied()}) {
    Run run(c, still(c));
    const auto gradients = run.gradients();
    const Report report = run.trainer.report();
    CHECK(report.loss == doctest::Approx(run.trainer.evaluate(run.batches, 1)).epsilon(1e-14));
    double square = 0;
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      const std::size_t n = gradients[t].size();
      auto check = [&](const std::vector<double>& direction) {
        double expected = 0, magnitude = 0;
        for (std::size_t e = 0; e < n; ++e) {
          expected += gradients[t][e] * direction[e];
          magnitude += std::abs(gradients[t][e] * direction[e]);
        }
        const double slope = run.slope(t, direction);
        CHECK_MESSAGE(std::abs(slope - expected) <= 1e-8 * magnitude + 1e-10, run.parameters()[t].name, ": slope ", slope, ", gradient ", expected);
      };
      std::vector<double> direction(n);
      for (std::size_t e = 0; e < n; ++e) direction[e] = unit(5, t, e);  // every element counts
      check(direction);
      for (std::size_t e = t % 7; e < n; e += 1 + n / 7) {
        std::fill(direction.begin(), direction.end(), 0);
        direction[e] = 1;
        check(direction);
      }
      for (const double g : gradients[t]) square += g * g;
    }
    CHECK(report.norm == doctest::Approx(std::sqrt(square)).epsilon(1e-13));
    const auto& table = gradients[0];  // rows of the padding have no gradient
    for (std::size_t e = static_cast<std::size_t>(c.vocabulary * c.width); e < table.size(); ++e) REQUIRE(table[e] == 0);
  }
}

TEST_CASE("gpt: what is computed again is what was kept") {
  for (const Config& c : {kGpt2, kLlama}) {
    Settings s = still(c);
    Run kept(c, s);
    const auto expected = kept.gradients();
    for (const Recompute how : {Recompute::pointwise, Recompute::layer}) {
      s.shape.recompute = how;
      Run run(c, s);
      CHECK(run.trainer.model().arena_bytes() < kept.trainer.model().arena_bytes());
      const auto gradients = run.gradients();
      for (std::size_t t = 0; t < expected.size(); ++t)
        for (std::size_t e = 0; e < expected[t].size(); ++e)
          REQUIRE_MESSAGE(std::abs(gradients[t][e] - expected[t][e]) <= 1e-13 * (1e-3 + std::abs(expected[t][e])), run.parameters()[t].name);
    }
  }
}

TEST_CASE("gpt: a training that is resumed after a skipped step goes on with the same bits") {
  Settings s = still(kGpt2);
  s.lr = 1e-2;
  s.warmup = 0;
  Run whole(kGpt2, s), resumed(kGpt2, s);
  const auto step = [](Run& run, std::int64_t index) {
    run.trainer.prepare(index, 1, run.batches);
    run.trainer.upload();
    run.trainer.step(0);
    return run.trainer.report().skipped;
  };
  std::vector<double> broken = whole.values[0];
  for (double& v : broken) v = std::numeric_limits<double>::quiet_NaN();
  whole.set(0, broken);
  CHECK(step(whole, 0));
  whole.set(0, whole.values[0]);
  CHECK_FALSE(step(whole, 1));
  Checkpoint checkpoint(kGpt2);
  whole.trainer.save(checkpoint);
  checkpoint.step() = 2;
  CHECK(checkpoint.adam_steps() == 1);
  resumed.trainer.load(checkpoint, true);
  CHECK(resumed.trainer.values_hash() == whole.trainer.values_hash());
  CHECK_FALSE(step(whole, 2));
  CHECK_FALSE(step(resumed, 2));
  CHECK(resumed.trainer.values_hash() == whole.trainer.values_hash());
}

TEST_CASE("gpt: master weights of any bits are rounded to bf16") {
  Config c = kGpt2;
  c.element = ADJ_BF16;
  Machine machine{Machine::kHost};
  Engine engine{machine};
  Trainer trainer(engine, c, still(c));
  const Parameter& p = trainer.layout().parameters[0];
  const std::uint32_t bits[] = {0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001, 0x3F808000, 0x3F818000, 0x7F7FFFFF, 0xFF800000, 0x80000000};
  std::vector<std::uint32_t> values(static_cast<std::size_t>(p.numel()), 0);
  std::copy(std::begin(bits), std::end(bits), values.begin());
  trainer.set(Checkpoint::kWeights, p, reinterpret_cast<const std::byte*>(values.data()));
  const auto* rounded = static_cast<const std::uint16_t*>(trainer.weights().value(p.name));
  for (int i = 0; i < 3; ++i) CHECK(std::isnan(adj::to_double(adj::bf16{rounded[i]})));
  const std::uint16_t expected[] = {0x3F80, 0x3F82, 0x7F80, 0xFF80, 0x8000};
  for (std::size_t i = 0; i < std::size(expected); ++i) CHECK(rounded[3 + i] == expected[i]);
}

TEST_CASE("gpt: a text has as many batches as have all their targets") {
  std::vector<std::int32_t> tokens(4 * 6 + 1);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i);
  std::int32_t inputs[6], targets[6];
  const auto first_of = [&](std::size_t count, std::int64_t index) {
    Batches({tokens.data(), count}, 2, 3, "a text").fill(index, 1, 2, 3, inputs, targets);
    CHECK(targets[5] == inputs[0] + 6);
    return inputs[0];
  };
  CHECK(first_of(25, 3) == 18);
  CHECK(first_of(25, 4) == 0);
  CHECK(first_of(24, 2) == 12);  // the last target of a fourth batch is missing
  CHECK(first_of(24, 3) == 0);
  CHECK(first_of(7, 1) == 0);
  CHECK_THROWS(first_of(6, 0));
}

TEST_CASE("gpt: scores in parts") {
  Config c = kGpt2;
  c.vocabulary = 256;
  const auto parts = [&](std::int64_t batch, std::uint64_t bytes) { return Model::chunks(c, {.batch = batch, .tokens = 6, .score_bytes = bytes}); };
  CHECK(parts(2, 12 * 256 * 8) == 1);
  CHECK(parts(2, 12 * 256 * 8 - 1) == 2);
  CHECK(parts(2, 4 * 256 * 8) == 3);
  CHECK(parts(2, 1) == 12);  // a row at least
}

TEST_CASE("a watch fires once its patience is over, and not before") {
  std::atomic<int> fired = 0;
  Watch patient(600, [&] { ++fired; });
  CHECK_FALSE(patient.stop());
  Watch watch(0.01, [&] { ++fired; });
  while (fired == 0) std::this_thread::yield();
  CHECK(watch.stop());
  CHECK(watch.stop());
  CHECK(fired == 1);
}

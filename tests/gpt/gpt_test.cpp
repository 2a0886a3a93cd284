// The model of tools/gpt on the host: its gradients against differences of the loss, in f64.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>

#include "gpt/card.hpp"
#include "gpt/report.hpp"
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

TEST_CASE("gpt: a fused head has the losses and gradients of the head that holds its scores") {
  for (Config c : {kGpt2, kLlama, untied()})
    for (const adj_dtype type : {ADJ_F32, ADJ_BF16}) {
      c.element = type;
      Settings s = still(c);
      s.accumulate = 2;
      s.shape.score_bytes = 20 * 128 * size_of(type);  // all scores at once; five of ten rows where the head is fused
      struct Side {
        Machine machine{Machine::kHost};
        Engine engine{machine};
        Trainer trainer;
        Batches batches;
        Side(const Config& c, const Settings& s) : trainer(engine, c, s), batches(3, c.vocabulary) {
          trainer.initialize(3);
          trainer.prepare(0, 1, batches);
          trainer.upload();
          trainer.step(0);
        }
      };
      Side apart(c, s);
      s.shape.head = Head::fused;
      Side fused(c, s);
      CHECK(fused.trainer.model().score_rows() == 5);
      CHECK(fused.trainer.model().unfused_score_rows() == 10);
      CHECK(fused.trainer.work().flops == apart.trainer.work().flops);
      const double epsilon = type == ADJ_F32 ? 1e-6 : 1e-2;
      CHECK(fused.trainer.report().loss == doctest::Approx(apart.trainer.report().loss).epsilon(epsilon));
      CHECK(fused.trainer.evaluate(fused.batches, 2) == doctest::Approx(apart.trainer.evaluate(apart.batches, 2)).epsilon(epsilon));
      for (const Parameter& p : apart.trainer.layout().parameters) {
        const auto expected = apart.trainer.gradient(p), found = fused.trainer.gradient(p);
        double difference = 0, magnitude = 0;
        for (std::size_t e = 0; e < expected.size(); ++e) {
          difference = std::max(difference, std::abs(found[e] - expected[e]));
          magnitude = std::max(magnitude, std::abs(expected[e]));
        }
        CHECK_MESSAGE(difference <= 4 * epsilon * magnitude + 1e-9, p.name, ": ", difference, " beside ", magnitude);
      }
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
  Tokens tokens(4 * 6 + 1);
  std::iota(tokens.begin(), tokens.end(), 0);
  std::int32_t inputs[6], targets[6];
  const auto first_of = [&](std::size_t count, std::int64_t index) {
    Batches(std::make_shared<TokenFiles>(Tokens(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count)), "a text"), 2, 3)
        .fill(index, 1, 2, 3, inputs, targets);
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

TEST_CASE("gpt: what is shuffled is each sequence once in a pass, and another order in the next one") {
  for (const std::uint64_t n : {1, 2, 3, 16, 17, 1000})
    for (const std::uint64_t key : {0, 7}) {
      std::vector<bool> seen(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t to = permuted(i, n, key);
        REQUIRE(to < n);
        REQUIRE_FALSE(seen[to]);
        seen[to] = true;
      }
    }
  Tokens tokens(3 * 40 + 1);  // 40 sequences of 3
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto files = std::make_shared<TokenFiles>(tokens, "a text");
  const auto order = [&](std::uint64_t seed, std::int64_t pass) {
    const Batches batches(files, 4, 3, seed);
    REQUIRE(batches.count() == 10);
    std::vector<std::int32_t> firsts;
    for (std::int64_t i = 9; i >= 0; --i) {  // a batch depends on its index, not on what was asked for before
      std::int32_t inputs[12], targets[12];
      batches.fill(pass * 10 + i, 1, 4, 3, inputs, targets);
      for (int t = 0; t < 12; ++t) REQUIRE(targets[t] == inputs[t] + 1);
      for (int b = 3; b >= 0; --b) firsts.push_back(inputs[3 * b]);
    }
    return firsts;
  };
  const auto first = order(1, 0);
  CHECK(first == order(1, 0));
  CHECK(first != order(1, 1));
  CHECK(first != order(2, 0));
  for (auto all : {first, order(1, 1), order(2, 0)}) {
    CHECK_FALSE(std::is_sorted(all.rbegin(), all.rend()));
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == 3 * static_cast<std::int32_t>(i));
  }
}

TEST_CASE("gpt: the last tenth of a text is the evaluation's alone") {
  Tokens tokens(101);
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto files = std::make_shared<TokenFiles>(tokens, "a text");
  const Batches most(files, 1, 5, {}, Batches::Part::most), last(files, 1, 4, {}, Batches::Part::last);
  CHECK(most.count() == 18);  // 91 tokens
  CHECK(last.count() == 2);   // 10 tokens
  std::int32_t inputs[5], targets[5];
  most.fill(17, 1, 1, 5, inputs, targets);
  CHECK(targets[4] == 90);
  last.fill(0, 1, 1, 4, inputs, targets);
  CHECK(inputs[0] == 91);
}

TEST_CASE("gpt: memory is told by purpose, and each number is what was allocated") {
  for (Config c : {kGpt2, kLlama})
    for (const adj_dtype type : {ADJ_F64, ADJ_BF16}) {
      c.element = type;
      Settings s = still(c);
      s.accumulate = 2;
      s.shape.score_bytes = std::uint64_t{1} << 30;
      Machine machine{Machine::kHost};
      Engine engine{machine};
      Trainer trainer(engine, c, s);
      engine.reserve();
      const auto total = static_cast<std::uint64_t>(trainer.layout().total), master = size_of(c.master());
      std::map<std::string, std::uint64_t> expected = {
          {"weights", total * size_of(type)},
          {"moments", 2 * total * master},
          {"gradients", 2 * (total + 1) * master},  // of a part and their sum, each with a loss behind it
          {"activations", trainer.model().arena_bytes()},
          {"scores and scratch", trainer.model().shared_bytes()},
          {"tokens and scalars", master + 4 + 8 + 8 + 256 + 2 * static_cast<std::uint64_t>(trainer.model().token_bytes())},
      };
      if (c.mixed()) expected["master weights"] = total * master;
      CHECK(trainer.model().arena_bytes() >= 10 * 8 * size_of(type) * 9);  // rows of 8 columns, nine a layer at least
      CHECK(trainer.model().shared_bytes() >= 10 * 128 * size_of(type));   // scores
      std::uint64_t sum = 0;
      for (const auto& [purpose, bytes] : machine.memory()) {
        sum += bytes;
        if (purpose == "workspaces") continue;  // asked of plans, which have tests of their own
        REQUIRE_MESSAGE(expected.contains(purpose), purpose);
        CHECK_MESSAGE(expected[purpose] == bytes, purpose);
        expected.erase(purpose);
      }
      CHECK(expected.empty());
      CHECK(sum == machine.allocated());
      const auto largest = std::max_element(machine.memory().begin(), machine.memory().end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      CHECK(memory_by_purpose(machine).starts_with(fmt::format("{} {}, ", largest->first, size_text(largest->second))));
    }
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(1536) == "1.50 KiB");
  CHECK(size_text((std::uint64_t{5} << 30) / 2) == "2.50 GiB");
}

// What a rank keeps of the parameters, by purpose.
std::map<std::string, std::uint64_t> kept_bytes(const Config& c, const Share& share, std::int64_t accumulate, std::int64_t losses) {
  const std::uint64_t type = size_of(c.type()), master = size_of(c.master());
  const auto count = [](std::int64_t elements) { return static_cast<std::uint64_t>(elements); };
  std::map<std::string, std::uint64_t> bytes = {{"weights", count(share.kept) * type},
                                                {"moments", 2 * count(share.local) * master},
                                                {"gradients", (accumulate > 1 ? 2 : 1) * count(share.kept + losses) * master}};
  if (c.mixed()) bytes["master weights"] = count(share.local) * master;
  if (!share.sharded) return bytes;
  const std::uint64_t whole = count(share.buffers[0] + share.buffers[1] + share.buffers[2]);
  bytes["weights of the layers at work"] = whole * type;
  bytes["gradients of the layers at work"] = whole * master;
  return bytes;
}

// A step as two streams may run it: at the latest, what the side stream has is done when the list waits for it. Host ranks otherwise do it at once.
void run_late(const Trainer& trainer) {
  Calls side;
  bool for_side = false;
  trainer.each_call([&](const Call& call) {
    if (call.operation == "fork") {
      for_side = true;
    } else if (call.operation == "join") {
      run(side);
      side.clear();
    } else if (for_side) {
      side.push_back(call);
      for_side = false;
    } else {
      call.run();
    }
  });
  if (!side.empty()) throw std::runtime_error("a step ends before its side stream");
}

TEST_CASE("gpt: ranks that share out weights have the bits of ranks that share out moments, whenever the side stream works") {
  constexpr int kRanks = 3;
  auto one_layer = untied(), layers = untied(), tied = kGpt2;
  one_layer.layers = 1;
  layers.layers = tied.layers = 5;
  tied.element = layers.element = ADJ_BF16;
  for (const Config& c : {one_layer, layers, tied})
    for (const std::int64_t accumulate : {1, 2}) {
      std::vector<std::uint64_t> hashes;
      for (const Shard shard : {Shard::moments, Shard::weights})
        for (const bool late : {false, true}) {
          Settings s = still(c);
          s.lr = 0.1;
          s.accumulate = accumulate;
          s.shard = shard;
          std::uint64_t own[kRanks] = {};
          std::map<std::string, std::uint64_t> memory;
          const Communicators communicators(kRanks, false);
          on_ranks("gpt_test", kRanks, [&](int rank) {
            Machine machine{Machine::kHost};
            Engine engine{machine};
            Trainer trainer(engine, c, s, rank, kRanks, communicators.of(rank));
            trainer.initialize(3);
            trainer.prepare(0, 1, Batches(3, c.vocabulary));
            trainer.upload();
            trainer.step(0);
            if (late) run_late(trainer);
            else trainer.each_call([](const Call& call) { call.run(); });
            own[rank] = trainer.values_hash();
            if (rank == 0)
              for (const auto& [purpose, bytes] : machine.memory()) memory[purpose] = bytes;
          });
          for (const std::uint64_t hash : own) CHECK(hash == own[0]);
          hashes.push_back(own[0]);
          const Layout layout(c, kRanks);
          for (const auto& [purpose, bytes] : kept_bytes(c, Share(layout, shard, 0, kRanks), accumulate, 2)) CHECK_MESSAGE(memory[purpose] == bytes, purpose);
          CHECK(memory.contains("weights of the layers at work") == (shard == Shard::weights));
        }
      CHECK(hashes[0] == hashes[1]);
      CHECK(hashes[2] == hashes[3]);
      // With several parts of a batch the ranks are summed before the parts: other roundings.
      if (accumulate == 1) CHECK(hashes[0] == hashes[2]);
    }
}

TEST_CASE("gpt: a model of 7 G parameters on 8 ranks") {
  const auto size = std::find_if(std::begin(kSizes), std::end(kSizes), [](const Size& s) { return std::string(s.name) == "llama 7B"; });
  REQUIRE(size != std::end(kSizes));
  Config c = size->config;
  c.head_dim = c.width / c.heads;
  const Layout layout(c, 8);
  CHECK(layout.numel == 6'738'415'616);
  auto bytes = [&](Shard shard) { return kept_bytes(c, Share(layout, shard, 0, 8), 1, 1); };
  auto sum = [](const auto& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}, [](auto to, const auto& part) { return to + part.second; });
  };
  const auto moments = bytes(Shard::moments), weights = bytes(Shard::weights);
  // As in tools/gpt/README.md.
  CHECK(size_text(moments.at("weights")) == "12.55 GiB");
  CHECK(size_text(moments.at("gradients")) == "25.10 GiB");
  CHECK(size_text(weights.at("weights")) == "1.57 GiB");
  CHECK(size_text(weights.at("gradients")) == "3.14 GiB");
  CHECK(size_text(weights.at("master weights")) == "3.14 GiB");
  CHECK(size_text(weights.at("moments")) == "6.28 GiB");
  CHECK(size_text(weights.at("weights of the layers at work")) == "1022.0 MiB");
  CHECK(size_text(weights.at("gradients of the layers at work")) == "2.00 GiB");
  CHECK(size_text(sum(moments)) == "47.07 GiB");
  CHECK(size_text(sum(weights)) == "17.12 GiB");
}

TEST_CASE("gpt: the work of a step is that of the model's formula") {
  for (const Config& c : {kGpt2, kLlama, untied()}) {
    Settings s = still(c);
    s.shape.score_bytes = std::uint64_t{1} << 30;
    Machine machine{Machine::kHost};
    Engine engine{machine};
    Trainer trainer(engine, c, s);
    const auto rows = static_cast<double>(s.shape.batch * s.shape.tokens), tokens = static_cast<double>(s.shape.tokens);
    const auto weights = static_cast<double>(c.layers * (c.width * (c.qkv_width() + c.q_width() + c.up_width() + c.hidden)) + c.padded() * c.width);
    const double pairs = static_cast<double>(s.shape.batch * c.layers) * tokens * (tokens + 1) / 2;
    const double flops = 6 * weights * rows + 12 * pairs * static_cast<double>(c.q_width());
    CHECK(trainer.work().flops == flops);
    // Adam reads and writes weights and moments, and reads gradients; the norm of the gradient reads them once more.
    const double parameters = static_cast<double>(trainer.layout().total) * 8;
    std::map<std::string, Work> by_operation;
    trainer.each_call([&](const Call& call) {
      by_operation[call.operation].flops += call.work.flops;
      by_operation[call.operation].bytes += call.work.bytes;
    });
    CHECK(by_operation["adam"].flops == 0);
    CHECK(by_operation["adam"].bytes == doctest::Approx(7 * parameters).epsilon(0.001));
    CHECK(by_operation["clip_grad_norm"].bytes == doctest::Approx(parameters).epsilon(0.001));
    // Rows of the table that are looked up, not the table. GPT-2 looks up two for each.
    const double row = static_cast<double>(c.width) * 8;
    if (c.family == Family::gpt2) CHECK(by_operation["embedding_bag_forward"].bytes == rows * (3 * row + 2 * 4));
    else CHECK(by_operation["embedding_forward"].bytes == rows * (2 * row + 4));
    // What is computed again is no work of the model, and two parts are twice the work.
    s.shape.recompute = Recompute::layer;
    Engine again_engine{machine};
    Trainer again(again_engine, c, s);
    CHECK(again.work().flops == flops);
    s.accumulate = 2;
    Engine twice_engine{machine};
    Trainer twice(twice_engine, c, s);
    CHECK(twice.work().flops == 2 * flops);
    // The least time: of each call the longer of its two.
    const Limits limits{1e9, 1e9};
    double least = 0;
    trainer.each_call([&](const Call& call) { least += std::max(call.work.flops, call.work.bytes) / 1e9; });
    CHECK(trainer.least_seconds(limits) == doctest::Approx(least));
    const auto times = trainer.profile(limits);
    double told = 0;
    for (const auto& [operation, own] : times) told += own.least;
    CHECK(told == doctest::Approx(1e3 * least));
    CHECK(times.at("matmul").calls > times.at("attention_forward").calls);
    CHECK(trainer.profile({}).at("matmul").least == 0);
  }
}

TEST_CASE("gpt: limits of cards that are known, and of no others") {
  CHECK(limits_of("NVIDIA H200", ADJ_BF16).flops == 989e12);
  CHECK(limits_of("NVIDIA H200", ADJ_BF16).bytes == 4800e9);
  CHECK(limits_of("NVIDIA H200", ADJ_F32).flops == 67e12);
  CHECK_FALSE(limits_of("NVIDIA L4", ADJ_F64).known());  // the data sheet does not say
  for (const char* name : {"host backend", "Fake device", "NVIDIA H200 ", ""}) CHECK_FALSE(limits_of(name, ADJ_BF16).known());
}

TEST_CASE("gpt: the picture of a step has its operations, the longest first") {
  const std::map<std::string, Trainer::Times> times = {{"adam", {1, 0.5, 2}}, {"matmul", {3, 3, 7}}, {"a < b & c", {0, 0, 1}}};
  const TimePicture known("a title", times, true), unknown("a title", times, false);
  const std::string text = known.text(), svg = known.svg();
  CHECK(text.find("matmul") < text.find("adam"));
  CHECK(text.find("75.0 %  ########################################\n") != std::string::npos);
  CHECK(text.find("25.0 %  #######......\n") != std::string::npos);
  CHECK(unknown.text().find("25.0 %  =============\n") != std::string::npos);
  CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("limit") != std::string::npos);
  CHECK(unknown.svg().find("limit") == std::string::npos);
  CHECK_FALSE(TimePicture("", {}, true).svg().empty());
}

TEST_CASE("gpt: files that change while they are trained on are found out") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("adjoint-gpt-{}", ::getpid());
  std::filesystem::create_directory(folder);
  const auto write = [&](int file, std::size_t count) {
    REQUIRE(adj::write_file((folder / fmt::format("{}.bin", file)).string(), token_file(Tokens(count, file), 100), 0600));
  };
  for (int file = 0; file < 4; ++file) write(file, 10);
  const TokenFiles files({folder.string()}, 100, nullptr);  // which has the last three in memory
  REQUIRE(files.size() == 4);
  CHECK(files.tokens() == 40);
  CHECK((*files.get(0))[9] == 0);
  write(0, 11);
  write(1, 11);
  CHECK(files.get(0)->count == 10);  // still in memory
  CHECK_THROWS_WITH(files.get(1), fmt::format("'{}/1.bin' has 11 tokens and had 10 at the start of the training", folder.string()).c_str());
  write(1, 10);
  CHECK(files.get(1)->count == 10);
  std::filesystem::remove_all(folder);
  CHECK_THROWS(files.get(2));
}

TEST_CASE("gpt: what a tokenizer encodes it decodes to the same bytes") {
  // The characters of bytes, and tokens of two and three of them; byte b has the token 255 - b.
  nlohmann::json vocabulary, merges = nlohmann::json::array({"t h", "th e", "\u0120 the", "a a"});
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool itself = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    const std::uint32_t c = itself ? byte : next++;
    vocabulary[c < 0x80 ? std::string(1, static_cast<char>(c)) : std::string{static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))}] =
        255 - byte;
  }
  for (const char* token : {"th", "the", "\u0120the", "aa"}) vocabulary[token] = vocabulary.size();
  const nlohmann::json file = {{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}},
                               {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                               {"added_tokens", {{{"id", 260}, {"content", "<|end|>"}}}}};
  const Tokenizer tokenizer(file.dump(), "a file");
  REQUIRE(tokenizer.size() == 261);
  const auto byte = [](char c) { return 255 - static_cast<unsigned char>(c); };
  CHECK(tokenizer.encode("the then aaaaa<|end|>") == Tokens{257, 258, byte('n'), byte(' '), 259, 259, byte('a'), 260});
  CHECK(tokenizer.decode({260, 258, 259, byte('\0')}) == std::string("<|end|> theaa\0", 14));
  CHECK(tokenizer.encode("").empty());
  std::string all;
  for (std::uint64_t i = 0; i < 3000; ++i) all += static_cast<char>(mix(i) % 7 == 0 ? "the a'\n"[mix(i) / 7 % 7] : static_cast<char>(mix(i)));
  CHECK(tokenizer.decode(tokenizer.encode(all)) == all);  // bytes that are no UTF-8 among them
  const std::string many(300000, 'a');                     // one word
  CHECK(tokenizer.encode(many).size() == 150000);
}

TEST_CASE("gpt: words of a text, by two patterns") {
  const auto words = [](std::string_view text, WordPattern pattern) {
    std::string joined;
    Words all(text, pattern);
    for (std::string_view word = all.next(); !word.empty(); word = all.next()) joined += (joined.empty() ? "" : "|") + std::string(word);
    return joined;
  };
  const auto check = [&](std::string_view text, std::string_view gpt2, std::string_view llama3) {
    CHECK(words(text, WordPattern::gpt2) == gpt2);
    CHECK(words(text, WordPattern::llama3) == llama3);
  };
  check("", "", "");
  check("I'll SAY'S", "I|'ll| SAY|'|S", "I|'ll| SAY|'S");
  check("a  b", "a| | b", "a| | b");
  check("12345 1", "12345| 1", "123|45| |1");
  check("(a) .b!\n\n c", "(|a|)| .|b|!|\n\n| c", "(a|)| .|b|!\n\n| c");
  check("a \n \n  b", "a| \n \n | b", "a| \n \n| | b");
  check("\xC3\xA9\xFF\xC3", "\xC3\xA9|\xFF\xC3", "\xC3\xA9|\xFF\xC3");
}

TEST_CASE("gpt: what is printed steers no terminal") {
  CHECK(printable("a\tb\nc") == "a\tb\nc");
  CHECK(printable("\x1b[2J\r\x7f") == "?[2J??");
  CHECK(printable("\xC3\xA9\xC2\x9B\xC3") == "\xC3\xA9??");            // a control character of two bytes, and half of a letter
  CHECK(printable("\xED\xA0\x80\xC0\x80\xF4\x90\x80\x80") == "?????????");  // a surrogate, an overlong zero, beyond Unicode
  CHECK(printable("\xF0\x9F\x99\x82") == "\xF0\x9F\x99\x82");
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

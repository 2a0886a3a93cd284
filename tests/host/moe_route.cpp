// The router of mixtures of experts on the host stream: choices and weights worked out by hand, and its gradient by differences.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <adjoint/ops/moe.h>
#include <doctest/doctest.h>

#include "support.hpp"

namespace {

using namespace support;
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

struct Route {
  Ints experts, counts;
  Floats weights;
  std::int64_t counted = -1, errors = 0;
  double loss = 0;
};
Route route(adj_moe_route_descriptor d, Floats logits, Floats bias = {}, std::vector<std::uint8_t> mask = {}) {
  d.element = ADJ_F32;
  d.tokens = static_cast<std::int64_t>(logits.size()) / d.num_experts;
  d.has_bias = !bias.empty();
  const auto pairs = static_cast<std::size_t>(d.tokens * d.top_k);
  Route r{Ints(pairs, -7), Ints(static_cast<std::size_t>(d.num_experts), -7), Floats(pairs, -7)};
  std::vector<std::int64_t> counted{-7}, flag{0};
  Floats loss{-7};
  adj_moe_route_args args;
  args.logits = tensor(logits), args.experts = tensor(r.experts), args.weights = tensor(r.weights), args.counts = tensor(r.counts);
  args.error_flag = tensor(flag);
  if (d.has_bias) args.expert_bias = tensor(bias);
  if (!mask.empty()) args.mask = tensor(mask), args.mask.dtype = ADJ_BOOL;
  if (d.has_losses) args.counted = tensor(counted), args.loss = tensor(loss);
  auto ok = run(d, args);
  REQUIRE_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
  r.counted = counted[0], r.loss = static_cast<double>(loss[0]), r.errors = flag[0];
  return r;
}

}  // namespace

TEST_CASE("a router chooses the largest logits, the lower expert of equal ones") {
  const Route r = route({.num_experts = 4, .top_k = 2}, {1, 3, 3, 0, 0, 0, 0, 0});
  CHECK(r.experts == Ints{1, 2, 0, 1});
  CHECK(r.weights == Floats{0.5f, 0.5f, 0.5f, 0.5f});
  CHECK(r.counts == Ints{1, 2, 1, 0});
  const Route all = route({.num_experts = 2, .top_k = 1, .score = ADJ_MOE_SCORE_SOFTMAX}, {0, std::log(3.0f)});
  CHECK(all.experts == Ints{1});
  CHECK(std::fabs(static_cast<double>(all.weights[0]) - 0.75) < 1e-6);
}

TEST_CASE("a bias and groups steer the choice, not the weights") {
  const Route r = route({.num_experts = 3, .top_k = 1, .score = ADJ_MOE_SCORE_SIGMOID}, {0, 0, 0}, {0, 0.5f, 0.25f});
  CHECK(r.experts == Ints{1});
  CHECK(r.weights == Floats{0.5f});
  // Groups {5, -9}, {3, 2}, {4, 0}: sums of two; the best two are the second and the third.
  const Route grouped = route({.num_experts = 6, .top_k = 4, .groups = 3, .top_groups = 2}, {5, -9, 3, 2, 4, 0});
  CHECK(grouped.experts == Ints{4, 2, 3, 5});
}

TEST_CASE("a NaN is chosen last and counted, and a masked token does not count") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Route r = route({.num_experts = 3, .top_k = 2, .score = ADJ_MOE_SCORE_SOFTMAX}, {kNan, 0, 0, kNan, kNan, 7});
  CHECK(r.experts == Ints{1, 2, 2, 0});
  CHECK(r.weights[0] == 0.5f);
  CHECK(r.weights[2] == 1.0f);
  CHECK(std::isnan(r.weights[3]));
  CHECK(r.errors == 2);
  const Route masked = route({.num_experts = 2, .top_k = 1, .balance = 1, .has_losses = 1}, {1, 0, 0, 1}, {}, {0, 1});
  CHECK(masked.experts == Ints{-1, 1});
  CHECK(masked.weights == Floats{0, 1});
  CHECK(masked.counted == 1);
}

TEST_CASE("a balanced router has the loss that balance names") {
  const Route r = route({.num_experts = 2, .top_k = 1, .balance = 0.25, .has_losses = 1}, {1, 0, 0, 1});
  CHECK(std::fabs(r.loss - 0.25) < 1e-7);
  const Route z = route({.num_experts = 2, .top_k = 1, .z_loss = 2, .has_losses = 1}, {0, 0});
  CHECK(std::fabs(z.loss - 2 * std::pow(std::log(2.0), 2)) < 1e-6);
}

TEST_CASE("the gradient of a router is its slope by differences") {
  std::mt19937_64 rng(5);
  std::normal_distribution<float> normal;
  constexpr std::int64_t kTokens = 5, kExperts = 6, kTopK = 3;
  for (adj_moe_score score : {ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN, ADJ_MOE_SCORE_SOFTMAX, ADJ_MOE_SCORE_SIGMOID, ADJ_MOE_SCORE_SQRT_SOFTPLUS})
    for (int normalise : {0, 1}) {
      if (normalise && score == ADJ_MOE_SCORE_SOFTMAX_OF_CHOSEN) continue;
      const adj_moe_route_descriptor d{
          .num_experts = kExperts, .top_k = kTopK, .scale = 2.5, .balance = 0.5, .z_loss = 0.25, .score = score, .normalise = normalise, .has_losses = 1};
      Floats logits(kTokens * kExperts), dweights(kTokens * kTopK), dlogits(logits.size(), -7), dloss{1.5f};
      // Logits of a token are far enough apart that no step changes the choice.
      for (std::size_t t = 0; t < kTokens; ++t) {
        const auto own = logits.begin() + static_cast<std::ptrdiff_t>(t) * kExperts;
        for (std::int64_t e = 0; e < kExperts; ++e) own[e] = 0.5f * static_cast<float>(e - kExperts / 2) + std::clamp(0.1f * normal(rng), -0.2f, 0.2f);
        std::shuffle(own, own + kExperts, rng);
      }
      for (float& x : dweights) x = normal(rng);
      Route r = route(d, logits);
      std::vector<std::int64_t> counted{r.counted};
      adj_moe_route_backward_args args;
      args.logits = tensor(logits), args.experts = tensor(r.experts), args.dweights = tensor(dweights), args.counts = tensor(r.counts);
      args.counted = tensor(counted), args.dloss = tensor(dloss), args.dlogits = tensor(dlogits);
      REQUIRE(run(adj_moe_route_backward_descriptor{.tokens = kTokens,
                                                    .num_experts = kExperts,
                                                    .top_k = kTopK,
                                                    .scale = d.scale,
                                                    .balance = d.balance,
                                                    .z_loss = d.z_loss,
                                                    .score = score,
                                                    .normalise = normalise,
                                                    .has_losses = 1,
                                                    .element = ADJ_F32},
                  args)
                  .ok());
      const auto value = [&](std::size_t i, float step) {
        Floats moved = logits;
        moved[i] += step;
        const Route at = route(d, moved);
        REQUIRE(at.experts == r.experts);
        double sum = 1.5 * at.loss;
        for (std::size_t n = 0; n < dweights.size(); ++n) sum += static_cast<double>(dweights[n]) * static_cast<double>(at.weights[n]);
        return sum;
      };
      for (std::size_t i = 0; i < logits.size(); ++i) {
        INFO("score " << static_cast<int>(score) << ", logit " << i);
        constexpr float kStep = 0x1p-8f;
        CHECK(std::fabs((value(i, kStep) - value(i, -kStep)) / (2 * static_cast<double>(kStep)) - static_cast<double>(dlogits[i])) < 1e-3);
      }
    }
}

TEST_CASE("refusals of routers name field and value") {
  std::string message;
  const auto refuse = [&](const adj_moe_route_descriptor& d) {
    CHECK(select_status(d, &message) == ADJ_ERROR_INVALID_PROBLEM);
    return message;
  };
  CHECK(refuse({.tokens = 1, .num_experts = 4, .top_k = 5, .element = ADJ_F32}) == "moe_route: top_k = 5 is above num_experts");
  CHECK(refuse({.tokens = 1, .num_experts = 4, .top_k = 2, .balance = 1, .element = ADJ_F32}) == "moe_route: balance = 1 is set, but has_losses is 0");
  CHECK(refuse({.tokens = 1, .num_experts = 4, .top_k = 2, .groups = 3, .top_groups = 1, .element = ADJ_F32}) ==
        "moe_route: groups = 3 does not divide num_experts");
}

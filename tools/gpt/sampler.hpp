// Samples of a model, on one sequence. Every token takes a pass over the whole context, of all ranks together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trainer.hpp"

namespace gpt {

class Sampler {
 public:
  Sampler(Engine& engine, const Config& config, Trainer& trainer)
      : engine_(engine),
        config_(config),
        model_(engine, config, trainer.weights(), {.tokens = config.context, .training = false, .head = trainer.head()}),
        forward_(trainer.gathering(model_.forward(), model_.forward_reads())) {}

  // `count` tokens that follow the first one.
  Tokens sample(std::int64_t count, std::uint64_t seed, double temperature, std::int32_t first) {
    const auto context = static_cast<std::size_t>(config_.context);
    Tokens tokens{first}, window(context), block(static_cast<std::size_t>(model_.token_bytes()) / sizeof(std::int32_t));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t begin = tokens.size() > context ? tokens.size() - context : 0, used = tokens.size() - begin;
      std::copy(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.end(), window.begin());
      std::fill(window.begin() + static_cast<std::ptrdiff_t>(used), window.end(), 0);  // later tokens do not change earlier ones
      model_.encode(window.data(), window.data(), block.data());
      engine_.machine().upload(model_.tokens(), block.data(), block.size() * sizeof block[0]);
      run(forward_);
      tokens.push_back(
          draw(model_.scores_of(static_cast<std::int64_t>(used) - 1), temperature, (unit(seed, 0xFFFFFFFF, static_cast<std::uint64_t>(i)) + 1) / 2));
    }
    tokens.erase(tokens.begin());
    return tokens;
  }

 private:
  std::int32_t draw(const void* scores, double temperature, double at) {
    std::vector<double> weights(static_cast<std::size_t>(config_.vocabulary));
    adj::with_float(config_.type(), [&](auto* of) {
      std::vector<std::remove_pointer_t<decltype(of)>> own(weights.size());
      engine_.machine().download(own.data(), scores, own.size() * sizeof own[0]);
      std::transform(own.begin(), own.end(), weights.begin(), [](auto x) { return adj::to_double(x); });
    });
    const double top = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& w : weights) sum += w = std::exp((w - top) / temperature);
    at *= sum;
    std::int32_t token = 0;
    while (token + 1 < config_.vocabulary && (at -= weights[static_cast<std::size_t>(token)]) >= 0) ++token;
    return token;
  }

  Engine& engine_;
  const Config config_;
  Model model_;
  Calls forward_;
};

}  // namespace gpt

// The byte-level bigram model of the demo: its options, its text and its least loss.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support/engine.hpp"

constexpr std::int64_t kBytes = 256;
constexpr double kTolerance = 0.01;  // largest relative excess of the loss over the least loss

// Options of the command line.
struct Options {
  std::string file = "/usr/share/common-licenses/GPL-2", out = "loss_curve";
  std::int64_t steps = 100;
  double lr = 0.5;
  int ranks = 1;
  bool host = false;

  explicit Options(CLI::App& app) {
    app.add_option("file", file, "text to train on")->capture_default_str();
    app.add_option("--steps", steps, "training steps")->check(CLI::Range(1, 1000000))->capture_default_str();
    app.add_option("--lr", lr, "highest learning rate")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--ranks", ranks, "ranks that train together: on as many GPUs, or on threads of the host where there are fewer")
        ->check(CLI::Range(1, 64))
        ->take_last()
        ->capture_default_str();
    app.add_option("--out", out, "prefix of the loss curve's files")->capture_default_str();
    app.add_flag("--host", host, "use the host backend even when there is a GPU");
  }
  Options(const Options&) = delete;  // the app holds addresses of the members
};

inline std::vector<unsigned char> read_text(const std::string& file) {
  const auto text = adj::read_file(file, adj::Source::any);
  if (!text) throw std::runtime_error(text.error().message);
  if (text->size() < 2) throw std::runtime_error(fmt::format("'{}' is shorter than two bytes", file));
  return {text->begin(), text->end()};
}

// Entropy, in nats, of a byte given the byte before it: the least loss any bigram model can have on this text.
inline double conditional_entropy(const std::vector<unsigned char>& text) {
  std::vector<double> pairs(kBytes * kBytes), firsts(kBytes);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    ++pairs[text[i] * kBytes + text[i + 1]];
    ++firsts[text[i]];
  }
  double sum = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p)
    if (pairs[p] > 0) sum += pairs[p] * std::log(firsts[p / kBytes] / pairs[p]);
  return sum / static_cast<double>(text.size() - 1);
}

inline std::string guarantee_text(const adjoint::SkuInfo& sku) {
  const char* levels[] = {"", "none", "run_to_run", "shape_only", "batch_invariant"};
  return fmt::format("{} ({} accumulator, {:g} ulp + {:.1g} of the terms)", levels[sku.guarantee.determinism], adj_dtype_name(sku.guarantee.accumulator),
                     sku.guarantee.bound_ulp, sku.guarantee.bound_terms);
}

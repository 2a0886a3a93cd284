// Byte-level bigram model of the demos: its text, its least loss, and operations as an engine keeps them.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine.hpp"

constexpr std::int64_t kBytes = 256;
constexpr double kTolerance = 0.01;  // fraction by which the loss may exceed the least loss

// Options of the command line that both demos have.
struct Options {
  std::string file = "/usr/share/common-licenses/GPL-2", out = "loss_curve";
  std::int64_t steps;
  double lr = 0.5;
  bool host = false;

  Options(CLI::App& app, std::int64_t usual_steps) : steps(usual_steps) {
    app.add_option("file", file, "text to train on")->capture_default_str();
    app.add_option("--steps", steps, "training steps")->check(CLI::Range(1, 1000000))->capture_default_str();
    app.add_option("--lr", lr, "highest learning rate")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--out", out, "prefix of the loss curve's files")->capture_default_str();
    app.add_flag("--host", host, "use the host backend even when there is a GPU");
  }
  Options(const Options&) = delete;  // the app keeps addresses of the members
};

// Prints the verdict and returns the exit status. `failure`: another reason to fail, or null.
inline int conclude(const std::string& out, bool reached, const char* failure = nullptr) {
  if (!failure && !reached) failure = "the loss is not within 1 % of the entropy of the text";
  fmt::print("curve     {0}.svg, {0}.json\n\n{1}: {2}\n", out, failure ? "FAILED" : "PASSED", failure ? failure : "the loss reached the entropy of the text");
  return failure ? 1 : 0;
}

template <class T>
T must(adjoint::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
inline void must(adjoint::Result<void> result) {
  if (!result) throw std::runtime_error(result.error().message);
}

inline std::vector<unsigned char> read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<unsigned char> text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() < 2) throw std::runtime_error(fmt::format("'{}' cannot be read, or is shorter than two bytes", file));
  return text;
}

// Entropy of a byte given the byte before it, in nats: the least loss of any bigram model on this text.
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

// Operation as an engine keeps it: a plan with its scratch memory and its buffers.
template <class Descriptor, class Args>
struct Operation {
  adjoint::Plan<Descriptor, Args> plan;
  adjoint::Workspace workspace;
  Args args;

  Operation(Machine& machine, const Descriptor& descriptor, Args buffers)
      : plan(must(adjoint::Plan<Descriptor, Args>::select(machine.stream(), descriptor))),
        workspace{machine.allocate(plan.workspace_size()), plan.workspace_size()},
        args(buffers) {
    must(plan.can_implement(args));
  }
  void run(const adjoint::Stream& stream) const { must(plan.run(stream, workspace, args)); }
};

inline std::string guarantee_text(const adjoint::SkuInfo& sku) {
  const char* levels[] = {"", "none", "run_to_run", "shape_only", "batch_invariant"};
  return fmt::format("{} ({} accumulator, {:g} ulp + {:.1g} of the terms)", levels[sku.guarantee.determinism],
                     adj_dtype_name(sku.guarantee.accumulator), sku.guarantee.bound_ulp, sku.guarantee.bound_terms);
}

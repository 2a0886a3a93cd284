// Kernels that a backend launches behind calls of a library: those of adasum_all_reduce. The test gathers in place of NCCL.
#include <adjoint/ops/collective.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "harness/plans.hpp"
#include "kernels/collective/params.h"
#include "run.hpp"

namespace simt {

namespace {

using Vectors = std::vector<std::vector<double>>;  // of each rank

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0;
  for (std::size_t e = 0; e < a.size(); ++e) sum += static_cast<long double>(a[e]) * b[e];
  return static_cast<double>(sum);
}

// The combination of a power of two of vectors, by its definition.
std::vector<double> combined(const Vectors& all, std::size_t first, std::size_t count) {
  if (count == 1) return all[first];
  const auto a = combined(all, first, count / 2), b = combined(all, first + count / 2, count / 2);
  const double least = std::sqrt(std::numeric_limits<double>::min());
  auto factor = [&](const std::vector<double>& v) { return dot(v, v) < least ? 1 : 1 - dot(a, b) / (2 * dot(v, v)); };
  std::vector<double> sum(a.size());
  for (std::size_t e = 0; e < sum.size(); ++e) sum[e] = factor(a) * a[e] + factor(b) * b[e];
  return sum;
}

// Offset in the workspace of the vectors that the first level reads, and the parameters of its launches.
struct FirstLevel {
  std::uint64_t gathered = 0;
  std::vector<AdasumParams> launches;
};
FirstLevel first_level(const adj::Plan& plan) {
  FirstLevel level;
  for (const adj::Step& step : plan.steps)
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      AdasumParams p;
      std::memcpy(&p, kernel->params.data(), sizeof p);
      if (p.widened) break;
      if (!level.launches.empty() && p.chunk_base <= level.launches.back().chunk_base) break;  // of the second stage
      for (const adj::Binding& binding : kernel->bindings)
        if (binding.kind == adj::Binding::workspace && binding.offset == offsetof(AdasumParams, source)) level.gathered = binding.addend;
      level.launches.push_back(p);
    }
  return level;
}

}  // namespace

std::string run_adasum(const adj::Sku& sku, const char* arch, std::uint64_t seed, int& runs) {
  if (sku.op->id != ADJ_OP_ADASUM_ALL_REDUCE) return "nothing executes its kernels";
  const adj_dtype element = sku.signature[0];
  const auto stream = adj::offline_stream(arch);
  if (!stream) return {};
  struct Setting {
    std::int64_t ranks;
    std::vector<std::int64_t> numel;
    std::int64_t zero = -1;  // rank whose vector is zeros
    double value = 0;        // of all elements, unless 0
  };
  // One, two and three levels; tensors of one chunk and of two; more tensors than a launch takes. The squares of two elements 2^-256 add up to the
  // least product that counts; narrower types round them to 0.
  const Setting settings[] = {{2, {5, 0, kAdasumChunk, kAdasumChunk + 3}},
                              {2, std::vector<std::int64_t>(kAdasumTensors + 3, 7)},
                              {4, {33, kAdasumChunk + 1}},
                              {4, {3, 300}, 1},
                              {2, {20}, 0},
                              {8, {70, 0, 1}},
                              {2, {2}, -1, 0x1p-256}};
  for (const auto& [ranks, numel, zero, value] : settings) {
    adj_adasum_all_reduce_descriptor d;
    d.ranks = ranks;
    d.count = static_cast<std::int64_t>(numel.size());
    d.numel = numel.data();
    d.element = element;
    const std::string name =
        fmt::format("{} ranks, {} tensors{}{}", ranks, d.count, zero < 0 ? "" : ", a vector of zeros", value == 0 ? "" : ", tiny elements");
    auto problem = std::make_shared<harness::Problem>(harness::Problem::of(d));
    problem->handle("communicator", &d);
    auto plan = harness::select_sku(*stream, *problem, sku);
    if (!plan) return name + ": " + plan.error().message;
    harness::Rng rng(seed);
    std::vector<std::vector<harness::Data>> inputs;  // of each rank
    for (std::int64_t r = 0; r < ranks; ++r) {
      auto& own = r == 0 ? problem->list("inputs") : inputs.emplace_back(problem->list("inputs"));
      for (harness::Data& data : own) {
        harness::fill_normal(data, rng);
        if (value != 0) harness::fill_constant(data, value);
        for (std::int64_t e = 0; r == zero && e < data.numel(); ++e) data.set(e, 0);
      }
    }
    inputs.insert(inputs.begin(), problem->list("inputs"));

    harness::Outputs expected;
    expected.arguments.resize(problem->op().arguments.size());
    auto& results = expected.arguments[problem->argument("outputs")];
    results = problem->list("inputs");
    for (std::size_t t = 0; t < results.size(); ++t) {
      Vectors all(inputs.size());
      for (std::size_t r = 0; r < inputs.size(); ++r)
        for (std::int64_t e = 0; e < results[t].numel(); ++e) all[r].push_back(inputs[r][t].get(e));
      const auto sum = combined(all, 0, all.size());
      for (std::int64_t e = 0; e < results[t].numel(); ++e) results[t].set(e, sum[static_cast<std::size_t>(e)]);
    }

    const FirstLevel level = first_level(**plan);
    const std::size_t size = adj::size_of(element);
    auto gather = [&](std::byte* workspace) {
      std::size_t t = 0;
      for (const AdasumParams& p : level.launches)
        for (int i = 0; i < p.tensors; ++i, ++t)
          for (std::size_t r = 0; r < inputs.size(); ++r) {
            const auto& bytes = inputs[r][t].bytes;
            std::byte* to = workspace + level.gathered + static_cast<std::size_t>(p.starts[i] * ranks + static_cast<std::int64_t>(r) * p.numel[i]) * size;
            std::memcpy(to, bytes.data(), bytes.size());
            set_contents(to, bytes.size(), Contents::initialised);
          }
    };
    const double most = value == 0 ? 10 : 2 * value;  // an element and its terms are smaller
    harness::Case c{name, problem, [most](const harness::Problem& of, const std::string&) {
                      std::vector<std::vector<double>> sizes;
                      for (const harness::Data& data : of.contents()[of.argument("inputs")].data)
                        sizes.emplace_back(static_cast<std::size_t>(data.numel()), most);
                      return sizes;
                    }};
    std::optional<harness::Outputs> first;
    for (const Trial& trial : {Trial{seed, 0xCD, 0, false}, Trial{seed + 1, 0xFF, 1, false}}) {
      ++runs;
      const Run run = simt::run(**plan, *problem, trial, gather);
      if (run.fault) return name + ": " + run.fault->message;
      if (const auto comparison = harness::compare(c, sku, run.outputs, expected); !comparison.ok) return name + ": " + comparison.message;
      if (!first) first = run.outputs;
      else if (!harness::same_bits(*first, run.outputs)) return name + ": the bits depend on the order of execution";
    }
  }
  return {};
}

}  // namespace simt

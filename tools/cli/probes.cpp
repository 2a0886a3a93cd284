#include "probes.hpp"

#include <adjoint/ops/attention.h>
#include <adjoint/ops/matmul.h>
#include <fmt/format.h>

#include <cmath>

#include "harness/device_problem.hpp"
#include "harness/plans.hpp"

namespace cli {

namespace {

using harness::Data;
using harness::Problem;

// Runs a problem with the plan that select takes, of `backend` where that has one, and asks right(outputs of the argument), which returns what is wrong, or
// nothing.
template <class Right>
Probe run(const harness::Gpu& gpu, std::string name, const Problem& problem, const char* output, adj_backend backend, Right right) {
  adj_preference preference;
  preference.backend = backend;
  const adj_stream stream = gpu.stream();
  auto selected = adj::select_plan(stream, problem.descriptor(), &preference);
  // All that the library offers may be refused; then the default must be right.
  if (!selected && selected.error().code == ADJ_ERROR_UNSUPPORTED) {
    preference.backend = ADJ_BACKEND_ANY;
    selected = adj::select_plan(stream, problem.descriptor(), &preference);
  }
  if (!selected) return {std::move(name), false, "not tried: " + selected.error().message};
  const harness::PlanHandle plan(*selected);
  harness::DeviceProblem device(gpu, problem, 0, false);
  const harness::DeviceBuffer scratch(gpu, plan->workspace_size);
  device.upload(0xCD);
  if (auto ran = adj::run_plan(*plan, stream, {scratch.data(), plan->workspace_size}, device.args()); !ran)
    return {std::move(name), false, ran.error().message};
  gpu.synchronize();
  const harness::Outputs outputs = device.download();
  const Data& data = outputs.arguments[problem.argument(output)].at(0);
  for (std::int64_t i = 0; i < data.numel(); ++i)
    if (const std::string wrong = right(data.get(i)); !wrong.empty()) return {std::move(name), false, fmt::format("{} gives {}", plan->sku->id, wrong)};
  return {std::move(name), true, plan->sku->id};
}

}  // namespace

std::vector<Probe> probe_device(int ordinal) {
  std::vector<Probe> probes;
  const harness::Gpu gpu(ordinal);
  if (adj::cublaslt()) {
    // An algorithm of cuBLASLt leaves the last terms of such sums out.
    static constexpr std::int64_t kShapes[][3] = {{1, 8, 23048}, {8, 8, 30992}, {8, 8, 12808}};
    for (const auto& [m, n, k] : kShapes) {
      adj_matmul_descriptor d;
      d.m = m, d.n = n, d.k = k, d.transpose_a = m == 1, d.element = ADJ_BF16, d.out = ADJ_F32;
      Problem problem = Problem::of(d);
      for (const char* name : {"a", "b"}) harness::fill_constant(problem.tensor(name), 1);
      probes.push_back(run(gpu, fmt::format("sums of {} ones", k), problem, "d", ADJ_BACKEND_CUBLASLT,
                           [sum = static_cast<double>(k)](double x) { return x == sum ? "" : fmt::format("{}", x); }));
    }
    // An algorithm leaves the slope of gelu out, which is 1/2 at 0.
    adj_matmul_descriptor d;
    d.m = d.n = 128, d.k = 19104, d.transpose_a = d.transpose_b = 1, d.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD, d.element = d.out = ADJ_F16;
    Problem slopes = Problem::of(d);
    for (const char* name : {"a", "b"}) harness::fill_constant(slopes.tensor(name), 1);
    harness::fill_constant(slopes.tensor("saved"), 0);
    probes.push_back(run(gpu, "a gradient of gelu", slopes, "d", ADJ_BACKEND_CUBLASLT, [](double x) { return x == 9552 ? "" : fmt::format("{}", x); }));
    // An algorithm writes a part of the sums of one column alone.
    d = {};
    d.m = 192, d.n = 1, d.k = 2016, d.transpose_a = 1, d.has_dbias = 1, d.element = ADJ_F16;
    Problem sums = Problem::of(d);
    for (const char* name : {"a", "b"}) harness::fill_constant(sums.tensor(name), 1);
    probes.push_back(run(gpu, "a gradient of a bias", sums, "dbias", ADJ_BACKEND_CUBLASLT, [](double x) { return x == 2016 ? "" : fmt::format("{}", x); }));
  }
  if (adj::cudnn()) {
    // cuDNN makes the scores of masked keys infinite where the scale is negative.
    adj_attention_forward_descriptor d;
    d.batch = 1, d.tokens = 393, d.heads = 1, d.head_dim = 64, d.causal = 1, d.scale = -0.1, d.element = ADJ_F16;
    Problem problem = Problem::of(d);
    harness::Rng rng(1);
    for (const char* name : {"q", "k", "v"}) harness::fill_uniform(problem.tensor(name), rng, -1, 1);
    probes.push_back(run(gpu, "attention with a negative scale", problem, "out", ADJ_BACKEND_ANY,
                         [](double x) { return std::fabs(x) <= 1 ? "" : fmt::format("{} for a mean of numbers below 1", x); }));
  }
  return probes;
}

}  // namespace cli

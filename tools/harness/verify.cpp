#include "harness/verify.hpp"

#include <stdexcept>

#include "harness/accuracy.hpp"
#include "harness/device_problem.hpp"
#include "harness/plans.hpp"
#include "harness/rows.hpp"

namespace harness {

namespace {
void check(const adj::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}
}  // namespace

adj::Result<void> accepts(const Gpu& gpu, const Problem& problem, const adj::Sku& sku) {
  auto selected = select_sku(gpu.stream(), problem, sku);
  if (selected) return {};
  return selected.take_error();
}

Outcome verify_on_gpu(const Gpu& gpu, const Case& c, const adj::Sku& sku, const Outputs& reference, const Trials& trials) {
  const Problem& problem = *c.problem;
  const adj_stream stream = gpu.stream();
  Outcome outcome;
  auto selected = select_sku(stream, problem, sku);
  if (!selected) throw std::runtime_error(selected.error().message);
  adj::Plan& plan = **selected;
  auto fail = [&](const std::string& what) {
    outcome.ok = false;
    if (outcome.message.empty()) outcome.message = fmt::format("{} on {}: {}", c.name, sku.id, what);
  };

  DeviceProblem device(gpu, problem, trials.misalign, trials.apart);
  DeviceBuffer scratch(gpu, plan.bind_workspace_size, trials.apart);
  const adj_workspace workspace{scratch.data(), plan.bind_workspace_size};
  auto settle = [&](const char* how) {
    gpu.synchronize();
    Outputs outputs = device.download();
    if (const std::string& name = device.broken_guard(); !name.empty()) fail(fmt::format("{}: wrote outside {}", how, name));
    if (!scratch.guards_intact()) fail(fmt::format("{}: wrote outside the workspace", how));
    return outputs;
  };
  auto run = [&](unsigned char poison, const char* how) {
    device.upload(poison);
    scratch.fill(poison);
    check(adj::run_plan(plan, stream, workspace, device.args()));
    return settle(how);
  };

  check(adj::can_implement(plan, device.args()));
  const Outputs first = run(0xCD, "run");
  if (c.unspecified) return outcome;
  const Comparison comparison = compare(c, sku, first, reference);
  outcome.worst = comparison.worst;
  outcome.worst_ulp = largest_error_ulp(first, reference);
  if (!comparison.ok) fail(comparison.message);

  if (const auto changed = changed_by_skip(problem, first).value_or(""); !changed.empty()) fail(changed);
  // Runs another problem, bound first or not, and returns its outputs.
  auto run_other = [&](const Problem& of, std::uint64_t misalign, bool binds) {
    auto own = select_sku(stream, of, sku);
    if (!own) throw std::runtime_error(own.error().message);
    DeviceProblem other(gpu, of, misalign, trials.apart);
    const DeviceBuffer memory(gpu, (*own)->bind_workspace_size, trials.apart);
    const adj_workspace space{memory.data(), (*own)->bind_workspace_size};
    other.upload(0xCD);
    if (binds) {
      auto bound = adj::bind_plan(**own, stream, space, other.args());
      if (!bound) throw std::runtime_error(bound.error().message);
      const BoundHandle handle(*bound);
      check(adj::run_bound(**bound, stream));
      gpu.synchronize();
    } else {
      check(adj::run_plan(**own, stream, space, other.args()));
      gpu.synchronize();
    }
    return other.download();
  };
  if (c.twin && accepts(gpu, *c.twin, sku) && !same_bits(first, run_other(*c.twin, trials.misalign, false))) fail("the bits are not those of the twin");
  if (trials.misalign == 0 && sku.guarantee.bit_stable && same_anywhere(problem))
    for (const bool binds : {false, true})
      if (!same_bits(first, run_other(problem, 1, binds))) fail("the bits depend on where the buffers lie");
  if (trials.bound)
    for (const Variation& variation : variations_of(problem))
      for (const bool binds : {false, true})
        if (const std::string what = difference(problem, first, variation, run_other(variation.problem, trials.misalign, binds)); !what.empty()) fail(what);

  if (trials.bound && trials.misalign == 0 && promises_rows(sku, problem))
    for (const Part& part : parts_of(problem)) {
      if (!accepts(gpu, part.problem, sku)) continue;
      if (const std::string what = difference(problem, first, part, run_other(part.problem, 0, false), sku); !what.empty()) fail(what);
    }

  const bool stable = sku.guarantee.bit_stable;
  auto expect_same = [&](const Outputs& outputs, const char* how) {
    if (stable ? !same_bits(first, outputs) : !compare(c, sku, outputs, reference).ok) fail(fmt::format("{} differs from the first run", how));
  };
  for (int i = 1; i < trials.repeats; ++i) expect_same(run(i % 2 ? 0xFF : 0x00, "repeated run"), "a repeated run");

  if (trials.graph) {
    const Graph graph(gpu, [&] { check(adj::run_plan(plan, stream, workspace, device.args())); });
    for (const unsigned char poison : {0xFF, 0x3C}) {
      device.upload(poison);
      scratch.fill(poison);
      graph.launch();
      expect_same(settle("graph replay"), "a graph replay");
    }
  }
  if (trials.bound) {
    device.upload(0xCD);
    scratch.fill(0xFF);
    auto bound = adj::bind_plan(plan, stream, workspace, device.args());
    if (!bound) throw std::runtime_error(bound.error().message);
    const BoundHandle handle(*bound);
    check(adj::run_bound(**bound, stream));
    expect_same(settle("bound run"), "a bound run");
    device.upload(0xCD);
    const Graph graph(gpu, [&] { check(adj::run_bound(**bound, stream)); });
    graph.launch();
    expect_same(settle("bound graph replay"), "a bound graph replay");
  }
  return outcome;
}

}  // namespace harness

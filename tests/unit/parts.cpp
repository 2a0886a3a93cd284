// Plans that contain plans of other operators, on an offline device: what their steps bind, and what is refused.
#include <algorithm>
#include <memory>
#include <string>

#include <adjoint/ops/loss.h>
#include <doctest/doctest.h>

#include "plan/plan.hpp"

namespace {

using Descriptor = adj_linear_cross_entropy_descriptor;
using Plan = std::unique_ptr<adj::Plan, void (*)(adj::Plan*)>;

Descriptor descriptor(std::int64_t chunk) {
  return {.samples = 48, .hidden = 64, .num_classes = 1000, .chunk_rows = chunk, .with_gradient = 1, .element = ADJ_BF16, .label = ADJ_I64};
}
Plan select(const Descriptor& d, std::string* message = nullptr, std::uint64_t workspace_limit = adj_preference().workspace_limit) {
  adj_preference preference;
  preference.backend = ADJ_BACKEND_BESPOKE;
  preference.workspace_limit = workspace_limit;
  auto plan = adj::select_plan(*adj::offline_stream("sm_90a"), &d.header, &preference);
  if (!plan && message) *message = plan.error().message;
  return Plan(plan ? *plan : nullptr, [](adj::Plan* p) {
    if (p) adj::release(p);
  });
}

}  // namespace

TEST_CASE("the steps of parts are those of the plan, on its arguments and its workspace") {
  const Plan plan = select(descriptor(16));
  REQUIRE(plan);
  CHECK(adj::check_bounds(*plan).ok());
  CHECK(plan->tables.empty());
  std::uint64_t furthest_input = 0, furthest_label = 0;
  for (const adj::Step& step : plan->steps) {
    const auto* kernel = std::get_if<adj::KernelStep>(&step);
    if (!kernel) continue;
    CHECK(std::ranges::find(plan->sku->programs, kernel->program) != plan->sku->programs.end());
    for (const adj::Binding& b : kernel->bindings) {
      if (b.kind == adj::Binding::workspace) CHECK(b.addend < plan->workspace_size);
      if (b.kind != adj::Binding::tensor) continue;
      REQUIRE(b.argument < plan->specs.size());
      const std::string name = plan->op->arguments[b.argument].name;
      if (name == "input") furthest_input = std::max(furthest_input, b.addend);
      if (name == "labels") furthest_label = std::max(furthest_label, b.addend);
    }
  }
  CHECK(furthest_input == 32 * 64 * 2);  // the third chunk
  CHECK(furthest_label == 32 * 8);

  // A tensor of a part that begins behind its argument.
  for (adj::Step& step : plan->steps)
    if (auto* kernel = std::get_if<adj::KernelStep>(&step))
      for (adj::Binding& b : kernel->bindings)
        if (b.kind == adj::Binding::tensor) {
          const std::uint64_t old = b.addend;
          b.addend = plan->specs[b.argument].bytes;
          const auto checked = adj::check_bounds(*plan);
          REQUIRE_FALSE(checked.ok());
          CHECK(checked.error().message.find("points to byte") != std::string::npos);
          b.addend = old;
        }
}

TEST_CASE("parts share workspace, keep to its limit, and say why none serves") {
  const Plan one = select(descriptor(48)), three = select(descriptor(16));
  REQUIRE(one);
  REQUIRE(three);
  CHECK(one->count_steps(false) < three->count_steps(false));
  CHECK(three->workspace_size < one->workspace_size);
  CHECK(one->workspace_size < 2 * 48 * 1000 * 2);
  std::string message;
  CHECK_FALSE(select(descriptor(48), &message, 48 * 1000 * 2 - 1));
  CHECK(message.find("workspace") != std::string::npos);
  // An odd chunk of rows of 8 bytes: its launches take the programs for any address.
  Descriptor odd = descriptor(1);
  odd.hidden = 4;
  const Plan unaligned = select(odd);
  REQUIRE(unaligned);
  CHECK(adj::check_bounds(*unaligned).ok());
}

// Plans for offline devices: for every case and every SKU that accepts it, all launches are within the limits of the device.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "harness/harness.hpp"
#include "slow.hpp"

using namespace adj;

namespace {

constexpr unsigned kMostThreads = 1024, kMostGridY = 65535, kMostCluster = 8;

void check_kernel(const KernelStep& step, const Device& device, std::uint64_t workspace) {
  const cu::LaunchConfig& c = step.config;
  CHECK(c.grid_x >= 1);
  CHECK(c.grid_y >= 1);
  CHECK(c.grid_y <= kMostGridY);
  CHECK(c.grid_z == 1);
  CHECK(c.block_x * c.block_y * c.block_z >= 1);
  CHECK(c.block_x * c.block_y * c.block_z <= kMostThreads);
  if (step.unaligned_program) CHECK(step.unaligned_block >= 1);
  CHECK(step.unaligned_block <= kMostThreads);
  CHECK(c.shared_bytes <= device.shared_optin);
  CHECK(step.params.size() > 0);
  CHECK(step.params.size() <= device.param_bytes);
  CHECK(step.cluster >= 1);
  CHECK(step.cluster <= kMostCluster);
  CHECK(c.grid_x % step.cluster == 0);
  CHECK(c.attribute_count == 0);  // set when it is launched
  for (const Binding& binding : step.bindings) {
    const std::size_t bytes = binding.kind == Binding::list     ? binding.count * 4
                              : binding.kind == Binding::scalar ? sizeof(adj_scalar)
                              : binding.kind == Binding::random ? sizeof(adj_random)
                                                                : sizeof(void*);
    if (binding.kind == Binding::list) CHECK(binding.high + binding.count * 2 <= step.params.size());
    CHECK(binding.offset + bytes <= step.params.size());
    if (binding.kind == Binding::workspace) CHECK(binding.addend <= workspace);
  }
}

void check_steps(const Plan& plan, const Device& device) {
  for (const Step& step : plan.steps) {
    const std::uint64_t workspace = step.in(false) ? plan.workspace_size : plan.bind_workspace_size;
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      check_kernel(*kernel, device, workspace);
    } else if (const auto* memset = std::get_if<MemsetStep>(&step)) {
      const std::uint64_t room = memset->workspace ? workspace : plan.specs[memset->argument].bytes;
      CHECK(memset->offset + memset->bytes <= room);
    } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
      CHECK(plan.specs[copy->from].bytes == plan.specs[copy->to].bytes);
      CHECK(plan.specs[copy->from].numel.size() == plan.specs[copy->to].numel.size());
    } else {
      CHECK_FALSE(std::holds_alternative<HostStep>(step));  // nothing of a GPU plan runs on the host
    }
  }
}

bool has_kernels(const OpInfo& op, const Signature& signature, int cc) {
  return std::ranges::any_of(skus_of(op),
                             [&](const Sku& sku) { return sku.signature == signature && sku.variant->backend != ADJ_BACKEND_HOST && check_arch(sku, cc); });
}

}  // namespace

TEST_CASE("every case of every operator, for every SKU on its architectures, is planned within the device's limits") {
  // Each case on sm_90a, and on the others by turns: their kernels differ in little. Where cases are slow, on one of both.
  constexpr const char* kOthers[] = {"sm_80", "sm_86", "sm_100", "sm_120"};
  int plans = 0, refusals = 0;
  std::size_t turn = 0;
  for (const OpInfo* op : all_ops())
    for (const Signature& signature : op->signatures)
      for (const harness::Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        const char* const both[] = {"sm_90a", kOthers[turn % std::size(kOthers)]};
        const bool other = turn++ / std::size(kOthers) % 2;
        for (const char* arch : kSlowCases ? std::span(both).subspan(other, 1) : std::span(both)) {
          const adj_stream stream = *offline_stream(arch);
          const Device& device = **stream_device(stream);
          if (!has_kernels(*op, signature, device.cc)) {
            auto refused = select_plan(stream, c.problem->descriptor(), nullptr);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().code == ADJ_ERROR_UNSUPPORTED);
            ++refusals;
            continue;
          }
          adj_preference any;
          any.determinism = ADJ_NONDETERMINISTIC;
          auto candidates = explain_plan(stream, c.problem->descriptor(), &any);
          REQUIRE(candidates);
          CHECK(std::any_of(candidates->begin(), candidates->end(),
                            [](const Rejection& r) { return r.code == ADJ_OK && find_sku(r.sku)->guarantee.determinism >= ADJ_RUN_TO_RUN; }));
          auto by_default = select_plan(stream, c.problem->descriptor(), nullptr);
          REQUIRE(by_default);
          CHECK((*by_default)->sku->guarantee.determinism >= ADJ_RUN_TO_RUN);
          release(*by_default);
          for (const Rejection& candidate : *candidates) {
            CHECK_FALSE(candidate.reason.empty());
            if (candidate.code != ADJ_OK) continue;
            CAPTURE(candidate.sku);
            CAPTURE(c.name);
            adj_preference only = any;
            only.sku = candidate.sku.c_str();
            auto selected = select_plan(stream, c.problem->descriptor(), &only);
            REQUIRE(selected);
            const Plan& plan = **selected;
            CHECK(plan.sku->id == candidate.sku);
            CHECK(plan.bind_workspace_size >= plan.workspace_size);
            CHECK(check_bounds(plan));
            const adj_guarantee &own = plan.guarantee, &general = plan.sku->guarantee;  // the problem's, and that of all problems
            CHECK(own.determinism >= general.determinism);
            CHECK((own.bound_ulp <= general.bound_ulp && own.bound_terms <= general.bound_terms && own.bound_absolute <= general.bound_absolute));
            check_steps(plan, device);
            for (const BoundTable& table : plan.tables) CHECK(table.offset + table.image.size() <= plan.bind_workspace_size);
            release(*selected);
            ++plans;
          }
        }
      }
  MESSAGE(plans << " plans, " << refusals << " refusals");
  CHECK(plans > 1000);
  CHECK(refusals > 0);  // codes of eight bits before sm_89
}

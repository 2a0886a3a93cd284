// A kernel whose results depend on the number of rows. The execution of cases on part of their rows must find it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "harness/plans.hpp"
#include "harness/rows.hpp"
#include "registry.hpp"
#include "run.hpp"

namespace {

bool is_built(const adj::Program* program) {
  return std::any_of(simt::kKernels, simt::kKernels + simt::kKernelCount,
                     [&](const simt::Kernel& kernel) { return program->name() == fmt::format("{}:{} {}", kernel.source, kernel.entry, kernel.defines); });
}

}  // namespace

TEST_CASE("a row's result that depends on the number of rows is found") {
  const auto stream = adj::offline_stream("sm_90a");
  REQUIRE(stream);
  const auto& skus = adj::all_skus();
  const auto sku = std::find_if(skus.begin(), skus.end(), [](const adj::Sku& s) { return adj::glob_match("softmax_backward/row/f32*", s.id); });
  REQUIRE(sku != skus.end());
  int executed = 0, parts = 0, found = 0;
  for (const harness::Case& c : harness::cases_of(sku->op->id)(sku->signature, harness::Level::quick, 1)) {
    const auto plan = harness::select_sku(*stream, *c.problem, *sku);
    if (!plan || c.unspecified || !harness::promises_rows(*sku, *c.problem)) continue;
    const auto programs = harness::programs_of(**plan);
    if (!std::all_of(programs.begin(), programs.end(), is_built)) continue;
    ++executed;
    const simt::Run whole = simt::run(**plan, *c.problem, {1, 0xCD, 0, false});
    REQUIRE(!whole.fault);
    // The fault is within the error that the SKU states.
    const auto reference = harness::run_reference(*c.problem);
    REQUIRE(reference);
    CHECK(harness::compare(c, *sku, whole.outputs, *reference).ok);
    for (const harness::Part& part : harness::parts_of(*c.problem)) {
      const auto plan_of_part = harness::select_sku(*stream, part.problem, *sku);
      REQUIRE(plan_of_part);
      const simt::Run run = simt::run(**plan_of_part, part.problem, {1, 0xCD, 0, false});
      REQUIRE(!run.fault);
      ++parts;
      found += !harness::difference(*c.problem, whole.outputs, part, run.outputs, *sku).empty();
    }
  }
  std::printf("%d cases, %d parts of their rows, %d of them with other results\n", executed, parts, found);
  CHECK(executed > 0);
  CHECK(found > 0);
}

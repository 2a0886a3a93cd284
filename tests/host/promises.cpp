// Promises of the headers about equal bits, on the host stream: lists in another order or in several calls, and calls that skip.
#include <doctest/doctest.h>

#include <adjoint/ops/precision.h>

#include <limits>
#include <optional>
#include <set>

#include "harness/harness.hpp"
#include "support.hpp"

TEST_CASE("lists have the same bits in any order, in any number of calls and in parts, and a call that skips changes none" *
          doctest::test_suite("every operator")) {
  std::set<std::string> varied, cut, skipped;
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (std::none_of(op->arguments.begin(), op->arguments.end(), [](const adj::ArgumentInfo& s) { return s.kind == adj::ArgumentKind::list; })) continue;
    for (const adj::Signature& signature : op->signatures)
      for (const harness::Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        const auto variations = harness::variations_of(*c.problem);
        if (variations.empty()) continue;
        const auto outputs = harness::run_reference(*c.problem);
        REQUIRE(outputs.ok());
        for (const harness::Variation& variation : variations) {
          const auto others = harness::run_reference(variation.problem);
          REQUIRE(others.ok());
          const std::string what = harness::difference(*c.problem, *outputs, variation, *others);
          CHECK_MESSAGE(what.empty(), fmt::format("{} {} [{}]: {}", op->name, signature.name(), c.name, what));
          varied.insert(op->name);
          if (variation.name == "the tensors in parts") cut.insert(op->name);
        }
        const auto changed = harness::changed_by_skip(*c.problem, *outputs);
        CHECK_MESSAGE((!changed || changed->empty()), fmt::format("{} {} [{}]: {}", op->name, signature.name(), c.name, changed.value_or("")));
        if (changed) skipped.insert(op->name);
      }
  }
  CHECK(varied == std::set<std::string>{"accumulate", "adam", "adamw_8bit", "all", "all_finite", "amax", "clip_grad_norm", "is_finite", "l2_norm", "lamb",
                                        "lion", "scale", "scaled_sum", "sgd", "zero"});
  CHECK(cut ==
        std::set<std::string>{"accumulate", "adam", "adamw_8bit", "all", "all_finite", "amax", "is_finite", "lion", "scale", "scaled_sum", "sgd", "zero"});
  CHECK(skipped == std::set<std::string>{"adam", "adamw_8bit", "lamb", "lion", "sgd"});
}

// The comparison that every test of a kernel relies on. It allows the reference half a unit, and 1e-13 of the terms, beside.
TEST_CASE("a comparison grants what the SKU states, and no more") {
  adj_scale_descriptor d;
  const std::int64_t numel = 1;
  d.count = 1;
  d.numel = &numel;
  d.element = d.output = ADJ_F32;
  auto problem = std::make_shared<harness::Problem>(harness::Problem::of(d));
  problem->list("inputs").at(0).set(0, 1);
  problem->scalar("scale", 1);
  const auto reference = harness::run_reference(*problem);
  REQUIRE(reference.ok());
  const std::size_t argument = problem->argument("outputs");
  constexpr double kTerms = 3;
  const harness::Case c{"", problem, [](const harness::Problem&, const std::string&) { return std::vector<std::vector<double>>{{kTerms}}; }};
  auto passes = [&](adj_guarantee g, double value) {
    adj::Sku sku{};
    sku.variant = problem->op().variants.data();
    sku.guarantee = g;
    sku.variant = adj::skus_of(problem->op()).front().variant;
    harness::Outputs got = *reference;
    got.arguments[argument].at(0).set(0, value);
    return harness::compare(c, sku, got, *reference).ok;
  };
  const double unit = harness::ulp(1, ADJ_F32);
  auto bound = [](double ulp, double terms, double absolute) {
    adj_guarantee g{};
    g.bound_ulp = ulp;
    g.bound_terms = terms;
    g.bound_absolute = absolute;
    return g;
  };
  // Values of f32 next to 1 are a unit apart, so a bound of n units and the half of the reference passes n of them.
  CHECK(passes(bound(0, 0, 0), 1));
  CHECK_FALSE(passes(bound(0, 0, 0), 1 + unit));
  CHECK(passes(bound(2, 0, 0), 1 + 2 * unit));
  CHECK_FALSE(passes(bound(2, 0, 0), 1 + 3 * unit));
  CHECK(passes(bound(0, 4 * unit / kTerms, 0), 1 + 4 * unit));
  CHECK_FALSE(passes(bound(0, 4 * unit / kTerms, 0), 1 + 5 * unit));
  CHECK(passes(bound(0, 0, 7 * unit), 1 - 7 * unit));
  CHECK_FALSE(passes(bound(0, 0, 7 * unit), 1 - 8 * unit));
  CHECK_FALSE(passes(bound(2, 1, 1), std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(passes(bound(2, 0, 1), std::numeric_limits<double>::infinity()));
}

TEST_CASE("every optional argument may be left out by itself, and all of them together" * doctest::test_suite("every operator")) {
  for (const adj::OpInfo* op : adj::all_ops()) {
    std::set<std::size_t> optional, left_out;
    for (const adj::Signature& signature : op->signatures) {
      harness::TriedAbsences tried;
      for (const harness::Case& c : harness::cases_of(op->id)(signature, harness::Level::quick, 1)) {
        for (std::size_t i = 0; i < op->arguments.size(); ++i)
          if (c.problem->specs()[i].presence == adj::Presence::optional) optional.insert(i);
        std::optional<harness::Outputs> complete;
        for (const harness::Absence& absence : harness::absences_of(c, {nullptr}, tried)) {
          const auto outputs = harness::run_reference(*absence.c.problem);
          CHECK_MESSAGE(outputs.ok(), fmt::format("{} [{}]: {}", op->name, absence.c.name, outputs ? "" : outputs.error().message));
          if (!outputs || !absence.same_bits) continue;
          if (!complete) complete = *harness::run_reference(*c.problem);
          CHECK_MESSAGE(harness::same_bits(*complete, *outputs), fmt::format("{} [{}]: other bits", op->name, absence.c.name));
        }
      }
      for (const auto& [program, arguments] : tried) left_out.insert(arguments.begin(), arguments.end());
    }
    for (std::size_t argument : optional)
      CHECK_MESSAGE(left_out.contains(argument), fmt::format("no case of {} leaves out {}", op->name, op->arguments[argument].name));
  }
}

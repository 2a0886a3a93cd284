// Promises of the headers about equal bits, on the host stream: lists in another order or in several calls, and calls that skip.
#include <doctest/doctest.h>

#include <set>

#include "harness/harness.hpp"
#include "support.hpp"

TEST_CASE("lists have the same bits in any order and in any number of calls, and a call that skips changes none") {
  std::set<std::string> varied, skipped;
  for (const adj::OpInfo* op : adj::all_ops()) {
    if (std::none_of(op->slots.begin(), op->slots.end(), [](const adj::SlotInfo& s) { return s.kind == adj::SlotKind::list; })) continue;
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
        }
        const auto changed = harness::changed_by_skip(*c.problem, *outputs);
        CHECK_MESSAGE((!changed || changed->empty()), fmt::format("{} {} [{}]: {}", op->name, signature.name(), c.name, changed.value_or("")));
        if (changed) skipped.insert(op->name);
      }
  }
  CHECK(varied == std::set<std::string>{"accumulate", "adam", "adamw", "adamw_8bit", "all", "all_finite", "clip_grad_norm", "is_finite", "l2_norm",
                                        "lamb", "lion", "scale", "scaled_sum", "sgd", "zero"});
  CHECK(skipped == std::set<std::string>{"adam", "adamw", "adamw_8bit", "lamb", "lion", "sgd"});
}

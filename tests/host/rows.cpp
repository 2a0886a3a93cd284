// The promise that a row's result does not depend on the number of rows: which SKUs make it, that cases hold each of them to it, and that
// the host backend keeps it.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "harness/plans.hpp"
#include "harness/rows.hpp"

namespace {

// True when the SKU is held to equal bits with the host backend, which makes no difference between few rows and many.
bool is_exact(const adj::Sku& sku) { return sku.guarantee.bound_ulp == 0 && sku.guarantee.bound_terms == 0 && sku.guarantee.bound_absolute == 0; }

// True when a part of the case checks an output for which the SKU makes the promise, and the SKU takes the part.
bool is_tried(const adj::Sku& sku, const harness::Case& c, const adj_stream& stream) {
  if (c.unspecified || !harness::promises_rows(sku, *c.problem) || !harness::select_sku(stream, *c.problem, sku)) return false;
  for (const harness::Variation& variation : harness::variations_of(*c.problem))
    if (!variation.whole) return true;  // tensors of a list are rows as well
  for (const harness::Part& part : harness::parts_of(*c.problem))
    for (std::size_t i = 0; i < part.rows.size(); ++i)
      if (!part.rows[i].empty() && harness::is_batch_invariant(sku, *c.problem, i) && harness::select_sku(stream, part.problem, sku)) return true;
  return false;
}

adj_stream stream_of(const adj::Sku& sku) {
  if (sku.variant->backend == ADJ_BACKEND_HOST) return adj::host_stream();
  for (const char* arch : {"sm_90a", "sm_80", "sm_100"})
    if (const auto stream = adj::offline_stream(arch); stream && adj::check_arch(sku, stream->arch)) return *stream;
  throw std::logic_error("no architecture for " + sku.id);
}

}  // namespace

TEST_CASE("some case of every SKU that promises results independent of the number of rows is run on part of its rows" * doctest::test_suite("every operator")) {
  std::set<std::pair<std::string, std::string>> untried;
  int tried = 0;
  const adj::Sku* last = nullptr;
  std::vector<harness::Case> cases;  // of the signature of `last`
  for (const adj::Sku& sku : adj::all_skus()) {
    const bool is_kernel = sku.variant->backend == ADJ_BACKEND_BESPOKE || sku.variant->backend == ADJ_BACKEND_HOST;
    if (!is_kernel || is_exact(sku)) continue;
    if (!last || last->op != sku.op || !(last->signature == sku.signature)) cases = harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, 1);
    last = &sku;
    if (std::none_of(cases.begin(), cases.end(), [&](const harness::Case& c) { return harness::promises_rows(sku, *c.problem); })) continue;
    ++tried;
    const adj_stream stream = stream_of(sku);
    if (std::none_of(cases.begin(), cases.end(), [&](const harness::Case& c) { return is_tried(sku, c, stream); }))
      untried.insert({sku.op->name, sku.variant->algorithm});
  }
  CHECK(tried > 800);
  for (const auto& [op, algorithm] : untried) {
    FAIL_CHECK(op, "/", algorithm, " states batch_invariant, and no part of a case of ", op, " is run on it: name the operator's rows in rows_of of ",
               "tools/harness/directions.cpp, or give it a case that has several");
  }
}

TEST_CASE("the host backend computes part of the rows with the bits of all" * doctest::test_suite("every operator")) {
  std::map<std::string, int> parts_of_op;
  for (const adj::OpInfo* op : adj::all_ops()) {
    const auto skus = adj::skus_of(*op);
    std::set<std::string> seen;  // one signature for each element type
    for (const adj::Sku& sku : skus) {
      if (sku.variant->backend != ADJ_BACKEND_HOST || !seen.insert(fmt::format("{}{}", sku.signature.choice, static_cast<int>(sku.signature[0]))).second)
        continue;
      for (const harness::Case& c : harness::cases_of(op->id)(sku.signature, harness::Level::quick, 1)) {
        if (c.unspecified || !harness::promises_rows(sku, *c.problem)) continue;
        const auto parts = harness::parts_of(*c.problem);
        if (parts.empty()) continue;
        const auto whole = harness::run_reference(*c.problem);
        REQUIRE(whole.ok());
        for (const harness::Part& part : parts) {
          const auto alone = harness::run_reference(part.problem);
          REQUIRE_MESSAGE(alone.ok(), fmt::format("{} [{}] {}", sku.id, c.name, part.name));
          const std::string what = harness::difference(*c.problem, *whole, part, *alone, sku);
          CHECK_MESSAGE(what.empty(), fmt::format("{} [{}]: {}", sku.id, c.name, what));
          ++parts_of_op[op->name];
        }
      }
    }
  }
  CHECK(parts_of_op.size() > 30);
}

// The trial of one candidate of a selection: select and tune use it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "plan/plan.hpp"

namespace adj {

struct Problem {
  DescriptorCopy descriptor;
  const OpInfo* op;
  const Device* device;  // null on the host
  adj_preference preference;
};

// Number of kernels of a plan by the place where they were found, indexed by Found.
using Sources = std::array<int, kFoundCount>;

struct Selection {
  std::unique_ptr<Plan> plan;  // null: nothing accepted, or explain
  std::vector<Rejection> candidates;
  // Index of the first candidate that fits the stream and the preference but not the problem; its reason is the one to report. A candidate
  // whose library is missing counts only when no later candidate qualifies.
  std::optional<std::size_t> most_telling;
  Sources sources{};                      // origins of the plan's kernels
  std::optional<Error> first_hard_error;  // first failure of a compile, the driver or a library for a candidate that otherwise fits
};

// SKUs for a problem's element types, in the order in which select tries them.
std::vector<const Sku*> skus_for(const Problem& problem);

// Fails when the SKU's row in the table rules it out for this device or this preference. `guarantee`: the SKU's for the problem.
Result<void> check_row(const Sku& sku, const adj_guarantee& guarantee, const adj_stream& stream, const Device* device, const adj_preference& p);

// Outcome of one step of a trial.
struct Attempt {
  std::unique_ptr<Plan> plan;  // null: failed
  Error error{};
  bool hard = false;  // true: the failure is of a compile, the driver or a library, and ends the selection unless the preference says fallback
};
// Runs the planning function. Loads nothing.
Attempt plan_candidate(const Problem& problem, const adj_stream& stream, const Sku& sku, Choices* choices);
// Checks the workspace of a plan whose steps are complete.
Result<void> check_sizes(Plan& plan, const adj_preference& preference);
// Loads the programs of a plan; for an offline device, looks for them as far as the preference asks. `sources` receives their origins.
Attempt load_candidate(Attempt planned, const Problem& problem, Sources& sources);
// What is left to do once a candidate has been chosen. A plan must be complete before it runs.
Result<void> complete(Plan& plan, const Problem& problem);

}  // namespace adj

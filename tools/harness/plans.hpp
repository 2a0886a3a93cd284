// Plans of one SKU, for tools and tests.
#pragma once

#include <memory>
#include <vector>

#include "harness/harness.hpp"
#include "plan/plan.hpp"

namespace harness {

struct PlanRelease {
  void operator()(adj::Plan* plan) const { adj::release(plan); }
};
using PlanHandle = std::unique_ptr<adj::Plan, PlanRelease>;
struct BoundRelease {
  void operator()(adj::BoundCall* bound) const { adj::release(bound); }
};
using BoundHandle = std::unique_ptr<adj::BoundCall, BoundRelease>;

// Selects exactly this SKU.
adj::Result<PlanHandle> select_sku(const adj_stream& stream, const Problem& problem, const adj::Sku& sku);
// Programs of a plan, in the order of the launches.
std::vector<const adj::Program*> programs_of(const adj::Plan& plan);

}  // namespace harness

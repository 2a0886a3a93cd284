// Plans of the cases of mixtures of experts.
#pragma once

#include <adjoint/ops/moe.h>

#include "harness/harness.hpp"

namespace harness {

// Which experts pairs have.
enum class Routing { uniform, skewed, one, masked, outside, none };

void fill_experts(Data& experts, Rng& rng, std::int64_t num_experts, Routing routing);

// Fills order and inverse of a problem with the plan of pairs that it draws. Returns the number of rows that belong to groups.
std::int64_t fill_moe_plan(Problem& problem, const adj_moe_plan_descriptor& d, Rng& rng, Routing routing);

}  // namespace harness

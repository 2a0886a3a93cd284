// Executes the ends of launches on tensors so large that no offset fits 32 bits.
#pragma once

#include <string>
#include <vector>

#include "plan/op.hpp"

namespace simt {

struct FarOptions {
  std::string reasons;    // file of the algorithms that are left out: algorithm, what a run of it says, reason; separated by tabs
  std::string only_case;  // only cases whose name contains this
  std::uint64_t seed = 1;
  bool verbose = false;
};
// Executes these SKUs, one of each algorithm of an operator. Returns the exit code.
int run_far_cases(const std::vector<const adj::Sku*>& skus, const FarOptions& options);

}  // namespace simt

// Completes the descriptor of a case from its arguments.
#pragma once

#include "harness/harness.hpp"

struct Completed {
  std::int64_t tried = 0;
  std::int64_t erased = 0;  // fields that were to come back
  std::int64_t empty = 0;   // cases in which nothing is known of an extent beside one of 0
};
// False when it comes out otherwise.
bool complete_case(const harness::Case& c, Completed& total);

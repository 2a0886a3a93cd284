// Executes plans on the machine instead of a device.
#pragma once

#include "harness/harness.hpp"
#include "machine.hpp"

namespace simt {

struct Trial {
  std::uint64_t seed = 0;
  unsigned char poison = 0xCD;   // contents of outputs and workspace before the run
  std::uint64_t misalign = 0;    // elements by which every tensor is moved off its alignment
  bool bound = false;            // true: executes the steps and tables of bind
};

struct Run {
  std::optional<Fault> fault;  // also the plan's refusal of the arguments
  harness::Outputs outputs;
  std::vector<const adj::Program*> programs;  // programs that were launched
};
// Executes an offline plan on a problem's contents.
Run run(const adj::Plan& plan, const harness::Problem& problem, const Trial& trial);

bool has_bound_steps(const adj::Plan& plan);
// Programs, geometry and parameters as text. Plans with equal texts execute equally here.
std::string fingerprint(const adj::Plan& plan);

}  // namespace simt

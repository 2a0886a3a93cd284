// Plans executed by the machine instead of a device.
#pragma once

#include "harness/harness.hpp"
#include "machine.hpp"

namespace simt {

struct Trial {
  std::uint64_t seed = 0;
  unsigned char poison = 0xCD;   // what outputs and workspace hold before the run
  std::uint64_t misalign = 0;    // elements by which every tensor is moved off its alignment
  bool bound = false;            // the steps and tables of bind
};

struct Run {
  std::optional<Fault> fault;  // or the words of the plan when it does not accept the arguments
  harness::Outputs outputs;
  std::vector<const adj::Program*> programs;  // that were launched
};
// Executes an offline plan on a problem's contents.
Run run(const adj::Plan& plan, const harness::Problem& problem, const Trial& trial);

bool has_bound_steps(const adj::Plan& plan);
// Programs, geometry and parameters as text: two plans with equal texts execute equally here.
std::string fingerprint(const adj::Plan& plan);
// The programs alone, in the order of the launches.
std::vector<const adj::Program*> programs_of(const adj::Plan& plan);

}  // namespace simt

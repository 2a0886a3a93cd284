// Executes plans on the machine instead of a device.
#pragma once

#include "harness/rows.hpp"
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

struct FarRun {
  std::optional<Fault> fault;
  harness::Outputs outputs;       // of the last rows; what was not written is the reference's
  std::int64_t written = 0;       // elements of the last rows
  bool last_written = false;      // true: the last element of some output was among them
};
// Executes one block or cluster of every launch of a plan for an enlarged problem, on buffers that are mapped where they are touched. It is the one that
// has the last of `turns` pieces of work, which a grid takes in turn; with 0 the last one. For a machine that does not check accesses. reference: of
// the last rows.
FarRun run_far(const adj::Plan& plan, const harness::Enlarged& problem, const harness::Outputs& reference, std::int64_t turns);

bool has_bound_steps(const adj::Plan& plan);
// Programs, geometry and parameters as text. Plans with equal texts execute equally here.
std::string fingerprint(const adj::Plan& plan);

}  // namespace simt

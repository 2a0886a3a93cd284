// Executes plans on the machine instead of a device.
#pragma once

#include <functional>

#include "harness/rows.hpp"
#include "machine.hpp"

namespace simt {

struct Trial {
  std::uint64_t seed = 0;
  unsigned char poison = 0xCD;   // contents of outputs and workspace before the run
  std::uint64_t misalign = 0;    // 0: aligned buffers; 1: every buffer is moved by one element; others: each by a number of elements drawn from this
  bool bound = false;            // true: executes the steps and tables of bind
};

struct Run {
  std::optional<Fault> fault;  // also the plan's refusal of the arguments
  harness::Outputs outputs;
  std::vector<const adj::Program*> programs;  // programs that were launched
};
// Executes an offline plan on a problem's contents. call: what a library does in the workspace where the plan calls it.
Run run(const adj::Plan& plan, const harness::Problem& problem, const Trial& trial, const std::function<void(std::byte* workspace)>& call = {});

// Executes the kernels of adasum_all_reduce, which are launched behind a call of NCCL. Returns what is wrong, or nothing.
std::string run_adasum(const adj::Sku& sku, const char* arch, std::uint64_t seed, int& runs);

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

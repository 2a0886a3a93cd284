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

// Blocks or clusters of a grid that alone are executed: the last one and those before it.
struct Ends {
  std::int64_t turns = 0;  // not 0: instead of the last block, the one that has the last of so many pieces of work, which a grid takes in turn
  int blocks = 1;
  int first = 0;           // so many blocks at the beginning of the grid are executed before these
};
// Launches the kernel of a step with the plan's arguments. ends: executes these alone; none: the whole grid.
std::optional<Fault> run_kernel(const adj::Plan& plan, const adj::KernelStep& step, const adj::Program& program, unsigned block, const std::byte* args,
                                const std::byte* workspace, std::uint64_t seed, const Ends* ends = nullptr);
// From here on, programs that row `row` of faults/planted.tsv has changed are launched in that form; 0: as they are.
void take_planted(int row);
Fault refused(const std::string& what);

// True for lists whose execution takes seconds.
bool is_long(const harness::Problem& problem);

bool has_bound_steps(const adj::Plan& plan);
// Programs, geometry and parameters as text. Plans with equal texts execute equally here.
std::string fingerprint(const adj::Plan& plan);

}  // namespace simt

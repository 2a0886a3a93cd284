// PlanBuilder: how planning functions add steps to a plan.
#include <algorithm>
#include <limits>

#include "plan/plan.hpp"
#include "plan/descriptor.hpp"

namespace adj {

std::uint64_t PlanBuilder::book(std::uint64_t bytes) {
  const std::uint64_t offset = std::min(align_workspace(plan_.workspace_size), kMostWorkspace);
  plan_.workspace_size = end_of(offset, bytes);
  return offset;
}

void PlanBuilder::align_tensors(std::uint32_t bytes) {
  for (ArgumentSpec& spec : plan_.specs) spec.alignment = std::max(spec.alignment, bytes);
}

std::uint64_t PlanBuilder::book_for_bind(std::uint64_t bytes) {
  const std::uint64_t used = std::max(plan_.workspace_size, plan_.bind_workspace_size);
  const std::uint64_t offset = std::min(align_workspace(used), kMostWorkspace);
  plan_.bind_workspace_size = end_of(offset, bytes);
  return offset;
}

void PlanBuilder::add(Step step) {
  step.when = when_;
  plan_.steps.push_back(std::move(step));
}
bool PlanBuilder::follows_kernel() const {
  for (bool bound : {false, true}) {
    if (when_ == (bound ? When::run : When::bound)) continue;
    const auto last = std::find_if(plan_.steps.rbegin(), plan_.steps.rend(), [&](const Step& step) { return step.in(bound); });
    if (last == plan_.steps.rend() || !std::holds_alternative<KernelStep>(*last)) return false;
  }
  return true;
}
PlanBuilder::Kernel PlanBuilder::kernel(ProgramName program, std::int64_t grid, unsigned block, std::int64_t grid_y) {
  const bool follows = follows_kernel();
  KernelStep step;
  step.program = plan_.sku->program(program);
  // The clamp is safe: kernels stride over the grid, or their plans bound it below these limits.
  step.config.grid_x = static_cast<unsigned>(std::clamp<std::int64_t>(grid, 1, std::numeric_limits<std::int32_t>::max()));
  step.config.grid_y = static_cast<unsigned>(std::clamp<std::int64_t>(grid_y, 1, 65535));
  step.config.grid_z = 1;
  step.config.block_x = block;
  step.config.block_y = step.config.block_z = 1;
  add(std::move(step));
  return Kernel(std::get<KernelStep>(plan_.steps.back()), *plan_.sku, follows);
}
void PlanBuilder::user_kernel(std::shared_ptr<const Program> program, const cu::LaunchConfig& config, std::vector<std::byte> params,
                              std::vector<Binding> bindings) {
  KernelStep step;
  step.program = program.get();
  step.owner = std::move(program);
  step.config = config;
  step.apart = true;
  step.params = std::move(params);
  step.bindings = std::move(bindings);
  add(std::move(step));
}
void PlanBuilder::clear_workspace(std::uint64_t offset, std::uint64_t bytes, unsigned char value) {
  if (bytes) add(MemsetStep{true, 0, offset, bytes, value});
}
void PlanBuilder::clear_output(int argument, unsigned char value) {
  const std::uint64_t bytes = plan_.specs[static_cast<std::size_t>(argument)].bytes;
  if (bytes) add(MemsetStep{false, static_cast<std::uint16_t>(argument), 0, bytes, value});
}
void PlanBuilder::copy(int from, int to) { add(CopyStep{static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to)}); }
void PlanBuilder::record(int event) { add(EventStep{static_cast<std::uint16_t>(event), false}); }
void PlanBuilder::wait(int event) { add(EventStep{static_cast<std::uint16_t>(event), true}); }
void PlanBuilder::call(CallStep step) { add(std::move(step)); }
void PlanBuilder::host(HostFunction function) { add(HostStep{function}); }

std::vector<Step> Plan::steps_of(bool bound) const {
  std::vector<Step> own;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(own), [&](const Step& step) { return step.in(bound); });
  return own;
}
std::int64_t Plan::count_steps(bool bound) const {
  return std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return step.in(bound); });
}

PlanBuilder::Kernel& PlanBuilder::Kernel::early(const Device& device) {
  step_.early = device.early_launches && follows_kernel_;
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::tensor(std::size_t offset, int argument, std::uint64_t addend) {
  step_.bindings.push_back({Binding::tensor, static_cast<std::uint16_t>(argument), static_cast<std::uint32_t>(offset), addend});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::workspace(std::size_t offset, std::uint64_t addend) {
  step_.bindings.push_back({Binding::workspace, 0, static_cast<std::uint32_t>(offset), addend});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::scalar(std::size_t offset, int argument) {
  step_.bindings.push_back({Binding::scalar, static_cast<std::uint16_t>(argument), static_cast<std::uint32_t>(offset)});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::random(std::size_t offset, int argument) {
  step_.bindings.push_back({Binding::random, static_cast<std::uint16_t>(argument), static_cast<std::uint32_t>(offset)});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::list(std::size_t low, std::size_t high, int argument, std::uint32_t first, std::uint32_t count) {
  step_.bindings.push_back({.kind = Binding::list,
                            .argument = static_cast<std::uint16_t>(argument),
                            .offset = static_cast<std::uint32_t>(low),
                            .high = static_cast<std::uint32_t>(high),
                            .first = first,
                            .count = count});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::when_unaligned(ProgramName program, std::span<const int> arguments, unsigned block) {
  if (arguments.empty()) return *this;
  step_.unaligned_program = sku_.program(program);
  step_.unaligned_block = block ? block : step_.config.block_x;
  for (int argument : arguments) step_.unaligned_arguments |= 1u << argument;
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::unless_in_place(int from, int to) {
  step_.in_place_from = static_cast<std::uint16_t>(from);
  step_.in_place_to = static_cast<std::uint16_t>(to);
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::unread(std::size_t begin, std::size_t end) {
  if (begin < end) step_.unread.emplace_back(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  return *this;
}

}  // namespace adj

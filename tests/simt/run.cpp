#include "run.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>

#include "harness/arguments.hpp"
#include "registry.hpp"

namespace simt {

namespace {

using adj::Role;

int planted_row = 0;

// Kernel of a program on the host; for the given architecture when the source depends on it.
const Kernel* find_kernel(const adj::Program& program, int arch) {
  static const auto* table = [] {
    auto* map = new std::map<std::pair<std::string, int>, const Kernel*>;
    for (int i = 0; i < kKernelCount; ++i) {
      const Kernel& k = kKernels[i];
      (*map)[{fmt::format("{}:{} {}", k.source, k.entry, k.defines), k.arch}] = &k;
    }
    return map;
  }();
  for (const std::string& name : {fmt::format("{}/{}", planted_row, program.name()), program.name()})
    for (int a : {0, arch})
      if (auto it = table->find({name, a}); it != table->end()) return it->second;
  return nullptr;
}

constexpr double kSecondsOfEnds = 2;  // a block that takes longer walks over a large part of the rows, or has no end

}  // namespace

void take_planted(int row) { planted_row = row; }

Fault refused(const std::string& what) { return Fault{FaultKind::bad_launch, what}; }

bool is_long(const harness::Problem& problem) {
  return std::any_of(problem.contents().begin(), problem.contents().end(), [](const auto& c) { return c.data.size() > 200; });
}

std::optional<Fault> run_kernel(const adj::Plan& plan, const adj::KernelStep& step, const adj::Program& program, unsigned block, const std::byte* args,
                                const std::byte* workspace, std::uint64_t seed, const Ends* ends) {
  const Kernel* kernel = find_kernel(program, plan.stream.arch);
  if (!kernel) return refused(fmt::format("{} was not compiled for the host", program.name()));
  if (kernel->param_bytes > step.params.size())  // the driver copies as many as the kernel declares
    return refused(fmt::format("{} takes {} bytes of parameters, the plan gives {}", program.name(), kernel->param_bytes, step.params.size()));
  std::vector<std::max_align_t> params((step.params.size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(params.data(), step.params.data(), step.params.size());
  adj::apply(step.bindings, reinterpret_cast<std::byte*>(params.data()), *plan.op, args, workspace);
  auto device = adj::offline_device(plan.stream.arch);
  if (!device) return refused(device.error().message);
  if (step.params.size() > (*device)->param_bytes)
    return refused(fmt::format("{}: {} bytes of parameters, the device takes {}", program.name(), step.params.size(), (*device)->param_bytes));

  Launch l;
  const std::string name = program.name();
  l.name = name.c_str();
  l.call = kernel->call;
  l.params = params.data();
  l.param_bytes = kernel->param_bytes;
  l.grid[0] = step.config.grid_x;
  l.grid[1] = step.config.grid_y;
  l.grid[2] = step.config.grid_z;
  l.block = block;
  if (step.config.block_y != 1 || step.config.block_z != 1) return refused(fmt::format("{}: blocks of more than one dimension", name));
  l.cluster = step.cluster;
  l.early = step.early;
  l.shared_bytes = step.config.shared_bytes;
  l.shared_limit = (*device)->shared_optin;
  if (!ends) return launch(l, seed);
  const std::int64_t groups = std::int64_t{l.grid[0]} * l.grid[1] * l.grid[2] / l.cluster, last = ends->turns ? ends->turns - 1 : groups - 1;
  l.seconds = kSecondsOfEnds;
  const std::int64_t blocks = std::min<std::int64_t>(ends->blocks, groups), first = std::min<std::int64_t>(ends->first, groups - blocks);
  for (std::int64_t i = 0; i < first + blocks; ++i) {
    l.only = i < first ? i : (last - (i - first) + groups) % groups;
    if (auto fault = launch(l, seed)) return fault;
  }
  return {};
}

namespace {

// Elements by which a buffer of an argument is moved. Half of the draws leave it aligned.
std::size_t elements_off(std::uint64_t misalign, std::size_t size, std::size_t argument, std::size_t buffer) {
  if (misalign < 2) return misalign;
  std::mt19937_64 rng(misalign * 0x9e3779b97f4a7c15u + argument * 1009 + buffer);
  const std::uint64_t word = rng(), others = std::max<std::size_t>(16 / size, 2) - 1;
  return word & 1 ? 0 : 1 + (word >> 1) % others;
}

}  // namespace

bool has_bound_steps(const adj::Plan& plan) { return !plan.tables.empty(); }

std::string fingerprint(const adj::Plan& plan) {
  std::string text;
  auto add = [&](bool bound) {
    for (const adj::Step& step : plan.steps_of(bound)) {
      if (const auto* k = std::get_if<adj::KernelStep>(&step)) {
        const Kernel* kernel = find_kernel(*k->program, plan.stream.arch);
        text += fmt::format("{}@{} {}x{}x{} {} {} {} ", k->program->name(), kernel ? kernel->arch : -1, k->config.grid_x, k->config.grid_y, k->config.grid_z,
                            k->config.block_x, k->config.shared_bytes, k->cluster);
        if (k->unaligned_program) text += fmt::format("{} {} ", k->unaligned_program->name(), k->unaligned_block);
        text.append(reinterpret_cast<const char*>(k->params.data()), k->params.size());
        for (const adj::Binding& p : k->bindings)
          text += fmt::format("{} {} {} {} {} {};", static_cast<int>(p.kind), p.argument, p.offset, p.addend, p.first, p.count);
      } else if (const auto* m = std::get_if<adj::MemsetStep>(&step)) {
        text += fmt::format("memset {} {} {} {} {};", m->workspace, m->argument, m->offset, m->bytes, m->value);
      } else if (const auto* copy = std::get_if<adj::CopyStep>(&step)) {
        text += fmt::format("copy {} {};", copy->from, copy->to);
      }
    }
    text += '|';
  };
  add(false);
  if (has_bound_steps(plan)) add(true);
  for (const adj::BoundTable& table : plan.tables) {
    text += fmt::format("table {} ", table.offset);
    text.append(reinterpret_cast<const char*>(table.image.data()), table.image.size());
  }
  return text;
}

Run run(const adj::Plan& plan, const harness::Problem& problem, const Trial& trial, const std::function<void(std::byte* workspace)>& call) {
  Run result;
  const adj::OpInfo& op = *plan.op;
  reset_memory();

  std::vector<bool> written(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (!harness::is_output(problem, i)) continue;
    const int other = problem.contents()[i].shares;
    written[i] = true;
    if (other >= 0) written[static_cast<std::size_t>(other)] = true;
  }
  std::vector<std::vector<void*>> addresses(op.arguments.size());
  std::vector<std::vector<harness::Data>> host(op.arguments.size());  // arguments that are always in ordinary memory
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const auto& c = problem.contents()[i];
    const adj::ArgumentInfo& info = op.arguments[i];
    if (info.space == adj::Space::host) host[i] = c.data;
    for (std::size_t k = 0; k < c.data.size(); ++k) {
      const harness::Data& d = c.data[k];
      if (d.bytes.empty() || c.shares >= 0) {
        addresses[i].push_back(nullptr);
      } else if (info.space == adj::Space::host) {
        addresses[i].push_back(host[i][k].bytes.data());
      } else {
        const bool poisoned = info.role == Role::out;
        const std::string name = info.kind == adj::ArgumentKind::list ? fmt::format("{}[{}]", info.name, k) : std::string(info.name);
        const bool fixed = info.kind == adj::ArgumentKind::scalar || info.kind == adj::ArgumentKind::random;
        const std::size_t moved = fixed ? 0 : elements_off(trial.misalign, adj::size_of(d.dtype), i, k) * adj::size_of(d.dtype);
        void* p = allocate(name, d.bytes.size(), moved, poisoned ? Contents::uninitialised : written[i] ? Contents::initialised : Contents::read_only);
        if (poisoned) std::memset(p, trial.poison, d.bytes.size());
        else std::memcpy(p, d.bytes.data(), d.bytes.size());
        addresses[i].push_back(p);
      }
    }
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (const int other = problem.contents()[i].shares; other >= 0) addresses[i] = addresses[static_cast<std::size_t>(other)];
  const std::uint64_t bytes = trial.bound ? plan.bind_workspace_size : plan.workspace_size;
  auto* workspace = static_cast<std::byte*>(allocate("workspace", bytes, 0, Contents::uninitialised));
  std::memset(workspace, trial.poison, bytes);

  const harness::Arguments arguments(problem, addresses);
  if (auto ok = adj::can_implement(plan, arguments.get()); !ok) {
    result.fault = refused(ok.error().message);
    return result;
  }
  const auto* args = reinterpret_cast<const std::byte*>(arguments.get());
  if (trial.bound)
    for (const adj::BoundTable& table : plan.tables) {
      std::vector<std::byte> image = table.image;
      adj::apply(table.bindings, image.data(), op, args, workspace);
      if (table.offset + image.size() > bytes) {
        result.fault = refused(fmt::format("a table of {} bytes at {} is beyond the workspace of {}", image.size(), table.offset, bytes));
        return result;
      }
      std::memcpy(workspace + table.offset, image.data(), image.size());
      set_contents(workspace + table.offset, image.size(), Contents::initialised);
    }
  if (op.host_outputs) op.host_outputs(plan.descriptor.get(), args);
  std::uint64_t seed = trial.seed;
  for (const adj::Step& step : plan.steps) {
    if (!step.in(trial.bound)) continue;
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      if (adj::is_left_out(*kernel, plan, args)) continue;
      const bool unaligned = adj::takes_unaligned(*kernel, op, args);
      const adj::Program* program = unaligned ? kernel->unaligned_program : kernel->program;
      result.programs.push_back(program);
      result.fault = run_kernel(plan, *kernel, *program, unaligned ? kernel->unaligned_block : kernel->config.block_x, args, workspace, seed++);
    } else if (const auto* memset = std::get_if<adj::MemsetStep>(&step)) {
      std::byte* base = workspace;
      std::uint64_t limit = bytes;
      if (!memset->workspace) {
        base = static_cast<std::byte*>(reinterpret_cast<const adj_tensor*>(args + op.arguments[memset->argument].offset)->data);
        limit = plan.specs[memset->argument].bytes;
      }
      if (memset->offset + memset->bytes > limit) {
        result.fault = refused(fmt::format("a fill of {} bytes at {} is beyond the {} bytes of its buffer", memset->bytes, memset->offset, limit));
      } else if (base && memset->bytes) {
        std::memset(base + memset->offset, memset->value, memset->bytes);
        set_contents(base + memset->offset, memset->bytes, Contents::initialised);
      }
    } else if (const auto* copy = std::get_if<adj::CopyStep>(&step)) {
      for (std::size_t k = 0; k < std::min(addresses[copy->from].size(), addresses[copy->to].size()); ++k) {
        void* to = addresses[copy->to][k];
        const void* from = addresses[copy->from][k];
        const std::size_t size = problem.contents()[copy->from].data[k].bytes.size();
        if (!from || !to || from == to) continue;
        std::memcpy(to, from, size);
        set_contents(static_cast<std::byte*>(to), size, Contents::initialised);
      }
    } else if (call && std::holds_alternative<adj::CallStep>(step)) {
      call(workspace);
    } else {
      throw std::logic_error("simt: a step in a plan of a device that is neither a kernel nor a fill nor a copy");
    }
    if (result.fault) return result;
  }
  if ((result.fault = check_canaries())) return result;

  result.outputs.arguments.resize(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (!harness::is_output(problem, i)) continue;
    result.outputs.arguments[i] = problem.contents()[i].data;
    for (std::size_t k = 0; k < addresses[i].size(); ++k) {
      if (addresses[i][k]) std::memcpy(result.outputs.arguments[i][k].bytes.data(), addresses[i][k], result.outputs.arguments[i][k].bytes.size());
      harness::clear_gaps(problem, i, result.outputs.arguments[i][k], trial.poison);
    }
  }
  return result;
}

}  // namespace simt

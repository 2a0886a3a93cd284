#include "run.hpp"

#include <sys/mman.h>

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
  for (int a : {0, arch})
    if (auto it = table->find({program.name(), a}); it != table->end()) return it->second;
  return nullptr;
}

constexpr double kFarSeconds = 20;  // a block that takes longer walks over a large part of the rows

Fault refused(const std::string& what) { return Fault{FaultKind::bad_launch, what}; }

// turns: of each launch, only the block or cluster is executed that has the last of so many pieces of work, which a grid takes in turn; with 0 the
// last one.
std::optional<Fault> run_kernel(const adj::Plan& plan, const adj::KernelStep& step, const adj::Program& program, unsigned block,
                                const std::byte* args, const std::byte* workspace, std::uint64_t seed, std::optional<std::int64_t> turns = {}) {
  const Kernel* kernel = find_kernel(program, plan.stream.arch);
  if (!kernel) return refused(fmt::format("{} was not compiled for the host", program.name()));
  if (kernel->param_bytes > step.params.size())  // the driver copies as many as the kernel declares
    return refused(fmt::format("{} takes {} bytes of parameters, the plan gives {}", program.name(), kernel->param_bytes, step.params.size()));
  std::vector<std::max_align_t> params((step.params.size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  std::memcpy(params.data(), step.params.data(), step.params.size());
  adj::apply(step.patches, reinterpret_cast<std::byte*>(params.data()), *plan.op, args, workspace);
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
  if (turns) {
    const std::int64_t groups = std::int64_t{l.grid[0]} * l.grid[1] * l.grid[2] / l.cluster;
    l.only = (*turns ? *turns - 1 : groups - 1) % groups;
    l.seconds = kFarSeconds;
  }
  return launch(l, seed);
}

}  // namespace

namespace {

// Elements by which a buffer of a slot is moved. Half of the draws leave it aligned.
std::size_t elements_off(std::uint64_t misalign, std::size_t size, std::size_t slot, std::size_t buffer) {
  if (misalign < 2) return misalign;
  std::mt19937_64 rng(misalign * 0x9e3779b97f4a7c15u + slot * 1009 + buffer);
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
        text += fmt::format("{}@{} {}x{}x{} {} {} {} ", k->program->name(), kernel ? kernel->arch : -1, k->config.grid_x, k->config.grid_y,
                            k->config.grid_z, k->config.block_x, k->config.shared_bytes, k->cluster);
        if (k->unaligned_program) text += fmt::format("{} {} ", k->unaligned_program->name(), k->unaligned_block);
        text.append(reinterpret_cast<const char*>(k->params.data()), k->params.size());
        for (const adj::Patch& p : k->patches) text += fmt::format("{} {} {} {} {} {};", static_cast<int>(p.kind), p.slot, p.offset, p.addend, p.first, p.count);
      } else if (const auto* m = std::get_if<adj::MemsetStep>(&step)) {
        text += fmt::format("memset {} {} {} {} {};", m->workspace, m->slot, m->offset, m->bytes, m->value);
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

  std::vector<bool> written(op.slots.size());
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (!harness::is_output(problem, i)) continue;
    const int other = problem.contents()[i].shares;
    written[i] = true;
    if (other >= 0) written[static_cast<std::size_t>(other)] = true;
  }
  std::vector<std::vector<void*>> addresses(op.slots.size());
  std::vector<std::vector<harness::Data>> host(op.slots.size());  // arguments that are always in ordinary memory
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const auto& c = problem.contents()[i];
    const adj::SlotInfo& info = op.slots[i];
    if (info.space == adj::Space::host) host[i] = c.data;
    for (std::size_t k = 0; k < c.data.size(); ++k) {
      const harness::Data& d = c.data[k];
      if (d.bytes.empty() || c.shares >= 0) {
        addresses[i].push_back(nullptr);
      } else if (info.space == adj::Space::host) {
        addresses[i].push_back(host[i][k].bytes.data());
      } else {
        const bool poisoned = info.role == Role::out;
        const std::string name = info.kind == adj::SlotKind::list ? fmt::format("{}[{}]", info.name, k) : std::string(info.name);
        const bool fixed = info.kind == adj::SlotKind::scalar || info.kind == adj::SlotKind::random;
        const std::size_t moved = fixed ? 0 : elements_off(trial.misalign, adj::size_of(d.dtype), i, k) * adj::size_of(d.dtype);
        void* p = allocate(name, d.bytes.size(), moved, poisoned ? Contents::uninitialised : written[i] ? Contents::initialised : Contents::read_only);
        if (poisoned) std::memset(p, trial.poison, d.bytes.size());
        else std::memcpy(p, d.bytes.data(), d.bytes.size());
        addresses[i].push_back(p);
      }
    }
  }
  for (std::size_t i = 0; i < op.slots.size(); ++i)
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
      adj::apply(table.patches, image.data(), op, args, workspace);
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
        base = static_cast<std::byte*>(reinterpret_cast<const adj_tensor*>(args + op.slots[memset->slot].offset)->data);
        limit = plan.specs[memset->slot].bytes;
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

  result.outputs.slots.resize(op.slots.size());
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (!harness::is_output(problem, i)) continue;
    result.outputs.slots[i] = problem.contents()[i].data;
    for (std::size_t k = 0; k < addresses[i].size(); ++k) {
      if (addresses[i][k]) std::memcpy(result.outputs.slots[i][k].bytes.data(), addresses[i][k], result.outputs.slots[i][k].bytes.size());
      harness::clear_gaps(problem, i, result.outputs.slots[i][k], trial.poison);
    }
  }
  return result;
}

namespace {

// Zeros that take memory only where they are written. Accesses beyond either end, as far as an offset of 32 bits reaches, end the process.
class SparseBuffer {
 public:
  explicit SparseBuffer(std::uint64_t bytes) : all_(bytes + 2 * kGuard) {
    void* p = mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error(fmt::format("mmap of {} bytes fails", all_));
    base_ = static_cast<std::byte*>(p);
    if (bytes && mprotect(data(), (bytes + 4095) / 4096 * 4096, PROT_READ | PROT_WRITE) != 0) throw std::runtime_error("mprotect fails");
  }
  ~SparseBuffer() { munmap(base_, all_); }
  SparseBuffer(const SparseBuffer&) = delete;
  SparseBuffer& operator=(const SparseBuffer&) = delete;
  std::byte* data() const { return base_ + kGuard; }

 private:
  static constexpr std::uint64_t kGuard = std::uint64_t{64} << 30;
  std::byte* base_ = nullptr;
  std::uint64_t all_;
};

// The end of a step that would touch a whole buffer: these bytes hold the last rows.
constexpr std::uint64_t kTail = std::uint64_t{64} << 20;

}  // namespace

FarRun run_far(const adj::Plan& plan, const harness::Enlarged& problem, const harness::Outputs& reference, std::int64_t turns) {
  FarRun result;
  const adj::OpInfo& op = *plan.op;
  const harness::Problem& last = problem.last;
  std::vector<std::unique_ptr<SparseBuffer>> memory;
  std::vector<std::vector<void*>> addresses(op.slots.size());
  std::vector<std::vector<std::byte*>> rows(op.slots.size());     // where the last rows are
  std::vector<std::vector<std::uint64_t>> sizes(op.slots.size());
  auto bytes_of = [&](std::size_t i, std::size_t k) {
    const adj::SlotSpec& spec = problem.specs[i];
    if (op.slots[i].kind == adj::SlotKind::tensor) return spec.bytes;
    if (op.slots[i].kind == adj::SlotKind::list) return static_cast<std::uint64_t>(spec.numel[k]) * adj::size_of(spec.dtype);
    return std::uint64_t{last.contents()[i].data[k].bytes.size()};
  };
  harness::Outputs before;
  before.slots.resize(op.slots.size());
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const auto& c = last.contents()[i];
    for (std::size_t k = 0; k < c.data.size(); ++k) {
      const auto& buffer = memory.emplace_back(std::make_unique<SparseBuffer>(bytes_of(i, k)));
      const harness::Data& d = c.data[k];
      const bool cut = k < problem.rows[i].size() && problem.rows[i][k].is_cut();
      const std::uint64_t offset = cut ? static_cast<std::uint64_t>(problem.rows[i][k].begin * problem.rows[i][k].stride) * adj::size_of(d.dtype) : 0;
      addresses[i].push_back(buffer->data());
      rows[i].push_back(buffer->data() + offset);
      sizes[i].push_back(bytes_of(i, k));
      if (op.slots[i].role == Role::out) std::memset(rows[i][k], 0xCD, d.bytes.size());
      else std::memcpy(rows[i][k], d.bytes.data(), d.bytes.size());
      if (op.slots[i].kind == adj::SlotKind::random) {
        auto* state = reinterpret_cast<std::uint64_t*>(buffer->data());
        state[1] -= problem.random_offset_back;
      }
    }
  }
  for (std::size_t i = 0; i < op.slots.size(); ++i)
    if (const int other = last.contents()[i].shares; other >= 0) {
      addresses[i] = addresses[static_cast<std::size_t>(other)];
      rows[i] = rows[static_cast<std::size_t>(other)];
    }
  const SparseBuffer scratch(plan.workspace_size);
  std::byte* workspace = scratch.data();

  // The arguments of the rows, with the sizes of the whole.
  const harness::Arguments small(last, addresses);
  std::vector<std::uint64_t> storage(op.args_size / 8 + 1);
  auto* args = reinterpret_cast<std::byte*>(storage.data());
  std::memcpy(args, small.get(), op.args_size);
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (!last.contents()[i].present) continue;
    std::byte* at = args + op.slots[i].offset;
    if (op.slots[i].kind == adj::SlotKind::tensor) {
      auto& t = *reinterpret_cast<adj_tensor*>(at);
      t.bytes = problem.specs[i].bytes;
      std::copy_n(problem.specs[i].shape.begin(), ADJ_MAX_RANK, t.shape);
    } else if (op.slots[i].kind == adj::SlotKind::list) {
      reinterpret_cast<adj_tensor_list*>(at)->bytes = sizes[i].data();
    } else if (op.slots[i].kind == adj::SlotKind::random) {
      reinterpret_cast<adj_random*>(at)->offset -= problem.random_offset_back;
    }
  }
  if (auto ok = adj::can_implement(plan, reinterpret_cast<const adj_header*>(args)); !ok) {
    result.fault = refused(ok.error().message);
    return result;
  }
  auto remember = [&] {  // what no block has written yet
    for (std::size_t i = 0; i < op.slots.size(); ++i) {
      if (!harness::is_output(last, i)) continue;
      before.slots[i] = reference.slots[i];
      for (std::size_t k = 0; k < before.slots[i].size(); ++k)
        std::memcpy(before.slots[i][k].bytes.data(), rows[i][k], before.slots[i][k].bytes.size());
    }
  };
  remember();
  std::uint64_t seed = 1;
  for (const adj::Step& step : plan.steps) {
    if (!step.in(false)) continue;
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      if (adj::is_left_out(*kernel, plan, args)) continue;
      const bool unaligned = adj::takes_unaligned(*kernel, op, args);
      result.fault = run_kernel(plan, *kernel, unaligned ? *kernel->unaligned_program : *kernel->program,
                                unaligned ? kernel->unaligned_block : kernel->config.block_x, args, workspace, seed++, turns);
    } else if (const auto* memset = std::get_if<adj::MemsetStep>(&step)) {
      auto* base = memset->workspace ? workspace : static_cast<std::byte*>(reinterpret_cast<const adj_tensor*>(args + op.slots[memset->slot].offset)->data);
      const std::uint64_t skipped = memset->bytes > kTail ? memset->bytes - kTail : 0;
      if (base) std::memset(base + memset->offset + skipped, memset->value, memset->bytes - skipped);
    } else if (const auto* copy = std::get_if<adj::CopyStep>(&step)) {
      for (std::size_t k = 0; k < addresses[copy->from].size() && k < addresses[copy->to].size(); ++k)
        if (rows[copy->to][k] != rows[copy->from][k]) std::memcpy(rows[copy->to][k], rows[copy->from][k], last.contents()[copy->from].data[k].bytes.size());
      remember();
    }
    if (result.fault) return result;
  }
  // What the last block has not written counts as right; the last element must be written.
  result.outputs = reference;
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    if (!harness::is_output(last, i)) continue;
    for (std::size_t k = 0; k < result.outputs.slots[i].size(); ++k) {
      if (k >= problem.rows[i].size() || !problem.rows[i][k].is_cut()) continue;  // a sum over all rows
      harness::Data& data = result.outputs.slots[i][k];
      const std::size_t size = adj::size_of(data.dtype);
      for (std::size_t at = 0; at < data.bytes.size(); at += size) {
        if (std::memcmp(rows[i][k] + at, &before.slots[i][k].bytes[at], size) == 0) continue;
        std::memcpy(&data.bytes[at], rows[i][k] + at, size);
        ++result.written;
        result.last_written |= at + size == data.bytes.size();
      }
    }
  }
  return result;
}

}  // namespace simt

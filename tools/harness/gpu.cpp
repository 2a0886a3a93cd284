#include "harness/gpu.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "harness/arguments.hpp"
#include "harness/rows.hpp"

namespace harness {

using adj::Role;

void check(adj::cu::Result result, const char* call) {
  if (result == adj::cu::kSuccess) return;
  throw std::runtime_error(adj::cuda_error(**adj::cuda(), result, call).message);
}

namespace {
void check(const adj::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}
}  // namespace

Gpu::Gpu(int ordinal) {
  auto api = adj::cuda();
  if (!api) throw std::runtime_error(api.error().message);
  api_ = *api;
  auto device = adj::device(ordinal);
  if (!device) throw std::runtime_error(device.error().message);
  device_ = *device;
  harness::check(api_->context_push(device_->context), "cuCtxPushCurrent");
  harness::check(api_->stream_create(&stream_, adj::cu::kStreamNonBlocking), "cuStreamCreate");
}
Gpu::~Gpu() {
  api_->stream_synchronize(stream_);
  for (const auto& [bytes, block] : free_) api_->mem_free(block);
  if (reserved_) api_->mem_free(reserved_);
  api_->stream_destroy(stream_);
  adj::cu::Context ignored = nullptr;
  api_->context_pop(&ignored);
}
adj_stream Gpu::stream() const {
  auto stream = adj::wrap_stream(stream_);
  if (!stream) throw std::runtime_error(stream.error().message);
  return *stream;
}
void Gpu::synchronize() const { harness::check(api_->stream_synchronize(stream_), "cuStreamSynchronize"); }

void Gpu::reserve(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;
  while (!reserved_ && bytes >= kLeast && api_->mem_alloc(&reserved_, bytes) != adj::cu::kSuccess) reserved_ = 0, bytes /= 2;
  if (reserved_) gaps_[reserved_] = reserved_bytes_ = bytes;
}
adj::cu::DevicePtr Gpu::allocate(std::uint64_t bytes) const {
  constexpr std::uint64_t kSmallest = 1 << 16;
  bytes = std::max(bytes, kSmallest);
  const std::uint64_t units = (bytes + kSmallest - 1) / kSmallest * kSmallest;
  if (const auto it = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& gap) { return gap.second >= units; }); it != gaps_.end()) {
    const auto [block, size] = *it;
    gaps_.erase(it);
    if (size > units) gaps_[block + units] = size - units;
    sizes_[block] = units;
    return block;
  }
  if (const auto it = free_.lower_bound(bytes); it != free_.end() && it->first <= 4 * bytes) {
    const adj::cu::DevicePtr block = it->second;
    free_.erase(it);
    return block;
  }
  adj::cu::DevicePtr block = 0;
  harness::check(api_->mem_alloc(&block, bytes), "cuMemAlloc");
  sizes_[block] = bytes;
  return block;
}
void Gpu::release(adj::cu::DevicePtr block) const noexcept {
  constexpr std::uint64_t kLargestKept = std::uint64_t{64} << 20;
  const auto it = sizes_.find(block);
  if (block - reserved_ < reserved_bytes_) {
    auto gap = gaps_.emplace(block, it->second).first;
    sizes_.erase(it);
    if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap != gaps_.begin())
      if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
        before->second += gap->second;
        gaps_.erase(gap);
      }
    return;
  }
  if (it->second <= kLargestKept) {
    free_.emplace(it->second, block);
    return;
  }
  sizes_.erase(it);
  api_->mem_free(block);
}

DeviceBuffer::DeviceBuffer(const Gpu& gpu, std::uint64_t bytes, bool fresh) : gpu_(&gpu), bytes_(bytes), fresh_(fresh) {
  if (fresh)
    harness::check(gpu.api().mem_alloc(&base_, bytes + 2 * kGuard), "cuMemAlloc");
  else
    base_ = gpu.allocate(bytes + 2 * kGuard);
  harness::check(gpu.api().memset_d8_async(base_, kGuardByte, kGuard, gpu.handle()), "cuMemsetD8Async");
  harness::check(gpu.api().memset_d8_async(base_ + kGuard + bytes, kGuardByte, kGuard, gpu.handle()), "cuMemsetD8Async");
}
DeviceBuffer::~DeviceBuffer() {
  if (!base_) return;
  if (fresh_)
    gpu_->api().mem_free(base_);
  else
    gpu_->release(base_);
}
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept : gpu_(other.gpu_), base_(other.base_), bytes_(other.bytes_), fresh_(other.fresh_) {
  other.base_ = 0;
}
void DeviceBuffer::upload(const void* source) const {
  if (!bytes_) return;
  harness::check(gpu_->api().memcpy_htod_async(reinterpret_cast<adj::cu::DevicePtr>(data()), source, bytes_, gpu_->handle()), "cuMemcpyHtoDAsync");
  gpu_->synchronize();
}
void DeviceBuffer::download(void* target) const {
  if (!bytes_) return;
  harness::check(gpu_->api().memcpy_dtoh_async(target, reinterpret_cast<adj::cu::DevicePtr>(data()), bytes_, gpu_->handle()), "cuMemcpyDtoHAsync");
  gpu_->synchronize();
}
void DeviceBuffer::fill(unsigned char value) const {
  if (bytes_) harness::check(gpu_->api().memset_d8_async(reinterpret_cast<adj::cu::DevicePtr>(data()), value, bytes_, gpu_->handle()), "cuMemsetD8Async");
}
bool DeviceBuffer::guards_intact() const {
  std::vector<unsigned char> front(kGuard), back(kGuard);
  harness::check(gpu_->api().memcpy_dtoh_async(front.data(), base_, front.size(), gpu_->handle()), "cuMemcpyDtoHAsync");
  harness::check(gpu_->api().memcpy_dtoh_async(back.data(), base_ + kGuard + bytes_, back.size(), gpu_->handle()), "cuMemcpyDtoHAsync");
  gpu_->synchronize();
  for (const auto* guard : {&front, &back})
    for (unsigned char byte : *guard)
      if (byte != kGuardByte) return false;
  return true;
}

Graph::Graph(const Gpu& gpu, const std::function<void()>& record) : gpu_(&gpu) {
  harness::check(gpu.api().stream_begin_capture(gpu.handle(), adj::cu::kCaptureModeThreadLocal), "cuStreamBeginCapture");
  try {
    record();
  } catch (...) {
    gpu.api().stream_end_capture(gpu.handle(), &graph_);
    if (graph_) gpu.api().graph_destroy(graph_);
    throw;
  }
  harness::check(gpu.api().stream_end_capture(gpu.handle(), &graph_), "cuStreamEndCapture");
  harness::check(gpu.api().graph_instantiate(&exec_, graph_, 0), "cuGraphInstantiateWithFlags");
}
Graph::~Graph() {
  if (exec_) gpu_->api().graph_exec_destroy(exec_);
  if (graph_) gpu_->api().graph_destroy(graph_);
}
void Graph::launch() const { harness::check(gpu_->api().graph_launch(exec_, gpu_->handle()), "cuGraphLaunch"); }

DeviceProblem::DeviceProblem(const Gpu& gpu, const Problem& problem, std::uint64_t misalign, bool apart) : problem_(&problem) {
  constexpr std::size_t kAlignment = 256;  // as cuMemAlloc's
  const auto& contents = problem.contents();
  places_.resize(contents.size());
  host_.resize(contents.size());
  addresses_.resize(contents.size());
  if (!apart) regions_.emplace_back();
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const adj::SlotInfo& info = problem.op().slots[i];
    if (contents[i].shares >= 0) continue;
    if (info.space == adj::Space::host) {
      host_[i] = contents[i].data;
      for (Data& d : host_[i]) {
        if (info.role == Role::out) std::fill(d.bytes.begin(), d.bytes.end(), std::byte{0xCD});
        addresses_[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
      }
      continue;
    }
    for (const Data& d : contents[i].data) {
      if (apart) regions_.emplace_back();
      auto& image = regions_.back().image;
      const std::size_t before = image.size();
      const std::size_t moved = info.kind == adj::SlotKind::scalar || info.kind == adj::SlotKind::random ? 0 : misalign * adj::size_of(d.dtype);
      const std::size_t offset = (before + (before ? DeviceBuffer::kGuard : 0) + kAlignment - 1) / kAlignment * kAlignment + moved;
      image.resize(offset + d.bytes.size());
      guards_.push_back({regions_.size() - 1, before, offset, i});
      places_[i].push_back({regions_.size() - 1, offset});
    }
  }
  // DeviceBuffer adds the guards at both ends of a region.
  for (Region& region : regions_) region.memory = std::make_unique<DeviceBuffer>(gpu, region.image.size(), apart);
  for (std::size_t i = 0; i < contents.size(); ++i)
    for (std::size_t k = 0; k < places_[i].size(); ++k) {
      const auto [region, offset] = places_[i][k];
      addresses_[i].push_back(contents[i].data[k].bytes.empty() ? nullptr : static_cast<std::byte*>(regions_[region].memory->data()) + offset);
    }
  for (std::size_t i = 0; i < contents.size(); ++i)
    if (contents[i].shares >= 0) addresses_[i] = addresses_[static_cast<std::size_t>(contents[i].shares)];
  args_ = std::make_unique<Arguments>(problem, addresses_);
}

void DeviceProblem::upload(unsigned char poison) {
  for (const Guard& g : guards_) {
    auto& image = regions_[g.region].image;
    std::memset(image.data() + g.begin, DeviceBuffer::kGuardByte, g.end - g.begin);
  }
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::size_t k = 0; k < places_[i].size(); ++k) {
      const Data& d = problem_->contents()[i].data[k];
      if (d.bytes.empty()) continue;
      std::byte* to = regions_[places_[i][k].region].image.data() + places_[i][k].offset;
      if (problem_->op().slots[i].role == Role::out)
        std::memset(to, poison, d.bytes.size());
      else
        std::memcpy(to, d.bytes.data(), d.bytes.size());
    }
  for (const Region& region : regions_) region.memory->upload(region.image.data());
}
Outputs DeviceProblem::download() {
  broken_guard_.clear();
  auto broken = [&](const Guard& g) { broken_guard_ = problem_->op().slots[g.slot].name; };
  for (const Guard& g : guards_) {
    Region& region = regions_[g.region];
    if (g.begin == 0) {  // the first guard of its region
      region.memory->download(region.image.data());
      if (!region.memory->guards_intact()) broken(g);
    }
    const std::byte* image = region.image.data();
    if (!std::all_of(image + g.begin, image + g.end, [](std::byte b) { return b == std::byte{DeviceBuffer::kGuardByte}; })) broken(g);
  }
  Outputs outputs;
  outputs.slots.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!is_output(*problem_, i)) continue;
    if (problem_->op().slots[i].space == adj::Space::host) {
      outputs.slots[i] = host_[i];
      continue;
    }
    const int other = problem_->contents()[i].shares;
    const auto& places = places_[other >= 0 ? static_cast<std::size_t>(other) : i];
    outputs.slots[i] = problem_->contents()[i].data;
    for (std::size_t k = 0; k < places.size(); ++k) {
      auto& bytes = outputs.slots[i][k].bytes;
      if (!bytes.empty()) std::memcpy(bytes.data(), regions_[places[k].region].image.data() + places[k].offset, bytes.size());
    }
  }
  return outputs;
}

adj::Result<PlanHandle> select_sku(const adj_stream& stream, const Problem& problem, const adj::Sku& sku) {
  adj_preference preference;
  preference.sku = sku.id.c_str();
  preference.determinism = ADJ_NONDETERMINISTIC;
  preference.math = sku.guarantee.math == ADJ_MATH_FAST ? ADJ_MATH_FAST : ADJ_MATH_DEFAULT;
  auto plan = adj::select_plan(stream, problem.descriptor(), &preference);
  if (!plan) return plan.take_error();
  return PlanHandle(*plan);
}

std::vector<const adj::Program*> programs_of(const adj::Plan& plan) {
  std::vector<const adj::Program*> programs;
  for (const adj::Step& step : plan.steps)
    if (const auto* k = std::get_if<adj::KernelStep>(&step)) {
      programs.push_back(k->program);
      if (k->unaligned_program) programs.push_back(k->unaligned_program);
    }
  return programs;
}

adj::Result<void> accepts(const Gpu& gpu, const Problem& problem, const adj::Sku& sku) {
  auto selected = select_sku(gpu.stream(), problem, sku);
  if (selected) return {};
  return selected.take_error();
}

Outcome verify_on_gpu(const Gpu& gpu, const Case& c, const adj::Sku& sku, const Outputs& reference, const Trials& trials) {
  const Problem& problem = *c.problem;
  const adj_stream stream = gpu.stream();
  Outcome outcome;
  auto selected = select_sku(stream, problem, sku);
  if (!selected) throw std::runtime_error(selected.error().message);
  adj::Plan& plan = **selected;
  auto fail = [&](const std::string& what) {
    outcome.ok = false;
    if (outcome.message.empty()) outcome.message = fmt::format("{} on {}: {}", c.name, sku.id, what);
  };

  DeviceProblem device(gpu, problem, trials.misalign, trials.apart);
  DeviceBuffer scratch(gpu, plan.bind_workspace_size, trials.apart);
  const adj_workspace workspace{scratch.data(), plan.bind_workspace_size};
  auto settle = [&](const char* how) {
    gpu.synchronize();
    Outputs outputs = device.download();
    if (const std::string& name = device.broken_guard(); !name.empty()) fail(fmt::format("{}: wrote outside {}", how, name));
    if (!scratch.guards_intact()) fail(fmt::format("{}: wrote outside the workspace", how));
    return outputs;
  };
  auto run = [&](unsigned char poison, const char* how) {
    device.upload(poison);
    scratch.fill(poison);
    check(adj::run_plan(plan, stream, workspace, device.args()));
    return settle(how);
  };

  check(adj::can_implement(plan, device.args()));
  const Outputs first = run(0xCD, "run");
  if (c.unspecified) return outcome;
  const Comparison comparison = compare(c, sku, first, reference);
  outcome.worst = comparison.worst;
  if (!comparison.ok) fail(comparison.message);

  if (const auto changed = changed_by_skip(problem, first).value_or(""); !changed.empty()) fail(changed);
  // Runs another problem, bound first or not, and returns its outputs.
  auto run_other = [&](const Problem& of, std::uint64_t misalign, bool binds) {
    auto own = select_sku(stream, of, sku);
    if (!own) throw std::runtime_error(own.error().message);
    DeviceProblem other(gpu, of, misalign, trials.apart);
    const DeviceBuffer memory(gpu, (*own)->bind_workspace_size, trials.apart);
    const adj_workspace space{memory.data(), (*own)->bind_workspace_size};
    other.upload(0xCD);
    if (binds) {
      auto bound = adj::bind_plan(**own, stream, space, other.args());
      if (!bound) throw std::runtime_error(bound.error().message);
      const BoundHandle handle(*bound);
      check(adj::run_bound(**bound, stream));
      gpu.synchronize();
    } else {
      check(adj::run_plan(**own, stream, space, other.args()));
      gpu.synchronize();
    }
    return other.download();
  };
  if (c.twin && !same_bits(first, run_other(*c.twin, trials.misalign, false))) fail("the bits are not those of the twin");
  if (trials.misalign == 0 && sku.guarantee.bit_stable && same_anywhere(problem))
    for (const bool binds : {false, true})
      if (!same_bits(first, run_other(problem, 1, binds))) fail("the bits depend on where the buffers lie");
  if (trials.bound)
    for (const Variation& variation : variations_of(problem))
      for (const bool binds : {false, true})
        if (const std::string what = difference(problem, first, variation, run_other(variation.problem, trials.misalign, binds)); !what.empty())
          fail(what);

  if (trials.bound && trials.misalign == 0 && promises_rows(sku, problem))
    for (const Part& part : parts_of(problem)) {
      if (!accepts(gpu, part.problem, sku)) continue;
      if (const std::string what = difference(problem, first, part, run_other(part.problem, 0, false), sku); !what.empty()) fail(what);
    }

  const bool stable = sku.guarantee.bit_stable;
  auto expect_same = [&](const Outputs& outputs, const char* how) {
    if (stable ? !same_bits(first, outputs) : !compare(c, sku, outputs, reference).ok) fail(fmt::format("{} differs from the first run", how));
  };
  for (int i = 1; i < trials.repeats; ++i) expect_same(run(i % 2 ? 0xFF : 0x00, "repeated run"), "a repeated run");

  if (trials.graph) {
    const Graph graph(gpu, [&] { check(adj::run_plan(plan, stream, workspace, device.args())); });
    for (const unsigned char poison : {0xFF, 0x3C}) {
      device.upload(poison);
      scratch.fill(poison);
      graph.launch();
      expect_same(settle("graph replay"), "a graph replay");
    }
  }
  if (trials.bound) {
    device.upload(0xCD);
    scratch.fill(0xFF);
    auto bound = adj::bind_plan(plan, stream, workspace, device.args());
    if (!bound) throw std::runtime_error(bound.error().message);
    const BoundHandle handle(*bound);
    check(adj::run_bound(**bound, stream));
    expect_same(settle("bound run"), "a bound run");
    device.upload(0xCD);
    const Graph graph(gpu, [&] { check(adj::run_bound(**bound, stream)); });
    graph.launch();
    expect_same(settle("bound graph replay"), "a bound graph replay");
  }
  return outcome;
}

}  // namespace harness

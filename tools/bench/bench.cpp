#include "bench/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "base/text.hpp"
#include "cli/output.hpp"
#include "harness/plans.hpp"

namespace bench {

using adj::ArgumentKind;
using harness::check;
using harness::DeviceBuffer;

namespace {

constexpr std::uint64_t kFlushBytes = 256 << 20;  // several times the L2
constexpr std::int64_t kBlockElements = 1 << 22;  // random numbers that are tiled over larger buffers

adj::cu::DevicePtr address(const DeviceBuffer& b) { return reinterpret_cast<adj::cu::DevicePtr>(b.data()); }

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? NAN : v[v.size() / 2];
}

double now_us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void must(const adj::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

class Timer {
 public:
  explicit Timer(const Gpu& gpu) : gpu_(gpu), flush_(gpu, kFlushBytes) {
    check(gpu.api().event_create(&start_, adj::cu::kEventDefault), "cuEventCreate");
    check(gpu.api().event_create(&stop_, adj::cu::kEventDefault), "cuEventCreate");
  }
  ~Timer() {
    gpu_.api().event_destroy(start_);
    gpu_.api().event_destroy(stop_);
  }
  // Median device time, in microseconds, of the work that issue() puts on the stream. The L2 is cold before each time.
  double measure(const std::function<void()>& issue, int repeats, double seconds) {
    issue();
    gpu_.synchronize();
    std::vector<double> times;
    const double deadline = now_us() + seconds * 1e6;
    while (static_cast<int>(times.size()) < repeats && (times.size() < 5 || now_us() < deadline)) {
      flush_.fill(static_cast<unsigned char>(times.size()));
      check(gpu_.api().event_record(start_, gpu_.handle()), "cuEventRecord");
      issue();
      check(gpu_.api().event_record(stop_, gpu_.handle()), "cuEventRecord");
      check(gpu_.api().event_synchronize(stop_), "cuEventSynchronize");
      float ms = 0;
      check(gpu_.api().event_elapsed(&ms, start_, stop_), "cuEventElapsedTime");
      times.push_back(ms * 1e3);
    }
    return median(times);
  }

 private:
  const Gpu& gpu_;
  DeviceBuffer flush_;
  adj::cu::Event start_ = nullptr, stop_ = nullptr;
};

// Time of a copy on the device that reads and writes `bytes` bytes in all, in microseconds.
double copy_us(const Gpu& gpu, Timer& timer, std::uint64_t bytes) {
  const std::uint64_t half = std::max<std::uint64_t>(bytes / 2, 1);
  const DeviceBuffer from(gpu, half), to(gpu, half);
  from.fill(0x5A);
  return timer.measure([&] { check(gpu.api().memcpy_dtod_async(address(to), address(from), half, gpu.handle()), "cuMemcpyDtoDAsync"); }, 15, 5);
}

double copy_ceiling(const Gpu& gpu, Timer& timer) {
  constexpr std::uint64_t kBytes = std::uint64_t{8} << 30;
  return static_cast<double>(kBytes) / copy_us(gpu, timer, kBytes) / 1e3;
}

// Times of copies, of numbers of bytes that differ by less than 1/64 one copy.
class Copies {
 public:
  Copies(const Gpu& gpu, Timer& timer) : gpu_(gpu), timer_(timer) {}
  double us(double bytes) {
    const auto step = static_cast<int>(std::lround(64 * std::log2(std::max(bytes, 2.0))));
    const auto [at, added] = times_.try_emplace(step);
    if (added) at->second = copy_us(gpu_, timer_, static_cast<std::uint64_t>(bytes)) / bytes;
    return at->second * bytes;
  }

 private:
  const Gpu& gpu_;
  Timer& timer_;
  std::map<int, double> times_;  // microseconds a byte, by 64 log2 of the bytes
};

// Host time of one call, in microseconds: the median of several rounds, each short enough for the launch queue.
double host_cost(const Gpu& gpu, const std::function<void()>& call) {
  constexpr int kCalls = 100, kRounds = 20;
  std::vector<double> rounds;
  for (int i = 0; i < 50; ++i) call();
  for (int r = 0; r < kRounds; ++r) {
    gpu.synchronize();
    const double start = now_us();
    for (int i = 0; i < kCalls; ++i) call();
    rounds.push_back((now_us() - start) / kCalls);
  }
  gpu.synchronize();
  return median(rounds);
}

// Host time of a call, beside the time of its driver calls alone on finished parameter blocks. run() adds its checks and the filling of these
// blocks.
nlohmann::ordered_json host_row(const Gpu& gpu, const std::string& name, Buffers& buffers, std::FILE* text) {
  const adj_stream stream = gpu.stream();
  auto selected = adj::select_plan(stream, buffers.descriptor(), nullptr);
  if (!selected) throw std::runtime_error(selected.error().message);
  const harness::PlanHandle plan(*selected);
  const DeviceBuffer scratch(gpu, std::max<std::uint64_t>(plan->bind_workspace_size, 1));
  const adj_workspace workspace{scratch.data(), plan->bind_workspace_size};
  const adj_header* args = buffers.args();

  const double run = host_cost(gpu, [&] { must(adj::run_plan(*plan, stream, workspace, args)); });
  auto bound = adj::bind_plan(*plan, stream, workspace, args);
  if (!bound) throw std::runtime_error(bound.error().message);
  const harness::BoundHandle handle(*bound);
  const double bound_run = host_cost(gpu, [&] { must(adj::run_bound(**bound, stream)); });
  auto raw_of = [&](const std::vector<adj::Step>& steps) {
    return host_cost(gpu, [&] {
      for (const adj::Step& step : steps) {
        if (const auto* k = std::get_if<adj::KernelStep>(&step)) {
          adj::LaunchAttributes attributes;
          const adj::cu::LaunchConfig config = adj::launch_config(*k, gpu.handle(), attributes);
          void* params[] = {const_cast<std::byte*>(k->params.data())};
          check(gpu.api().launch(&config, k->function, params, nullptr), "cuLaunchKernelEx");
        } else if (const auto* m = std::get_if<adj::MemsetStep>(&step)) {
          check(gpu.api().memset_d8_async(address(scratch), m->value, std::min<std::uint64_t>(m->bytes, scratch.bytes()), gpu.handle()), "cuMemsetD8Async");
        }
      }
    });
  };
  const std::vector<adj::Step>& prepared = adj::bound_call_steps(**bound);
  const double raw_bound = raw_of(prepared);
  std::vector<adj::Step> complete = plan->steps_of(false);
  for (adj::Step& step : complete)
    if (auto* k = std::get_if<adj::KernelStep>(&step))
      adj::apply(k->bindings, k->params.data(), *plan->op, reinterpret_cast<const std::byte*>(args), static_cast<const std::byte*>(workspace.data));
  const double raw = raw_of(complete);
  const auto launches = static_cast<std::int64_t>(complete.size());
  const double can = [&] {
    constexpr int kCalls = 1000;
    const double start = now_us();
    for (int i = 0; i < kCalls; ++i) must(adj::can_implement(*plan, args));
    return (now_us() - start) / kCalls;
  }();
  fmt::print(text, "{:<44} {:>4} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.2f} {:>10.2f}\n", name, launches, raw, run, run - raw, bound_run, can);
  return {{"name", name},
          {"launches", launches},
          {"raw_us", raw},
          {"run_us", run},
          {"bound_launches", prepared.size()},
          {"bound_raw_us", raw_bound},
          {"bound_run_us", bound_run},
          {"can_implement_us", can}};
}

}  // namespace

Buffers::Buffers(const Gpu& gpu, const adj_header* descriptor, const std::vector<std::string>* optional) : gpu_(&gpu) {
  auto copy = adj::DescriptorCopy::make(descriptor);
  if (!copy) throw std::runtime_error(copy.error().message);
  descriptor_ = std::move(*copy);
  const std::size_t arguments = op().arguments.size();
  specs_.resize(arguments);
  op().shapes(descriptor_.get(), specs_);
  memory_.resize(arguments);
  present_.assign(arguments, true);
  scalars_.resize(arguments);
  source_.resize(arguments);
  for (std::size_t i = 0; i < arguments; ++i) {
    source_[i] = i;
    if (std::strcmp(op().arguments[i].name, "update_signal") == 0) scalars_[i].value = 1;  // the step is taken
    const bool left_out =
        specs_[i].presence == adj::Presence::optional && optional && std::find(optional->begin(), optional->end(), op().arguments[i].name) == optional->end();
    if (specs_[i].presence == adj::Presence::forbidden || left_out) {
      present_[i] = false;
      continue;
    }
    if (op().arguments[i].kind == ArgumentKind::tensor) memory_[i].emplace_back(gpu, specs_[i].bytes);
    if (op().arguments[i].kind == ArgumentKind::list)
      for (std::int64_t n : specs_[i].numel) memory_[i].emplace_back(gpu, static_cast<std::uint64_t>(n) * adj::size_of(specs_[i].dtype));
    for (const DeviceBuffer& b : memory_[i])
      if (adj::is_float(specs_[i].dtype)) fill(b, specs_[i].dtype, Fill::normal);
      else if (specs_[i].dtype == ADJ_BOOL) fill(b, ADJ_BOOL, Fill::below, 2);
      else check(gpu.api().memset_d8_async(address(b), 0, b.bytes(), gpu.handle()), "cuMemsetD8Async");
  }
}

// Tiles a block of random numbers, made once per type, over the buffer.
void Buffers::fill(const DeviceBuffer& buffer, adj_dtype dtype, Fill how, std::int64_t limit) {
  // Leaked: static destructors run after the device's context is gone.
  static auto& blocks = *new std::map<std::tuple<adj_dtype, Fill, std::int64_t>, std::unique_ptr<DeviceBuffer>>;
  auto& block = blocks[{dtype, how, limit}];
  const std::uint64_t block_bytes = static_cast<std::uint64_t>(kBlockElements) * adj::size_of(dtype);
  if (!block) {
    std::mt19937_64 rng(11);
    harness::Data data;
    data.dtype = dtype;
    data.bytes.resize(block_bytes);
    if (how == Fill::below) harness::fill_integers(data, rng, 0, limit - 1);
    else harness::fill_normal(data, rng);
    if (how == Fill::positive)
      for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, std::fabs(data.get(i)));
    block = std::make_unique<DeviceBuffer>(*gpu_, block_bytes);
    block->upload(data.bytes.data());
  }
  for (std::uint64_t at = 0; at < buffer.bytes(); at += block_bytes)
    check(gpu_->api().memcpy_dtod_async(address(buffer) + at, address(*block), std::min(block_bytes, buffer.bytes() - at), gpu_->handle()),
          "cuMemcpyDtoDAsync");
}

std::size_t Buffers::argument(const char* name) const {
  for (std::size_t i = 0; i < op().arguments.size(); ++i)
    if (std::strcmp(op().arguments[i].name, name) == 0) return i;
  throw std::logic_error(std::string("bench: no argument called ") + name);
}
void Buffers::omit(const char* name) { present_[argument(name)] = false; }
void Buffers::values(const char* name, const std::vector<std::int64_t>& integers) {
  harness::Data data;
  data.dtype = specs_[argument(name)].dtype;
  data.bytes.resize(specs_[argument(name)].bytes);
  for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, static_cast<double>(integers[static_cast<std::size_t>(i)]));
  memory_[argument(name)].at(0).upload(data.bytes.data());
}
void Buffers::constant(const char* name, double value) {
  harness::Data data;
  data.dtype = specs_[argument(name)].dtype;
  data.bytes.resize(specs_[argument(name)].bytes);
  harness::fill_constant(data, value);
  memory_[argument(name)].at(0).upload(data.bytes.data());
}
void Buffers::positive(const char* name) {
  for (const DeviceBuffer& b : memory_[argument(name)]) fill(b, specs_[argument(name)].dtype, Fill::positive);
}
void Buffers::below(const char* name, std::int64_t limit) {
  for (const DeviceBuffer& b : memory_[argument(name)]) fill(b, specs_[argument(name)].dtype, Fill::below, limit);
}
void Buffers::same(const char* name, const char* other) {
  source_[argument(name)] = argument(other);
  memory_[argument(name)].clear();
}
void Buffers::scalar(const char* name, double value) { scalars_[argument(name)].value = value; }

const adj_header* Buffers::args() {
  args_.assign((op().args_size + 7) / 8, 0);
  pointers_.assign(op().arguments.size(), {});
  capacities_.assign(op().arguments.size(), {});
  auto* base = reinterpret_cast<std::byte*>(args_.data());
  auto& header = *reinterpret_cast<adj_header*>(base);
  header.struct_size = op().args_size;
  header.tag = ADJ_ARGS_TAG(op().id);
  for (std::size_t i = 0; i < op().arguments.size(); ++i) {
    if (!present_[i]) continue;
    std::byte* at = base + op().arguments[i].offset;
    if (op().arguments[i].kind == ArgumentKind::scalar) {
      std::memcpy(at, &scalars_[i], sizeof(adj_scalar));
    } else if (op().arguments[i].kind == ArgumentKind::random) {
      const adj_random random{.seed = 1};
      std::memcpy(at, &random, sizeof random);
    } else if (op().arguments[i].kind == ArgumentKind::handle) {
      throw std::runtime_error(fmt::format("{} cannot be given here", op().arguments[i].name));
    } else if (op().arguments[i].kind == ArgumentKind::tensor) {
      adj_tensor t;
      t.data = memory_[source_[i]].at(0).data();
      t.bytes = specs_[i].bytes;
      t.dtype = specs_[i].dtype;
      std::memcpy(at, &t, sizeof t);
    } else {
      for (const DeviceBuffer& b : memory_[source_[i]]) {
        pointers_[i].push_back(b.data());
        capacities_[i].push_back(b.bytes());
      }
      adj_tensor_list list;
      list.count = static_cast<std::int64_t>(pointers_[i].size());
      list.dtype = specs_[i].dtype;
      list.data = pointers_[i].data();
      list.bytes = capacities_[i].data();
      std::memcpy(at, &list, sizeof list);
    }
  }
  return &header;
}

std::vector<Case> cases_of(const Options& options) {
  std::vector<Case> cases;
  if (options.problems.empty()) cases = all_cases();
  for (const ProblemWords& words : options.problems) cases.push_back(described_case(words));
  std::erase_if(cases, [&](const Case& c) { return !adj::glob_match(options.glob, c.name); });
  return cases;
}

nlohmann::ordered_json run(const Options& options) {
  Gpu gpu;
  gpu.reserve(gpu.device().memory / 5 * 2);
  const adj_stream stream = gpu.stream();
  Timer timer(gpu);
  const double ceiling = copy_ceiling(gpu, timer);
  Copies copies(gpu, timer);
  nlohmann::ordered_json report{{"device", gpu.device().name}, {"copy_ceiling_gb_s", ceiling}, {"cases", nlohmann::ordered_json::array()}};
  fmt::print(options.text, "{}, copy ceiling {:.0f} GB/s (bytes read plus bytes written)\n\n", gpu.device().name, ceiling);
  // One line for a case when it fits the terminal, else two.
  constexpr std::size_t kName = 88, kNumbers = 42, kKernel = 60;
  const char* const between = cli::line_width() >= kName + kNumbers + kKernel ? "" : "\n  ";
  const std::size_t name_width = *between ? 0 : kName;
  fmt::print(options.text, "{:<{}}{} {:>10} {:>10} {:>8} {:>9}  {}\n", "case", name_width, between, "floor MB", "us", "GB/s", "of copy", "kernel");
  for (const Case& c : cases_of(options)) {
    try {
      auto buffers = c.make(gpu);
      adj_preference preference;
      preference.tune = options.tune;
      if (!options.sku.empty()) {
        preference.sku = options.sku.c_str();
        preference.determinism = ADJ_NONDETERMINISTIC;
      }
      auto selected = adj::select_plan(stream, buffers->descriptor(), &preference);
      if (!selected) throw std::runtime_error(selected.error().message);
      const harness::PlanHandle plan(*selected);
      const DeviceBuffer scratch(gpu, std::max<std::uint64_t>(plan->bind_workspace_size, 1));
      const adj_workspace workspace{scratch.data(), plan->bind_workspace_size};
      const adj_header* args = buffers->args();
      const bool lists = !plan->tables.empty();
      harness::BoundHandle bound;
      if (lists) {
        auto made = adj::bind_plan(*plan, stream, workspace, args);
        if (!made) throw std::runtime_error(made.error().message);
        bound.reset(*made);
      }
      const double us = timer.measure([&] { must(lists ? adj::run_bound(*bound, stream) : adj::run_plan(*plan, stream, workspace, args)); }, options.repeats,
                                      options.seconds_per_case);
      const double bytes = c.floor_bytes(), gbs = bytes / us / 1e3;
      fmt::print(options.text, "{:<{}}{} {:>10.1f} {:>10.1f} {:>8.0f} {:>8.1f}%  {}\n", c.name, name_width, between, bytes / 1e6, us, gbs, 100 * gbs / ceiling,
                 plan->sku->id);
      report["cases"].push_back({{"name", c.name},
                                 {"sku", plan->sku->id},
                                 {"floor_bytes", bytes},
                                 {"us", us},
                                 {"gb_s", gbs},
                                 {"fraction_of_copy", gbs / ceiling},
                                 {"workspace_bytes", plan->workspace_size},
                                 {"launches", plan->steps.size()}});
      if (options.copies) report["cases"].back()["copy_us"] = copies.us(bytes);
    } catch (const std::exception& e) {
      fmt::print(options.text, "{:<{}}{} FAILED {}\n", c.name, name_width, between, e.what());
      report["cases"].push_back({{"name", c.name}, {"error", e.what()}});
    }
    std::fflush(options.text);
  }

  if (!options.problems.empty()) return report;
  report["host"] = nlohmann::ordered_json::array();
  fmt::print(options.text, "\n{:<44} {:>4} {:>9} {:>9} {:>9} {:>10} {:>10}\n", "host time per call, us", "raw", "launches", "run", "added", "bound run",
             "can_impl.");
  for (const Case& c : all_cases()) {
    const bool small = c.name == "adamw f32 1 tensor of 1024" || c.name == "adamw f32 80 tensors of 1024" || c.name == "adamw f32 700 tensors of 1024" ||
                       c.name == "adamw f32 1000 tensors of 1024" || c.name == "embedding_backward overwrite f32 T512 V50257 D768 uniform" ||
                       c.name == "embedding_backward accumulate bf16 T2048 V50257 D1024 uniform";
    if (!small || !adj::glob_match(options.glob, c.name)) continue;
    try {
      auto buffers = c.make(gpu);
      report["host"].push_back(host_row(gpu, c.name, *buffers, options.text));
    } catch (const std::exception& e) {
      fmt::print(options.text, "{:<44} FAILED {}\n", c.name, e.what());
      report["host"].push_back({{"name", c.name}, {"error", e.what()}});
    }
  }

  // Time of select. The first one with an empty cache compiles, one with a filled cache reads the disk, one for a new shape finds kernels loaded.
  report["select"] = nlohmann::ordered_json::array();
  adj_embedding_backward_descriptor desc{.num_embeddings = 1000, .embedding_dim = 64, .num_indices = 4096, .element = ADJ_F16, .index = ADJ_I32};
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    desc.num_indices = 4096 + i;
    const double start = now_us();
    auto plan = adj::select_plan(stream, &desc.header, nullptr);
    times.push_back(now_us() - start);
    if (plan) adj::release(*plan);
  }
  fmt::print(options.text, "\nselect: first {:.0f} us, a new shape of loaded kernels {:.2f} us (median)\n", times[0], median(times));
  report["select"] = {{"first_us", times[0]}, {"new_shape_us", median(times)}};
  std::vector<double> from_disk;
  for (const adj::Sku& sku : adj::skus_of(*adj::find_op(ADJ_OP_EMBEDDING_BACKWARD)).first(8))
    for (const adj::Program* program : sku.programs) {
      const double start = now_us();
      if (program->image(gpu.device().cc, ADJ_JIT_CACHED_ONLY)) from_disk.push_back((now_us() - start) / 1e3);
    }
  fmt::print(options.text, "disk: {:.2f} ms per kernel (median of {})\n", median(from_disk), from_disk.size());
  report["select"]["disk_ms"] = median(from_disk);
  return report;
}

}  // namespace bench

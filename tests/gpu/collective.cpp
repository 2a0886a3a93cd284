// Collectives through NCCL, with a thread and a GPU for each rank, against the same calls among threads on the host stream: run, repeated,
// captured and replayed. --bench measures them against raw calls of NCCL. Exit 77 without a GPU or NCCL.
#include <CLI/CLI.hpp>
#include <adjoint/ops/collective.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include "harness/device_problem.hpp"
#include "harness/plans.hpp"
#include "host/communicator.hpp"

namespace {

using harness::Data;
using harness::Problem;
using I = std::vector<std::int64_t>;
using Json = nlohmann::ordered_json;

// One exchange: make(rank) returns a rank's problem, without its communicator.
struct Exchange {
  std::string name;
  std::function<Problem(int rank)> make;
};

// Fills with positive numbers of up to eight bits, whose sums bf16 must round.
void fill(Data& data, int rank, int tensor) {
  const std::int64_t n = data.numel();
  const bool real = adj::is_float(data.dtype);
  for (std::int64_t e = 0; e < n; ++e)
    data.set(e, static_cast<double>((e * 7 + tensor * 3 + rank * 5) % 9 + 1) + (real ? static_cast<double>((e * 5 + rank * 3) % 16) / 16 : 0));
}

template <class Descriptor>
Exchange exchange(const std::string& name, Descriptor d, const I& numel, const char* inputs) {
  auto kept = std::make_shared<I>(numel);
  return {name, [=](int rank) mutable {
            if constexpr (requires { d.count; }) {
              d.count = static_cast<std::int64_t>(kept->size());
              d.numel = kept->data();
            }
            Problem p = Problem::of(d);
            if constexpr (requires { d.count; }) {
              int tensor = 0;
              for (Data& data : p.list(inputs)) fill(data, rank, tensor++);
            } else {
              fill(p.tensor(inputs), rank, 0);
            }
            return p;
          }};
}

std::vector<Exchange> exchanges(int ranks) {
  std::vector<Exchange> list;
  const I numel{5, 0, 33, 100003}, whole{32, 8, 20};
  for (adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I32, ADJ_U8, ADJ_I64}) {
    const bool real = adj::is_float(element);
    const std::string type = adj::dtype_name(element);
    for (int value = ADJ_COLLECTIVE_REDUCTION_DEFAULT; value <= ADJ_COLLECTIVE_REDUCTION_PROD; ++value) {
      const auto how = static_cast<adj_collective_reduction>(value);
      if (how == ADJ_COLLECTIVE_REDUCTION_AVERAGE && !real) continue;
      const std::string name = fmt::format("{} reduction {}", type, how);
      list.push_back(exchange("all_reduce " + name, adj_all_reduce_descriptor{.reduction = how, .element = element}, numel, "inputs"));
      Exchange in_place = list.back();
      in_place.name += " in place";
      in_place.make = [make = list.back().make](int rank) mutable {
        Problem p = make(rank);
        p.share("outputs", "inputs");
        return p;
      };
      list.push_back(in_place);
      for (adj_shard_layout layout : {ADJ_SHARD_LAYOUT_EVEN, ADJ_SHARD_LAYOUT_WHOLE})
        if (layout == ADJ_SHARD_LAYOUT_EVEN || ranks <= 2)
          list.push_back(exchange(fmt::format("reduce_scatter {} layout {}", name, layout),
                                  adj_reduce_scatter_descriptor{.ranks = ranks, .layout = layout, .reduction = how, .element = element},
                                  layout == ADJ_SHARD_LAYOUT_EVEN ? numel : whole, "inputs"));
    }
    for (adj_shard_layout layout : {ADJ_SHARD_LAYOUT_EVEN, ADJ_SHARD_LAYOUT_WHOLE})
      if (layout == ADJ_SHARD_LAYOUT_EVEN || ranks <= 2)
        list.push_back(exchange(fmt::format("all_gather {} layout {}", type, layout),
                                adj_all_gather_descriptor{.ranks = ranks, .layout = layout, .element = element},
                                layout == ADJ_SHARD_LAYOUT_EVEN ? numel : whole, "inputs"));
    list.push_back(exchange("broadcast " + type, adj_broadcast_descriptor{.root = ranks - 1, .element = element}, numel, "tensors"));
    if (!real) continue;
    if ((ranks & (ranks - 1)) == 0)
      list.push_back(exchange("adasum_all_reduce " + type, adj_adasum_all_reduce_descriptor{.ranks = ranks, .element = element}, numel, "inputs"));
    for (int backward : {0, 1}) {
      auto alone = [](Exchange e, const char* way) {
        e.name += way;
        return e;
      };
      list.push_back(alone(exchange("megatron_f " + type, adj_megatron_f_descriptor{.numel = 1003, .backward = backward, .element = element}, {}, "input"),
                           backward ? " backward" : " forward"));
      list.push_back(alone(exchange("megatron_g " + type, adj_megatron_g_descriptor{.numel = 1003, .backward = backward, .element = element}, {}, "input"),
                           backward ? " backward" : " forward"));
    }
  }
  if (ranks > 1) {
    // Rank 0 sends to rank 1; the other ranks only copy.
    Exchange pair;
    pair.name = "send and recv";
    auto counts = std::make_shared<I>(numel);
    pair.make = [=](int rank) {
      if (rank == 0) {
        adj_send_descriptor d{.peer = 1, .count = 4, .numel = counts->data(), .element = ADJ_BF16};
        Problem p = Problem::of(d);
        int tensor = 0;
        for (Data& data : p.list("tensors")) fill(data, rank, tensor++);
        return p;
      }
      if (rank == 1) return Problem::of(adj_recv_descriptor{.peer = 0, .count = 4, .numel = counts->data(), .element = ADJ_BF16});
      return Problem::of(adj_megatron_f_descriptor{.numel = 1, .element = ADJ_F32});
    };
    list.push_back(pair);
  }
  return list;
}

bool takes_communicator(const Problem& p) { return p.specs()[p.argument("communicator")].presence != adj::Presence::forbidden; }

void on_ranks(int ranks, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r) threads.emplace_back([&, r] { work(r); });
}

// Outputs of all ranks on the host stream.
std::vector<harness::Outputs> host_outputs(const Exchange& e, int ranks) {
  auto handles = adj::host::create_communicator(ranks);
  if (!handles) throw std::runtime_error(handles.error().message);
  std::vector<harness::Outputs> outputs(static_cast<std::size_t>(ranks));
  std::mutex mutex;
  std::string problem;
  on_ranks(ranks, [&](int r) {
    Problem p = e.make(r);
    if (takes_communicator(p)) p.handle("communicator", (*handles)[static_cast<std::size_t>(r)]);
    auto got = harness::run_reference(p);
    const std::lock_guard lock(mutex);
    if (got) outputs[static_cast<std::size_t>(r)] = *got;
    else problem = got.error().message;
  });
  for (void* handle : *handles) adj::host::destroy_communicator(handle);
  if (!problem.empty()) throw std::runtime_error("host: " + problem);
  return outputs;
}

class Group {
 public:
  explicit Group(int ranks) : ranks_(ranks), barrier_(ranks), comms_(static_cast<std::size_t>(ranks)) {
    std::vector<std::int32_t> devices;
    for (int r = 0; r < ranks; ++r) devices.push_back(r);
    auto api = adj::nccl();
    if (!api) throw std::runtime_error(api.error().message);
    api_ = *api;
    if (const auto rc = api_->comm_init_all(comms_.data(), ranks, devices.data()))
      throw std::runtime_error(fmt::format("ncclCommInitAll: {}", api_->error_string(rc)));
  }
  ~Group() {
    for (adj::cu::NcclComm comm : comms_) api_->comm_destroy(comm);
  }

  int failures() const { return failures_; }
  int passed() const { return passed_; }

  void check(const Exchange& e, const std::vector<harness::Outputs>& expected, harness::Gpu& gpu, int rank) {
    const auto self = static_cast<std::size_t>(rank);
    std::string problem;
    try {
      Problem p = e.make(rank);
      if (takes_communicator(p)) p.handle("communicator", comms_[self]);
      auto selected = adj::select_plan(gpu.stream(), p.descriptor(), nullptr);
      if (!selected) throw std::runtime_error(selected.error().message);
      const harness::PlanHandle plan(*selected);
      harness::DeviceProblem device(gpu, p, 0, false);
      const harness::DeviceBuffer scratch(gpu, std::max<std::uint64_t>(plan->workspace_size, 1));
      const adj_workspace workspace{scratch.data(), plan->workspace_size};
      auto issue = [&] {
        auto ok = adj::run_plan(*plan, gpu.stream(), workspace, device.args());
        if (!ok) throw std::runtime_error(ok.error().message);
      };
      harness::Case c;
      c.name = e.name;
      c.problem = std::make_shared<Problem>(e.make(rank));
      // All inputs are positive, so the terms of a reduction add up to the result. Adasum subtracts numbers of up to 10, weighted.
      const bool adasum = plan->op->id == ADJ_OP_ADASUM_ALL_REDUCE;
      c.magnitudes = [&, adasum](const Problem& of, const std::string& output) {
        std::vector<std::vector<double>> sizes;
        if (!adasum) {
          for (const Data& result : expected[self].arguments[of.argument(output.c_str())]) {
            sizes.emplace_back();
            for (std::int64_t i = 0; i < result.numel(); ++i) sizes.back().push_back(1.01 * std::fabs(result.get(i)));
          }
          return sizes;
        }
        for (const std::int64_t n : of.specs()[of.argument(output.c_str())].numel) sizes.emplace_back(static_cast<std::size_t>(n), 100.0);
        if (sizes.empty()) sizes.emplace_back(static_cast<std::size_t>(of.specs()[of.argument(output.c_str())].bytes), 100.0);
        return sizes;
      };
      // The row states the bound of a reduction for 8 ranks: nine roundings.
      adj::Sku sku = *plan->sku;
      if (!adasum) sku.guarantee.bound_terms *= (ranks_ + 1) / 9.0;
      harness::Outputs first;
      auto judge = [&](const char* how) {
        harness::Outputs got = device.download();
        if (!device.broken_guard().empty()) problem = fmt::format("{}: written beside {}", how, device.broken_guard());
        if (const auto r = harness::compare(c, sku, got, expected[self]); !r.ok) problem = fmt::format("{}: {}", how, r.message);
        if (first.arguments.empty()) first = std::move(got);
        else if (!harness::same_bits(first, got)) problem = fmt::format("{}: other bits than the first time", how);
      };
      for (int repeat = 0; repeat < 2; ++repeat) {
        device.upload(0xCD);
        gpu.synchronize();
        barrier_.arrive_and_wait();
        issue();
        judge("run");
      }
      barrier_.arrive_and_wait();
      const harness::Graph graph(gpu, issue);
      for (int replay = 0; replay < 2; ++replay) {
        device.upload(0xFF);
        gpu.synchronize();
        barrier_.arrive_and_wait();
        graph.launch();
        judge("replayed");
      }
    } catch (const std::exception& error) {
      // Ends the process: the other ranks would wait for this one.
      fmt::print("FAILED {} on rank {} of {}: {}\n", e.name, rank, ranks_, error.what());
      std::fflush(stdout);
      std::quick_exit(1);
    }
    const std::lock_guard lock(mutex_);
    if (problem.empty()) ++passed_;
    else {
      ++failures_;
      fmt::print("FAILED {} on rank {} of {}: {}\n", e.name, rank, ranks_, problem);
    }
  }

  // A communicator that contradicts the descriptor is refused without a collective of NCCL.
  void check_refusals(harness::Gpu& gpu, int rank) {
    if (rank != 0) return;
    const I numel{4};
    Problem p = Problem::of(adj_all_gather_descriptor{.ranks = ranks_ + 1, .count = 1, .numel = numel.data(), .element = ADJ_F32});
    p.handle("communicator", comms_[0]);
    auto selected = adj::select_plan(gpu.stream(), p.descriptor(), nullptr);
    const harness::PlanHandle plan(selected ? *selected : nullptr);
    harness::DeviceProblem device(gpu, p, 0, false);
    const auto ok = adj::run_plan(*plan, gpu.stream(), {}, device.args());
    const std::string said = ok ? "nothing" : ok.error().message;
    const std::lock_guard lock(mutex_);
    if (said.find("ranks") != std::string::npos) ++passed_;
    else ++failures_, fmt::print("FAILED a communicator of other ranks: said {}\n", said);
  }

  // Gathers and scatters even parts in place. A rank's own part is accepted, with the expected sums; the part of another rank is refused.
  void check_in_place(harness::Gpu& gpu, int rank) {
    const auto self = static_cast<std::size_t>(rank);
    const I numel{4, 1027};
    auto value = [](int of, std::int64_t e) { return static_cast<float>((of + 1) * (e % 50 + 1)); };
    std::string problem;
    try {
      std::vector<harness::DeviceBuffer> wholes;
      std::vector<void*> whole, part, other;
      std::vector<std::uint64_t> whole_bytes, part_bytes;
      for (const std::int64_t n : numel) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(n) * 4;
        wholes.emplace_back(gpu, bytes * static_cast<std::uint64_t>(ranks_));
        auto* data = static_cast<char*>(wholes.back().data());
        whole.push_back(data);
        part.push_back(data + bytes * self);
        other.push_back(data + bytes * ((self + 1) % static_cast<std::size_t>(ranks_)));
        whole_bytes.push_back(wholes.back().bytes());
        part_bytes.push_back(bytes);
      }
      const adj_tensor_list all{2, ADJ_F32, 0, whole.data(), whole_bytes.data()};
      // Fills every whole tensor by `mine`, runs the collective, and compares the parts from first_part to last_part with `expected`.
      auto exchange = [&](const adj_header& descriptor, const adj_header& args, auto mine, auto expected, int first_part, int last_part) {
        auto selected = adj::select_plan(gpu.stream(), &descriptor, nullptr);
        if (!selected) throw std::runtime_error(selected.error().message);
        const harness::PlanHandle plan(*selected);
        for (std::size_t i = 0; i < wholes.size(); ++i) {
          std::vector<float> values(static_cast<std::size_t>(numel[i] * ranks_));
          for (std::size_t e = 0; e < values.size(); ++e) values[e] = mine(static_cast<std::int64_t>(e) / numel[i], static_cast<std::int64_t>(e) % numel[i]);
          wholes[i].upload(values.data());
        }
        gpu.synchronize();
        barrier_.arrive_and_wait();
        if (auto ok = adj::run_plan(*plan, gpu.stream(), {}, &args); !ok) throw std::runtime_error(ok.error().message);
        gpu.synchronize();
        for (std::size_t i = 0; i < wholes.size(); ++i) {
          std::vector<float> values(static_cast<std::size_t>(numel[i] * ranks_));
          wholes[i].download(values.data());
          for (std::int64_t e = first_part * numel[i]; e < last_part * numel[i]; ++e)
            if (values[static_cast<std::size_t>(e)] != expected(e / numel[i], e % numel[i]))
              problem =
                  fmt::format("element {} of tensor {} is {}, expected {}", e, i, values[static_cast<std::size_t>(e)], expected(e / numel[i], e % numel[i]));
          if (!wholes[i].guards_intact()) problem = "written beside a buffer";
        }
        // The part of another rank.
        if (ranks_ == 1) return;
        auto wrong = std::vector<std::byte>(reinterpret_cast<const std::byte*>(&args), reinterpret_cast<const std::byte*>(&args) + args.struct_size);
        auto& lists = *reinterpret_cast<adj_all_gather_args*>(wrong.data());  // both have the same members
        (lists.inputs.data == part.data() ? lists.inputs : lists.outputs).data = other.data();
        const auto refused = adj::run_plan(*plan, gpu.stream(), {}, &lists.header);
        if (refused || refused.error().code != ADJ_ERROR_ALIASING) problem = "the part of another rank is accepted";
      };
      adj_all_gather_args gather;
      gather.communicator = comms_[self];
      gather.inputs = {2, ADJ_F32, 0, part.data(), part_bytes.data()};
      gather.outputs = all;
      exchange(
          adj_all_gather_descriptor{.ranks = ranks_, .count = 2, .numel = numel.data(), .element = ADJ_F32}.header, gather.header,
          [&](std::int64_t p, std::int64_t e) { return p == rank ? value(rank, e) : -1.0f; },
          [&](std::int64_t p, std::int64_t e) { return value(static_cast<int>(p), e); }, 0, ranks_);
      adj_reduce_scatter_args scatter;
      scatter.communicator = comms_[self];
      scatter.inputs = all;
      scatter.outputs = {2, ADJ_F32, 0, part.data(), part_bytes.data()};
      exchange(
          adj_reduce_scatter_descriptor{.ranks = ranks_, .count = 2, .numel = numel.data(), .element = ADJ_F32}.header, scatter.header,
          [&](std::int64_t p, std::int64_t e) { return value(rank, e) + static_cast<float>(p); },
          [&](std::int64_t p, std::int64_t e) {
            float sum = 0;
            for (int r = 0; r < ranks_; ++r) sum += value(r, e) + static_cast<float>(p);
            return sum;
          },
          rank, rank + 1);
    } catch (const std::exception& error) {
      fmt::print("FAILED in place on rank {} of {}: {}\n", rank, ranks_, error.what());
      std::fflush(stdout);
      std::quick_exit(1);
    }
    const std::lock_guard lock(mutex_);
    if (problem.empty()) ++passed_;
    else ++failures_, fmt::print("FAILED in place on rank {} of {}: {}\n", rank, ranks_, problem);
  }

  // Measures our calls and raw calls of NCCL, in bytes per second as NCCL's tests count bytes.
  void bench(harness::Gpu& gpu, int rank, Json& report) {
    const auto self = static_cast<std::size_t>(rank);
    auto timed = [&](const std::function<void()>& call, int repeats) {
      for (int i = 0; i < 3; ++i) call();
      gpu.synchronize();
      barrier_.arrive_and_wait();
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < repeats; ++i) call();
      const double host = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / repeats;
      gpu.synchronize();
      const double total = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / repeats;
      barrier_.arrive_and_wait();
      return std::pair(total, host);
    };
    auto row = [&](const std::string& name, const std::function<void()>& ours, const std::function<void()>& raw, int repeats) {
      std::pair<double, double> a, b;
      for (int round = 0; round < 3; ++round) {
        const auto x = timed(ours, repeats), y = timed(raw, repeats);
        if (!round || x.first < a.first) a = x;
        if (!round || y.first < b.first) b = y;
      }
      if (rank) return;
      fmt::print("{:<40} ours {:>10.1f} us, host {:>8.2f}; other {:>10.1f} us, host {:>8.2f}; speed {:.3f} of it\n", name, a.first, a.second, b.first, b.second,
                 b.first / a.first);
      report.push_back({{"name", name}, {"us", a.first}, {"host_us", a.second}, {"other_us", b.first}, {"other_host_us", b.second}});
    };
    for (const std::int64_t bytes : {std::int64_t{1} << 30, std::int64_t{64} << 20}) {
      const std::int64_t n = bytes / 4, part = n / ranks_;
      const harness::DeviceBuffer from(gpu, static_cast<std::uint64_t>(bytes)), to(gpu, static_cast<std::uint64_t>(bytes));
      from.fill(0);
      auto run = [&](const adj_header& descriptor, const adj_header& args) {
        auto selected = adj::select_plan(gpu.stream(), &descriptor, nullptr);
        if (!selected) throw std::runtime_error(selected.error().message);
        std::shared_ptr<adj::Plan> plan(*selected, [](adj::Plan* p) { adj::release(p); });
        return [plan, &args, stream = gpu.stream()] {
          if (auto ok = adj::run_plan(*plan, stream, {}, &args); !ok) throw std::runtime_error(ok.error().message);
        };
      };
      auto list = [](const harness::DeviceBuffer& b, std::int64_t elements, void*& data, std::uint64_t& size) {
        data = b.data();
        size = static_cast<std::uint64_t>(elements) * 4;
        return adj_tensor_list{1, ADJ_F32, 0, &data, &size};
      };
      void *in_data = nullptr, *out_data = nullptr;
      std::uint64_t in_size = 0, out_size = 0;
      const std::string size = bytes >> 30 ? "1 GB" : "64 MB";
      {
        adj_all_reduce_args a;
        a.communicator = comms_[self];
        a.inputs = list(from, n, in_data, in_size);
        a.outputs = list(to, n, out_data, out_size);
        const adj_all_reduce_descriptor d{.count = 1, .numel = &n, .element = ADJ_F32};
        row(
            "all_reduce f32 " + size, run(d.header, a.header),
            [&] {
              api_->all_reduce(from.data(), to.data(), static_cast<std::size_t>(n), adj::cu::kNcclFloat32, adj::cu::kNcclSum, comms_[self], gpu.handle());
            },
            20);
      }
      {
        adj_all_gather_args a;
        a.communicator = comms_[self];
        a.inputs = list(from, part, in_data, in_size);
        a.outputs = list(to, part * ranks_, out_data, out_size);
        const adj_all_gather_descriptor d{.ranks = ranks_, .count = 1, .numel = &part, .element = ADJ_F32};
        row(
            "all_gather f32 " + size, run(d.header, a.header),
            [&] { api_->all_gather(from.data(), to.data(), static_cast<std::size_t>(part), adj::cu::kNcclFloat32, comms_[self], gpu.handle()); }, 20);
      }
      {
        adj_reduce_scatter_args a;
        a.communicator = comms_[self];
        a.inputs = list(from, part * ranks_, in_data, in_size);
        a.outputs = list(to, part, out_data, out_size);
        const adj_reduce_scatter_descriptor d{.ranks = ranks_, .count = 1, .numel = &part, .element = ADJ_F32};
        row(
            "reduce_scatter f32 " + size, run(d.header, a.header),
            [&] {
              api_->reduce_scatter(from.data(), to.data(), static_cast<std::size_t>(part), adj::cu::kNcclFloat32, adj::cu::kNcclSum, comms_[self],
                                   gpu.handle());
            },
            20);
      }
    }
    // A thousand tensors in one call, and in a thousand calls of NCCL.
    constexpr std::size_t kTensors = 1000, kElements = 16384;
    const harness::DeviceBuffer memory(gpu, kTensors * kElements * 4);
    std::vector<void*> data;
    for (std::size_t i = 0; i < kTensors; ++i) data.push_back(static_cast<float*>(memory.data()) + i * kElements);
    const std::vector<std::uint64_t> sizes(kTensors, kElements * 4);
    const I numel(kTensors, kElements);
    const adj_all_reduce_descriptor d{.count = kTensors, .numel = numel.data(), .element = ADJ_F32};
    adj_all_reduce_args a;
    a.communicator = comms_[self];
    a.inputs = a.outputs = {kTensors, ADJ_F32, 0, data.data(), sizes.data()};
    auto selected = adj::select_plan(gpu.stream(), &d.header, nullptr);
    if (!selected) throw std::runtime_error(selected.error().message);
    const harness::PlanHandle plan(*selected);
    row(
        "all_reduce 1000 x 64 KB, 1 call and 1000", [&] { (void)adj::run_plan(*plan, gpu.stream(), {}, &a.header); },
        [&] {
          for (void* p : data) api_->all_reduce(p, p, kElements, adj::cu::kNcclFloat32, adj::cu::kNcclSum, comms_[self], gpu.handle());
        },
        5);
  }

 private:
  int ranks_;
  std::barrier<> barrier_;
  const adj::cu::NcclApi* api_ = nullptr;
  std::vector<adj::cu::NcclComm> comms_;
  std::mutex mutex_;
  int failures_ = 0, passed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Collectives through NCCL against the host.", "collective_test");
  std::string json;
  bool bench = false, host = false;
  app.add_option("--json", json, "write the measurements to this file");
  app.add_flag("--host", host, "only the calls on the host stream that the GPUs are compared with");
  app.add_flag("--bench", bench, "measure beside raw NCCL calls");
  CLI11_PARSE(app, argc, argv);
  if (host) {
    for (int ranks : {1, 2, 3})
      for (const Exchange& e : exchanges(ranks)) host_outputs(e, ranks);
    return 0;
  }
  const auto count = adj::device_count();
  const auto api = adj::nccl();
  if (!count || *count == 0 || !api) {
    fmt::print("skipped: {}\n", api ? "no CUDA device" : api.error().message);
    return 77;
  }
  int failures = 0, passed = 0;
  Json report = Json::array();
  try {
    for (int ranks = 1; ranks <= *count; ranks *= 2) {
      Group group(ranks);
      const std::vector<Exchange> list = exchanges(ranks);
      std::vector<std::vector<harness::Outputs>> expected;
      for (const Exchange& e : list) expected.push_back(host_outputs(e, ranks));
      on_ranks(ranks, [&](int rank) {
        harness::Gpu gpu(rank);
        for (std::size_t i = 0; i < list.size(); ++i) group.check(list[i], expected[i], gpu, rank);
        group.check_refusals(gpu, rank);
        group.check_in_place(gpu, rank);
        if (bench && ranks == *count) group.bench(gpu, rank, report);
      });
      failures += group.failures();
      passed += group.passed();
      fmt::print("{} ranks: {} passed, {} failed\n", ranks, group.passed(), group.failures());
    }
    if (!json.empty()) std::ofstream(json) << report.dump(1) << "\n";
  } catch (const std::exception& e) {
    fmt::print("FAILED {}\n", e.what());
    ++failures;
  }
  fmt::print("{} passed, {} failed\n", passed, failures);
  return failures || !passed ? 1 : 0;
}

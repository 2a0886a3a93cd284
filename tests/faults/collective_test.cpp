// NCCL that fails: without an entry point, and failing at every call that a collective makes of it. Each case is a process of its own.
#include <adjoint/ops/collective.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "libraries.hpp"

using namespace faults;

// ---- collectives

namespace {

// Every collective, as rank 0 of two ranks on one device.
class CollectiveProgram {
 public:
  static constexpr int kRanks = 2;
  static constexpr std::int64_t kCount = 2, kEach = 8;

  CollectiveProgram() {
    for (std::int64_t i = 0; i < kCount; ++i) {
      data_[i] = memory_.get(kEach * kRanks * 8);
      results_[i] = memory_.get(kEach * kRanks * 8);
      bytes_[i] = kEach * kRanks * 8;
    }
  }
  ~CollectiveProgram() { destroy(); }

  Outcome join() {
    std::int32_t devices[kRanks] = {0, 1};
    if (const adj_status code = adj_comm_init_all(kRanks, devices, comms_)) return {code, adj_last_error()};
    char id[ADJ_COMM_ID_BYTES];
    if (const adj_status code = adj_comm_unique_id(id, sizeof id)) return {code, adj_last_error()};
    if (const adj_status code = adj_comm_init(kRanks, 1, id, sizeof id, &joined_)) return {code, adj_last_error()};
    return {};
  }
  Outcome select() {
    stream_ = device_stream();
    plans_.clear();
    adj_all_reduce_descriptor sum;
    adj_all_gather_descriptor gather, gather_whole;
    adj_reduce_scatter_descriptor scatter, scatter_whole;
    adj_broadcast_descriptor broadcast;
    adj_send_descriptor send;
    adj_recv_descriptor recv;
    adj_adasum_all_reduce_descriptor adasum;
    adj_megatron_f_descriptor megatron;
    gather.ranks = gather_whole.ranks = scatter.ranks = scatter_whole.ranks = adasum.ranks = kRanks;
    send.peer = recv.peer = 1;
    gather_whole.layout = scatter_whole.layout = ADJ_SHARD_LAYOUT_WHOLE;
    megatron.numel = kEach, megatron.element = ADJ_F32, megatron.backward = 1;
    auto fill = [&](auto&... d) { ((d.count = kCount, d.numel = numel_, d.element = ADJ_F32), ...); };
    fill(sum, gather, gather_whole, scatter, scatter_whole, broadcast, send, recv, adasum);
    adj_preference preference;
    for (const adj_header* d : {&sum.header, &gather.header, &scatter.header, &broadcast.header, &send.header, &recv.header, &adasum.header, &megatron.header,
                                &gather_whole.header, &scatter_whole.header})
      if (Outcome o = make_plan(stream_, *d, preference, plans_.emplace_back()); o.code) return o;
    return {};
  }
  Outcome run(void* comm = nullptr) {
    if (!comm) comm = comms_[0];
    const adj_tensor_list in{kCount, ADJ_F32, 0, data_, bytes_}, out{kCount, ADJ_F32, 0, results_, bytes_};
    adj_all_reduce_args sum;
    adj_all_gather_args gather;
    adj_reduce_scatter_args scatter;
    adj_broadcast_args broadcast;
    adj_send_args send;
    adj_recv_args recv;
    adj_adasum_all_reduce_args adasum;
    adj_megatron_f_args megatron;
    sum.inputs = gather.inputs = scatter.inputs = adasum.inputs = send.tensors = in;
    sum.outputs = gather.outputs = scatter.outputs = adasum.outputs = broadcast.tensors = recv.tensors = out;
    sum.communicator = gather.communicator = scatter.communicator = broadcast.communicator = send.communicator = recv.communicator = adasum.communicator =
        megatron.communicator = comm;
    megatron.input = {data_[0], kEach * 8, ADJ_F32, 0, {}, {}}, megatron.output = {results_[0], kEach * 8, ADJ_F32, 0, {}, {}};
    const adj_header* args[] = {&sum.header,  &gather.header, &scatter.header,  &broadcast.header, &send.header,
                                &recv.header, &adasum.header, &megatron.header, &gather.header,    &scatter.header};
    if (plans_.size() != std::size(args)) return {ADJ_ERROR_INTERNAL, "there are no plans"};
    for (std::size_t i = 0; i < std::size(args); ++i) {
      const std::uint64_t bytes = adj_plan_workspace_size(plans_[i].get());
      const adj_workspace workspace{bytes ? memory_.get(bytes) : nullptr, bytes};
      if (const adj_status code = adj_plan_run(plans_[i].get(), &stream_, &workspace, args[i])) return {code, adj_last_error(), adj_last_native_code()};
      if (nccl_fake().state.pending) return {ADJ_ERROR_INTERNAL, "run returns while its work is in progress"};
    }
    return {};
  }
  Outcome destroy() {
    Outcome first;
    const auto note = [&](adj_status code) {
      if (code && !first.code) first = {code, adj_last_error(), adj_last_native_code()};
    };
    for (void** comm : {&comms_[0], &comms_[1]}) note(adj_comm_destroy(std::exchange(*comm, nullptr)));
    note(adj_comm_abort(std::exchange(joined_, nullptr)));
    return first;
  }
  void forget(int i) { comms_[i] = nullptr; }
  void* comm(int i) const { return i == 2 ? joined_ : comms_[i]; }

 private:
  Memory memory_;
  std::int64_t numel_[kCount] = {kEach, kEach};
  void *data_[kCount], *results_[kCount];
  std::uint64_t bytes_[kCount];
  void* comms_[kRanks] = {};
  void* joined_ = nullptr;
  adj_stream stream_{};
  std::vector<Plan> plans_;
};

std::string collectives_work() {
  const fake::Nccl& state = nccl_fake().state;
  {
    CollectiveProgram program;
    const int before = state.issued;
    for (const Outcome& o : {program.join(), program.select(), program.run(), program.destroy()})
      if (o.code) return describe(o);
    if (state.issued < before + 18) return "only " + std::to_string(state.issued) + " calls are issued";
  }
  if (state.communicators != 0) return std::to_string(state.communicators) + " communicators are not destroyed";
  if (const char* complaint = state.complaint) return complaint;
  return {};
}

std::string fail_nccl(const std::string& function, int stage, int n) {
  fake::Entry& entry = nccl_fake().entry(function);
  {
    CollectiveProgram program;
    Outcome o;
    for (int at = 0; at < 4 && !o.code; ++at) {
      if (at == stage) entry.code = kNcclCode, entry.countdown = n;
      o = at == 0 ? program.join() : at == 1 ? program.select() : at == 2 ? program.run() : program.destroy();
      if (at == stage && entry.countdown > 0) return kNotCalled;
      if (o.code && at != stage) return "failed elsewhere: " + describe(o);
    }
    if (function == "ncclGetVersion") return o.code == ADJ_ERROR_BACKEND_UNAVAILABLE && contains(o.message, "2.13 or newer") ? host_program() : describe(o);
    if (o.code != ADJ_ERROR_CUDA || !contains(o.message, "failed with 3 (a scripted error)")) return describe(o);
    if (stage >= 2 && o.native != kNcclCode) return "native code " + std::to_string(o.native);
    // For a collective the sentence names the operator, else the function.
    if ((stage != 2 || contains(function, "Comm")) && !contains(o.message, function)) return "it is not named: " + describe(o);
  }
  return collectives_work();
}

}  // namespace

TEST_CASE("NCCL: every call fails once") {
  open_all();
  Tally tally("NCCL call fails");
  tally.add("nothing", in_child(collectives_work));
  every_call(tally, nccl_functions(), 4, fail_nccl);
}

TEST_CASE("NCCL: every entry point is missing") {
  open_all();
  Tally tally("NCCL entry point missing");
  for (const std::string& function : nccl_functions())
    tally.add(function, in_child([&]() -> std::string {
                absent_symbol = function.c_str();
                CollectiveProgram program;
                for (const Outcome& o : {program.join(), program.select()})
                  if (o.code != ADJ_ERROR_BACKEND_UNAVAILABLE || !contains(o.message, function) || !contains(o.message, "NCCL 2.13")) return describe(o);
                return host_program();
              }));
}

TEST_CASE("NCCL: the reasons of all files that were tried are told") {
  open_all();
  Tally tally("NCCL that is broken");
  tally.add("in two directories", in_child([]() -> std::string {
              char first[] = "/tmp/adjoint-nccl-XXXXXX", second[] = "/tmp/adjoint-nccl-XXXXXX";
              for (char* folder : {first, second}) {
                if (!::mkdtemp(folder)) return "mkdtemp";
                std::ofstream(std::string(folder) + "/libnccl.so.2") << "text";
              }
              ::unsetenv("ADJOINT_LIBNCCL");
              ::setenv("ADJOINT_LIBRARY_PATH", (std::string(first) + ":" + second).c_str(), 1);
              absent_library = "libnccl.so.2";
              char id[ADJ_COMM_ID_BYTES];
              const adj_status code = adj_comm_unique_id(id, sizeof id);
              const std::string told = adj_last_error();
              for (char* folder : {first, second}) std::filesystem::remove_all(folder);
              const bool names_both = contains(told, first) && contains(told, second);
              return code == ADJ_ERROR_BACKEND_UNAVAILABLE && names_both ? "" : told;
            }));
}

TEST_CASE("NCCL: even parts in place") {
  open_all();
  Tally tally("NCCL in place");
  tally.add("own and other parts", in_child([]() -> std::string {
              constexpr int kRanks = 3;
              constexpr std::int64_t kNumel[] = {6, 0, 4};
              const adj_stream stream = device_stream();
              char id[ADJ_COMM_ID_BYTES] = {};
              void* comm = nullptr;
              if (adj_comm_init(kRanks, 1, id, sizeof id, &comm)) return adj_last_error();
              Memory memory;
              void *whole[3], *parts[kRanks][3];
              std::uint64_t whole_bytes[3], part_bytes[3];
              for (int i = 0; i < 3; ++i) {
                part_bytes[i] = static_cast<std::uint64_t>(kNumel[i]) * 4;
                whole_bytes[i] = part_bytes[i] * kRanks;
                whole[i] = memory.get(whole_bytes[i] + 1);
                for (int r = 0; r < kRanks; ++r) parts[r][i] = static_cast<char*>(whole[i]) + static_cast<std::uint64_t>(r) * part_bytes[i];
              }
              adj_all_gather_descriptor g;
              adj_reduce_scatter_descriptor s;
              g.ranks = s.ranks = kRanks, g.count = s.count = 3, g.numel = s.numel = kNumel, g.element = s.element = ADJ_F32;
              adj_all_gather_args ga;
              adj_reduce_scatter_args sa;
              ga.communicator = sa.communicator = comm;
              ga.outputs = sa.inputs = {3, ADJ_F32, 0, whole, whole_bytes};
              for (const adj_header* d : {&g.header, &s.header}) {
                Plan plan;
                if (const Outcome o = make_plan(stream, *d, adj_preference{}, plan); o.code) return describe(o);
                for (int r = 0; r < kRanks; ++r) {
                  ga.inputs = sa.outputs = {3, ADJ_F32, 0, parts[r], part_bytes};
                  const adj_header* args = d == &g.header ? &ga.header : &sa.header;
                  const int before = nccl_fake().state.issued;
                  if (adj_plan_can_implement(plan.get(), args)) return adj_last_error();  // it has the part of some rank
                  const adj_status code = adj_plan_run(plan.get(), &stream, nullptr, args);
                  const int issued = nccl_fake().state.issued - before;
                  const std::string expected = d == &g.header
                                                   ? "all_gather: inputs[0] is part " + std::to_string(r) + " of outputs[0], that of this rank is 1"
                                                   : "reduce_scatter: outputs[0] is part " + std::to_string(r) + " of inputs[0], that of this rank is 1";
                  if (r == 1 ? code || issued != 2 : code != ADJ_ERROR_ALIASING || issued != 0 || adj_last_error() != expected)
                    return "part " + std::to_string(r) + ": " + std::to_string(issued) + " calls, " + adj_last_error();
                }
              }
              adj_comm_destroy(comm);
              return nccl_fake().state.complaint ? nccl_fake().state.complaint.load() : "";
            }));
}

TEST_CASE("NCCL: errors that come later, and communicators that do not fit") {
  open_all();
  Tally tally("NCCL communicators");
  tally.add("an error of another rank", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              nccl_fake().state.async = 6;
              const Outcome o = program.run();
              nccl_fake().state.async = 0;
              if (o.code != ADJ_ERROR_CUDA || !contains(o.message, "all_reduce failed with 6") || !contains(o.message, "as the test asked")) return describe(o);
              const Outcome again = program.run();
              return again.code ? describe(again) : "";
            }));
  tally.add("that do not block", in_child([]() -> std::string {
              nccl_fake().state.polls = 5;
              return collectives_work();
            }));
  tally.add("that is still being set up", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              nccl_fake().state.pending = 5;
              const Outcome o = program.run();
              return o.code ? describe(o) : "";
            }));
  tally.add("whose work fails while it is in progress", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              nccl_fake().state.polls = 5;
              nccl_fake().state.async = 6;
              const Outcome o = program.run();
              nccl_fake().state.polls = nccl_fake().state.async = 0;
              return o.code == ADJ_ERROR_CUDA && contains(o.message, "all_reduce failed with 6") && o.native == 6 ? "" : describe(o);
            }));
  tally.add("that is aborted while a call waits in it", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              const int before = nccl_fake().state.communicators;
              nccl_fake().state.polls = 1 << 30;
              Outcome o;
              {
                std::jthread other([&] {
                  fakes().enter(0, true);
                  o = program.run();
                });
                while (!nccl_fake().state.pending) std::this_thread::yield();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                if (adj_comm_abort(program.comm(0))) return adj_last_error();
              }
              program.forget(0);
              nccl_fake().state.polls = nccl_fake().state.pending = 0;
              if (nccl_fake().state.communicators != before - 1) return "it is not destroyed";
              return o.code == ADJ_ERROR_INVALID_ARGUMENT && contains(o.message, "all_reduce: the communicator was aborted") ? "" : describe(o);
            }));
  tally.add("texts that are not to be had", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              for (const char* function : {"ncclGetErrorString", "ncclGetLastError", "ncclGroupStart"})
                nccl_fake().entry(function).code = kNcclCode, nccl_fake().entry(function).countdown = 1;
              const Outcome o = program.run();
              return o.code == ADJ_ERROR_CUDA && contains(o.message, "failed with 3 (unknown error)") ? "" : describe(o);
            }));
  tally.add("of another device", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              const Outcome o = program.run(program.comm(1));
              return o.code == ADJ_ERROR_STREAM_MISMATCH && contains(o.message, "device 1, the stream of device 0") ? "" : describe(o);
            }));
  struct Wrong {
    const char* name;
    int ranks, rank;
    const char* words;
  };
  for (const Wrong& wrong :
       {Wrong{"of another size", 4, 0, "all_gather: ranks = 2, the communicator has 4"}, Wrong{"of the peer itself", 2, 1, "send: peer = 1 is the own rank"}})
    tally.add(wrong.name, in_child([&]() -> std::string {
                CollectiveProgram program;
                for (const Outcome& o : {program.join(), program.select()})
                  if (o.code) return describe(o);
                char id[ADJ_COMM_ID_BYTES] = {};
                void* comm = nullptr;
                if (adj_comm_init(wrong.ranks, wrong.rank, id, sizeof id, &comm)) return adj_last_error();
                const Outcome o = program.run(comm);
                adj_comm_destroy(comm);
                return o.code == ADJ_ERROR_INVALID_PROBLEM && contains(o.message, wrong.words) ? "" : describe(o);
              }));
  tally.add("of the host", in_child([]() -> std::string {
              CollectiveProgram program;
              for (const Outcome& o : {program.join(), program.select()})
                if (o.code) return describe(o);
              void* host[2];
              if (adj_host_comm_create(2, host)) return adj_last_error();
              const Outcome o = program.run(host[0]);
              for (void* h : host) adj_host_comm_destroy(h);
              return o.code == ADJ_ERROR_INVALID_ARGUMENT && contains(o.message, "adj_host_comm_create") ? "" : describe(o);
            }));
}

// Threads that use everything at once, under ThreadSanitizer: shared plans and their own, on the host and on the fake device; cold kernels that
// many ask for; errors read while other threads make theirs. Exits with 1 when a thread saw another result than it would have seen alone;
// ThreadSanitizer has its own exit code.
#include <adjoint/adjoint.hpp>

#include <array>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstring>
#include <thread>

#include "../faults/machine.hpp"
#include "plan/plan_cache.hpp"

namespace {

using namespace adjoint;

constexpr int kThreads = 8, kRounds = 60;
std::atomic<int> failures{0};

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "failed: %s: %s\n", what, adj_last_error());
}

template <class Body>
void together(Body body) {
  std::barrier start(kThreads);
  std::array<std::thread, kThreads> threads;
  for (int t = 0; t < kThreads; ++t)
    threads[static_cast<std::size_t>(t)] = std::thread([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  for (std::thread& thread : threads) thread.join();
}

struct Lookup {
  std::array<float, 6> weight{0, 1, 2, 3, 4, 5};
  std::array<std::int64_t, 4> indices{1, 0, 2, -1};
  std::array<float, 8> out{};
  EmbeddingForwardDescriptor descriptor{.num_embeddings = 3, .embedding_dim = 2, .num_indices = 4, .element = ADJ_F32, .index = ADJ_I64};
  EmbeddingForwardArgs args{
      .weight = tensor(weight.data(), {3, 2}), .indices = tensor(indices.data(), {4}), .out = tensor(out.data(), {4, 2}), .error_flag = {}};

  bool done() const { return out == std::array<float, 8>{2, 3, 0, 1, 4, 5, 0, 0}; }
};

// One plan and bound calls shared by all threads, plans of each thread, and failures in between.
void host_plans() {
  const Stream stream = Stream::host();
  Lookup shared;
  auto plan = EmbeddingForwardPlan::select(stream, shared.descriptor);
  expect(plan.ok(), "select");
  together([&](int t) {
    for (int i = 0; i < kRounds; ++i) {
      Lookup own;
      auto mine = EmbeddingForwardPlan::select(stream, own.descriptor);
      expect(mine && mine->run(stream, {}, own.args) && own.done(), "own plan");
      own.out = {};
      auto bound = plan->bind(stream, {}, own.args);
      expect(bound && bound->run(stream) && own.done(), "shared plan, bound");
      own.args.out.bytes = static_cast<std::uint64_t>(t);
      auto refused = plan->run(stream, {}, own.args);
      const std::string needed = "needs 32 bytes, got " + std::to_string(t);
      expect(!refused && refused.error().message.find(needed) != std::string::npos, "one's own error");
      adj_stream c = adj_stream_host();
      expect(adj_plan_run(nullptr, &c, nullptr, nullptr) != ADJ_OK && std::strstr(adj_last_error(), "plan is null"), "the thread's last error");
      auto copy = *mine;  // the reference count
      own.args.out.bytes = sizeof own.out;
      expect(copy.can_implement(own.args).ok(), "can_implement");
    }
  });
}

// More problems than the cache holds, so that plans are found, made, replaced and dropped at the same time. `most_bytes`: room for the plans.
void cached_plans(std::size_t most_bytes) {
  constexpr int kProblems = 20;
  adj::PlanCache cache(1, most_bytes);
  const adj_stream host = adj_stream_host();
  together([&](int t) {
    for (int i = 0; i < kRounds * kProblems; ++i) {
      const std::int64_t n = i % 3 == 0 ? 0 : (i * 7 + t) % kProblems;  // one of them all the time
      const EmbeddingForwardDescriptor d{.num_embeddings = 3, .embedding_dim = 2, .num_indices = n, .element = ADJ_F32, .index = ADJ_I64};
      auto plan = cache.acquire(host, &d.header, nullptr);
      expect(plan.ok(), "acquire");
      if (!plan) continue;
      expect(static_cast<const EmbeddingForwardDescriptor*>((*plan)->descriptor.get())->num_indices == n, "the plan of this problem");
      adj::release(*plan);
    }
  });
}

// Every query for the first time, from all threads: tables, registry, libraries, devices, cache, logging.
void queries() {
  together([](int t) {
    adj_set_log([](void*, std::int32_t, const char*) {}, nullptr);
    adj_registry_row row;
    expect(adj_registry_lookup("ms", "SoftmaxGrad_13", 1, "float", &row) == ADJ_OK, "registry");
    adj_sku_info sku;
    expect(adj_sku_get(t, &sku) == ADJ_OK, "sku");
    adj_library_info library;
    expect(adj_library_get(t % 4, &library) == ADJ_OK, "library");
    adj_device_info device;
    expect(adj_device_get(t % 2, &device) == ADJ_OK, "device");
    adj_cache_info cache;
    expect(adj_cache_stat(&cache) == ADJ_OK, "cache");
    adj_stream stream;
    expect(adj_stream_offline("sm_90a", &stream) == ADJ_OK, "offline");
  });
}

// Kernels that are not compiled yet: each is compiled once per process and device, however many threads ask.
void cold_kernels() {
  const auto& fakes = faults::fakes();
  fakes.nvrtc.compile_ms = 5;
  const int before = fakes.entry("nvrtcCompileProgram").calls;
  std::atomic<int> kernels{0};
  std::array<std::atomic<bool>, 2> counted{};
  together([&](int) {
    adj_stream stream;
    expect(adj_stream_wrap(fakes.stream(), &stream) == ADJ_OK, "wrap");
    for (int element = 0; element < 2; ++element) {
      const EmbeddingBackwardDescriptor d{
          .num_embeddings = 1000, .embedding_dim = 8, .num_indices = 64, .element = element ? ADJ_F16 : ADJ_F32, .index = ADJ_I64};
      adj_plan* plan = nullptr;
      expect(adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr) == ADJ_OK, "cold select");
      adj_sku_info sku;
      expect(adj_plan_sku(plan, &sku) == ADJ_OK, "sku");
      if (!counted[static_cast<std::size_t>(element)].exchange(true)) kernels += sku.program_count;
      adj_plan_release(plan);
    }
  });
  expect(fakes.entry("nvrtcCompileProgram").calls - before == kernels, "single flight");
  fakes.nvrtc.compile_ms = 0;
}

// Cold kernels of which some fail to compile: the other threads are served, and no thread waits for ever.
void cold_kernels_that_fail() {
  const auto& fakes = faults::fakes();
  fake::Entry& compile = fakes.entry("nvrtcCompileProgram");
  compile.code = 6;
  for (const adj_dtype element : {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16}) {
    compile.countdown = 1;
    std::atomic<int> failed{0};
    together([&](int) {
      adj_stream stream;
      expect(adj_stream_wrap(fakes.stream(), &stream) == ADJ_OK, "wrap");
      const EmbeddingForwardDescriptor d{.num_embeddings = 10, .embedding_dim = 8, .num_indices = 4, .element = element, .index = ADJ_I32};
      adj_plan* plan = nullptr;
      const adj_status code = adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr);
      expect(code == ADJ_OK || code == ADJ_ERROR_COMPILE_FAILED, "cold select that may fail");
      failed += code != ADJ_OK;
      adj_plan_release(plan);
    });
    expect(failed == 1, "one failure is one caller's");
  }
}

// Whole programs at the same time, with packs.
void whole_programs() {
  together([](int) {
    for (int i = 0; i < 3; ++i) expect(faults::whole_program().empty(), "whole program");
  });
}

}  // namespace

int main() {
  queries();
  host_plans();
  cached_plans(adj::PlanCache::kMostBytesOfPlans);
  cached_plans(12 << 10);  // about six plans
  cold_kernels();
  cold_kernels_that_fail();
  whole_programs();
  std::printf("%d threads, %d failures\n", kThreads, failures.load());
  return failures != 0;
}

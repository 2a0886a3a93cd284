// Memory that runs out: operator new fails at its n-th call, once or from then on, for every n until a program that uses every verb succeeds.
// The failing verb must report ADJ_ERROR_OUT_OF_MEMORY, nothing may leak, and the library must then work.
#include <adjoint/ops/collective.h>
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <thread>

#include "child.hpp"
#include "machine.hpp"

using namespace faults;

namespace {

struct Memory {
  std::atomic<long> left{-1};       // allocations that still succeed; negative: all do
  std::atomic<bool> for_good{false};
  std::atomic<long> refused{0};

  bool refuses() {
    if (left.load(std::memory_order_relaxed) < 0) return false;
    const long before = left.fetch_sub(1, std::memory_order_relaxed);
    if (before > 0) return false;
    left.store(for_good ? 0 : -1, std::memory_order_relaxed);
    ++refused;
    return true;
  }
} memory;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (memory.refuses()) throw std::bad_alloc();
  void* p = alignment ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : std::malloc(bytes ? bytes : 1);
  if (!p) throw std::bad_alloc();
  return p;
}

// Makes memory short for a scope.
struct Shortage {
  Shortage(long n, bool for_good) {
    memory.refused = 0;
    memory.for_good = for_good;
    memory.left = n;
  }
  ~Shortage() { memory.left = -1; }
};

// Written by a child, read by its parent.
struct Shared {
  std::atomic<long> refused;
};
Shared& shared() {
  static auto* s = new (::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  return *s;
}

std::string text(const char* where, const Outcome& o) { return std::string(where) + ": " + adj_status_name(o.code) + ": " + o.message; }

// A program whose memory is short from the start, then one with enough.
std::string short_program(long n, bool for_good) {
  {
    Program program;
    const char* where = "";
    const char* unnoticed = nullptr;
    Outcome o;
    {
      const Shortage shortage(n, for_good);
      for (const Program::Stage& stage : Program::stages()) {
        where = stage.name;
        const long before = memory.refused;
        if ((o = (program.*stage.run)()).code) break;
        // The doctor's counts cannot report a failure, and compiling goes on with fewer threads.
        const bool allowed = std::strcmp(where, "doctor") == 0 || std::strcmp(where, "select") == 0 || std::strcmp(where, "pack build") == 0;
        if (memory.refused > before && !allowed) unnoticed = where;
      }
    }
    shared().refused = memory.refused.load();
    if (unnoticed) return std::string(unnoticed) + ": a refused allocation went unnoticed";
    if (o.code != ADJ_OK && (o.code != ADJ_ERROR_OUT_OF_MEMORY || !std::strstr(o.message, "out of memory"))) return text(where, o);
  }
  for (std::string problem : {whole_program(), host_program()})
    if (!problem.empty()) return "afterwards: " + problem;
  if (fakes().nvrtc.programs != 0) return "an NVRTC program is not destroyed";
  return {};
}

// Tries n = 0, 1, 2, ... until nothing is refused; from the given n on in growing steps.
void until_success(const char* title, long all_below, const std::function<std::string(long)>& one_case) {
  Tally tally(title);
  for (long n = 0;; n += n < all_below ? 1 : n / (kSlowCases ? 4 : 50)) {
    shared().refused = -1;
    const std::string problem = in_child([&] { return one_case(n); });
    tally.add("allocation " + std::to_string(n), problem);
    if (shared().refused == 0) return;
  }
}

constexpr long kEach = kSlowCases ? 24 : 1L << 40;

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<std::size_t>(alignment)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("a program of every verb, with the kernel tables in place") {
  prepare();
  until_success("one allocation fails, tables in place", kEach, [](long n) { return short_program(n, false); });
  until_success("memory stays short, tables in place", kEach, [](long n) { return short_program(n, true); });
}

TEST_CASE("the first call of a process") {
  fakes();
  constexpr long kStart = kSlowCases ? 12 : 100;  // from here on in steps: tables of thousands of rows repeat the same allocations
  until_success("one allocation fails, first call", kStart, [](long n) { return short_program(n, false); });
  until_success("memory stays short, first call", kStart, [](long n) { return short_program(n, true); });
}

TEST_CASE("queries") {
  Tally tally("queries without memory");
  struct Query {
    const char* name;
    adj_status (*ask)();
  };
  const Query queries[] = {{"adj_registry_get",
                            [] {
                              adj_registry_row row;
                              return adj_registry_count() ? adj_registry_get(0, &row) : ADJ_ERROR_OUT_OF_MEMORY;
                            }},
                           {"adj_sku_get",
                            [] {
                              adj_sku_info info;
                              return adj_sku_count() ? adj_sku_get(0, &info) : ADJ_ERROR_OUT_OF_MEMORY;
                            }},
                           {"adj_stream_offline",
                            [] {
                              adj_stream stream;
                              return adj_stream_offline("sm_100", &stream);
                            }},
                           {"adj_cache_stat",
                            [] {
                              adj_cache_info info;
                              return adj_cache_verify(&info);
                            }},
                           {"adj_registry_lookup", [] {
                              adj_registry_row row;
                              return adj_registry_lookup("ms", "SoftmaxGrad_13", 1, "float", &row);
                            }}};
  for (const Query& query : queries)
    for (long n = 0;; n += n < (kSlowCases ? 24 : 200) ? 1 : n / (kSlowCases ? 4 : 10)) {
      shared().refused = -1;
      tally.add(std::string(query.name) + ", allocation " + std::to_string(n), in_child([&]() -> std::string {
                  adj_status code;
                  {
                    const Shortage shortage(n, false);
                    code = query.ask();
                  }
                  shared().refused = memory.refused.load();
                  if (code != (memory.refused ? ADJ_ERROR_OUT_OF_MEMORY : ADJ_OK)) return std::string(adj_status_name(code)) + ": " + adj_last_error();
                  return query.ask() ? adj_last_error() : "";
                }));
      if (shared().refused == 0) break;
    }
}

// Two ranks on threads; one of them is refused an allocation within a collective.
TEST_CASE("no rank waits for one that ran out of memory") {
  Tally tally("ranks without memory");
  for (long n = 0;; ++n) {
    shared().refused = -1;
    tally.add("allocation " + std::to_string(n), in_child([&]() -> std::string {
                constexpr std::int64_t kNumel[] = {5, 3};
                const adj_stream stream = adj_stream_host();
                adj_adasum_all_reduce_descriptor d;
                d.ranks = d.count = 2, d.numel = kNumel, d.element = ADJ_F32;
                adj_plan* plan = nullptr;
                void* ranks[2];
                if (adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr) || adj_host_comm_create(2, ranks)) return adj_last_error();
                struct Part {
                  alignas(256) std::byte memory[256] = {};
                  float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
                  void* data[2] = {values, values + 5};
                  std::uint64_t bytes[2] = {20, 12};
                  adj_status status = ADJ_OK;
                };
                static Part parts[2];
                {
                  std::atomic<int> ready{0};
                  std::optional<Shortage> shortage;
                  const auto part = [&](int r) {
                    ++ready;
                    while (ready < 3) {}
                    adj_adasum_all_reduce_args a;
                    a.communicator = ranks[r];
                    a.inputs = a.outputs = {2, ADJ_F32, 0, parts[r].data, parts[r].bytes};
                    const adj_workspace workspace{parts[r].memory, sizeof parts[r].memory};
                    parts[r].status = adj_plan_run(plan, &stream, &workspace, &a.header);
                  };
                  std::thread first(part, 0), second(part, 1);
                  while (ready < 2) {}
                  shortage.emplace(n, false);
                  ++ready;
                  first.join(), second.join();
                }
                shared().refused = memory.refused.load();
                for (void* rank : ranks) adj_host_comm_destroy(rank);
                adj_plan_release(plan);
                const adj_status a = parts[0].status, b = parts[1].status;
                if (memory.refused == 0) return a || b ? "failed with enough memory" : "";
                return a == ADJ_ERROR_OUT_OF_MEMORY || b == ADJ_ERROR_OUT_OF_MEMORY ? "" : std::string(adj_status_name(a)) + " and " + adj_status_name(b);
              }));
    if (shared().refused == 0) break;
  }
}

TEST_CASE("an error that cannot be described") {
  Tally tally("errors without memory");
  for (bool for_good : {false, true})
    for (long n = 0;; ++n) {
      shared().refused = -1;
      tally.add("allocation " + std::to_string(n), in_child([&]() -> std::string {
                  adj_stream stream = adj_stream_host();
                  adj_embedding_forward_descriptor d;
                  d.num_embeddings = -1, d.element = ADJ_F32, d.index = ADJ_I64;
                  adj_plan* plan = nullptr;
                  adj_error* error = nullptr;
                  adj_status code;
                  {
                    const Shortage shortage(n, for_good);
                    code = adj_plan_select(&stream, &d.header, nullptr, &plan, &error);
                  }
                  shared().refused = memory.refused.load();
                  const bool out = code == ADJ_ERROR_OUT_OF_MEMORY && std::strcmp(adj_last_error(), "out of memory") == 0 && !error;
                  const bool described = code == ADJ_ERROR_INVALID_PROBLEM && std::strstr(adj_last_error(), "num_embeddings") && error;
                  adj_error_release(error);
                  if (plan || !(memory.refused ? out : described)) return std::string(adj_status_name(code)) + ": " + adj_last_error();
                  return host_program();
                }));
      if (shared().refused == 0) break;
    }
}

// The library is closed, or the process exits or forks, with plans alive and threads at work; and a log callback that uses the library.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "child.hpp"
#include "machine.hpp"

using namespace faults;

namespace {

// The shared library, loaded at run time.
struct Loaded {
  void* handle;
  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(handle, name));
  }
};
Loaded load() {
  const char* file = std::getenv("ADJOINT_FAULTS_LIBRARY");
  return {file ? ::dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr};
}

struct Lookup {
  adj_embedding_forward_descriptor descriptor;
  adj_embedding_forward_args args;
  float weight[2] = {5, 7}, out[2] = {};
  std::int32_t indices[2] = {1, 0};

  Lookup() {
    descriptor.num_embeddings = 2, descriptor.embedding_dim = 1, descriptor.num_indices = 2;
    descriptor.element = ADJ_F32, descriptor.index = ADJ_I32;
    auto set = [](adj_tensor& t, void* data, std::uint64_t bytes, adj_dtype dtype) { t.data = data, t.bytes = bytes, t.dtype = dtype; };
    set(args.weight, weight, sizeof weight, ADJ_F32);
    set(args.indices, indices, sizeof indices, ADJ_I32);
    set(args.out, out, sizeof out, ADJ_F32);
  }
};

// Loads the library, makes a plan and a failure (whose text belongs to the thread), and closes it with the plan alive.
std::string use_and_close() {
  const Loaded library = load();
  if (!library.handle) return ::dlerror();
  Lookup lookup;
  adj_stream stream = library.get<decltype(adj_stream_host)>("adj_stream_host")();
  adj_plan* plan = nullptr;
  if (library.get<decltype(adj_plan_select)>("adj_plan_select")(&stream, &lookup.descriptor.header, nullptr, &plan, nullptr)) return "select";
  const auto run = library.get<decltype(adj_plan_run)>("adj_plan_run");
  if (run(plan, &stream, nullptr, nullptr) != ADJ_ERROR_INVALID_ARGUMENT) return "run without arguments";
  ::dlclose(library.handle);
  // The library stays mapped, so objects that the program still holds go on working.
  if (run(plan, &stream, nullptr, &lookup.args.header) || lookup.out[0] != 7) return "run after dlclose";
  library.get<decltype(adj_plan_release)>("adj_plan_release")(plan);
  return {};
}

// Work for other threads, until the process ends.
void keep_selecting() {
  for (;;)
    if (std::string problem = whole_program(); !problem.empty()) std::abort();
}

}  // namespace

TEST_CASE("the library is closed while plans are alive") {
  fakes();
  Tally tally("library closed");
  tally.add("again and again", in_child([]() -> std::string {
              for (int i = 0; i < 3; ++i)
                if (std::string problem = use_and_close(); !problem.empty()) return problem;
              return {};
            }));
  tally.add("in a thread that ends", in_child([]() -> std::string {
              std::string problem;
              for (int i = 0; i < 3 && problem.empty(); ++i) std::thread([&] { problem = use_and_close(); }).join();
              return problem;
            }));
}

TEST_CASE("the process ends with plans alive") {
  fakes();
  Tally tally("process ends");
  // Each child ends by exit; its code says whether all went well.
  tally.add("after every verb but release", in_child([]() -> std::string {
              static Program program;
              for (const Program::Stage& stage : Program::stages()) {
                if (std::strcmp(stage.name, "release") == 0) std::exit(0);
                if (const Outcome o = (program.*stage.run)(); o.code) return o.message;
              }
              return "no release";
            }));
  tally.add("running in an exit handler registered first", in_child([]() -> std::string {
              std::atexit([] {
                if (!whole_program().empty() || !host_program().empty()) std::_Exit(9);
              });
              if (std::string problem = whole_program(); !problem.empty()) return problem;
              std::exit(0);
            }));
  tally.add("failing in an exit handler", in_child([]() -> std::string {
              std::atexit([] {
                adj_stream stream;
                if (adj_stream_offline("sm_1", &stream) != ADJ_ERROR_INVALID_ARGUMENT || !std::strstr(adj_last_error(), "sm_1")) std::_Exit(9);
              });
              std::exit(0);
            }));
  for (int i = 0; i < 20; ++i)
    tally.add("while threads select, run and build packs, " + std::to_string(i), in_child([&]() -> std::string {
                fakes().nvrtc.compile_ms = i % 2;
                for (int t = 0; t < 3; ++t) std::thread(keep_selecting).detach();
                std::this_thread::sleep_for(std::chrono::milliseconds(i));
                std::exit(0);
              }));
}

namespace {

// Everything that the child of a fork may do: whatever needs no device.
std::string use_without_device() {
  if (std::string problem = host_program(); !problem.empty()) return problem;
  adj_stream host = adj_stream_host(), offline;
  Lookup lookup;
  adj_plan* plan = nullptr;
  if (adj_plan_acquire(&host, &lookup.descriptor.header, nullptr, &plan, nullptr)) return std::string("acquire: ") + adj_last_error();
  adj_plan_release(plan);
  if (adj_stream_offline("sm_90a", &offline) || adj_plan_acquire(&offline, &lookup.descriptor.header, nullptr, &plan, nullptr)) return adj_last_error();
  adj_plan_release(plan);
  adj_sku_info sku;
  if (adj_sku_get(0, &sku)) return adj_last_error();
  adj_cache_info cache;
  if (adj_cache_stat(&cache)) return adj_last_error();
  adj_registry_row row;
  if (adj_registry_lookup("ms", "SoftmaxGrad_13", 1, "float", &row)) return adj_last_error();
  for (std::int64_t i = 0; i < adj_library_count(); ++i) {
    adj_library_info library;
    if (adj_library_get(i, &library)) return adj_last_error();
  }
  void* ranks[2];
  if (adj_host_comm_create(2, ranks)) return adj_last_error();
  for (void* rank : ranks)
    if (adj_host_comm_destroy(rank)) return adj_last_error();
  adj_set_log(nullptr, nullptr);
  // Compiles: no image has this name in memory.
  adj_pack_options options;
  options.archs = "sm_80";
  options.skus = "embedding_forward/*/f16.i64/*";
  char file[] = "/tmp/adjoint-fork-XXXXXX";
  const int fd = ::mkstemp(file);
  if (fd < 0) return "mkstemp";
  ::close(fd);
  const adj_status built = adj_pack_build(file, &options, nullptr);
  ::unlink(file);
  return built ? std::string("pack: ") + adj_last_error() : "";
}

}  // namespace

TEST_CASE("the process forks while its threads are in the library") {
  fakes();
  Tally tally("fork beside threads");
  for (int round = 0; round < 60; ++round)
    tally.add("round " + std::to_string(round), in_child([&]() -> std::string {
                std::atomic<bool> stop{false};
                std::atomic<int> failures{0};
                std::vector<std::thread> threads;
                fakes().nvrtc.compile_ms = round % 2;
                for (int t = 0; t < 4; ++t)
                  threads.emplace_back([&, t] {
                    while (!stop) failures += !(t % 2 ? use_without_device() : whole_program()).empty();
                  });
                std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
                std::string problem;
                for (int i = 0; i < 3 && problem.empty(); ++i) problem = in_child(use_without_device, Fork::beside_threads);
                stop = true;
                for (std::thread& thread : threads) thread.join();
                if (!problem.empty()) return "in the child: " + problem;
                return failures ? "in the parent: " + std::to_string(failures) + " failures" : "";
              }));
}

TEST_CASE("what the child of a fork cannot use is refused") {
  fakes();
  Tally tally("fork after use");
  tally.add("a device, a communicator, an event", in_child([]() -> std::string {
              if (std::string problem = whole_program(); !problem.empty()) return problem;
              void *ranks[2], *event = nullptr;
              if (adj_host_comm_create(2, ranks) || adj_host_event_create(&event)) return adj_last_error();
              const std::string problem = in_child(
                  [&]() -> std::string {
                    adj_stream stream;
                    if (adj_stream_wrap(fakes().stream(), &stream) != ADJ_ERROR_BACKEND_UNAVAILABLE || !std::strstr(adj_last_error(), "was forked"))
                      return adj_last_error();
                    if (adj_device_count() != 0) return "a device is listed";
                    if (adj_host_event_reset(event) != ADJ_ERROR_INVALID_ARGUMENT || !std::strstr(adj_last_error(), "was forked")) return adj_last_error();
                    if (adj_host_event_destroy(event) || adj_host_comm_destroy(ranks[0])) return adj_last_error();
                    return host_program();
                  },
                  Fork::beside_threads);
              if (adj_host_event_destroy(event) || adj_host_comm_destroy(ranks[0]) || adj_host_comm_destroy(ranks[1])) return adj_last_error();
              return problem;
            }));
}

namespace {

std::atomic<int> messages{0}, depth{0};

// A callback that uses the library.
void use_library(void* user, std::int32_t, const char*) {
  ++messages;
  if (++depth == 1) {
    adj_cache_info cache;
    adj_registry_row row;
    adj_set_log(use_library, user);
    if (adj_cache_stat(&cache) || adj_registry_lookup("ms", "SoftmaxGrad_13", 1, "float", &row)) std::_Exit(8);
    adj_pack_load("/nonexistent/file");
    adj_tuning_load("/nonexistent/file");
    if (std::string problem = whole_program(); !problem.empty()) std::_Exit(9);
  }
  --depth;
}

}  // namespace

TEST_CASE("a log callback uses the library") {
  fakes();
  Tally tally("log callback");
  struct Setting {
    const char *name, *variable, *value;
  };
  for (const Setting& s : {Setting{"a limit that is no number", "ADJOINT_CACHE_LIMIT_MB", "many"},
                           {"a directory that others may write", "ADJOINT_CACHE_DIR", "/tmp"},
                           {"a pack that is none", "ADJOINT_PACK", "/nonexistent/file:/dev/null"},
                           {"verdicts that are none", "ADJOINT_TUNING", "/nonexistent/file:/dev/null"},
                           {"compilations", "ADJOINT_CACHE_DIR", ""}})
    for (const int threads : {1, 4})
      tally.add(std::string(s.name) + ", threads: " + std::to_string(threads), in_child([&]() -> std::string {
                  ::setenv(s.variable, s.value, 1);
                  adj_set_log(use_library, nullptr);
                  std::vector<std::thread> others;
                  std::atomic<int> failures{0};
                  for (int t = 1; t < threads; ++t) others.emplace_back([&] { failures += !whole_program().empty(); });
                  const std::string problem = whole_program();
                  for (std::thread& thread : others) thread.join();
                  if (failures) return "another thread failed";
                  return problem.empty() && messages == 0 ? "no message" : problem;
                }));
}

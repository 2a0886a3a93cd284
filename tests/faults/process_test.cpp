// Unprepared ends: the library is closed, or the process exits, with plans alive and threads at work.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

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

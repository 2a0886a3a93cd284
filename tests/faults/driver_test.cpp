// A driver and a compiler that fail: every entry point that the library loads fails at every call that a program using every verb makes of it.
// Each case is a process of its own. It must end with the right code and sentence and without a leak, and the library must then work.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include "absent.hpp"
#include "child.hpp"
#include "driver/cuda_abi.hpp"
#include "machine.hpp"
#include "tests/cubin.hpp"

using namespace faults;

namespace {

constexpr int kCode = 719;
constexpr int kNvrtcCode = 11;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool is_nvrtc(const std::string& function) { return function.starts_with("nvrtc"); }

// Expected consequence of a failing call.
struct Expectation {
  adj_status code;    // ADJ_OK: the library can do without the call
  bool for_ever;      // true: asked once per process, so the device stays unusable; the host backend works
};
Expectation expectation(const std::string& function, int n) {
  static const std::map<std::string, Expectation> special{
      {"cuInit", {ADJ_ERROR_BACKEND_UNAVAILABLE, true}},
      {"cuDriverGetVersion", {ADJ_ERROR_DRIVER_TOO_OLD, true}},
      {"cuGetProcAddress_v2", {ADJ_ERROR_DRIVER_TOO_OLD, true}},
      {"nvrtcVersion", {ADJ_ERROR_BACKEND_UNAVAILABLE, true}},
      {"nvrtcGetNumSupportedArchs", {ADJ_ERROR_BACKEND_UNAVAILABLE, true}},
      {"nvrtcGetSupportedArchs", {ADJ_OK, false}},  // then every architecture is tried
      {"nvrtcDestroyProgram", {ADJ_OK, false}},
      {"cuCtxPopCurrent", {ADJ_OK, false}},
      {"cuThreadExchangeStreamCaptureMode", {ADJ_OK, false}},  // then a load may fail while a stream is captured
  };
  if (auto it = special.find(function); it != special.end()) return it->second;
  // adj_device_count has no way to fail; adj_device_get has.
  if (function == "cuDeviceGetCount" && n % 2 == 1) return {ADJ_OK, false};
  return {is_nvrtc(function) ? ADJ_ERROR_COMPILE_FAILED : ADJ_ERROR_CUDA, false};
}

std::string describe(const Outcome& o) { return std::string(adj_status_name(o.code)) + " '" + o.message + "'"; }

// Kernels that a whole program leaves loaded, in any number of runs; known before the first case.
int kernels_of_a_program = 0;

// Names objects that are still alive, but should not be, after a failure and a whole program.
std::string census() {
  const Fakes& f = fakes();
  if (f.nvrtc.programs != 0) return std::to_string(f.nvrtc.programs) + " NVRTC programs are not destroyed";
  if (f.driver.libraries != kernels_of_a_program)
    return std::to_string(f.driver.libraries) + " libraries are loaded, not " + std::to_string(kernels_of_a_program);
  if (f.driver.contexts != 1) return std::to_string(f.driver.contexts) + " contexts are retained";
  return {};
}

std::string stays_out_of_reach(const std::string& function, adj_status code) {
  Outcome o;
  for (int attempt = 0; attempt < 2; ++attempt) {
    Program program;
    for (const Program::Stage& stage : Program::stages())
      if ((o = (program.*stage.run)()).code) break;
    if (o.code != code) return "then: expected " + std::string(adj_status_name(code)) + ", got " + describe(o);
    if (std::strlen(o.message) < 20) return "then: no sentence: " + std::string(o.message);
  }
  if (function.find("Version") == std::string::npos && !is_nvrtc(function) && function != "cuGetProcAddress_v2" && !contains(o.message, function))
    return function + " is not named: " + o.message;
  return host_program();
}

// Fails the n-th call of a function within a stage.
std::string fail_at(const std::string& function, const std::string& stage_name, int n) {
  fake::Entry& entry = fakes().entry(function);
  const Expectation expected = expectation(function, n);
  const int code = is_nvrtc(function) ? kNvrtcCode : kCode;
  {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      const bool here = stage_name == stage.name;
      if (here) entry.code = code, entry.countdown = n;
      const Outcome o = (program.*stage.run)();
      if (!here) {
        if (o.code) return std::string(stage.name) + " failed first: " + describe(o);
        continue;
      }
      if (entry.countdown > 0) return "was not called";
      if (expected.for_ever) break;
      if (o.code != expected.code) return "expected " + std::string(adj_status_name(expected.code)) + ", got " + describe(o);
      if (o.code && function != "cuLaunchKernelEx" && !contains(o.message, function)) return "it is not named: " + describe(o);
      if (o.code && function == "cuLaunchKernelEx" && !contains(o.message, "failed with")) return "no sentence: " + describe(o);
      if (o.code && o.native != code) return "native code " + std::to_string(o.native);
      if (o.code) break;
    }
  }
  if (expected.for_ever) return stays_out_of_reach(function, expected.code);
  if (std::string problem = whole_program(); !problem.empty()) return "afterwards: " + problem;
  if (std::string problem = host_program(); !problem.empty()) return "afterwards: " + problem;
  return census();
}

// Calls of every function in every stage of an undisturbed program: [stage][function].
std::map<std::string, std::map<std::string, int>> count_calls(const std::vector<std::string>& functions) {
  std::map<std::string, std::map<std::string, int>> counts;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const std::string problem = in_child([&] {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      for (const std::string& f : functions) fakes().entry(f).calls = 0;
      if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + describe(o);
      for (const std::string& f : functions)
        if (const int calls = fakes().entry(f).calls) ::dprintf(ends[1], "%s\t%s\t%d\n", stage.name, f.c_str(), calls);
    }
    ::dprintf(ends[1], "end\tlibraries\t%d\n", fakes().driver.libraries.load());
    return whole_program();
  });
  ::close(ends[1]);
  REQUIRE_MESSAGE(problem.empty(), problem);
  FILE* lines = ::fdopen(ends[0], "r");
  char stage[64], function[64];
  for (int calls; std::fscanf(lines, "%63[^\t]\t%63s\t%d\n", stage, function, &calls) == 3;) counts[stage][function] = calls;
  std::fclose(lines);
  kernels_of_a_program = counts["end"]["libraries"];
  counts.erase("end");
  return counts;
}

void fail_every_call(const char* title, const std::vector<std::string>& functions) {
  fakes();
  Tally tally(title);
  for (const auto& [stage, calls] : count_calls(functions))
    for (const auto& [function, count] : calls)
      for (int n = 1; n <= count; ++n)
        tally.add(function + " call " + std::to_string(n) + " in " + stage, in_child([&, stage = stage, function = function] { return fail_at(function, stage, n); }));
}

// Runs stages until one fails.
Outcome first_failure() {
  Program program;
  for (const Program::Stage& stage : Program::stages())
    if (Outcome o = (program.*stage.run)(); o.code) return o;
  return {};
}

std::string expect(const Outcome& o, adj_status code, std::initializer_list<const char*> words) {
  if (o.code != code) return "expected " + std::string(adj_status_name(code)) + ", got " + describe(o);
  for (const char* word : words)
    if (!contains(o.message, word)) return "'" + std::string(word) + "' is missing from: " + o.message;
  return host_program();
}

}  // namespace

TEST_CASE("the driver: every call fails once") { fail_every_call("driver call fails", cuda_functions()); }
TEST_CASE("NVRTC: every call fails once") { fail_every_call("NVRTC call fails", nvrtc_functions()); }

TEST_CASE("the driver: every entry point is missing") {
  fakes();
  Tally tally("driver entry point missing");
  for (const std::string& function : cuda_functions()) {
    if (function == "cuGetProcAddress_v2") continue;  // found by dlsym, below
    tally.add(function, in_child([&] {
      fakes().entry(function).missing = true;
      return expect(first_failure(), ADJ_ERROR_DRIVER_TOO_OLD, {function.c_str(), "13.0"});
    }));
  }
  for (const char* function : {"cuGetProcAddress_v2", "cuDriverGetVersion"})
    tally.add(std::string(function) + " is not exported", in_child([&] {
      absent_symbol = function;
      return expect(first_failure(), ADJ_ERROR_DRIVER_TOO_OLD, {"update the NVIDIA driver"});
    }));
}

TEST_CASE("NVRTC: every entry point is missing") {
  fakes();
  Tally tally("NVRTC entry point missing");
  for (const std::string& function : nvrtc_functions())
    tally.add(function, in_child([&] {
      absent_symbol = function.c_str();
      return expect(first_failure(), ADJ_ERROR_BACKEND_UNAVAILABLE, {function.c_str(), "newer NVRTC"});
    }));
}

TEST_CASE("libraries that are absent, old, or strange") {
  fakes();
  Tally tally("library absent or strange");
  for (const char* variable : {"ADJOINT_LIBCUDA", "ADJOINT_LIBNVRTC"})
    for (const char* file : {"/nonexistent/library.so", "", "/dev/null"})
      tally.add(std::string(variable) + "='" + file + "'", in_child([&] {
        fakes();
        ::setenv(variable, file, 1);
        const bool driver = std::strcmp(variable, "ADJOINT_LIBCUDA") == 0;
        return expect(first_failure(), ADJ_ERROR_BACKEND_UNAVAILABLE, {driver ? "libcuda.so.1 cannot be loaded" : "libnvrtc.so.13 or .12 cannot be loaded"});
      }));
  tally.add("a driver of CUDA 11.8", in_child([] {
    fakes().driver.version = 11080;
    return expect(first_failure(), ADJ_ERROR_DRIVER_TOO_OLD, {"11.8", "12.0"});
  }));
  tally.add("NVRTC 12.3", in_child([] {
    fakes().nvrtc.major = 12, fakes().nvrtc.minor = 3;
    return expect(first_failure(), ADJ_ERROR_BACKEND_UNAVAILABLE, {"is NVRTC 12.3", "12.4 or newer"});
  }));
  tally.add("no device", in_child([] {
    fakes().driver.devices = 0;
    if (adj_device_count() != 0) return std::string("a device is counted");
    return expect(first_failure(), ADJ_ERROR_CUDA, {"cuDeviceGet"});
  }));
  tally.add("a device older than any kernel", in_child([] {
    fakes().driver.cc = 75;
    return expect(first_failure(), ADJ_ERROR_UNSUPPORTED, {"no kernel fits"});
  }));
  tally.add("a device between two that NVRTC compiles for", in_child([] {
    fakes().driver.cc = 86;
    return whole_program();
  }));
  tally.add("the classic limit of kernel parameters", in_child([] {
    fakes().driver.version = 12000;
    fakes().nvrtc.major = 12, fakes().nvrtc.minor = 9;
    return whole_program();
  }));
}

namespace {

// Path of the NVRTC that is loaded where both versions are in ADJOINT_LIBRARY_PATH and the driver's interface is this.
std::string nvrtc_beside(int driver_version) {
  const std::string fake = std::getenv("ADJOINT_LIBNVRTC");
  char directory[] = "/tmp/adjoint-nvrtc-XXXXXX";
  if (!::mkdtemp(directory)) return "mkdtemp";
  for (const char* name : {"/libnvrtc.so.12", "/libnvrtc.so.13"}) std::filesystem::copy_file(fake, directory + std::string(name));
  ::setenv("ADJOINT_LIBRARY_PATH", directory, 1);
  ::unsetenv("ADJOINT_LIBNVRTC");
  fakes().driver.version = driver_version;
  std::string path = "none";
  for (std::int64_t i = 0; i < adj_library_count(); ++i) {
    adj_library_info info;
    if (!adj_library_get(i, &info) && std::strcmp(info.name, "NVRTC") == 0) path = info.path;
  }
  std::filesystem::remove_all(directory);
  return path;
}

}  // namespace

TEST_CASE("the NVRTC of the driver's version, and no newer one") {
  fakes();
  Tally tally("NVRTC beside the driver");
  for (const auto& [driver, soname] : {std::pair{13000, "libnvrtc.so.13"}, {12040, "libnvrtc.so.12"}, {14000, "libnvrtc.so.13"}})
    tally.add(std::to_string(driver), in_child([&]() -> std::string {
      const std::string path = nvrtc_beside(driver);
      return contains(path, soname) ? "" : path;
    }));
  tally.add("a newer one is said to be", in_child([]() -> std::string {
    static std::string told;
    adj_set_log([](void*, std::int32_t level, const char* message) { told += level ? std::string(message) + "\n" : ""; }, nullptr);
    fakes().driver.version = 12040;
    const Outcome o = first_failure();
    if (!contains(told, "NVRTC 13.0") || !contains(told, "newer than the driver's CUDA 12.4")) return "told: " + told;
    return expect(o, ADJ_ERROR_CUDA, {"does not load", "made by NVRTC 13.0", "interface is CUDA 12.4"});
  }));
}

TEST_CASE("a list of devices retains no context") {
  fakes();
  Tally tally("contexts");
  tally.add("list and use", in_child([]() -> std::string {
    Program program;
    if (const Outcome o = program.doctor(); o.code) return describe(o);
    if (fakes().driver.contexts != 0) return std::to_string(fakes().driver.contexts) + " contexts after a list";
    if (std::string problem = whole_program(); !problem.empty()) return problem;
    return fakes().driver.contexts == 1 ? "" : std::to_string(fakes().driver.contexts) + " contexts";
  }));
}

TEST_CASE("a fault of an earlier kernel is told as one") {
  fakes();
  Tally tally("earlier fault");
  for (const int code : {700, 715, 719})
    tally.add(std::to_string(code), in_child([&]() -> std::string {
      Program program;
      for (const Program::Stage& stage : Program::stages()) {
        const bool runs = std::string(stage.name) == "run";
        if (runs) fakes().entry("cuLaunchKernelEx").code = code, fakes().entry("cuLaunchKernelEx").countdown = 1;
        const Outcome o = (program.*stage.run)();
        if (!runs && o.code) return describe(o);
        if (!runs) continue;
        if (o.native != code || adj_last_native_code() != code) return "native code " + std::to_string(o.native);
        return expect(o, ADJ_ERROR_CUDA, {"the launch of ", std::to_string(code).c_str(), "an earlier kernel, of this library or of other code, faulted"});
      }
      return "nothing ran";
    }));
}

TEST_CASE("NVRTC rejects a program") {
  fakes();
  Tally tally("compile error");
  for (const char* also : {"", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcGetErrorString", "nvrtcDestroyProgram"})
    tally.add(std::string("with ") + (*also ? also : "nothing else") + " failing", in_child([&]() -> std::string {
      fakes().nvrtc.rejects = true;
      if (*also) {
        fakes().entry(also).code = kNvrtcCode;
        fakes().entry(also).countdown = 1;
      }
      adj_stream stream;
      if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
      adj_embedding_forward_descriptor d;
      // A problem with a single program: of two that compile at a time, either could meet the failing call.
      d.num_embeddings = d.num_indices = 4, d.embedding_dim = 3, d.element = ADJ_F32, d.index = ADJ_I64;
      adj_plan* plan = nullptr;
      adj_error* error = nullptr;
      const adj_status code = adj_plan_select(&stream, &d.header, nullptr, &plan, &error);
      std::string problem;
      const std::string message = adj_error_message(error), log = adj_error_log(error);
      const bool readable = !std::strstr(also, "ProgramLog");
      if (code != ADJ_ERROR_COMPILE_FAILED || plan) problem = "expected compile_failed, got " + message;
      else if (!contains(message, "nvrtcCompileProgram") || !contains(message, "segment_sum/lookup.cu") || !contains(message, "sm_90a")) problem = message;
      else if (readable != contains(log, "error: nothing is right about")) problem = "log: '" + log + "'";
      else if (!contains(adj_error_options(error), "--gpu-architecture=sm_90a")) problem = "no options";
      else if (adj_error_rejection_count(error) < 1) problem = "no rejections";
      else if (fakes().nvrtc.programs != 0) problem = "the program is not destroyed";
      adj_error_release(error);
      fakes().nvrtc.rejects = false;
      return problem.empty() ? whole_program() : problem;
    }));
}

TEST_CASE("a device newer than NVRTC gets PTX") {
  fakes();
  Tally tally("PTX");
  auto machine = [] {
    fakes().driver.cc = 120;
    fakes().nvrtc.newest_cc = 100;
  };
  tally.add("works", in_child([&] {
    machine();
    return fakes().entry("nvrtcGetPTX").calls != 0 ? "called early" : whole_program();
  }));
  count_calls({});
  for (const char* function : {"nvrtcGetPTXSize", "nvrtcGetPTX"})
    tally.add(function, in_child([&] {
      machine();
      return fail_at(function, "select", 1);
    }));
}

TEST_CASE("the driver cannot even name its error") {
  fakes();
  Tally tally("nameless driver error");
  tally.add("cuGetErrorName and cuGetErrorString fail", in_child([]() -> std::string {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      if (std::string(stage.name) == "run")
        for (const char* function : {"cuLaunchKernelEx", "cuGetErrorName", "cuGetErrorString"}) {
          fakes().entry(function).code = kCode;
          fakes().entry(function).countdown = 1;
        }
      if (const Outcome o = (program.*stage.run)(); o.code) return expect(o, ADJ_ERROR_CUDA, {"719", "unknown error"});
    }
    return "nothing failed";
  }));
}

TEST_CASE("a kernel that cannot be had fails, or gives way to the next candidate where that is asked for") {
  fakes();
  Tally tally("next candidate");
  for (const char* function : {"nvrtcCompileProgram", "cuLibraryLoadData", "cuLibraryGetKernel"})
    tally.add(function, in_child([&]() -> std::string {
      adj_stream stream;
      if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
      adj_embedding_backward_descriptor d;
      d.num_embeddings = d.embedding_dim = d.num_indices = 4, d.element = ADJ_F32, d.index = ADJ_I64;
      std::string chosen[2];
      for (std::string& id : chosen) {
        adj_plan* plan = nullptr;
        adj_sku_info info;
        fakes().entry(function).code = kCode;
        fakes().entry(function).countdown = &id == chosen;
        adj_preference preference;
        if (&id == chosen && !adj_plan_select(&stream, &d.header, &preference, &plan, nullptr)) return "selected without fallback";
        fakes().entry(function).countdown = &id == chosen;
        preference.fallback = 1;
        if (adj_plan_select(&stream, &d.header, &preference, &plan, nullptr) || adj_plan_sku(plan, &info)) return adj_last_error();
        id = info.id;
        adj_plan_release(plan);
      }
      if (chosen[0] == chosen[1]) return "the failing candidate was chosen: " + chosen[0];
      return fakes().nvrtc.programs ? "an NVRTC program is not destroyed" : "";
    }));
}

TEST_CASE("ADJOINT_EARLY_LAUNCHES=0 plans no kernel that begins before the one before it has ended") {
  fakes();
  Tally tally("early launches");
  for (const char* value : {"", "1", "0"})
    tally.add(std::string("'") + value + "'", in_child([&]() -> std::string {
      ::setenv("ADJOINT_EARLY_LAUNCHES", value, 1);
      adj_stream stream;
      if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
      std::vector<float> dout(512), dweight(512);
      std::vector<std::int64_t> indices(128);
      adj_embedding_backward_descriptor d;
      d.num_embeddings = 128, d.embedding_dim = 4, d.num_indices = 128, d.element = ADJ_F32, d.index = ADJ_I64;
      adj_preference preference;
      preference.sku = "embedding_backward/grouped/*";
      adj_plan* plan = nullptr;
      if (adj_plan_select(&stream, &d.header, &preference, &plan, nullptr)) return adj_last_error();
      adj_embedding_backward_args a;
      const auto tensor = [](auto& v, adj_dtype dtype) { return adj_tensor{.data = v.data(), .bytes = v.size() * sizeof v[0], .dtype = dtype}; };
      a.indices = tensor(indices, ADJ_I64);
      a.dout = tensor(dout, ADJ_F32);
      a.dweight = tensor(dweight, ADJ_F32);
      const std::uint64_t bytes = adj_plan_workspace_size(plan);
      std::vector<char> memory(bytes + 256);
      const adj_workspace workspace{reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) / 256 * 256), bytes};
      if (adj_plan_run(plan, &stream, &workspace, &a.header)) return adj_last_error();
      adj_plan_release(plan);
      const int early = fakes().driver.early_launches;
      return (early == 0) == (std::strcmp(value, "0") == 0) ? "" : std::to_string(early) + " early launches";
    }));
}

TEST_CASE("a kernel whose clusters the device cannot hold gives way to one without") {
  fakes();
  Tally tally("clusters");
  // Elements of a row: clusters of 2 blocks, and of 8.
  for (std::int64_t extent : {16384, 131072})
    for (int largest : {8, 1})
      tally.add(std::to_string(extent) + " elements, clusters of " + std::to_string(largest), in_child([&]() -> std::string {
        adj_stream stream;
        if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
        fakes().driver.largest_cluster = largest;
        adj_softmax_backward_descriptor d;
        d.outer = 4, d.extent = extent;
        d.element = ADJ_F32;
        adj_preference preference;
        preference.sku = "*/row_cluster/*";
        adj_plan* plan = nullptr;
        adj_sku_info info;
        const adj_status code = adj_plan_select(&stream, &d.header, &preference, &plan, nullptr);
        if (largest == 8) {
          if (code) return adj_last_error();
          adj_plan_release(plan);
          return {};
        }
        if (auto problem = expect({code, adj_last_error()}, ADJ_ERROR_UNSUPPORTED, {"needs clusters of", "the device holds none"}); !problem.empty())
          return problem;
        preference.sku = nullptr;
        if (adj_plan_select(&stream, &d.header, &preference, &plan, nullptr) || adj_plan_sku(plan, &info)) return adj_last_error();
        const std::string id = info.id;
        adj_plan_release(plan);
        return contains(id, "cluster") ? "chosen: " + id : "";
      }));
  tally.add("the driver cannot say", in_child([&]() -> std::string {
    adj_stream stream;
    if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
    adj_softmax_backward_descriptor d;
    d.outer = 4, d.extent = 131072;
    d.element = ADJ_F32;
    adj_preference preference;
    preference.sku = "*/row_cluster/*";
    fakes().entry("cuOccupancyMaxActiveClusters").code = kCode;
    fakes().entry("cuOccupancyMaxActiveClusters").countdown = 1;
    adj_plan* plan = nullptr;
    const adj_status code = adj_plan_select(&stream, &d.header, &preference, &plan, nullptr);
    return expect({code, adj_last_error()}, ADJ_ERROR_CUDA, {"cuOccupancyMaxActiveClusters"});
  }));
}

namespace {

// Kernel of a caller: selects, runs and binds it. Returns "", or the failure.
struct UserKernel {
  std::string code, log;
  const char* macros = nullptr;
  adj_code_kind kind = ADJ_CODE_SOURCE;
  adj_jit_policy jit = ADJ_JIT_DEFAULT;
  std::int64_t native = 0;
  bool from_ptx = false;

  Outcome run() {
    adj_stream stream;
    if (adj_status status = adj_stream_wrap(fakes().stream(), &stream)) return {status, adj_last_error()};
    float x[4] = {}, y[4] = {};
    const std::int64_t numel = 4, n = 4;
    const double f = 0.5;
    adj_user_kernel_descriptor d;
    d.code = code.data(), d.code_bytes = static_cast<std::int64_t>(code.size()), d.code_kind = kind, d.entry = "scale";
    d.input_count = d.output_count = 1, d.input_numel = d.output_numel = &numel;
    d.integer_count = d.real_count = 1, d.integers = &n, d.reals = &f;
    d.macros = macros;
    d.grid = {1, {1}}, d.block = {1, {32}}, d.element = ADJ_F32;
    adj_preference preference;
    preference.jit = jit;
    adj_plan* plan = nullptr;
    adj_error* error = nullptr;
    if (adj_status status = adj_plan_select(&stream, &d.header, &preference, &plan, &error)) {
      log = adj_error_log(error);
      const Outcome o(status, adj_error_message(error), adj_error_native_code(error));
      adj_error_release(error);
      return plan || fakes().driver.launches ? Outcome(ADJ_ERROR_INTERNAL, "a plan, or a launch, after a failure") : o;
    }
    adj_plan_info info;
    adj_plan_get_info(plan, &info);
    from_ptx = info.from_ptx != 0;
    void *inputs[] = {x}, *outputs[] = {y};
    const std::uint64_t bytes = sizeof x;
    adj_user_kernel_args a;
    a.inputs = {1, ADJ_F32, 0, inputs, &bytes};
    a.outputs = {1, ADJ_F32, 0, outputs, &bytes};
    adj_bound* bound = nullptr;
    adj_status status = adj_plan_run(plan, &stream, nullptr, &a.header);
    if (!status) status = adj_plan_bind(plan, &stream, nullptr, &a.header, &bound);
    if (!status) status = adj_bound_run(bound, &stream);
    const Outcome o(status, adj_last_error());
    adj_bound_release(bound);
    adj_plan_release(plan);
    return status == ADJ_OK && fakes().driver.launches != 2 ? Outcome(ADJ_ERROR_INTERNAL, "two launches expected") : status ? o : Outcome();
  }
};
const std::string kScale = "extern \"C\" __global__ void scale(const float* x, float* y, long long n, double f) {}";
const std::string kScalePtx = ".version 8.0\n.target sm_80\n.entry scale(.param .u64 x, .param .u64 y, .param .u64 n, .param .f64 f) { ret; }";
std::string scale_cubin() { return make_cubin(90, {{"scale", {8, 8, 8, 8}}}); }

}  // namespace

TEST_CASE("a kernel of the caller's, as source, PTX and machine code") {
  fakes();
  Tally tally("caller's kernel");
  const struct {
    const char* name;
    std::string code;
    adj_code_kind kind;
    int compilations;
    bool from_ptx;
  } kinds[] = {{"source", kScale, ADJ_CODE_SOURCE, 1, false}, {"PTX", kScalePtx, ADJ_CODE_PTX, 0, true}, {"cubin", scale_cubin(), ADJ_CODE_CUBIN, 0, false}};
  for (const auto& k : kinds) {
    tally.add(std::string("launched from ") + k.name, in_child([&]() -> std::string {
      UserKernel kernel{.code = k.code, .log = {}, .kind = k.kind};
      if (const Outcome o = kernel.run(); o.code) return describe(o);
      if (fakes().entry("nvrtcCompileProgram").calls != k.compilations) return "compiled " + std::to_string(fakes().entry("nvrtcCompileProgram").calls) + " times";
      return kernel.from_ptx == k.from_ptx ? "" : "from_ptx is wrong";
    }));
    for (const char* function : {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction", "cuKernelSetAttribute"})
      tally.add(std::string(function) + " fails for " + k.name, in_child([&]() -> std::string {
        UserKernel kernel{.code = k.code, .log = {}, .kind = k.kind};
        fakes().entry(function).code = kCode;
        fakes().entry(function).countdown = 1;
        const Outcome o = kernel.run();
        if (o.native != kCode) return "native code " + std::to_string(o.native);
        if (std::string problem = expect(o, ADJ_ERROR_CUDA, {function}); !problem.empty()) return problem;
        const Outcome again = kernel.run();
        return again.code ? describe(again) : "";
      }));
    tally.add(std::string("without a compiler: ") + k.name, in_child([&]() -> std::string {
      absent_symbol = "nvrtcVersion";
      UserKernel kernel{.code = k.code, .log = {}, .kind = k.kind};
      const Outcome o = kernel.run();
      if (k.kind != ADJ_CODE_SOURCE) return o.code ? describe(o) : "";
      return expect(o, ADJ_ERROR_BACKEND_UNAVAILABLE, {"user_kernel(scale)", "a cubin of it needs no compiler"});
    }));
  }
  tally.add("packs only", in_child([]() -> std::string {
    UserKernel kernel{.code = scale_cubin(), .log = {}, .kind = ADJ_CODE_CUBIN, .jit = ADJ_JIT_PACKS_ONLY};
    const Outcome o = kernel.run();
    return o.code ? describe(o) : "";
  }));
  tally.add("a source for a device that NVRTC does not know", in_child([]() -> std::string {
    fakes().driver.cc = 120;
    fakes().nvrtc.newest_cc = 100;
    UserKernel kernel{.code = kScale, .log = {}};
    const Outcome o = kernel.run();
    return o.code ? describe(o) : kernel.from_ptx ? "" : "from_ptx is wrong";
  }));
  const struct {
    const char* source;
    const char* sentence;
  } sources[] = {{"__global__ void scale(const float* x, float* y, int n, double f) {}", "parameter 2 of scale has 4 bytes in the code, integers[0]"},
                 {"__global__ void scale(const float* x, float* y, long long n) {}", "there is none for reals[0]"},
                 {"__global__ void scaled(const float* x) {} __global__ void other() {}", "the code has no kernel scale, it has scaled, other"}};
  for (const bool as_ptx : {false, true})
    for (const auto& s : sources)
      tally.add(std::string(as_ptx ? "PTX of: " : "source: ") + s.source, in_child([&]() -> std::string {
        if (as_ptx) fakes().driver.cc = 120, fakes().nvrtc.newest_cc = 100;
        UserKernel kernel{.code = s.source, .log = {}};
        for (int attempt = 0; attempt < 2; ++attempt) {
          if (std::string problem = expect(kernel.run(), ADJ_ERROR_INVALID_PROBLEM, {"user_kernel: ", s.sentence}); !problem.empty()) return problem;
          if (fakes().entry("cuLibraryLoadData").calls) return "it was loaded";
        }
        return fakes().nvrtc.programs ? "an NVRTC program is not destroyed" : "";
      }));
  for (const auto& [macros, words] : {std::pair{"A=1\nB=2", "byte 3 of macros is the control character 10"}, {"A=1 B=\\", "'B=\\' ends in a backslash"},
                                      {"A=1 =2", "'=2' does not begin with a name"}, {"1=2", "'1=2' does not begin with a name"}})
    tally.add(std::string("macros: ") + macros, in_child([&, macros = macros, words = words]() -> std::string {
      UserKernel kernel{.code = kScale, .log = {}, .macros = macros};
      return expect(kernel.run(), ADJ_ERROR_INVALID_PROBLEM, {"user_kernel", words});
    }));
  tally.add("macros are no options", in_child([]() -> std::string {
    char log[] = "/tmp/adjoint-options-XXXXXX";
    const int fd = ::mkstemp(log);
    if (fd < 0) return "mkstemp";
    ::close(fd);
    ::setenv("FAKE_NVRTC_LOG", log, 1);
    UserKernel kernel{.code = kScale, .log = {}, .macros = "T=float FAST F(x)=x"};
    const Outcome o = kernel.run();
    std::FILE* file = std::fopen(log, "r");
    char line[1024] = "";
    if (file) std::fgets(line, sizeof line, file), std::fclose(file);
    ::unlink(log);
    if (o.code) return describe(o);
    return contains(line, "ADJ_ENTRY=scale") && !contains(line, "float") && !contains(line, "FAST") ? "" : line;
  }));
  tally.add("a thousand programs", in_child([]() -> std::string {
    for (int i = 0; i < 1000; ++i) {
      fakes().driver.launches = 0;
      UserKernel kernel{.code = kScale + "// " + std::to_string(i), .log = {}};
      if (const Outcome o = kernel.run(); o.code) return describe(o);
    }
    if (fakes().driver.libraries > 64) return std::to_string(fakes().driver.libraries) + " libraries are loaded";
    const int compiles = fakes().entry("nvrtcCompileProgram").calls;
    fakes().driver.launches = 0;
    UserKernel last{.code = kScale + "// 999", .log = {}};
    if (const Outcome o = last.run(); o.code) return describe(o);
    return fakes().entry("nvrtcCompileProgram").calls == compiles ? "" : "the last one was compiled again";
  }));
  tally.add("a cubin that the driver does not take", in_child([]() -> std::string {
    fakes().driver.takes_no_cubin = true;
    UserKernel kernel{.code = scale_cubin(), .log = {}, .kind = ADJ_CODE_CUBIN};
    return expect(kernel.run(), ADJ_ERROR_UNSUPPORTED, {"user_kernel(scale) does not load on a device of sm_90a", "cuLibraryLoadData"});
  }));
  tally.add("PTX that does not compile", in_child([]() -> std::string {
    fakes().driver.takes_no_ptx = true;
    UserKernel kernel{.code = kScalePtx, .log = {}, .kind = ADJ_CODE_PTX};
    const Outcome o = kernel.run();
    if (!contains(kernel.log, "ptxas fatal: nothing is right about it")) return "log: " + kernel.log;
    return expect(o, ADJ_ERROR_COMPILE_FAILED, {"user_kernel(scale) does not load", "cuLibraryLoadData"});
  }));
}

TEST_CASE("copies: one launch for a list, one copy of a tensor, nothing where all is in place") {
  fakes();
  Tally tally("copies");
  const struct {
    const char* name;
    std::size_t tensors, in_place;  // length of the list; the first in_place tensors are both input and output
    int launches, copies;
  } cases[] = {{"one tensor", 1, 0, 0, 1},       {"one tensor in place", 1, 1, 0, 0}, {"a list", 5, 0, 1, 0},
               {"a list, partly in place", 5, 4, 1, 0}, {"a list in place", 5, 5, 0, 0},     {"a long list", 1500, 0, 1, 0},
               {"a long list in place", 1500, 1500, 0, 0}};
  for (const auto& c : cases)
    tally.add(c.name, in_child([&]() -> std::string {
      adj_stream stream;
      if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
      std::vector<std::int64_t> numel(c.tensors, 3);
      std::vector<float> from(4 * c.tensors), to(4 * c.tensors);
      std::vector<void*> inputs, outputs;
      for (std::size_t i = 0; i < c.tensors; ++i) {
        inputs.push_back(from.data() + 4 * i);
        outputs.push_back(i < c.in_place ? inputs[i] : to.data() + 4 * i);
      }
      if (c.tensors > 2) numel[c.tensors - 1] = c.in_place == c.tensors ? 0 : 3, inputs.back() = c.in_place == c.tensors ? nullptr : inputs.back();
      const std::vector<std::uint64_t> bytes(c.tensors, 12);
      adj_copy_descriptor d;
      d.count = static_cast<std::int64_t>(c.tensors), d.numel = numel.data(), d.element = ADJ_F32;
      adj_copy_args a;
      a.inputs = {d.count, ADJ_F32, 0, inputs.data(), bytes.data()};
      a.outputs = {d.count, ADJ_F32, 0, outputs.data(), bytes.data()};
      adj_plan* plan = nullptr;
      adj_bound* bound = nullptr;
      if (adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr)) return adj_last_error();
      adj_plan_info info;
      adj_plan_get_info(plan, &info);
      const std::size_t room = (info.bind_workspace_size + 256) / 256 * 256;
      const adj_workspace workspace{std::aligned_alloc(256, room), room};
      auto count = [&](const char* how) -> std::string {
        if (fakes().driver.launches != c.launches || fakes().driver.copies != c.copies)
          return std::string(how) + ": " + std::to_string(fakes().driver.launches) + " launches, " + std::to_string(fakes().driver.copies) + " copies";
        fakes().driver.launches = fakes().driver.copies = 0;
        return {};
      };
      std::string problem;
      if (adj_plan_run(plan, &stream, &workspace, &a.header)) problem = adj_last_error();
      if (problem.empty()) problem = count("run");
      if (problem.empty() && adj_plan_bind(plan, &stream, &workspace, &a.header, &bound)) problem = adj_last_error();
      fakes().driver.copies = 0;  // of the table
      if (problem.empty() && adj_bound_run(bound, &stream)) problem = adj_last_error();
      if (problem.empty()) problem = count("bound");
      adj_bound_release(bound);
      adj_plan_release(plan);
      std::free(workspace.data);
      return problem;
    }));
}

TEST_CASE("binding a table while the stream is captured is refused, and works afterwards") {
  fakes();
  Tally tally("capture");
  tally.add("bind", in_child([]() -> std::string {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      if (std::string(stage.name) == "bind") {
        fakes().driver.capturing = true;
        const Outcome o = program.bind();
        fakes().driver.capturing = false;
        if (std::string problem = expect(o, ADJ_ERROR_CAPTURING, {"sgd", "before the capture"}); !problem.empty()) return problem;
      }
      if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + describe(o);
    }
    return {};
  }));
}

TEST_CASE("a table that was copied on one stream is not read on another") {
  fakes();
  Tally tally("bound stream");
  tally.add("bound run", in_child([]() -> std::string {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      if (std::string(stage.name) == "run_bound") {
        adj_stream other;
        if (adj_stream_wrap(nullptr, &other)) return adj_last_error();
        return expect(program.bound_run_on(other), ADJ_ERROR_STREAM_MISMATCH, {"sgd", "bound on stream", "bind once more"});
      }
      if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + describe(o);
    }
    return "nothing was bound";
  }));
}

TEST_CASE("a table that was copied on a thread's default stream is not read on that of another thread") {
  fakes();
  Tally tally("bound thread");
  tally.add("bound run", in_child([]() -> std::string {
    Program program;
    adj_stream own;
    for (const Program::Stage& stage : Program::stages()) {
      if (std::string(stage.name) == "run_bound") {
        std::string problem = "the other thread did not run";
        std::thread([&] {
          fakes().enter(0, true);
          problem = expect(program.bound_run_on(own), ADJ_ERROR_STREAM_MISMATCH, {"sgd", "another thread", "bind once more"});
        }).join();
        if (!problem.empty()) return problem;
        const Outcome o = program.bound_run_on(own);
        return o.code ? "in its own thread: " + describe(o) : "";
      }
      if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + describe(o);
      if (std::string(stage.name) == "wrap") {
        fakes().enter(0, true);
        if (adj_stream_wrap(reinterpret_cast<void*>(adj::cu::kStreamPerThread), &own)) return adj_last_error();
        program.use(own);
      }
    }
    return "nothing was bound";
  }));
}

TEST_CASE("kernels are loaded while a stream is captured elsewhere") {
  fakes();
  Tally tally("load beside a capture");
  tally.add("select", in_child([]() -> std::string {
    Program program;
    for (const Program::Stage& stage : Program::stages()) {
      const bool selects = std::string(stage.name) == "select";
      fakes().driver.capturing = selects;
      if (const Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + describe(o);
      if (selects) return fakes().driver.libraries ? "" : "nothing was loaded";
    }
    return "nothing was selected";
  }));
}

TEST_CASE("the default stream is that of the current device, and its context is the primary one") {
  fakes();
  Tally tally("default stream");
  tally.add("another device is current", in_child([]() -> std::string {
    fakes().stream();
    adj_stream stream;
    if (adj_stream_wrap(nullptr, &stream)) return adj_last_error();
    adj_embedding_forward_descriptor d;
    d.num_embeddings = d.num_indices = 2, d.embedding_dim = 1, d.element = ADJ_F32, d.index = ADJ_I64;
    adj_plan* plan = nullptr;
    if (adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr)) return adj_last_error();
    float weight[2] = {}, out[2];
    std::int64_t indices[2] = {};
    adj_embedding_forward_args a;
    a.weight.data = weight, a.weight.bytes = sizeof weight, a.weight.dtype = ADJ_F32;
    a.indices.data = indices, a.indices.bytes = sizeof indices, a.indices.dtype = ADJ_I64;
    a.out.data = out, a.out.bytes = sizeof out, a.out.dtype = ADJ_F32;
    adj_bound* bound = nullptr;
    if (adj_plan_run(plan, &stream, nullptr, &a.header) || adj_plan_bind(plan, &stream, nullptr, &a.header, &bound)) return adj_last_error();
    const int launches = fakes().driver.launches;
    fakes().enter(1, true);
    std::string problem;
    const auto refused = [&](adj_status code) {
      if (problem.empty()) problem = expect({code, adj_last_error()}, ADJ_ERROR_STREAM_MISMATCH, {"default stream", "which is 1", "device 0"});
    };
    adj_bound* never = nullptr;
    refused(adj_plan_run(plan, &stream, nullptr, &a.header));
    refused(adj_plan_bind(plan, &stream, nullptr, &a.header, &never));
    refused(adj_bound_run(bound, &stream));
    if (problem.empty() && fakes().driver.launches != launches) problem = "something was launched";
    adj_bound_release(bound);
    adj_plan_release(plan);
    return problem;
  }));
  tally.add("a context that is not the primary one", in_child([] {
    fakes().enter(0, false);
    adj_stream stream;
    const adj_status code = adj_stream_wrap(nullptr, &stream);
    return expect({code, adj_last_error()}, ADJ_ERROR_UNSUPPORTED, {"device 0", "primary context"});
  }));
}

TEST_CASE("a pack serves where there is no NVRTC, and says what it lacks") {
  fakes();
  Tally tally("pack without NVRTC");
  const char* globs[] = {"sgd/*", "embedding_backward/*"};
  std::string files[2];
  for (int i = 0; i < 2; ++i) {
    files[i] = "/tmp/adjoint-pack-XXXXXX";
    const int fd = ::mkstemp(files[i].data());
    REQUIRE(fd >= 0);
    ::close(fd);
    tally.add(std::string("build ") + globs[i], in_child([&]() -> std::string {
      adj_pack_options options;
      options.archs = "sm_80,sm_90a";
      options.skus = globs[i];
      return adj_pack_build(files[i].c_str(), &options, nullptr) ? adj_last_error() : "";
    }));
  }
  tally.add("use", in_child([&]() -> std::string {
    absent_symbol = "nvrtcVersion";
    for (const std::string& file : files)
      if (adj_pack_load(file.c_str())) return adj_last_error();
    if (Outcome o = first_failure(); o.code) return describe(o);  // another pack is built from these
    return fakes().driver.launches > 0 ? "" : "nothing was launched";
  }));
  tally.add("made by an NVRTC that is newer than the driver", in_child([&]() -> std::string {
    static std::string told;
    adj_set_log([](void*, std::int32_t level, const char* message) { told += level ? std::string(message) + "\n" : ""; }, nullptr);
    fakes().driver.version = 12040;
    fakes().nvrtc.major = 12, fakes().nvrtc.minor = 9;
    if (adj_pack_load(files[0].c_str())) return adj_last_error();
    if (Outcome o = first_failure(); o.code) return describe(o);
    if (fakes().driver.refused) return "an image of the pack was tried";
    return contains(told, files[0]) && contains(told, "has kernels of NVRTC 13.0") && told.find("has kernels") == told.rfind("has kernels") ? "" : "told: " + told;
  }));
  tally.add("lacks", in_child([&]() -> std::string {
    fakes().driver.cc = 100;
    if (adj_pack_load(files[0].c_str())) return adj_last_error();
    adj_stream stream;
    if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
    adj_sgd_descriptor d;
    d.param = ADJ_F32;
    const std::int64_t numel = 3;
    d.count = 1, d.numel = &numel;
    for (adj_jit_policy policy : {ADJ_JIT_PACKS_ONLY, ADJ_JIT_CACHED_ONLY}) {
      adj_preference preference;
      preference.jit = policy;
      adj_plan* plan = nullptr;
      const adj_status code = adj_plan_select(&stream, &d.header, &preference, &plan, nullptr);
      if (std::string problem = expect({code, adj_last_error()}, ADJ_ERROR_BACKEND_UNAVAILABLE, {"sm_100", "adjoint sku compile --arch sm_100"}); !problem.empty())
        return problem;
    }
    return fakes().entry("nvrtcCompileProgram").calls ? "something was compiled" : "";
  }));
  for (const std::string& file : files) ::unlink(file.c_str());
}

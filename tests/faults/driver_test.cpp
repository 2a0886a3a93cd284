// A driver and a compiler that fail: every entry point that the library loads fails at every call that a program using every verb makes of it.
// Each case is a process of its own. It must end with the right code and sentence and without a leak, and the library must then work.
#include <dlfcn.h>
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
      {"nvrtcGetProgramLogSize", {ADJ_OK, false}},  // of a program that compiles: then nothing is said of it
      {"nvrtcGetProgramLog", {ADJ_OK, false}},
      {"cuCtxPopCurrent", {ADJ_OK, false}},
      {"cuThreadExchangeStreamCaptureMode", {ADJ_OK, false}},  // then a load may fail while a stream is captured
  };
  if (auto it = special.find(function); it != special.end()) return it->second;
  // adj_device_count has no way to fail; adj_device_get has.
  if (function == "cuDeviceGetCount" && n % 2 == 1) return {ADJ_OK, false};
  return {is_nvrtc(function) ? ADJ_ERROR_COMPILE_FAILED : ADJ_ERROR_CUDA, false};
}

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
  prepare();
  Tally tally(title);
  for (const auto& [stage, calls] : count_calls(functions))
    for (const auto& [function, count] : calls)
      for (int n = 1; n <= count; n = next_call(n))
        tally.add(function + " call " + std::to_string(n) + " in " + stage,
                  in_child([&, stage = stage, function = function] { return fail_at(function, stage, n); }));
}

}  // namespace

TEST_CASE("the driver: every call fails once") { fail_every_call("driver call fails", cuda_functions()); }
TEST_CASE("NVRTC: every call fails once") { fail_every_call("NVRTC call fails", nvrtc_functions()); }

TEST_CASE("the driver: every entry point is missing") {
  prepare();
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
  prepare();
  Tally tally("NVRTC entry point missing");
  for (const std::string& function : nvrtc_functions())
    tally.add(function, in_child([&] {
                absent_symbol = function.c_str();
                return expect(first_failure(), ADJ_ERROR_BACKEND_UNAVAILABLE, {function.c_str(), "newer NVRTC"});
              }));
}

TEST_CASE("libraries that are absent, old, or strange") {
  prepare();
  Tally tally("library absent or strange");
  for (const char* variable : {"ADJOINT_LIBCUDA", "ADJOINT_LIBNVRTC"})
    for (const char* file : {"/nonexistent/library.so", "", "/dev/null"})
      tally.add(std::string(variable) + "='" + file + "'", in_child([&] {
                  fakes();
                  ::setenv(variable, file, 1);
                  const bool driver = std::strcmp(variable, "ADJOINT_LIBCUDA") == 0;
                  return expect(first_failure(), ADJ_ERROR_BACKEND_UNAVAILABLE,
                                {driver ? "libcuda.so.1 cannot be loaded" : "libnvrtc.so.13 or .12 cannot be loaded"});
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

// Path of the NVRTC that is loaded.
std::string nvrtc_found() {
  for (std::int64_t i = 0; i < adj_library_count(); ++i) {
    adj_library_info info;
    if (!adj_library_get(i, &info) && std::strcmp(info.name, "NVRTC") == 0) return info.path;
  }
  return "none";
}

// A directory with NVRTC, of these versions.
class NvrtcDirectory {
 public:
  explicit NvrtcDirectory(std::string path, std::initializer_list<const char*> names = {"libnvrtc.so.12", "libnvrtc.so.13"}) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    for (const char* name : names) std::filesystem::copy_file(std::getenv("ADJOINT_LIBNVRTC"), path_ / name, std::filesystem::copy_options::overwrite_existing);
  }
  ~NvrtcDirectory() { std::filesystem::remove_all(path_); }

 private:
  std::filesystem::path path_;
};

std::string temporary() {
  char directory[] = "/tmp/adjoint-nvrtc-XXXXXX";
  return ::mkdtemp(directory) ? directory : throw std::runtime_error("mkdtemp");
}

// Path of the NVRTC that is loaded where both versions are in ADJOINT_LIBRARY_PATH and the driver's interface is this.
std::string nvrtc_beside(int driver_version) {
  const std::string directory = temporary();
  const NvrtcDirectory both(directory);
  ::setenv("ADJOINT_LIBRARY_PATH", directory.c_str(), 1);
  ::unsetenv("ADJOINT_LIBNVRTC");
  fakes().driver.version = driver_version;
  return nvrtc_found();
}

}  // namespace

TEST_CASE("the NVRTC of the driver's version, and no newer one") {
  prepare();
  Tally tally("NVRTC beside the driver");
  for (const auto& [driver, soname] : {std::pair{13000, "libnvrtc.so.13"}, {12040, "libnvrtc.so.12"}, {14000, "libnvrtc.so.13"}})
    tally.add(std::to_string(driver), in_child([&]() -> std::string {
                const std::string path = nvrtc_beside(driver);
                return contains(path, soname) ? "" : path;
              }));
  tally.add("a newer one is said to be", in_child([]() -> std::string {
              const Warnings warnings;
              fakes().driver.version = 12040;
              const Outcome o = first_failure();
              const std::string told = warnings.text();
              if (!contains(told, "NVRTC 13.0") || !contains(told, "newer than the driver's CUDA 12.4")) return "told: " + told;
              return expect(o, ADJ_ERROR_CUDA, {"does not load", "made by NVRTC 13.0", "interface is CUDA 12.4"});
            }));
}

TEST_CASE("places of libraries") {
  prepare();
  Tally tally("places");
  const std::string conda = temporary(), named = temporary();
  const NvrtcDirectory in_conda(conda + "/lib"), in_named(named);
  const std::filesystem::path wheels = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../nvidia/cuda_nvrtc/lib";
  const NvrtcDirectory in_wheels(wheels.string());
  const auto found_in = [&](const char* what, const char* where, bool is_named, bool has_wheels) {
    tally.add(what, in_child([&]() -> std::string {
                ::unsetenv("ADJOINT_LIBNVRTC");
                ::unsetenv("ADJOINT_LIBRARY_PATH");
                ::unsetenv("CUDA_HOME");
                ::unsetenv("CUDA_PATH");
                ::setenv("CONDA_PREFIX", conda.c_str(), 1);
                if (is_named) ::setenv("ADJOINT_LIBRARY_PATH", (":" + named).c_str(), 1);
                if (!has_wheels) std::filesystem::remove_all(wheels);
                // A loader that knows an NVRTC of its own comes before the usual places.
                const bool known = !is_named && ::dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
                const std::string path = nvrtc_found();
                return contains(path, where) != known ? "" : path;
              }));
  };
  found_in("ADJOINT_LIBRARY_PATH", named.c_str(), true, true);
  found_in("a wheel beside the library", "nvidia/cuda_nvrtc/lib/libnvrtc.so.13", false, true);
  found_in("CONDA_PREFIX", conda.c_str(), false, false);
  for (const std::string& directory : {conda, named}) std::filesystem::remove_all(directory);
  std::filesystem::remove(wheels.parent_path());
  std::filesystem::remove(wheels.parent_path().parent_path());
}

TEST_CASE("a list of devices retains no context") {
  prepare();
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
  prepare();
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
                  return expect(o, ADJ_ERROR_CUDA,
                                {"the launch of ", std::to_string(code).c_str(), "an earlier kernel, of this library or of other code, faulted"});
                }
                return "nothing ran";
              }));
}

TEST_CASE("a device that was reset ends its plans, and no stream of it is wrapped again") {
  prepare();
  Tally tally("device reset");
  // The driver's code for a context that is gone.
  constexpr int kContextDestroyed = 709;
  tally.add("a run", in_child([&]() -> std::string {
              Program program;
              for (const Program::Stage& stage : Program::stages()) {
                const bool runs = std::string(stage.name) == "run";
                if (runs) fakes().entry("cuLaunchKernelEx").code = kContextDestroyed, fakes().entry("cuLaunchKernelEx").countdown = 1;
                const Outcome o = (program.*stage.run)();
                if (!runs && o.code) return describe(o);
                if (!runs) continue;
                if (o.native != kContextDestroyed) return "native code " + std::to_string(o.native);
                return expect(o, ADJ_ERROR_CUDA, {"709", "the device was reset (cudaDeviceReset)", "which ends every plan"});
              }
              return "nothing ran";
            }));
  tally.add("the default stream of its new context", in_child([]() -> std::string {
              fakes().stream();
              adj_stream stream;
              if (adj_stream_wrap(nullptr, &stream)) return adj_last_error();
              fakes().enter(0, false);  // the context that the runtime makes after a reset is not the one that was retained
              const adj_status code = adj_stream_wrap(nullptr, &stream);
              return expect({code, adj_last_error()}, ADJ_ERROR_UNSUPPORTED, {"device 0", "was reset (cudaDeviceReset) cannot be used again in its process"});
            }));
}

TEST_CASE("NVRTC rejects a program") {
  prepare();
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
                else if (!contains(message, "nvrtcCompileProgram") || !contains(message, "segment_sum/lookup.cu") || !contains(message, "sm_90a"))
                  problem = message;
                else if (readable != contains(log, "error: nothing is right about")) problem = "log: '" + log + "'";
                else if (!contains(adj_error_options(error), "--gpu-architecture=sm_90a")) problem = "no options";
                else if (adj_error_rejection_count(error) < 1) problem = "no rejections";
                else if (fakes().nvrtc.programs != 0) problem = "the program is not destroyed";
                adj_error_release(error);
                fakes().nvrtc.rejects = false;
                return problem.empty() ? whole_program() : problem;
              }));
}

TEST_CASE("NVRTC says something of a program that compiles") {
  prepare();
  Tally tally("compile remark");
  for (const bool remarks : {false, true})
    tally.add(remarks ? "a remark" : "nothing", in_child([&]() -> std::string {
                fakes().nvrtc.remarks = remarks;
                const Warnings warnings;
                if (std::string problem = whole_program(); !problem.empty()) return problem;
                const std::string told = warnings.text();
                const bool all = contains(told, "(C7510) Potential Performance Loss") && contains(told, ".cu:") && contains(told, "sm_90a");
                return remarks ? (all ? "" : "told: " + told) : contains(told, "C7510") ? "told: " + told : "";
              }));
}

TEST_CASE("a device newer than NVRTC gets PTX") {
  prepare();
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
  prepare();
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
  prepare();
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

TEST_CASE("ADJOINT_EARLY_LAUNCHES=0, or a driver before CUDA 12.3, plans no kernel that begins before the one before it has ended") {
  prepare();
  Tally tally("early launches");
  for (const auto& [value, version] : {std::pair{"", 13000}, {"1", 13000}, {"0", 13000}, {"1", 12030}, {"1", 12020}})
    tally.add(std::string("'") + value + "' with a driver of " + std::to_string(version), in_child([&]() -> std::string {
                ::setenv("ADJOINT_EARLY_LAUNCHES", value, 1);
                fakes().driver.version = version;
                if (version < 13000) fakes().nvrtc.major = 12, fakes().nvrtc.minor = 4;
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
                return (early == 0) == (std::strcmp(value, "0") == 0 || version < 12030) ? "" : std::to_string(early) + " early launches";
              }));
}

TEST_CASE("a kernel whose clusters the device cannot hold gives way to one without") {
  prepare();
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

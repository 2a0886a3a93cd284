// Kernels of the caller, copies, tables, streams and packs on the stand-in for the driver. Each case is a process of its own.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "absent.hpp"
#include "child.hpp"
#include "driver/cuda_abi.hpp"
#include "machine.hpp"
#include "tests/cubin.hpp"

using namespace faults;

namespace {

constexpr int kCode = 719;

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
  prepare();
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
                if (fakes().entry("nvrtcCompileProgram").calls != k.compilations)
                  return "compiled " + std::to_string(fakes().entry("nvrtcCompileProgram").calls) + " times";
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
  for (const auto& [macros, words] : {std::pair{"A=1\nB=2", "byte 3 of macros is the control character 10"},
                                      {"A=1 B=\\", "'B=\\' ends in a backslash"},
                                      {"A=1 =2", "'=2' does not begin with a name"},
                                      {"1=2", "'1=2' does not begin with a name"}})
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
  tally.add("each macro is defined before the source", in_child([]() -> std::string {
              char name[] = "/tmp/adjoint-sources-XXXXXX";
              const int fd = ::mkstemp(name);
              if (fd < 0) return "mkstemp";
              ::close(fd);
              ::setenv("FAKE_NVRTC_SOURCES", name, 1);
              UserKernel kernel{.code = kScale, .log = {}, .macros = "T=float FAST F(x)=x"};
              const Outcome o = kernel.run();
              std::ifstream file(name);
              const std::string given{std::istreambuf_iterator<char>(file), {}};
              ::unlink(name);
              if (o.code) return describe(o);
              return contains(given, "#define T float\n#define FAST 1\n#define F(x) x\n#line 1 ") ? "" : given;
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
  prepare();
  Tally tally("copies");
  const struct {
    const char* name;
    std::size_t tensors, in_place;  // length of the list; the first in_place tensors are both input and output
    int launches, copies;
  } cases[] = {{"one tensor", 1, 0, 0, 1},
               {"one tensor in place", 1, 1, 0, 0},
               {"a list", 5, 0, 1, 0},
               {"a list, partly in place", 5, 4, 1, 0},
               {"a list in place", 5, 5, 0, 0},
               {"a long list", 1500, 0, 1, 0},
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
                    return std::string(how) + ": " + std::to_string(fakes().driver.launches) + " launches, " + std::to_string(fakes().driver.copies) +
                           " copies";
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

TEST_CASE("events: a call records one or waits for one") {
  prepare();
  Tally tally("events");
  for (const bool waits : {false, true})
    tally.add(waits ? "waits" : "records", in_child([waits]() -> std::string {
                adj_stream stream;
                if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
                alignas(16) char event[64] = {};
                adj_record_event_descriptor record;
                adj_wait_event_descriptor wait;
                record.element = wait.element = ADJ_F32;
                adj_record_event_args record_args;
                adj_wait_event_args wait_args;
                record_args.event = wait_args.event = event;
                const adj_header& args = waits ? wait_args.header : record_args.header;
                adj_plan* plan = nullptr;
                adj_bound* bound = nullptr;
                if (adj_plan_select(&stream, waits ? &wait.header : &record.header, nullptr, &plan, nullptr)) return adj_last_error();
                if (adj_plan_run(plan, &stream, nullptr, &args)) return adj_last_error();
                if (adj_plan_bind(plan, &stream, nullptr, &args, &bound) || adj_bound_run(bound, &stream)) return adj_last_error();
                adj_bound_release(bound), adj_plan_release(plan);
                const int recorded = fakes().entry("cuEventRecord").calls, waited = fakes().entry("cuStreamWaitEvent").calls;
                return recorded == (waits ? 0 : 2) && waited == (waits ? 2 : 0)
                           ? ""
                           : std::to_string(recorded) + " recorded, " + std::to_string(waited) + " waited for";
              }));
}

TEST_CASE("binding a table while the stream is captured is refused, and works afterwards") {
  prepare();
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
  prepare();
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
  prepare();
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
  prepare();
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
  prepare();
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
  prepare();
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
              const Warnings warnings;
              fakes().driver.version = 12040;
              fakes().nvrtc.major = 12, fakes().nvrtc.minor = 9;
              if (adj_pack_load(files[0].c_str())) return adj_last_error();
              if (Outcome o = first_failure(); o.code) return describe(o);
              if (fakes().driver.refused) return "an image of the pack was tried";
              const std::string told = warnings.text();
              return contains(told, files[0]) && contains(told, "has kernels of NVRTC 13.0") && told.find("has kernels") == told.rfind("has kernels")
                         ? ""
                         : "told: " + told;
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
                if (std::string problem = expect({code, adj_last_error()}, ADJ_ERROR_BACKEND_UNAVAILABLE, {"sm_100", "adjoint sku compile --arch sm_100"});
                    !problem.empty())
                  return problem;
              }
              return fakes().entry("nvrtcCompileProgram").calls ? "something was compiled" : "";
            }));
  for (const std::string& file : files) ::unlink(file.c_str());
}

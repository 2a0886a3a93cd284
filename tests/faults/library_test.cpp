// cuDNN, cuBLASLt and NCCL that fail: absent, old, without an entry point, and failing at every call that a convolution, a matrix product or a collective
// makes of them. Each case is a process of its own. The stand-ins for cuDNN and cuBLASLt compute, so the contents of the calls are checked too.
#include <adjoint/ops/collective.h>
#include <adjoint/ops/conv.h>
#include <adjoint/ops/matmul.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "absent.hpp"
#include "child.hpp"
#include "driver/cublaslt_abi.hpp"
#include "driver/cuda_abi.hpp"
#include "harness/harness.hpp"
#include "harness/verify.hpp"
#include "machine.hpp"

using namespace faults;

namespace {

constexpr int kBroken = 4000;       // of cuDNN: an internal error
constexpr int kNotSupported = 3000;
constexpr int kNotUsable = 1008;    // a part of the library cannot be loaded
constexpr int kNcclCode = 3;
const std::string kNotCalled = "was not called";

#define NAME_OF(member, symbol, result, arguments) #symbol,
const std::vector<std::string>& cudnn_functions() {
  static const std::vector<std::string> names{ADJ_CUDNN_FUNCTIONS(NAME_OF)};
  return names;
}
const std::vector<std::string>& cublaslt_functions() {
  static const std::vector<std::string> names{ADJ_BLAS_FUNCTIONS(NAME_OF)};
  return names;
}
const std::vector<std::string>& nccl_functions() {
  static const std::vector<std::string> names{ADJ_NCCL_FUNCTIONS(NAME_OF)};
  return names;
}
#undef NAME_OF

template <class State>
struct Library {
  FakeEntry find;
  State& state;
  fake::Entry& entry(const std::string& name) const { return *find(name.c_str()); }
};
template <class State>
Library<State> open_fake(const char* variable, const char* symbol) {
  void* handle = ::dlopen(std::getenv(variable), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle, variable);
  return {reinterpret_cast<FakeEntry>(__real_dlsym(handle, "fake_entry")), *reinterpret_cast<State* (*)()>(__real_dlsym(handle, symbol))()};
}
const Library<fake::Cudnn>& cudnn_fake() {
  static const auto library = open_fake<fake::Cudnn>("ADJOINT_LIBCUDNN", "fake_cudnn");
  return library;
}
const Library<fake::Blas>& cublaslt_fake() {
  static const auto library = open_fake<fake::Blas>("ADJOINT_LIBCUBLASLT", "fake_cublaslt");
  return library;
}
const Library<fake::Nccl>& nccl_fake() {
  static const auto library = open_fake<fake::Nccl>("ADJOINT_LIBNCCL", "fake_nccl");
  return library;
}
// Every fake, opened before a child is.
void open_all() { fakes(), cudnn_fake(), cublaslt_fake(), nccl_fake(); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string describe(const Outcome& o) { return std::string(adj_status_name(o.code)) + " '" + o.message + "'"; }

struct PlanDelete {
  void operator()(adj_plan* p) const { adj_plan_release(p); }
};
using Plan = std::unique_ptr<adj_plan, PlanDelete>;

adj_stream device_stream() {
  adj_stream stream;
  if (adj_stream_wrap(fakes().stream(), &stream)) throw std::runtime_error(adj_last_error());
  return stream;
}
Outcome make_plan(const adj_stream& stream, const adj_header& descriptor, const adj_preference& preference, Plan& plan) {
  adj_plan* made = nullptr;
  adj_error* error = nullptr;
  const adj_status code = adj_plan_select(&stream, &descriptor, &preference, &made, &error);
  plan.reset(made);
  Outcome outcome = code ? Outcome(code, adj_error_message(error), adj_error_native_code(error)) : Outcome();
  adj_error_release(error);
  return outcome;
}
std::string sku_of(const Plan& plan) {
  adj_sku_info info;
  return adj_plan_sku(plan.get(), &info) ? "" : info.id;
}
// Reason for which select rejected a candidate.
std::string rejection(const Plan& plan, const char* algorithm) {
  for (std::int64_t i = 0; i < adj_plan_candidate_count(plan.get()); ++i) {
    adj_rejection r;
    if (!adj_plan_candidate(plan.get(), i, &r) && contains(r.sku, algorithm)) return r.reason;
  }
  return {};
}

struct Free {
  void operator()(void* p) const { std::free(p); }
};
// Ordinary memory, aligned like device memory.
class Memory {
 public:
  void* get(std::size_t bytes) {
    void* p = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
    std::memset(p, 0, bytes);
    blocks_.emplace_back(p);
    return p;
  }
  adj_tensor tensor(std::int64_t elements, adj_dtype dtype = ADJ_F32) {
    adj_tensor t;
    t.bytes = static_cast<std::uint64_t>(elements) * 8;
    t.data = get(t.bytes);
    t.dtype = dtype;
    return t;
  }

 private:
  std::vector<std::unique_ptr<void, Free>> blocks_;
};

// ---- convolutions

adj_shape shape(std::initializer_list<std::int64_t> dims) {
  adj_shape s{};
  for (std::int64_t n : dims) s.dims[s.rank++] = n;
  return s;
}
template <class Descriptor>
Descriptor small_problem() {
  Descriptor d;
  d.input = shape({2, 4, 6, 5}), d.weight = shape({6, 2, 3, 3}), d.out = shape({2, 6, 6, 5});
  d.pads = {4, {1, 1, 1, 1}};
  d.groups = 2;
  d.element = ADJ_F32;
  return d;
}

// All three gradients, and a forward pass with a bias. Together they call every function.
class ConvProgram {
 public:
  ConvProgram() {
    backward_.has_dbias = 1;
    forward_.has_bias = 1;
    const std::int64_t in = 2 * 4 * 6 * 5, out = 2 * 6 * 6 * 5, weight = 6 * 2 * 9;
    backward_args_.dout = memory_.tensor(out), backward_args_.input = memory_.tensor(in), backward_args_.weight = memory_.tensor(weight);
    backward_args_.dinput = memory_.tensor(in), backward_args_.dweight = memory_.tensor(weight), backward_args_.dbias = memory_.tensor(6);
    forward_args_.input = memory_.tensor(in), forward_args_.weight = memory_.tensor(weight), forward_args_.bias = memory_.tensor(6);
    forward_args_.out = memory_.tensor(out);
  }
  Outcome select(const adj_preference& preference = {}) {
    stream_ = device_stream();
    if (Outcome o = make_plan(stream_, forward_.header, preference, forward_plan); o.code) return o;
    return make_plan(stream_, backward_.header, preference, backward_plan);
  }
  Outcome run() {
    if (const adj_status code = run_one(forward_plan, forward_args_.header)) return {code, adj_last_error()};
    if (const adj_status code = run_one(backward_plan, backward_args_.header)) return {code, adj_last_error()};
    return {};
  }
  void release() { forward_plan.reset(), backward_plan.reset(); }

  Plan forward_plan, backward_plan;
  adj_conv_backward_descriptor backward_ = small_problem<adj_conv_backward_descriptor>();
  adj_conv_backward_args backward_args_;

 private:
  adj_status run_one(const Plan& plan, const adj_header& args) {
    const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
    const adj_workspace workspace{bytes ? memory_.get(bytes) : nullptr, bytes};
    return adj_plan_run(plan.get(), &stream_, &workspace, &args);
  }
  adj_stream stream_{};
  adj_conv_forward_descriptor forward_ = small_problem<adj_conv_forward_descriptor>();
  adj_conv_forward_args forward_args_;
  Memory memory_;
};

// Checks that everything works with these algorithms and leaves no object alive.
std::string conv_works(const char* algorithm = "/cudnn/") {
  {
    ConvProgram program;
    if (Outcome o = program.select(); o.code) return "select: " + describe(o);
    for (const Plan* plan : {&program.forward_plan, &program.backward_plan})
      if (!contains(sku_of(*plan), algorithm)) return "chosen: " + sku_of(*plan);
    if (Outcome o = program.run(); o.code) return "run: " + describe(o);
  }
  const fake::Cudnn& state = cudnn_fake().state;
  if (state.descriptors != 0) return std::to_string(state.descriptors) + " descriptors are not destroyed";
  if (state.handles > 2) return std::to_string(state.handles) + " handles for one thread";
  if (const char* complaint = state.complaint) return complaint;
  return {};
}

adj_preference forced() {
  adj_preference p;
  p.backend = ADJ_BACKEND_CUDNN;
  return p;
}

// Checks that without a usable cuDNN our own kernels serve, that the reason is recorded, and that it is the error when cuDNN is required.
std::string conv_without(std::initializer_list<const char*> words) {
  ConvProgram program;
  if (Outcome o = program.select(); o.code) return describe(o);
  if (!contains(sku_of(program.backward_plan), "/implicit_gemm/")) return "chosen: " + sku_of(program.backward_plan);
  for (const char* word : words)
    if (!contains(rejection(program.backward_plan, "/cudnn/"), word)) return "rejection: " + rejection(program.backward_plan, "/cudnn/");
  if (Outcome o = program.run(); o.code) return describe(o);
  const Outcome o = program.select(forced());
  if (o.code != ADJ_ERROR_BACKEND_UNAVAILABLE) return "forced: " + describe(o);
  for (const char* word : words)
    if (!contains(o.message, word)) return "forced: " + describe(o);
  return cudnn_fake().state.descriptors == 0 ? "" : "descriptors are not destroyed";
}

// Fails the n-th call of a function while plans are made, run or released.
std::string fail_conv(const std::string& function, int stage, int n) {
  fake::Entry& entry = cudnn_fake().entry(function);
  const bool harmless = contains(function, "Destroy");
  {
    ConvProgram program;
    Outcome o;
    for (int at = 0; at < 3 && !o.code; ++at) {
      if (at == stage) entry.code = kBroken, entry.countdown = n;
      if (at == 0) o = program.select();
      if (at == 1) o = program.run();
      if (at == 2) program.release();
      if (at == stage && entry.countdown > 0) return kNotCalled;
      if (o.code && at != stage) return "failed elsewhere: " + describe(o);
    }
    if (function == "cudnnGetVersion") return conv_without({"9.0 or newer"});
    if (o.code != (harmless ? ADJ_OK : ADJ_ERROR_CUDA)) return describe(o);
    if (o.code && (!contains(o.message, function + " failed with 4000") || !contains(o.message, "SCRIPTED") || !contains(o.message, "as the test asked")))
      return "no sentence: " + describe(o);
    if (o.code && stage == 0 && o.native != kBroken) return "native code " + std::to_string(o.native);
  }
  return conv_works();
}

// ---- attention, whose calls are those of the graph interface

template <class Descriptor>
Descriptor small_attention() {
  Descriptor d;
  d.batch = 1, d.tokens = 128, d.heads = 2, d.kv_heads = 1, d.head_dim = 8;
  d.causal = 1, d.window = 40;
  d.element = ADJ_BF16;
  return d;
}

// Both directions, with every mask and with grouped heads.
class AttentionProgram {
 public:
  AttentionProgram() {
    const std::int64_t rows = 128 * 2;
    for (adj_tensor* t : {&backward_args_.q, &backward_args_.dout, &backward_args_.out, &backward_args_.dq}) *t = memory_.tensor(rows * 8, ADJ_BF16);
    for (adj_tensor* t : {&backward_args_.k, &backward_args_.v, &backward_args_.dk, &backward_args_.dv}) *t = memory_.tensor(rows * 4, ADJ_BF16);
    backward_args_.lse = memory_.tensor(rows);
    forward_args_.q = backward_args_.q, forward_args_.k = backward_args_.k, forward_args_.v = backward_args_.v;
    forward_args_.out = backward_args_.out, forward_args_.lse = backward_args_.lse;
  }
  Outcome select(const adj_preference& preference = {}) {
    stream_ = device_stream();
    if (Outcome o = make_plan(stream_, small_attention<adj_attention_forward_descriptor>().header, preference, forward_plan); o.code) return o;
    return make_plan(stream_, small_attention<adj_attention_backward_descriptor>().header, preference, backward_plan);
  }
  Outcome run() {
    if (const adj_status code = run_one(forward_plan, forward_args_.header)) return {code, adj_last_error()};
    if (const adj_status code = run_one(backward_plan, backward_args_.header)) return {code, adj_last_error()};
    return {};
  }
  void release() { forward_plan.reset(), backward_plan.reset(); }

  Plan forward_plan, backward_plan;

 private:
  adj_status run_one(const Plan& plan, const adj_header& args) {
    const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
    const adj_workspace workspace{bytes ? memory_.get(bytes) : nullptr, bytes};
    return adj_plan_run(plan.get(), &stream_, &workspace, &args);
  }
  adj_stream stream_{};
  adj_attention_forward_args forward_args_;
  adj_attention_backward_args backward_args_;
  Memory memory_;
};

bool is_of_graphs(const std::string& function) { return contains(function, "cudnnBackend"); }

adj_preference only_cudnn(const char* sku = "*/cudnn/*") {
  adj_preference p;
  p.backend = ADJ_BACKEND_CUDNN;
  p.sku = sku;
  p.determinism = ADJ_NONDETERMINISTIC;
  return p;
}

// Checks that attention runs on an engine that adds in a fixed order, and leaves no descriptor alive.
std::string attention_works() {
  {
    AttentionProgram program;
    if (Outcome o = program.select(only_cudnn()); o.code) return "select: " + describe(o);
    if (Outcome o = program.run(); o.code) return "run: " + describe(o);
  }
  const fake::Cudnn& state = cudnn_fake().state;
  if (state.engine != 1) return "the engine adds in any order";
  if (state.descriptors != 0) return std::to_string(state.descriptors) + " descriptors are not destroyed";
  if (const char* complaint = state.complaint) return complaint;
  return {};
}

// Fails the n-th call of a function of the graph interface while plans are made, run or released.
std::string fail_attention(const std::string& function, int stage, int n) {
  fake::Entry& entry = cudnn_fake().entry(function);
  {
    AttentionProgram program;
    Outcome o;
    for (int at = 0; at < 3 && !o.code; ++at) {
      if (at == stage) entry.code = kBroken, entry.countdown = n;
      if (at == 0) o = program.select(only_cudnn());
      if (at == 1) o = program.run();
      if (at == 2) program.release();
      if (at == stage && entry.countdown > 0) return kNotCalled;
      if (o.code && at != stage) return "failed elsewhere: " + describe(o);
    }
    if (o.code != (contains(function, "Destroy") ? ADJ_OK : ADJ_ERROR_CUDA)) return describe(o);
    if (o.code && (!contains(o.message, function) || !contains(o.message, "failed with 4000") || !contains(o.message, "as the test asked"))) return "no sentence: " + describe(o);
    if (o.code && stage == 0 && o.native != kBroken) return "native code " + std::to_string(o.native);
  }
  return attention_works();
}

// Calls body(function, stage, n) in children until the n-th call does not happen.
void every_call(Tally& tally, const std::vector<std::string>& functions, int stages, const std::function<std::string(const std::string&, int, int)>& body) {
  for (const std::string& function : functions) {
    int seen = 0;
    for (int stage = 0; stage < stages; ++stage)
      for (int n = 1;; ++n) {
        const std::string problem = in_child([&] { return body(function, stage, n); });
        if (problem == kNotCalled) break;
        ++seen;
        tally.add(function + " call " + std::to_string(n) + " in stage " + std::to_string(stage), problem);
      }
    // Handles live as long as the process, and texts are asked for only after a failure: such functions may not be called.
    if (!contains(function, "Error") && function != "cudnnDestroy") CHECK_MESSAGE(seen > 0, (function + " is never called"));
  }
}

}  // namespace

TEST_CASE("cuDNN: every call fails once") {
  open_all();
  Tally tally("cuDNN call fails");
  tally.add("nothing", in_child([] { return conv_works(); }));
  std::vector<std::string> graphs, others;
  for (const std::string& function : cudnn_functions()) (is_of_graphs(function) ? graphs : others).push_back(function);
  every_call(tally, others, 3, fail_conv);
  tally.add("nothing in a graph", in_child([] { return attention_works(); }));
  every_call(tally, graphs, 3, fail_attention);
}

TEST_CASE("cuDNN: engines of graphs are chosen by determinism and workspace") {
  open_all();
  Tally tally("cuDNN engines");
  tally.add("any order", in_child([]() -> std::string {
    Plan plan;
    if (Outcome o = make_plan(device_stream(), small_attention<adj_attention_backward_descriptor>().header, only_cudnn("*/cudnn_atomic/*"), plan); o.code) return describe(o);
    return sku_of(plan).find("/cudnn_atomic/") != std::string::npos ? "" : sku_of(plan);
  }));
  tally.add("the workspace is limited", in_child([]() -> std::string {
    adj_preference p = only_cudnn();
    p.workspace_limit = 2048;
    Plan plan;
    const Outcome o = make_plan(device_stream(), small_attention<adj_attention_backward_descriptor>().header, p, plan);
    return o.code && contains(o.message, "at least 4096 bytes of workspace, 1024 are allowed") ? "" : describe(o);
  }));
  for (const char* function : {"cudnnBackendFinalize", "cudnnBackendSetAttribute", "cudnnBackendCreateDescriptor"})
    tally.add(std::string("not supported by ") + function, in_child([&]() -> std::string {
      cudnn_fake().entry(function).code = kNotSupported, cudnn_fake().entry(function).countdown = 1;
      Plan plan;
      if (Outcome o = make_plan(device_stream(), small_attention<adj_attention_forward_descriptor>().header, {}, plan); o.code) return describe(o);
      if (!contains(sku_of(plan), "/tensor_cores/")) return "chosen: " + sku_of(plan);
      if (!contains(rejection(plan, "/cudnn/"), function)) return "rejection: " + rejection(plan, "/cudnn/");
      plan.reset();
      return attention_works();
    }));
}

TEST_CASE("cuDNN: a failure gives way to the next candidate where that is asked for") {
  open_all();
  Tally tally("cuDNN fallback");
  for (const char* function : {"cudnnCreate", "cudnnCreateTensorDescriptor", "cudnnGetConvolutionBackwardFilterAlgorithm_v7"})
    tally.add(function, in_child([&]() -> std::string {
      ConvProgram program;
      adj_preference preference;
      preference.fallback = 1;
      preference.sku = "*/cudnn/*";
      cudnn_fake().entry(function).code = kBroken, cudnn_fake().entry(function).countdown = 1;
      if (Outcome o = program.select(preference); o.code != ADJ_ERROR_CUDA) return "no other candidate: " + describe(o);
      preference.sku = nullptr;
      cudnn_fake().entry(function).countdown = 1;
      if (Outcome o = program.select(preference); o.code) return describe(o);
      if (!contains(sku_of(program.forward_plan) + sku_of(program.backward_plan), "/implicit_gemm/")) return "chosen: " + sku_of(program.backward_plan);
      program.release();
      return conv_works();
    }));
}

TEST_CASE("cuDNN: a problem that it does not support goes to our own kernels") {
  open_all();
  Tally tally("cuDNN does not support");
  for (const char* function : {"cudnnSetTensorNdDescriptorEx", "cudnnSetFilterNdDescriptor", "cudnnSetConvolutionNdDescriptor",
                               "cudnnSetConvolutionGroupCount", "cudnnSetConvolutionMathType", "cudnnGetConvolutionBackwardDataAlgorithm_v7",
                               "cudnnGetConvolutionBackwardFilterAlgorithm_v7", "cudnnGetConvolutionBackwardDataWorkspaceSize"})
    tally.add(function, in_child([&]() -> std::string {
      const adj_stream stream = device_stream();
      const auto d = small_problem<adj_conv_backward_descriptor>();
      Plan plan;
      cudnn_fake().entry(function).code = kNotSupported, cudnn_fake().entry(function).countdown = 1;
      if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
      if (!contains(sku_of(plan), "/implicit_gemm/")) return "chosen: " + sku_of(plan);
      const std::string reason = rejection(plan, "/cudnn/");
      if (!contains(reason, contains(function, "Workspace") ? "no algorithm for dinput" : function)) return "rejection: " + reason;
      plan.reset();
      return conv_works();
    }));
  tally.add("a part of the library is missing", in_child([] {
    cudnn_fake().entry("cudnnCreate").code = kNotUsable, cudnn_fake().entry("cudnnCreate").countdown = 1;
    Plan plan;
    const auto d = small_problem<adj_conv_backward_descriptor>();
    if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
    const std::string reason = rejection(plan, "/cudnn/");
    return contains(sku_of(plan), "/implicit_gemm/") && contains(reason, "cudnnCreate failed with 1008") ? std::string() : sku_of(plan) + ": " + reason;
  }));
}

TEST_CASE("cuDNN: every entry point is missing") {
  open_all();
  Tally tally("cuDNN entry point missing");
  for (const std::string& function : cudnn_functions())
    tally.add(function, in_child([&] {
      absent_symbol = function.c_str();
      return conv_without({"lacks", function.c_str(), "cuDNN 9 is needed"});
    }));
}

TEST_CASE("libraries that are absent, empty, or old") {
  open_all();
  Tally tally("cuDNN or NCCL absent");
  for (const char* file : {"/nonexistent/library.so", "", "/dev/null"}) {
    tally.add("cuDNN '" + std::string(file) + "'", in_child([&] {
      ::setenv("ADJOINT_LIBCUDNN", file, 1);
      return conv_without({"libcudnn.so.9 cannot be loaded"});
    }));
    tally.add("NCCL '" + std::string(file) + "'", in_child([&]() -> std::string {
      ::setenv("ADJOINT_LIBNCCL", file, 1);
      const std::int64_t numel = 8;
      adj_all_reduce_descriptor d;
      d.count = 1, d.numel = &numel, d.element = ADJ_F32;
      Plan plan;
      Outcome o = make_plan(device_stream(), d.header, {}, plan);
      if (o.code != ADJ_ERROR_BACKEND_UNAVAILABLE || !contains(o.message, "libnccl.so.2 cannot be loaded")) return describe(o);
      char id[ADJ_COMM_ID_BYTES];
      if (adj_comm_unique_id(id, sizeof id) != ADJ_ERROR_BACKEND_UNAVAILABLE) return std::string("adj_comm_unique_id: ") + adj_last_error();
      return host_program();
    }));
  }
  tally.add("cuDNN 8", in_child([] {
    cudnn_fake().state.version = 8907;
    return conv_without({"cuDNN 0.89.7", "9.0 or newer"});
  }));
  tally.add("NCCL 2.12", in_child([]() -> std::string {
    nccl_fake().state.version = 21200;
    char id[ADJ_COMM_ID_BYTES];
    const adj_status code = adj_comm_unique_id(id, sizeof id);
    return code == ADJ_ERROR_BACKEND_UNAVAILABLE && contains(adj_last_error(), "NCCL 2.12.0, 2.13 or newer") ? "" : adj_last_error();
  }));
}

TEST_CASE("cuDNN: algorithms are chosen by determinism, arithmetic and workspace") {
  open_all();
  Tally tally("cuDNN algorithms");
  const fake::Cudnn& state = cudnn_fake().state;
  using Choose = std::function<void(adj_preference&)>;
  auto run = [](const Choose& prefer, ConvProgram& program) {
    adj_preference preference;
    prefer(preference);
    Outcome o = program.select(preference);
    return o.code ? o : program.run();
  };
  auto ran = [&](int forward, int data, int filter) -> std::string {
    if (state.forward_algo == forward && state.data_algo == data && state.filter_algo == filter) return {};
    return "algorithms " + std::to_string(state.forward_algo) + " " + std::to_string(state.data_algo) + " " + std::to_string(state.filter_algo);
  };
  tally.add("the same bits in every run", in_child([&] {
    ConvProgram program;
    if (Outcome o = run([](auto&) {}, program); o.code) return describe(o);
    if (state.math != adj::cu::kCudnnFmaMath) return std::string("TF32 is allowed");
    if (adj_plan_workspace_size(program.backward_plan.get()) != 65536) return std::string("not the largest of the workspaces");
    return ran(1, 1, 1);
  }));
  tally.add("any order", in_child([&] {
    ConvProgram program;
    if (Outcome o = run([](auto& p) { p.determinism = ADJ_NONDETERMINISTIC; }, program); o.code) return describe(o);
    adj_sku_info info;
    adj_plan_sku(program.backward_plan.get(), &info);
    if (!contains(info.id, "/cudnn_atomic/") || info.guarantee.determinism != ADJ_NONDETERMINISTIC) return std::string(info.id);
    return ran(1, 0, 3);
  }));
  tally.add("more than the same bits in every run", in_child([&] {
    ConvProgram program;
    adj_preference preference;
    preference.determinism = ADJ_SHAPE_ONLY;
    if (Outcome o = program.select(preference); o.code) return describe(o);
    return contains(sku_of(program.backward_plan), "/implicit_gemm/") ? std::string() : sku_of(program.backward_plan);
  }));
  tally.add("fast arithmetic", in_child([&] {
    ConvProgram program;
    if (Outcome o = run([](auto& p) { p.math = ADJ_MATH_FAST; }, program); o.code) return describe(o);
    if (!contains(sku_of(program.backward_plan), "/cudnn_tf32/")) return sku_of(program.backward_plan);
    return state.math == adj::cu::kCudnnDefaultMath ? ran(1, 1, 1) : std::string("TF32 is not allowed");
  }));
  struct Limit {
    std::uint64_t bytes;
    int forward, data;
    bool backward;  // cuDNN serves the backward pass
  };
  for (const Limit& limit : {Limit{65536, 1, 1, true}, Limit{65535, 1, -1, false}, Limit{4095, 0, -1, false}, Limit{0, 0, -1, false}})
    tally.add("at most " + std::to_string(limit.bytes) + " bytes of workspace", in_child([&]() -> std::string {
      ConvProgram program;
      adj_preference preference;
      preference.workspace_limit = limit.bytes;
      preference.backend = ADJ_BACKEND_CUDNN;
      const Outcome o = program.select(preference);
      if (adj_plan_workspace_size(program.forward_plan.get()) > limit.bytes) return "beyond the limit";
      if (limit.backward) {
        if (o.code) return describe(o);
        if (Outcome ran_at = program.run(); ran_at.code) return describe(ran_at);
        return ran(limit.forward, limit.data, 1);
      }
      const bool data = limit.bytes < 8192;
      if (o.code != ADJ_ERROR_UNSUPPORTED || !contains(o.message, data ? "8192 bytes of workspace for dinput" : "65536 bytes of workspace for dweight"))
        return describe(o);
      return contains(o.message, "preference.workspace_limit = " + std::to_string(limit.bytes)) ? "" : describe(o);
    }));
}

TEST_CASE("cuDNN: problems that it is not asked for") {
  open_all();
  Tally tally("cuDNN refuses");
  auto refused = [](const adj_conv_backward_descriptor& d, const adj_stream& stream, const char* words) -> std::string {
    Plan plan;
    if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
    const std::string reason = rejection(plan, "/cudnn/");
    if (!contains(sku_of(plan), "/implicit_gemm/") || !contains(reason, words)) return sku_of(plan) + ": " + reason;
    const Outcome o = make_plan(stream, d.header, forced(), plan);
    return o.code == ADJ_ERROR_UNSUPPORTED && contains(o.message, words) ? "" : "forced: " + describe(o);
  };
  tally.add("pads that differ", in_child([&] {
    auto d = small_problem<adj_conv_backward_descriptor>();
    d.pads = {4, {1, 0, 1, 2}};
    return refused(d, device_stream(), "equal pads at both ends");
  }));
  tally.add("pads that differ by what the stride leaves over", in_child([]() -> std::string {
    auto d = small_problem<adj_conv_backward_descriptor>();
    d.strides = {2, {2, 2}}, d.pads = {4, {1, 1, 0, 1}};
    d.out = shape({2, 6, 3, 3});
    Plan plan;
    if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
    return contains(sku_of(plan), "/cudnn/") ? "" : sku_of(plan) + ": " + rejection(plan, "/cudnn/");
  }));
  tally.add("no elements", in_child([&] {
    auto d = small_problem<adj_conv_backward_descriptor>();
    d.input.dims[0] = d.out.dims[0] = 0;
    return refused(d, device_stream(), "no empty tensors");
  }));
  tally.add("more than 2^31 elements", in_child([&] {
    auto d = small_problem<adj_conv_backward_descriptor>();
    d.groups = 1;
    d.input = shape({1 << 15, 1 << 12, 4, 5}), d.weight = shape({1, 1 << 12, 1, 1}), d.out = shape({1 << 15, 1, 4, 5}), d.pads = {};
    return refused(d, device_stream(), "at most 2147483647 elements, the larger tensor has 2684354560");
  }));
  tally.add("an offline stream", in_child([&]() -> std::string {
    adj_stream offline;
    if (adj_stream_offline("sm_90a", &offline)) return adj_last_error();
    return refused(small_problem<adj_conv_backward_descriptor>(), offline, "an offline stream has none");
  }));
  tally.add("addresses", in_child([]() -> std::string {
    ConvProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    program.backward_args_.input.data = static_cast<float*>(program.backward_args_.input.data) + 1;
    const adj_status code = adj_plan_can_implement(program.backward_plan.get(), &program.backward_args_.header);
    if (code != ADJ_ERROR_MISALIGNED || !contains(adj_last_error(), "input.data") || !contains(adj_last_error(), "multiple of 16")) return adj_last_error();
    return program.run().code == ADJ_ERROR_MISALIGNED ? "" : "run takes it";
  }));
}

TEST_CASE("cuDNN: a run makes nothing, and threads share a plan") {
  open_all();
  Tally tally("cuDNN runs");
  tally.add("a captured run", in_child([]() -> std::string {
    ConvProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    const char* makers[] = {"cudnnCreate", "cudnnCreateTensorDescriptor", "cudnnCreateFilterDescriptor", "cudnnCreateConvolutionDescriptor",
                            "cudnnSetConvolutionMathType", "cudnnGetConvolutionForwardAlgorithm_v7", "cudnnGetConvolutionForwardWorkspaceSize"};
    for (const char* f : makers) cudnn_fake().entry(f).calls = 0;
    fakes().driver.capturing = true;
    for (int i = 0; i < 3; ++i)
      if (Outcome o = program.run(); o.code) return describe(o);
    for (const char* f : makers)
      if (cudnn_fake().entry(f).calls) return std::string(f) + " is called by a run";
    if (cudnn_fake().state.stream != device_stream().handle) return "on another stream";
    return {};
  }));
  tally.add("eight threads", in_child([]() -> std::string {
    constexpr int kThreads = 8;
    ConvProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    cudnn_fake().state.call_us = 200;
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        const adj_stream stream = device_stream();
        Memory memory;
        adj_conv_backward_args args = program.backward_args_;  // inputs are shared
        args.dinput = memory.tensor(2 * 4 * 6 * 5), args.dweight = memory.tensor(6 * 2 * 9), args.dbias = memory.tensor(6);
        const std::uint64_t bytes = adj_plan_workspace_size(program.backward_plan.get());
        const adj_workspace workspace{memory.get(bytes), bytes};
        for (int k = 0; k < 20; ++k) failures += adj_plan_run(program.backward_plan.get(), &stream, &workspace, &args.header) != ADJ_OK;
      });
    for (std::thread& t : threads) t.join();
    if (failures) return std::to_string(failures) + " runs failed";
    if (cudnn_fake().state.handles > kThreads + 1) return std::to_string(cudnn_fake().state.handles) + " handles";
    program.release();
    if (const char* complaint = cudnn_fake().state.complaint) return complaint;
    return cudnn_fake().state.descriptors == 0 ? "" : "descriptors are not destroyed";
  }));
}

// Our calls against the host backend: descriptors, order of arguments, layouts, factors.
TEST_CASE("cuDNN: the calls say what the operators mean") {
  constexpr std::uint64_t kMostBytes = 8 << 10;
  open_all();
  Tally tally("cuDNN computes");
  for (const adj::Sku& sku : adj::all_skus()) {
    if (sku.variant->backend != ADJ_BACKEND_CUDNN) continue;
    tally.add(sku.id, in_child([&]() -> std::string {
      fakes().stream();  // makes a context current
      cudnn_fake().state.version = 91600;  // the first that takes gradients of attention for any number of tokens
      const harness::Gpu gpu;
      int applicable = 0;
      for (const harness::Case& c : harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, 1)) {
        // Only small cases: the stand-in computes element by element, in some builds under sanitizers.
        std::uint64_t largest = 0;
        for (const adj::SlotSpec& spec : c.problem->specs()) largest = std::max(largest, spec.bytes);
        if (largest > kMostBytes) continue;
        if (auto ok = harness::accepts(gpu, *c.problem, sku); !ok) {
          if (ok.error().code != ADJ_ERROR_UNSUPPORTED) return c.name + ": " + ok.error().message;
          continue;
        }
        ++applicable;
        // The bias gradient of bf16 is a kernel of ours, which the fake device does not run.
        const bool is_gradient = sku.op->id == ADJ_OP_CONV_BACKWARD || sku.op->id == ADJ_OP_CONV_TRANSPOSE_BACKWARD;
        if (is_gradient && sku.signature[0] == ADJ_BF16 && c.problem->specs()[5].presence == adj::Presence::required) continue;
        auto reference = harness::run_reference(*c.problem);
        if (!reference) return c.name + ": " + reference.error().message;
        const harness::Outcome o = harness::verify_on_gpu(gpu, c, sku, *reference, {.repeats = 2, .graph = false, .bound = false});
        if (!o.ok) return o.message;
      }
      if (const char* complaint = cudnn_fake().state.complaint) return complaint;
      return applicable >= 8 ? "" : "only " + std::to_string(applicable) + " cases apply";
    }));
  }
}

// ---- matrix products

namespace {

constexpr int kBlasBroken = 14;  // CUBLAS_STATUS_INTERNAL_ERROR

// A product with gelu_tanh and all that goes with it, and a plain one in f32. Together they call every function.
class ProductProgram {
 public:
  static constexpr std::int64_t kM = 8, kN = 16, kK = 24;

  ProductProgram() {
    for (adj_matmul_descriptor* d : {&fused_, &plain_}) d->m = kM, d->n = kN, d->k = kK, d->transpose_b = 1;
    fused_.element = ADJ_BF16, plain_.element = ADJ_F32;
    fused_.epilogue = ADJ_MATMUL_EPILOGUE_GELU_TANH;
    fused_.has_bias = fused_.has_preactivation = 1;
    fused_args_.a = memory_.tensor(kM * kK, ADJ_BF16), fused_args_.b = memory_.tensor(kN * kK, ADJ_BF16), fused_args_.bias = memory_.tensor(kN, ADJ_BF16);
    fused_args_.d = memory_.tensor(kM * kN, ADJ_BF16), fused_args_.preactivation = memory_.tensor(kM * kN, ADJ_BF16);
    plain_args_.a = memory_.tensor(kM * kK), plain_args_.b = memory_.tensor(kN * kK), plain_args_.d = memory_.tensor(kM * kN);
  }
  Outcome select(const adj_preference& preference = {}) {
    stream_ = device_stream();
    if (Outcome o = make_plan(stream_, fused_.header, preference, fused_plan); o.code) return o;
    return make_plan(stream_, plain_.header, preference, plain_plan);
  }
  Outcome run() {
    if (const adj_status code = run_one(fused_plan, fused_args_.header)) return {code, adj_last_error()};
    if (const adj_status code = run_one(plain_plan, plain_args_.header)) return {code, adj_last_error()};
    return {};
  }
  void release() { fused_plan.reset(), plain_plan.reset(); }

  Plan fused_plan, plain_plan;
  adj_matmul_args fused_args_;

 private:
  adj_status run_one(const Plan& plan, const adj_header& args) {
    const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
    const adj_workspace workspace{bytes ? memory_.get(bytes) : nullptr, bytes};
    return adj_plan_run(plan.get(), &stream_, &workspace, &args);
  }
  adj_stream stream_{};
  adj_matmul_descriptor fused_, plain_;
  adj_matmul_args plain_args_;
  Memory memory_;
};

std::string product_works(const char* algorithm = "/cublaslt/") {
  {
    ProductProgram program;
    if (Outcome o = program.select(); o.code) return "select: " + describe(o);
    for (const Plan* plan : {&program.fused_plan, &program.plain_plan})
      if (!contains(sku_of(*plan), algorithm)) return "chosen: " + sku_of(*plan);
    if (Outcome o = program.run(); o.code) return "run: " + describe(o);
  }
  const fake::Blas& state = cublaslt_fake().state;
  if (state.objects != 0) return std::to_string(state.objects) + " objects are not destroyed";
  if (state.handles > 1) return std::to_string(state.handles) + " handles";
  if (const char* complaint = state.complaint) return complaint;
  return {};
}

// Checks that without a usable cuBLASLt our own kernels serve, that the reason is recorded, and that it is the error when cuBLASLt is required.
std::string product_without(std::initializer_list<const char*> words) {
  ProductProgram program;
  if (Outcome o = program.select(); o.code) return describe(o);
  if (!contains(sku_of(program.plain_plan), "/tiles/")) return "chosen: " + sku_of(program.plain_plan);
  if (!contains(sku_of(program.fused_plan), "/tensor_cores/")) return "chosen: " + sku_of(program.fused_plan);
  for (const char* word : words)
    if (!contains(rejection(program.plain_plan, "/cublaslt/"), word)) return "rejection: " + rejection(program.plain_plan, "/cublaslt/");
  if (Outcome o = program.run(); o.code) return describe(o);
  adj_preference required;
  required.backend = ADJ_BACKEND_CUBLASLT;
  const Outcome o = program.select(required);
  if (o.code != ADJ_ERROR_BACKEND_UNAVAILABLE) return "required: " + describe(o);
  for (const char* word : words)
    if (!contains(o.message, word)) return "required: " + describe(o);
  return cublaslt_fake().state.objects == 0 ? "" : "objects are not destroyed";
}

std::string fail_product(const std::string& function, int stage, int n) {
  fake::Entry& entry = cublaslt_fake().entry(function);
  const bool harmless = contains(function, "Destroy");
  {
    ProductProgram program;
    Outcome o;
    for (int at = 0; at < 3 && !o.code; ++at) {
      if (at == stage) entry.code = kBlasBroken, entry.countdown = n;
      if (at == 0) o = program.select();
      if (at == 1) o = program.run();
      if (at == 2) program.release();
      if (at == stage && entry.countdown > 0) return kNotCalled;
      if (o.code && at != stage) return "failed elsewhere: " + describe(o);
    }
    if (function == "cublasLtGetVersion") return product_without({"12.0 or newer"});
    if (o.code != (harmless ? ADJ_OK : ADJ_ERROR_CUDA)) return describe(o);
    if (o.code && (!contains(o.message, function + " failed with 14") || !contains(o.message, "SCRIPTED"))) return "no sentence: " + describe(o);
    if (o.code && stage == 0 && o.native != kBlasBroken) return "native code " + std::to_string(o.native);
  }
  return product_works();
}

}  // namespace

TEST_CASE("cuBLASLt: every call fails once") {
  open_all();
  Tally tally("cuBLASLt call fails");
  tally.add("without a failure", in_child([] { return product_works(); }));
  for (const std::string& function : cublaslt_functions()) {
    int seen = 0;
    for (int stage = 0; stage < 3; ++stage)
      for (int n = 1;; ++n) {
        const std::string problem = in_child([&] { return fail_product(function, stage, n); });
        if (problem == kNotCalled) break;
        ++seen;
        tally.add(function + " call " + std::to_string(n) + " in stage " + std::to_string(stage), problem);
      }
    if (function != "cublasLtGetStatusString" && function != "cublasLtDestroy") CHECK_MESSAGE(seen > 0, (function + " is never called"));
  }
}

TEST_CASE("cuBLASLt: absent, old, without an entry point") {
  open_all();
  Tally tally("cuBLASLt absent");
  for (const std::string& function : cublaslt_functions())
    tally.add(function, in_child([&] {
      absent_symbol = function.c_str();
      return product_without({"lacks", function.c_str(), "cuBLASLt 12 or 13 is needed"});
    }));
  for (const char* file : {"/nonexistent/library.so", "", "/dev/null"})
    tally.add("'" + std::string(file) + "'", in_child([&] {
      ::setenv("ADJOINT_LIBCUBLASLT", file, 1);
      return product_without({"libcublasLt.so.13 or .12 cannot be loaded"});
    }));
  tally.add("cuBLASLt 11", in_child([] {
    cublaslt_fake().state.version = 110803;
    return product_without({"cuBLASLt 11.8.3", "12.0 or newer"});
  }));
}

TEST_CASE("cuBLASLt: a problem that it does not support goes to our own kernels") {
  open_all();
  Tally tally("cuBLASLt does not support");
  for (const char* function : {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
                               "cublasLtMatmulPreferenceSetAttribute", "cublasLtMatmulAlgoGetHeuristic"})
    tally.add(function, in_child([&]() -> std::string {
      adj_matmul_descriptor d;
      d.m = d.n = d.k = 8, d.element = ADJ_F32;
      cublaslt_fake().entry(function).code = adj::cu::kBlasNotSupported, cublaslt_fake().entry(function).countdown = 1;
      Plan plan;
      if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
      if (!contains(sku_of(plan), "/tiles/") || !contains(rejection(plan, "/cublaslt/"), function)) return sku_of(plan) + ": " + rejection(plan, "/cublaslt/");
      plan.reset();
      return cublaslt_fake().state.objects == 0 ? "" : "objects are not destroyed";
    }));
}

TEST_CASE("cuBLASLt: algorithms, arithmetic, epilogues") {
  open_all();
  Tally tally("cuBLASLt algorithms");
  const fake::Blas& state = cublaslt_fake().state;
  struct Limit {
    std::uint64_t bytes;
    int algo;
  };
  for (const Limit& limit : {Limit{UINT64_MAX, 0}, Limit{1 << 20, 0}, Limit{(1 << 20) - 1, 1}, Limit{0, 2}})
    tally.add("at most " + std::to_string(limit.bytes) + " bytes of workspace", in_child([&]() -> std::string {
      adj_preference preference;
      preference.workspace_limit = limit.bytes;
      preference.backend = ADJ_BACKEND_CUBLASLT;
      ProductProgram program;
      if (Outcome o = program.select(preference); o.code) return describe(o);
      if (adj_plan_workspace_size(program.plain_plan.get()) > limit.bytes) return "beyond the limit";
      if (Outcome o = program.run(); o.code) return describe(o);
      if (state.compute != adj::cu::kBlasCompute32) return "not in f32";
      return state.algo == limit.algo ? "" : "algorithm " + std::to_string(state.algo);
    }));
  tally.add("fast arithmetic", in_child([&]() -> std::string {
    adj_preference preference;
    preference.math = ADJ_MATH_FAST;
    ProductProgram program;
    if (Outcome o = program.select(preference); o.code) return describe(o);
    if (!contains(sku_of(program.plain_plan), "/cublaslt_tf32/") || !contains(sku_of(program.fused_plan), "/cublaslt/")) return sku_of(program.plain_plan);
    if (Outcome o = program.run(); o.code) return describe(o);
    return state.compute == adj::cu::kBlasComputeTf32 ? "" : "not in TF32";
  }));
  tally.add("an epilogue that it does not take is a kernel after the product", in_child([&]() -> std::string {
    cublaslt_fake().state.no_epilogues = true;
    ProductProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    if (!contains(sku_of(program.fused_plan), "/cublaslt/")) return sku_of(program.fused_plan);
    const int launches = fakes().driver.launches;
    if (Outcome o = program.run(); o.code) return describe(o);
    if (state.epilogue != adj::cu::kBlasEpilogueNone) return "an epilogue";
    return fakes().driver.launches == launches + 1 ? "" : "no kernel after the product";
  }));
}

TEST_CASE("cuBLASLt: a run makes nothing, and threads share a plan") {
  open_all();
  Tally tally("cuBLASLt runs");
  tally.add("a captured run", in_child([]() -> std::string {
    ProductProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    const char* makers[] = {"cublasLtCreate", "cublasLtMatmulDescCreate", "cublasLtMatrixLayoutCreate", "cublasLtMatmulPreferenceCreate",
                            "cublasLtMatmulAlgoGetHeuristic"};
    for (const char* f : makers) cublaslt_fake().entry(f).calls = 0;
    fakes().driver.capturing = true;
    for (int i = 0; i < 3; ++i)
      if (Outcome o = program.run(); o.code) return describe(o);
    for (const char* f : makers)
      if (cublaslt_fake().entry(f).calls) return std::string(f) + " is called by a run";
    if (cublaslt_fake().state.stream != device_stream().handle) return "on another stream";
    return {};
  }));
  tally.add("eight threads", in_child([]() -> std::string {
    constexpr int kThreads = 8;
    ProductProgram program;
    if (Outcome o = program.select(); o.code) return describe(o);
    cublaslt_fake().state.call_us = 200;
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        const adj_stream stream = device_stream();
        Memory memory;
        adj_matmul_args args = program.fused_args_;  // inputs are shared
        constexpr std::int64_t kElements = ProductProgram::kM * ProductProgram::kN;
        args.d = memory.tensor(kElements, ADJ_BF16), args.preactivation = memory.tensor(kElements, ADJ_BF16);
        const std::uint64_t bytes = adj_plan_workspace_size(program.fused_plan.get());
        const adj_workspace workspace{memory.get(bytes), bytes};
        for (int k = 0; k < 20; ++k) failures += adj_plan_run(program.fused_plan.get(), &stream, &workspace, &args.header) != ADJ_OK;
      });
    for (std::thread& t : threads) t.join();
    if (failures) return std::to_string(failures) + " runs failed";
    program.release();
    if (const char* complaint = cublaslt_fake().state.complaint) return complaint;
    return cublaslt_fake().state.objects == 0 ? "" : "objects are not destroyed";
  }));
}

// Our calls against the host backend, where no kernel of ours follows: the fake device does not run any.
TEST_CASE("cuBLASLt: the calls say what the operator means") {
  constexpr std::uint64_t kMostBytes = 8 << 10;
  open_all();
  Tally tally("cuBLASLt computes");
  for (const adj::Sku& sku : adj::all_skus()) {
    if (sku.variant->backend != ADJ_BACKEND_CUBLASLT) continue;
    tally.add(sku.id, in_child([&]() -> std::string {
      fakes().stream();  // makes a context current
      const harness::Gpu gpu;
      int compared = 0;
      for (const harness::Case& c : harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, 1)) {
        std::uint64_t largest = 0;
        for (const adj::SlotSpec& spec : c.problem->specs()) largest = std::max(largest, spec.bytes);
        if (largest > kMostBytes) continue;
        if (auto ok = harness::accepts(gpu, *c.problem, sku); !ok) {
          if (ok.error().code != ADJ_ERROR_UNSUPPORTED) return c.name + ": " + ok.error().message;
          continue;
        }
        const auto& d = *reinterpret_cast<const adj_matmul_descriptor*>(c.problem->descriptor());
        const bool curved = d.epilogue > ADJ_MATMUL_EPILOGUE_NONE;
        const bool wide = d.element == ADJ_F64, kernel_for_dbias = d.has_dbias && (d.write_mode == ADJ_WRITE_ACCUMULATE || wide);
        if (kernel_for_dbias || (wide ? curved || d.has_bias : curved && sku.signature[1] == ADJ_F32)) continue;
        ++compared;
        auto reference = harness::run_reference(*c.problem);
        if (!reference) return c.name + ": " + reference.error().message;
        const harness::Outcome o = harness::verify_on_gpu(gpu, c, sku, *reference, {.repeats = 2, .graph = false, .bound = false});
        if (!o.ok) return o.message;
      }
      if (const char* complaint = cublaslt_fake().state.complaint) return complaint;
      return compared >= 6 ? "" : "only " + std::to_string(compared) + " cases were compared";
    }));
  }
}

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
    for (const adj_header* d : {&sum.header, &gather.header, &scatter.header, &broadcast.header, &send.header, &recv.header, &adasum.header,
                                &megatron.header, &gather_whole.header, &scatter_whole.header})
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
    sum.communicator = gather.communicator = scatter.communicator = broadcast.communicator = send.communicator = recv.communicator =
        adasum.communicator = megatron.communicator = comm;
    megatron.input = {data_[0], kEach * 8, ADJ_F32, 0, {}, {}}, megatron.output = {results_[0], kEach * 8, ADJ_F32, 0, {}, {}};
    const adj_header* args[] = {&sum.header, &gather.header, &scatter.header, &broadcast.header, &send.header, &recv.header, &adasum.header,
                                &megatron.header, &gather.header, &scatter.header};
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
        const std::string expected = d == &g.header ? "all_gather: inputs[0] is part " + std::to_string(r) + " of outputs[0], that of this rank is 1"
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
  for (const Wrong& wrong : {Wrong{"of another size", 4, 0, "all_gather: ranks = 2, the communicator has 4"},
                             Wrong{"of the peer itself", 2, 1, "send: peer = 1 is the own rank"}})
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

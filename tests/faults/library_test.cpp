// cuDNN that fails: absent, old, without an entry point, and failing at every call that a convolution or attention makes of it. Each case is a
// process of its own. The stand-in computes, so the contents of the calls are checked too.
#include <adjoint/ops/conv.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "harness/harness.hpp"
#include "harness/verify.hpp"
#include "libraries.hpp"

using namespace faults;

namespace {

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
  cudnn_fake().state.computes = false;  // for speed
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
    if (o.code && (!contains(o.message, function) || !contains(o.message, "failed with 4000") || !contains(o.message, "SCRIPTED") ||
                   !contains(o.message, "as the test asked")))
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
  cudnn_fake().state.computes = false;  // for speed
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
    if (o.code && (!contains(o.message, function) || !contains(o.message, "failed with 4000") || !contains(o.message, "as the test asked")))
      return "no sentence: " + describe(o);
    if (o.code && stage == 0 && o.native != kBroken) return "native code " + std::to_string(o.native);
    if (o.code && stage == 0 && contains(function, "Attribute") && !contains(o.message, ", attribute ")) return "no attribute: " + describe(o);
  }
  return attention_works();
}

}  // namespace

TEST_CASE("cuDNN: every call fails once") {
  open_all();
  Tally tally("cuDNN call fails");
  tally.add("nothing", in_child([] { return conv_works(); }));
  std::vector<std::string> graphs;
  for (const std::string& function : cudnn_functions())
    if (is_of_graphs(function)) graphs.push_back(function);
  every_call(tally, cudnn_functions(), 3, fail_conv);
  tally.add("nothing in a graph", in_child([] { return attention_works(); }));
  every_call(tally, graphs, 3, fail_attention);
}

TEST_CASE("cuDNN: engines of graphs are chosen by determinism and workspace") {
  open_all();
  Tally tally("cuDNN engines");
  tally.add("any order", in_child([]() -> std::string {
              Plan plan;
              if (Outcome o = make_plan(device_stream(), small_attention<adj_attention_backward_descriptor>().header, only_cudnn("*/cudnn_atomic/*"), plan);
                  o.code)
                return describe(o);
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

TEST_CASE("cuDNN: attention with a scale that would unmask scores goes to our own kernels") {
  open_all();
  Tally tally("cuDNN scales");
  const auto reason_for = []<class Descriptor>(Descriptor d, double scale) -> std::string {
    d.scale = scale, d.window = -1;  // a narrow window goes to our kernels first
    Plan plan;
    if (const Outcome o = make_plan(device_stream(), d.header, only_cudnn(), plan); o.code) return describe(o);
    return "";
  };
  for (const double scale : {-0.1, -1e-300, 1e-300, 1e-45, 1e38, 0.0, 0x1p-100, 3.0})
    tally.add(std::to_string(scale), in_child([&]() -> std::string {
                const bool taken = scale == 0 || scale == 0x1p-100 || scale == 3;
                for (const std::string& reason : {reason_for(small_attention<adj_attention_forward_descriptor>(), scale),
                                                  reason_for(small_attention<adj_attention_backward_descriptor>(), scale)})
                  if (taken ? !reason.empty() : !contains(reason, "takes a scale of")) return "'" + reason + "'";
                return "";
              }));
}

TEST_CASE("cuDNN: a failure gives way to the next candidate where that is asked for") {
  open_all();
  Tally tally("cuDNN fallback");
  for (const char* function : {"cudnnCreate", "cudnnBackendCreateDescriptor", "cudnnBackendGetAttribute"})
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
                if (!contains(sku_of(program.forward_plan) + sku_of(program.backward_plan), "/implicit_gemm/"))
                  return "chosen: " + sku_of(program.backward_plan);
                program.release();
                return conv_works();
              }));
}

TEST_CASE("cuDNN: a problem that it does not support goes to our own kernels") {
  open_all();
  Tally tally("cuDNN does not support");
  for (const char* function : {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize", "cudnnBackendGetAttribute"})
    tally.add(function, in_child([&]() -> std::string {
                const adj_stream stream = device_stream();
                const auto d = small_problem<adj_conv_backward_descriptor>();
                Plan plan;
                cudnn_fake().entry(function).code = kNotSupported, cudnn_fake().entry(function).countdown = 1;
                if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
                if (!contains(sku_of(plan), "/implicit_gemm/")) return "chosen: " + sku_of(plan);
                const std::string reason = rejection(plan, "/cudnn/");
                if (!contains(reason, "dinput: ") || !contains(reason, function)) return "rejection: " + reason;
                plan.reset();
                return conv_works();
              }));
  tally.add("a part of the library is missing", in_child([] {
              cudnn_fake().entry("cudnnCreate").code = kNotUsable, cudnn_fake().entry("cudnnCreate").countdown = 1;
              Plan plan;
              const auto d = small_problem<adj_conv_backward_descriptor>();
              if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
              const std::string reason = rejection(plan, "/cudnn/");
              return contains(sku_of(plan), "/implicit_gemm/") && contains(reason, "cudnnCreate failed with 1008") ? std::string()
                                                                                                                   : sku_of(plan) + ": " + reason;
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

TEST_CASE("cuDNN: engines of convolutions are chosen by determinism, arithmetic and workspace") {
  open_all();
  Tally tally("cuDNN engines of convolutions");
  const fake::Cudnn& state = cudnn_fake().state;
  // Selects and runs, and compares the set of engines that have run. Those that transform, down-convert or add in 16 bits are listed first.
  auto runs_on = [&](std::initializer_list<int> engines, const adj_preference& preference, const char* sku = "/cudnn/") -> std::string {
    ConvProgram program;
    if (Outcome o = program.select(preference); o.code) return describe(o);
    if (!contains(sku_of(program.backward_plan), sku)) return sku_of(program.backward_plan);
    if (Outcome o = program.run(); o.code) return describe(o);
    unsigned bits = 0;
    for (const int engine : engines) bits |= 1u << engine;
    if (state.engines != bits) return "engines " + std::to_string(state.engines);
    return state.complaint ? state.complaint.load() : "";
  };
  tally.add("the same bits in every run", in_child([&] { return runs_on({1}, {}); }));
  tally.add("any order", in_child([&] {
              adj_preference p;
              p.determinism = ADJ_NONDETERMINISTIC;
              return runs_on({0, 1}, p, "/cudnn_atomic/");  // a forward pass has no such SKU
            }));
  tally.add("more than the same bits in every run", in_child([&] {
              adj_preference p;
              p.determinism = ADJ_SHAPE_ONLY;
              return runs_on({}, p, "/implicit_gemm/");
            }));
  tally.add("fast arithmetic", in_child([&] {
              adj_preference p;
              p.math = ADJ_MATH_FAST;
              return runs_on({5}, p, "/cudnn_tf32/");
            }));
  for (const auto& [bytes, engine] : {std::pair{4096, 1}, std::pair{4095, 8}, std::pair{0, 8}})
    tally.add("at most " + std::to_string(bytes) + " bytes of workspace", in_child([&, bytes = bytes, engine = engine]() -> std::string {
                adj_preference p;
                p.workspace_limit = static_cast<std::uint64_t>(bytes);
                p.backend = ADJ_BACKEND_CUDNN;
                ConvProgram program;
                program.backward_.has_dbias = 0, program.backward_args_.dbias = {};  // our own kernel would need workspace
                if (Outcome o = program.select(p); o.code) return describe(o);
                for (const Plan* plan : {&program.forward_plan, &program.backward_plan})
                  if (adj_plan_workspace_size(plan->get()) > p.workspace_limit) return "beyond the limit";
                if (Outcome o = program.run(); o.code) return describe(o);
                return state.engines == 1u << engine ? "" : "engines " + std::to_string(state.engines);
              }));
  tally.add("a bias without a fused engine", in_child([&]() -> std::string {
              cudnn_fake().state.no_fusion = true;
              ConvProgram program;
              if (Outcome o = program.select(); o.code) return describe(o);
              if (!contains(sku_of(program.forward_plan), "/cudnn/")) return sku_of(program.forward_plan) + ": " + rejection(program.forward_plan, "/cudnn/");
              if (Outcome o = program.run(); o.code) return describe(o);
              return state.executions == 4 ? "" : std::to_string(state.executions) + " graphs";
            }));
  tally.add("engines that do not keep to what is promised", in_child([&]() -> std::string {
              cudnn_fake().state.listed = 1u << 2;  // Winograd's, in the first list alone
              ConvProgram program;
              if (Outcome o = program.select(); o.code) return describe(o);
              const std::string reason = rejection(program.forward_plan, "/cudnn/");
              return contains(reason, "cuDNN has no engine for this problem that keeps to what the SKU promises") ? "" : reason;
            }));
  tally.add("nor may the sums be rounded twice", in_child([&]() -> std::string {
              cudnn_fake().state.no_fusion = true;
              adj_conv_transpose_forward_descriptor d;
              d.input = shape({2, 4, 6, 5}), d.weight = shape({4, 6, 1, 1}), d.out = shape({2, 6, 6, 5});
              d.has_bias = 1, d.element = ADJ_BF16;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
              return contains(rejection(plan, "/cudnn/"), "out: cuDNN has no engines") ? "" : sku_of(plan) + ": " + rejection(plan, "/cudnn/");
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
              if (code != ADJ_ERROR_MISALIGNED || !contains(adj_last_error(), "input.data") || !contains(adj_last_error(), "multiple of 16"))
                return adj_last_error();
              return program.run().code == ADJ_ERROR_MISALIGNED ? "" : "run takes it";
            }));
}

TEST_CASE("cuDNN: a run makes nothing, and threads share a plan") {
  open_all();
  Tally tally("cuDNN runs");
  tally.add("a captured run", in_child([]() -> std::string {
              ConvProgram program;
              if (Outcome o = program.select(); o.code) return describe(o);
              const char* makers[] = {"cudnnCreate", "cudnnBackendGetAttribute"};  // descriptors are made for the arguments of a call alone
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
                  for (const adj::ArgumentSpec& spec : c.problem->specs()) largest = std::max(largest, spec.bytes);
                  if (largest > kMostBytes) continue;
                  if (auto ok = harness::accepts(gpu, *c.problem, sku); !ok) {
                    if (ok.error().code != ADJ_ERROR_UNSUPPORTED) return c.name + ": " + ok.error().message;
                    continue;
                  }
                  ++applicable;
        // The gradient of the bias is a kernel of ours, which the fake device does not run.
                  const bool is_gradient = sku.op->id == ADJ_OP_CONV_BACKWARD || sku.op->id == ADJ_OP_CONV_TRANSPOSE_BACKWARD;
                  if (is_gradient && c.problem->specs()[5].presence == adj::Presence::required) continue;
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

// cuBLASLt that fails: absent, old, without an entry point, and failing at every call that a matrix product makes of it. Each case is a process
// of its own. The stand-in computes, so the contents of the calls are checked too.
#include <adjoint/ops/matmul.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "harness/harness.hpp"
#include "harness/verify.hpp"
#include "libraries.hpp"

using namespace faults;

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
  if (!contains(sku_of(program.fused_plan), "/warpgroups/")) return "chosen: " + sku_of(program.fused_plan);
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
    // Algorithms are checked where a verdict names them: tune_test.cpp.
    if (function != "cublasLtGetStatusString" && function != "cublasLtDestroy" && function != "cublasLtMatmulAlgoCheck")
      CHECK_MESSAGE(seen > 0, (function + " is never called"));
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
                if (!contains(sku_of(plan), "/tiles/") || !contains(rejection(plan, "/cublaslt/"), function))
                  return sku_of(plan) + ": " + rejection(plan, "/cublaslt/");
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
              if (!contains(sku_of(program.plain_plan), "/cublaslt_tf32/") || !contains(sku_of(program.fused_plan), "/cublaslt/"))
                return sku_of(program.plain_plan);
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

TEST_CASE("cuBLASLt: an algorithm that leaves terms out is not taken") {
  open_all();
  Tally tally("cuBLASLt leaves terms out");
  // The product of 8 x k ones by k x 8 ones, with an algorithm of the faulty kernel first.
  const auto ones = [](adj_dtype element, std::int64_t k, int splits, int expected) -> std::string {
    cublaslt_fake().state.ids[0] = 66;
    cublaslt_fake().state.splits[0] = splits;
    adj_matmul_descriptor d;
    d.m = d.n = 8, d.k = k, d.transpose_b = 1, d.element = element, d.out = ADJ_F32;
    Memory memory;
    adj_matmul_args args;
    args.a = memory.tensor(8 * k, element), args.b = memory.tensor(8 * k, element), args.d = memory.tensor(64);
    for (const adj_tensor* tensor : {&args.a, &args.b})
      for (std::int64_t i = 0; i < 8 * k; ++i)
        if (element == ADJ_F32) static_cast<float*>(tensor->data)[i] = 1;
        else static_cast<std::uint16_t*>(tensor->data)[i] = element == ADJ_F16 ? 0x3c00 : 0x3f80;
    const adj_stream stream = device_stream();
    Plan plan;
    if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
    const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
    const adj_workspace workspace{memory.get(bytes), bytes};
    if (adj_plan_run(plan.get(), &stream, &workspace, &args.header)) return adj_last_error();
    if (cublaslt_fake().state.algo != expected) return "algorithm " + std::to_string(cublaslt_fake().state.algo);
    const auto* sums = static_cast<const float*>(args.d.data);
    for (int i = 0; i < 64; ++i)
      if (sums[i] != static_cast<float>(k)) return "a sum of " + std::to_string(sums[i]);
    return {};
  };
  for (const adj_dtype element : {ADJ_F16, ADJ_BF16}) {
    tally.add("8 terms left, 16 splits, " + std::to_string(element), in_child([&] { return ones(element, 1032, 16, 1); }));
    tally.add("as many splits as terms left", in_child([&] { return ones(element, 1032, 8, 0); }));
    tally.add("one more", in_child([&] { return ones(element, 64 * 9 + 8, 9, 1); }));
    tally.add("an odd number of terms", in_child([&] { return ones(element, 1025, 2, 1); }));
    tally.add("steps that do not come out even", in_child([&] { return ones(element, 1096, 16, 0); }));
    tally.add("nothing left", in_child([&] { return ones(element, 1024, 16, 0); }));
    tally.add("fewer terms than a step", in_child([&] { return ones(element, 24, 32, 1); }));
  }
  tally.add("f32", in_child([&] { return ones(ADJ_F32, 1032, 16, 0); }));
  tally.add("no other algorithm", in_child([&]() -> std::string {
              for (int i = 0; i < 3; ++i) cublaslt_fake().state.ids[i] = 66, cublaslt_fake().state.splits[i] = 16;
              adj_matmul_descriptor d;
              d.m = d.n = 8, d.k = 1032, d.element = ADJ_BF16;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, {}, plan); o.code) return describe(o);
              if (contains(sku_of(plan), "/cublaslt/")) return sku_of(plan);
              const std::string reason = rejection(plan, "/cublaslt/");
              return contains(reason, "3 that are known to be wrong") ? "" : reason;
            }));
}

TEST_CASE("cuBLASLt: an algorithm that leaves the slope of an activation out is not taken") {
  open_all();
  Tally tally("cuBLASLt leaves the slope out");
  struct Call {
    adj_matmul_epilogue epilogue;
    int algorithm;
    std::uint16_t result;  // of f16
  };
  // The product of 128 x 16 ones by 16 x 128 ones, and the slope at -16, which is 0.
  constexpr std::int64_t kSide = 128, kDepth = 16, kResults = kSide * kSide;
  constexpr std::uint16_t kOne = 0x3c00, kSixteen = 0x4c00, kMinusSixteen = 0xcc00, kMagnitude = 0x7fff;
  for (const Call& call :
       {Call{ADJ_MATMUL_EPILOGUE_NONE, 0, kSixteen}, {ADJ_MATMUL_EPILOGUE_GELU_TANH, 0, kSixteen}, {ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD, 1, 0}})
    tally.add("epilogue " + std::to_string(call.epilogue), in_child([&]() -> std::string {
                cublaslt_fake().state.ids[0] = 39;
                adj_matmul_descriptor d;
                d.m = d.n = kSide, d.k = kDepth, d.epilogue = call.epilogue, d.element = ADJ_F16;
                Memory memory;
                adj_matmul_args args;
                args.a = memory.tensor(kSide * kDepth, ADJ_F16), args.b = memory.tensor(kSide * kDepth, ADJ_F16), args.d = memory.tensor(kResults, ADJ_F16);
                for (const adj_tensor* tensor : {&args.a, &args.b}) std::fill_n(static_cast<std::uint16_t*>(tensor->data), kSide * kDepth, kOne);
                if (call.epilogue == ADJ_MATMUL_EPILOGUE_GELU_TANH_BACKWARD) {
                  args.saved = memory.tensor(kResults, ADJ_F16);
                  std::fill_n(static_cast<std::uint16_t*>(args.saved.data), kResults, kMinusSixteen);
                }
                const adj_stream stream = device_stream();
                Plan plan;
                if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
                if (!contains(sku_of(plan), "/cublaslt/")) return sku_of(plan);
                const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
                const adj_workspace workspace{memory.get(bytes), bytes};
                if (adj_plan_run(plan.get(), &stream, &workspace, &args.header)) return adj_last_error();
                if (cublaslt_fake().state.algo != call.algorithm) return "algorithm " + std::to_string(cublaslt_fake().state.algo);
                for (std::int64_t i = 0; i < kResults; ++i)
                  if (const auto got = static_cast<const std::uint16_t*>(args.d.data)[i]; (got & kMagnitude) != call.result)
                    return "a result with the bits " + std::to_string(got);
                return {};
              }));
}

TEST_CASE("cuBLASLt: dbias of a product with one column is left to our own kernel") {
  open_all();
  Tally tally("cuBLASLt and dbias of one column");
  for (const adj_dtype element : {ADJ_F16, ADJ_BF16, ADJ_F32})
    for (const std::int64_t n : {1, 2})
      tally.add(std::to_string(element) + ", " + std::to_string(n) + " columns", in_child([&]() -> std::string {
                  adj_matmul_descriptor d;
                  d.m = 64, d.n = n, d.k = 16, d.transpose_a = 1, d.has_dbias = 1, d.element = element;
                  Memory memory;
                  adj_matmul_args args;
                  args.a = memory.tensor(64 * 16, element), args.b = memory.tensor(n * 16, element), args.d = memory.tensor(64 * n, element);
                  args.dbias = memory.tensor(64, element);
                  const adj_stream stream = device_stream();
                  Plan plan;
                  if (Outcome o = make_plan(stream, d.header, {}, plan); o.code) return describe(o);
                  const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
                  const adj_workspace workspace{memory.get(bytes), bytes};
                  if (adj_plan_run(plan.get(), &stream, &workspace, &args.header)) return adj_last_error();
                  const bool asked = cublaslt_fake().state.epilogue & adj::cu::kBlasEpilogueSumsOfB;
                  return asked == (n > 1) ? "" : asked ? "cuBLASLt is asked for dbias" : "cuBLASLt is not asked for dbias";
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

// True where a kernel of ours follows the call of a product.
bool has_kernel(const adj::Sku& sku, const harness::Problem& problem) {
  if (problem.descriptor()->tag != ADJ_TAG_MATMUL_DESCRIPTOR) return false;
  const auto& d = *reinterpret_cast<const adj_matmul_descriptor*>(problem.descriptor());
  const bool curved = d.epilogue > ADJ_MATMUL_EPILOGUE_NONE, wide = d.element == ADJ_F64;
  if (d.has_dbias && (d.write_mode == ADJ_WRITE_ACCUMULATE || wide || d.n == 1)) return true;
  return wide ? curved || d.has_bias : curved && sku.signature[1] == ADJ_F32;
}

// Our calls against the host backend, where no kernel of ours follows: the fake device does not run any.
TEST_CASE("cuBLASLt: the calls say what the operator means") {
  constexpr std::uint64_t kMostBytes = 8 << 10;
  open_all();
  Tally tally("cuBLASLt computes");
  for (const adj::Sku& sku : adj::all_skus()) {
    if (sku.variant->backend != ADJ_BACKEND_CUBLASLT || !sku.variant->parts.empty()) continue;  // a plan of several parts has kernels of ours among them
    tally.add(sku.id, in_child([&]() -> std::string {
                fakes().stream();  // makes a context current
                const harness::Gpu gpu;
                int compared = 0;
                for (const harness::Case& c : harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, 1)) {
                  std::uint64_t largest = 0;
                  for (const adj::ArgumentSpec& spec : c.problem->specs()) largest = std::max(largest, spec.bytes);
                  if (largest > kMostBytes) continue;
                  if (auto ok = harness::accepts(gpu, *c.problem, sku); !ok) {
                    if (ok.error().code != ADJ_ERROR_UNSUPPORTED) return c.name + ": " + ok.error().message;
                    continue;
                  }
                  if (has_kernel(sku, *c.problem)) continue;
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

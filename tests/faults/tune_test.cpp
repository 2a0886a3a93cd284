// Selection by measurement on the fake machine, whose clock the test sets: the fastest candidate is chosen, its verdict is stored, found again, passed
// over where it does not fit, and refused where it is damaged. Each case is a process of its own.
#include <adjoint/ops/attention.h>
#include <adjoint/ops/control.h>
#include <adjoint/ops/conv.h>
#include <adjoint/ops/embedding.h>
#include <adjoint/ops/softmax.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tune.hpp"

namespace fs = std::filesystem;
using namespace faults;

constexpr int kBlasBroken = 14;

TEST_CASE("tune: the fastest candidate is chosen, within what the preference requires") {
  open_all();
  Tally tally("tune chooses");
  tally.add("an algorithm of the library", in_child([] {
              set_clock(50, 20, 90, 1000);
              return product_takes(1, true);
            }));
  tally.add("its first one, where that is fastest", in_child([] {
              set_clock(20, 50, 90, 1000);
              return product_takes(0, true);
            }));
  tally.add("one percent is no gain", in_child([] {
              set_clock(1000, 995, 1100, 10000);
              return product_takes(0, true);
            }));
  tally.add("a kernel of ours", in_child([] {
              set_clock(50, 20, 90, 1);
              return product_takes(-1, true);
            }));
  tally.add("not without tune", in_child([] {
              set_clock(50, 20, 90, 1);
              return product_takes(0, false, {});
            }));
  tally.add("no more workspace than allowed", in_child([] {
              set_clock(20, 50, 90, 1000);
              adj_preference p = tuned();
              p.workspace_limit = 4096;
              return product_takes(1, true, p);
            }));
  tally.add("as deterministic as required", in_child([] {
              set_clock(1, 1, 1, 1000);
              adj_preference p = tuned();
              p.determinism = ADJ_SHAPE_ONLY;
              return product_takes(-1, false, p);  // one candidate is left
            }));
  tally.add("no TF32 unless asked for", in_child([]() -> std::string {
              set_clock(20, 50, 90, 1000);
              Plan plan;
              if (Outcome o = make_plan(device_stream(), small_product().header, tuned(), plan); o.code) return describe(o);
              if (!contains(rejection(plan, "/cublaslt_tf32/"), "preference.math")) return rejection(plan, "/cublaslt_tf32/");
              if (!contains(rejection(plan, "/tiles/"), "measured 2000.00 us")) return rejection(plan, "/tiles/");
              return contains(last_candidate(plan), "measured 20.00 us, the fastest") ? "" : last_candidate(plan);
            }));
  tally.add("variants of one operator", in_child([]() -> std::string {
              adj_softmax_backward_descriptor d;
              d.outer = 64, d.extent = 1000, d.element = ADJ_F32;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, tuned(), plan); o.code) return describe(o);
              return measurements() > 0 && contains(last_candidate(plan), "the fastest") ? "" : last_candidate(plan);
            }));
  tally.add("the host stream", in_child([]() -> std::string {
              Plan plan;
              if (Outcome o = make_plan(adj_stream_host(), small_product().header, tuned(), plan); o.code) return describe(o);
              return contains(sku_of(plan), "/reference/") && measurements() == 0 ? "" : sku_of(plan);
            }));
  tally.add("an offline stream", in_child([]() -> std::string {
              adj_stream offline;
              if (adj_stream_offline("sm_90a", &offline)) return adj_last_error();
              Plan plan;
              if (Outcome o = make_plan(offline, small_product().header, tuned(), plan); o.code) return describe(o);
              return contains(sku_of(plan), "/tiles/") && measurements() == 0 ? "" : sku_of(plan);
            }));
  for (const std::int32_t value : {-1, 2})
    tally.add("tune = " + std::to_string(value), in_child([value]() -> std::string {
                adj_preference p;
                p.tune = value;
                Plan plan;
                const Outcome o = make_plan(adj_stream_host(), small_product().header, p, plan);
                return o.code == ADJ_ERROR_INVALID_ARGUMENT && contains(o.message, "preference.tune") ? "" : describe(o);
              }));
}

TEST_CASE("tune: a verdict is stored, found again, and passed over where it does not fit") {
  open_all();
  Tally tally("tune verdicts");
  const CacheDirectory cache;
  const auto in_process = [&](const std::string& what, const std::function<std::string()>& body) {
    tally.add(what, in_child([&] {
                cache.use();
                return body();
              }));
  };
  in_process("it is measured", [] {
    set_clock(50, 20, 90, 1000);
    return product_takes(1, true);
  });
  REQUIRE(cache.verdicts().size() == 1);
  in_process("it is found, whatever would be measured now", [] {
    set_clock(1, 20, 90, 1000);
    return product_takes(1, false);
  });
  in_process("and while the stream is captured", [] {
    fakes().driver.capturing = true;
    return product_takes(1, false);
  });
  in_process("not without tune", [] { return product_takes(0, false, {}); });
  in_process("with another requirement it is another problem", [] {
    set_clock(50, 90, 20, 1000);
    adj_preference p = tuned();
    p.workspace_limit = 8192;
    return product_takes(2, true, p);
  });
  in_process("where a kernel comes from is no part of it", [] {
    adj_preference p = tuned();
    p.jit = ADJ_JIT_CACHED_ONLY;
    p.fallback = 1;
    return product_takes(1, false, p);
  });
  in_process("another version of cuBLASLt", [] {
    cublaslt_fake().state.version = 130102;
    set_clock(20, 50, 90, 1000);
    return product_takes(0, true);
  });
  in_process("another driver", [] {
    fakes().driver.version = 13010;
    set_clock(20, 50, 90, 1000);
    return product_takes(0, true);
  });
  in_process("the algorithm is refused now", [] {
    cublaslt_fake().state.refuses_check = true;
    set_clock(1, 20, 90, 1000);
    return product_takes(0, true);
  });
  in_process("the algorithm needs workspace", [&]() -> std::string {
    const CacheDirectory own;
    own.use();
    set_clock(20, 50, 90, 1000);
    if (auto problem = product_takes(0, true); !problem.empty()) return problem;
    if (auto problem = product_takes(0, false); !problem.empty()) return problem;
    const char* complaint = cublaslt_fake().state.complaint;
    return complaint ? complaint : cublaslt_fake().state.workspace == std::size_t{1} << 20 ? "" : "its workspace is not given";
  });
  in_process("the algorithm rounds partial sums", []() -> std::string {
    const CacheDirectory own;
    own.use();
    set_clock(50, 20, 90, 1000);
    if (auto problem = product_takes(1, true); !problem.empty()) return problem;
    cublaslt_fake().state.reductions[1] = 4;
    return product_takes(0, true);
  });
  for (const fs::path& file : cache.verdicts()) fs::remove(file);
  in_process("it is measured anew", [] {
    set_clock(50, 20, 90, 1000);
    return product_takes(1, true);
  });
  const fs::path file = cache.verdicts().at(0);
  const std::string whole = contents(file);
  for (std::size_t cut : {std::size_t{0}, std::size_t{8}, std::size_t{73}, std::size_t{74}, whole.size() - 1}) {
    write(file, whole.substr(0, cut));
    in_process("cut to " + std::to_string(cut) + " bytes", [] {
      set_clock(20, 50, 90, 1000);
      return product_takes(0, true);
    });
  }
  std::string changed = whole;
  changed[whole.find("product=")] ^= 1;
  write(file, changed);
  in_process("a changed byte", [] {
    set_clock(20, 50, 90, 1000);
    return product_takes(0, true);
  });
  in_process("what was damaged has been replaced", [] { return product_takes(0, false); });
  write(file, whole);
  in_process("adj_cache_verify and adj_cache_clear know verdicts", [&]() -> std::string {
    write(cache.path + "/" + std::string(64, 'a') + ".txt", "none");
    adj_cache_info info;
    if (adj_cache_verify(&info)) return adj_last_error();
    if (info.damaged != 1) return std::to_string(info.damaged) + " damaged";
    if (adj_cache_clear()) return adj_last_error();
    return cache.verdicts().empty() ? "" : "a verdict is left";
  });
}

TEST_CASE("tune: engines of cuDNN, part by part") {
  open_all();
  Tally tally("tune engines");
  const CacheDirectory cache;
  const fake::Cudnn& state = cudnn_fake().state;
  // Durations of the engines that may serve, and the engines that run.
  const auto engines = [&](std::int64_t first, std::int64_t second, std::int64_t third, unsigned expected, bool measured) -> std::string {
    cache.use();
    fake::Cudnn& fake = cudnn_fake().state;
    fake.clock = &fakes().driver.clock_ns;
    fake.computes = false;
    fake.engine_ns[1] = first * kMicrosecond, fake.engine_ns[7] = second * kMicrosecond, fake.engine_ns[8] = third * kMicrosecond;
    adj_conv_backward_descriptor d;
    d.input = shape({2, 4, 6, 5}), d.weight = shape({6, 4, 1, 1}), d.out = shape({2, 6, 6, 5});
    d.element = ADJ_F32;
    const int before = measurements();
    Plan plan;
    if (Outcome o = make_plan(device_stream(), d.header, tuned(), plan); o.code) return describe(o);
    if ((measurements() > before) != measured) return measured ? "nothing is measured" : "it is measured";
    if (!contains(sku_of(plan), "/cudnn/")) return sku_of(plan);
    Memory memory;
    adj_conv_backward_args args;
    args.dout = memory.tensor(360), args.input = memory.tensor(240), args.weight = memory.tensor(24);
    args.dinput = memory.tensor(240), args.dweight = memory.tensor(24);
    const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
    const adj_workspace workspace{memory.get(bytes), bytes};
    const adj_stream stream = device_stream();
    fake.engines = 0;
    if (adj_plan_run(plan.get(), &stream, &workspace, &args.header)) return adj_last_error();
    plan.reset();
    if (state.descriptors) return "descriptors are not destroyed";
    return state.engines == expected ? "" : "engines " + std::to_string(state.engines);
  };
  tally.add("cuDNN's own choice", in_child([&] { return engines(20, 50, 90, 1u << 1, true); }));
  for (const fs::path& file : cache.verdicts()) fs::remove(file);
  tally.add("another one for both parts", in_child([&] { return engines(50, 20, 90, 1u << 7, true); }));
  tally.add("the verdict", in_child([&] { return engines(1, 20, 90, 1u << 7, false); }));
  REQUIRE(cache.verdicts().size() == 1);
  bool named = false;
  for (const fs::path& file : cache.verdicts()) named |= contains(contents(file), "choices dinput=e7:2.5 dweight=e7:2.5");
  CHECK(named);
  tally.add("another version of cuDNN", in_child([&] {
              cudnn_fake().state.version = 91003;
              return engines(50, 90, 20, 1u << 8, true);
            }));
  tally.add("attention", in_child([&]() -> std::string {
              fake::Cudnn& fake = cudnn_fake().state;
              fake.clock = &fakes().driver.clock_ns;
              fake.computes = false;
              fake.engine_ns[0] = 50 * kMicrosecond, fake.engine_ns[1] = 20 * kMicrosecond;
              adj_attention_forward_descriptor d;
              d.batch = 1, d.tokens = 128, d.heads = 2, d.kv_heads = 1, d.head_dim = 8, d.element = ADJ_BF16;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, tuned(), plan); o.code) return describe(o);
              return contains(last_candidate(plan), "measured 20.00 us, the fastest") ? "" : sku_of(plan) + ": " + last_candidate(plan);
            }));
}

TEST_CASE("tune: files of verdicts") {
  open_all();
  Tally tally("tune files");
  const CacheDirectory directory;
  const std::string file = directory.path + "/products.tuning";
  tally.add("nothing to save", in_child([&]() -> std::string {
              return adj_tuning_save(file.c_str()) == ADJ_ERROR_NOT_FOUND && contains(adj_last_error(), "no verdict") ? "" : adj_last_error();
            }));
  tally.add("save", in_child([&]() -> std::string {
              set_clock(50, 20, 90, 1000);
              if (std::string problem = product_takes(1, true); !problem.empty()) return problem;
              return adj_tuning_save(file.c_str()) ? adj_last_error() : "";
            }));
  REQUIRE(fs::exists(file));
  tally.add("load", in_child([&]() -> std::string {
              if (std::string problem = product_takes(0, false, {}); !problem.empty()) return "before: " + problem;
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              if (std::string problem = product_takes(1, false, {}); !problem.empty()) return "without tune: " + problem;
              return product_takes(1, false);
            }));
  tally.add("ADJOINT_TUNING", in_child([&] {
              ::setenv("ADJOINT_TUNING", ("/nonexistent:" + file).c_str(), 1);
              return product_takes(1, false, {});
            }));
  tally.add("a file that the program loads counts more", in_child([&]() -> std::string {
              const std::string other = file + ".other";
              std::string problem = in_child([&]() -> std::string {
                set_clock(50, 90, 20, 1000);
                if (std::string wrong = product_takes(2, true); !wrong.empty()) return wrong;
                return adj_tuning_save(other.c_str()) ? adj_last_error() : "";
              });
              if (!problem.empty()) return problem;
              ::setenv("ADJOINT_TUNING", file.c_str(), 1);
              if (adj_tuning_load(other.c_str())) return adj_last_error();
              return product_takes(2, false, {});
            }));
  tally.add("explain", in_child([&]() -> std::string {
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              const adj_stream stream = device_stream();
              const adj_matmul_descriptor d = small_product();
              adj_error* report = nullptr;
              if (adj_plan_explain(&stream, &d.header, nullptr, &report)) return adj_last_error();
              adj_rejection first;
              adj_error_rejection(report, 0, &first);
              const std::string text = std::string(first.sku) + ": " + first.reason;
              adj_error_release(report);
              return contains(text, "/cublaslt/") && contains(text, "measured 20.00 us, the fastest") ? "" : text;
            }));
  for (const std::uint32_t reduction : {1u, 4u, 5u})  // cublasLtReductionScheme_t: in the result itself, in the type of the result
    tally.add("of an algorithm that rounds partial sums, reduction " + std::to_string(reduction), in_child([&]() -> std::string {
                cublaslt_fake().state.reductions[1] = reduction;
                if (adj_tuning_load(file.c_str())) return adj_last_error();
                return product_takes(0, false, {});
              }));
  tally.add("of another NVRTC", in_child([&]() -> std::string {
              fakes().nvrtc.minor = 1;
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              return product_takes(0, false, {});
            }));
  tally.add("without NVRTC", in_child([&]() -> std::string {
              ::setenv("ADJOINT_LIBNVRTC", "", 1);
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              return product_takes(1, false, {});
            }));
  tally.add("of another version", in_child([&]() -> std::string {
              cublaslt_fake().state.version = 130102;
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              return product_takes(0, false, {});
            }));
  tally.add("what is loaded is saved too", in_child([&]() -> std::string {
              if (adj_tuning_load(file.c_str())) return adj_last_error();
              const std::string copy = file + ".copy";
              if (adj_tuning_save(copy.c_str())) return adj_last_error();
              return contents(copy) == contents(file) ? "" : "the copy differs";
            }));
  const std::string whole = contents(file);
  const auto refused = [&](const std::string& what, const std::string& bytes) {
    tally.add(what, in_child([&]() -> std::string {
                const std::string bad = file + ".bad";
                write(bad, bytes);
                if (adj_tuning_load(bad.c_str()) != ADJ_ERROR_CORRUPT || !contains(adj_last_error(), bad)) return adj_last_error();
                return product_takes(0, false, {});
              }));
  };
  for (std::size_t cut : {std::size_t{0}, std::size_t{20}, whole.size() / 2, whole.size() - 1})
    refused("cut to " + std::to_string(cut) + " bytes", whole.substr(0, cut));
  for (std::size_t at : {std::size_t{0}, std::size_t{12}, whole.size() / 2}) {
    std::string changed = whole;
    changed[at] ^= 1;
    refused("byte " + std::to_string(at) + " is changed", changed);
  }
  tally.add("no such file", in_child([&]() -> std::string {
              return adj_tuning_load("/nonexistent/a.tuning") == ADJ_ERROR_IO && contains(adj_last_error(), "/nonexistent/a.tuning") ? "" : adj_last_error();
            }));
}

TEST_CASE("tune: what cannot be measured") {
  open_all();
  Tally tally("tune cannot measure");
  tally.add("a captured stream", in_child([]() -> std::string {
              const adj_stream stream = device_stream();
              fakes().driver.capturing = true;
              Plan plan;
              const Outcome o = make_plan(stream, small_product().header, tuned(), plan);
              return o.code == ADJ_ERROR_CAPTURING && contains(o.message, "matmul: preference.tune = 1") ? "" : describe(o);
            }));
  tally.add("no memory", in_child([]() -> std::string {
              set_clock(50, 20, 90, 1000);
              fakes().driver.largest_allocation = 1 << 20;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), small_product().header, tuned(), plan); o.code) return describe(o);
              if (!contains(last_candidate(plan), "nothing was measured") || !contains(last_candidate(plan), "bytes of device memory"))
                return last_candidate(plan);
              return algorithm_of(plan) == 0 && fakes().driver.allocations == 0 ? "" : "another algorithm, or memory is left";
            }));
  tally.add("integers that are offsets", in_child([]() -> std::string {
              adj_attention_forward_descriptor d;
              d.batch = 2, d.tokens = 128, d.heads = 2, d.kv_heads = 1, d.head_dim = 8, d.element = ADJ_BF16, d.has_lengths = 1;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, tuned(), plan); o.code) return describe(o);
              const std::string reason = last_candidate(plan);
              return contains(reason, "nothing was measured") && contains(reason, "cu_seqlens") && measurements() == 0 ? "" : reason;
            }));
  tally.add("an object of the caller", in_child([]() -> std::string {
              adj_wait_event_descriptor d;
              d.element = ADJ_F32;
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, tuned(), plan); o.code) return describe(o);
              return last_candidate(plan) == "accepted" && measurements() == 0 ? "" : last_candidate(plan);  // one candidate
            }));
  tally.add("indices below a number can be made", in_child([]() -> std::string {
              adj_embedding_backward_descriptor d;
              d.num_embeddings = 1000, d.embedding_dim = 64, d.num_indices = 512, d.element = ADJ_F32, d.index = ADJ_I64;
              adj_preference p = tuned();
              p.determinism = ADJ_NONDETERMINISTIC;
              static std::vector<std::vector<std::byte>> copies;
              fakes().driver.on_copy = [](const void* bytes, std::size_t count) {
                copies.emplace_back(static_cast<const std::byte*>(bytes), static_cast<const std::byte*>(bytes) + count);
              };
              Plan plan;
              if (Outcome o = make_plan(device_stream(), d.header, p, plan); o.code) return describe(o);
              if (!contains(last_candidate(plan), "the fastest")) return last_candidate(plan);
              // What was measured: all indices, in no order, and numbers between 1/4 and 1.
              const auto made = [](const auto& right, std::size_t least, auto zero) {
                return std::ranges::any_of(copies, [&](const std::vector<std::byte>& bytes) {
                  std::vector<decltype(zero)> values(bytes.size() / sizeof zero, zero);
                  std::memcpy(values.data(), bytes.data(), values.size() * sizeof zero);
                  return std::ranges::all_of(values, right) && !std::ranges::is_sorted(values) && std::set(values.begin(), values.end()).size() >= least;
                });
              };
              if (!made([](std::int64_t i) { return i >= 0 && i < 1000; }, 1000, std::int64_t{0})) return "other indices";
              return made([](float x) { return x >= 0.25f && x <= 1; }, 100000, 0.0f) ? "" : "other numbers";
            }));
  for (const bool fallback : {false, true})
    tally.add(fallback ? "a run of the first choice fails, and others may serve" : "a run of the first choice fails", in_child([fallback]() -> std::string {
                const CacheDirectory cache;
                cache.use();
                set_clock(20, 50, 90, 1000);
                cublaslt_fake().entry("cublasLtMatmul").code = kBlasBroken, cublaslt_fake().entry("cublasLtMatmul").countdown = 1;
                adj_preference p = tuned();
                p.fallback = fallback;
                if (fallback) {
                  const std::string problem = product_takes(1, true, p);
                  return !problem.empty() ? problem : cache.verdicts().empty() ? "" : "the verdict is stored";
                }
                Plan plan;
                const Outcome o = make_plan(device_stream(), small_product().header, p, plan);
                return o.code == ADJ_ERROR_CUDA && contains(o.message, "cublasLtMatmul failed with 14") && cache.verdicts().empty() ? "" : describe(o);
              }));
  tally.add("a run of another algorithm fails", in_child([]() -> std::string {
              const CacheDirectory cache;
              cache.use();
              set_clock(50, 20, 90, 1000);
              cublaslt_fake().entry("cublasLtMatmul").code = kBlasBroken, cublaslt_fake().entry("cublasLtMatmul").countdown = 2;
              const std::string problem = product_takes(0, true);
              return !problem.empty() ? problem : cache.verdicts().empty() ? "" : "the verdict is stored";
            }));
}

TEST_CASE("tune: every call fails once") {
  open_all();
  Tally tally("tune call fails");
  const auto fail_call = [](fake::Entry& entry, const std::string& function, int code, int n) -> std::string {
    set_clock(50, 20, 90, 1000);
    const adj_stream stream = device_stream();
    entry.code = code, entry.countdown = n;
    Plan plan;
    const Outcome o = make_plan(stream, small_product().header, tuned(), plan);
    if (entry.countdown > 0) return kNotCalled;
    if (o.code && !contains(o.message, function) && !contains(o.message, "the launch of")) return "no sentence: " + describe(o);
    plan.reset();
    if (fakes().driver.allocations) return "device memory is not freed";
    if (fakes().driver.early_frees) return "device memory is freed before the work on it has ended";
    if (cublaslt_fake().state.objects) return "objects are not destroyed";
    // What could be measured has a verdict, of the candidates that did not fail.
    return o.code ? product_takes(1, true) : "";
  };
  const auto every = [&](const std::string& function, const std::function<std::string(int)>& body) {
    int seen = 0;
    // Calls of a round are alike, so the later ones are tried at growing distances.
    for (int n = 1;; n = n < 40 || kSlowCases ? next_call(n) : n + n / 8) {
      const std::string problem = in_child([&] { return body(n); });
      if (problem == kNotCalled) break;
      ++seen;
      tally.add(function + " call " + std::to_string(n), problem);
    }
    CHECK_MESSAGE(seen > 0, (function + " is never called"));
  };
  for (const char* function :
       {"cuStreamIsCapturing", "cuStreamSynchronize", "cuStreamCreate", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime",
        "cuMemAlloc", "cuMemcpyHtoDAsync", "cuMemcpyDtoDAsync", "cuMemsetD8Async", "cuLaunchKernelEx", "cuEventDestroy", "cuStreamDestroy"})
    every(function, [&](int n) { return fail_call(fakes().entry(function), function, 999, n); });
  for (const char* function : {"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate", "cublasLtMatmulPreferenceCreate",
                               "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmulAlgoCheck", "cublasLtMatmul"})
    every(function, [&](int n) { return fail_call(cublaslt_fake().entry(function), function, kBlasBroken, n); });
}

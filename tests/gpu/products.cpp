// Products through cuBLASLt, for every depth: each multiple of 8 from 64 to 32768, every depth below 64, and odd ones. Operands are ones, or small random
// integers, whose sums every order of additions gives exactly; f64 kernels of this library say what they are. So a term that an algorithm leaves out is
// seen in every type. Where a sum may be rounded to 16 bits before c, a bias or an output is added, one more rounding of the sum is allowed, which the
// bounds of the SKU have room for. Eight terms of integers that are left out are seen there as well: they move a sum by 5.7 on average, where two units
// in the last place of bf16 are 4 at the largest depth, and such a product has 64 sums or more.
// First the algorithms that are known to leave terms out (src/driver/README.md) are run as cuBLASLt offers them, then plans of this library: the first
// choice at every depth, and all others that `tune` may take while there is time. Last, repeated runs are compared bit by bit.
// Exit 77 without a GPU or without cuBLASLt.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "driver/cublaslt.hpp"
#include "harness/gpu.hpp"
#include "harness/plans.hpp"
#include "plan/candidates.hpp"
#include "plan/words.hpp"
#include "tests/gpu/products.hpp"

using namespace products;

namespace {

using harness::PlanHandle;

constexpr std::uint64_t kSentences = 20;  // failures that are printed

// ---- what is found

struct Row {
  std::int64_t first = 0, others = 0, wrong = 0;
  double worst = 0;  // error, as a part of what is allowed
};
struct Findings {
  std::mutex mutex;
  std::map<std::string, Row> rows;                                      // by SKU
  std::map<std::pair<std::int32_t, std::string>, std::int64_t> algorithms;  // plans that were run, by id and kind of splits
  std::uint64_t failures = 0;
  std::int64_t offered = 0, known = 0, known_wrong = 0, repeated = 0;
  std::atomic<std::int64_t> declined = 0;  // products that cuBLASLt's SKU does not take

  void fail(const std::string& sentence) {
    std::lock_guard lock(mutex);
    if (failures++ < kSentences) fmt::print("FAILED {}\n", sentence);
  }
} findings;

std::string describe(const adj::BlasConfig& c) { return fmt::format("algorithm {}, {} splits, reduction {}", c.id, c.splits, c.reduction); }

// The algorithm that an alternative of a plan names: "epilogue:" and the words of the structure.
adj::cu::BlasAlgo algorithm_of(const std::string& alternative) {
  adj::cu::BlasAlgo algo{};
  const std::size_t begin = alternative.find(':') + 1;
  for (std::size_t i = 0; i < std::size(algo.data); ++i) algo.data[i] = std::stoull(alternative.substr(begin + 16 * i, 16), nullptr, 16);
  return algo;
}

// ---- runs

adj_tensor whole(const DeviceBuffer& buffer, adj_dtype type) {
  adj_tensor t;
  t.data = buffer.data(), t.bytes = buffer.bytes(), t.dtype = type;
  return t;
}

// Work for a stream beside that of the products.
class Noise {
 public:
  Noise(const Gpu& gpu, const Contents& contents) : gpu_(gpu), out_(gpu, kSide * kSide * sizeof(double)) {
    adj_matmul_descriptor d;
    d.m = d.n = kSide, d.k = 1024, d.element = ADJ_F64;
    adj_preference preference;
    preference.sku = "matmul/tiles/*";
    plan_.reset(must(adj::select_plan(gpu.stream(), &d.header, &preference)));
    space_ = std::make_unique<DeviceBuffer>(gpu, plan_->workspace_size);
    args_.a = contents.tensor(ADJ_F64, kNormal, 0), args_.b = contents.tensor(ADJ_F64, kNormal, kShift), args_.d = whole(out_, ADJ_F64);
  }
  void run() const { must(adj::run_plan(*plan_, gpu_.stream(), {space_->data(), space_->bytes()}, &args_.header)); }

 private:
  static constexpr std::int64_t kSide = 512;
  const Gpu& gpu_;
  DeviceBuffer out_;
  std::unique_ptr<DeviceBuffer> space_;
  PlanHandle plan_;
  adj_matmul_args args_;
};

// A thread's stream and memory.
class Worker {
 public:
  Worker(int ordinal, const Contents& contents)
      : gpu_(ordinal),
        contents_(contents),
        api_(*must(adj::cublaslt())),
        d_(gpu_, kMostOut * 8),
        pre_(gpu_, kMostOut * 8),
        dbias_(gpu_, kMostSide * 8),
        sums_(gpu_, kMostOut * 8),
        sums_of_a_(gpu_, kMostSide * 8),
        workspace_(std::make_unique<DeviceBuffer>(gpu_, std::uint64_t{1} << 26)) {}

  // Runs the first choice for a product, or with `all` the other algorithms that a measurement may take.
  void sweep(const Kind& kind, int layout, std::int64_t k, bool all) {
    harness::Rng rng(options.seed * 1'000'003 + static_cast<std::uint64_t>(k * 64 + layout * 16) + static_cast<std::uint64_t>(&kind - kKinds));
    const adj_matmul_descriptor d = draw(rng, kind, layout, k);
    const adj::Sku& sku = *sku_of(kind);
    const adj::Problem problem = problem_of(d, kind.tf32);
    adj::Choices first;
    const auto plan = first_choice(problem, sku, first);
    if (!plan) return;
    const adj::Choices::Part& part = first.parts().at(0);
    refer(d);
    std::int64_t others = 0;
    if (!all) judge(d, sku, *plan, part.taken);
    for (const std::string& alternative : part.offered) {
      if (!all || alternative == part.taken) continue;
      adj::Choices choices;
      choices.want(part.name, alternative);
      auto other = plan_of(problem, sku, choices);
      if (!other) {
        findings.fail(fmt::format("{}: an algorithm that was offered is refused: {}", words(d), other.error().message));
        continue;
      }
      judge(d, sku, **other, alternative);
      ++others;
    }
    std::lock_guard lock(findings.mutex);
    Row& row = findings.rows[sku.id];
    row.first += !all;
    row.others += others;
  }

  // Runs what cuBLASLt offers for a plain product and this library does not take.
  void known_faults(adj_dtype element, int layout, std::int64_t m, std::int64_t n, std::int64_t k) {
    namespace cu = adj::cu;
    adj_matmul_descriptor d;
    d.m = m, d.n = n, d.k = k, d.element = element, d.out = ADJ_F32, d.transpose_a = layout & 1, d.transpose_b = layout >> 1;
    const MatmulProblem p(d);
    auto& device = *must(adj::BlasDevice::of(gpu_.device()));
    must(device.prepare([&](cu::BlasHandle handle) -> adj::Result<void> {
      cu::BlasProduct product = nullptr;
      cu::BlasLayout a = nullptr, b = nullptr, out = nullptr;
      cu::BlasPreference preference = nullptr;
      const auto create = [&](cu::BlasLayout& layout_of, cu::BlasType type, const adj::host::MatrixBatch& stored) {
        check(api_, api_.layout_create(&layout_of, type, static_cast<std::uint64_t>(stored.columns), static_cast<std::uint64_t>(stored.rows), stored.ld),
              "layout");
      };
      check(api_, api_.product_create(&product, cu::kBlasCompute32, cu::kBlasFloat), "product");
      const std::int32_t of_b = d.transpose_b, of_a = d.transpose_a;
      check(api_, api_.product_set(product, cu::kBlasTransposeA, &of_b, sizeof of_b), "product");
      check(api_, api_.product_set(product, cu::kBlasTransposeB, &of_a, sizeof of_a), "product");
      const cu::BlasType type = element == ADJ_F16 ? cu::kBlasHalf : cu::kBlasBfloat16;
      create(a, type, p.a), create(b, type, p.b), create(out, cu::kBlasFloat, p.out);
      check(api_, api_.preference_create(&preference), "preference");
      const std::uint64_t bytes = workspace_->bytes();
      check(api_, api_.preference_set(preference, cu::kBlasMostWorkspace, &bytes, sizeof bytes), "preference");
      check(api_, api_.preference_set(preference, cu::kBlasReductions, &cu::kBlasReduceInCompute, sizeof cu::kBlasReduceInCompute), "preference");
      const std::uint32_t alignment = 16;
      for (int matrix = 0; matrix < 4; ++matrix)
        check(api_, api_.preference_set(preference, cu::kBlasLeastAlignment + matrix, &alignment, sizeof alignment), "preference");
      std::vector<cu::BlasHeuristic> found(32);
      int count = 0;
      if (api_.heuristic(handle, product, b, a, out, out, preference, static_cast<int>(found.size()), found.data(), &count)) count = 0;
      std::int64_t known = 0, wrong = 0;
      std::vector<float> sums(static_cast<std::size_t>(m * n));
      for (int i = 0; i < count; ++i) {
        const adj::BlasConfig config = must(adj::config_of(api_, found[static_cast<std::size_t>(i)].algo));
        if (!adj::distrust_of(config, element, k, cu::kBlasEpilogueNone)) continue;
        ++known;
        d_.fill(0xFF);
        const float one = 1, zero = 0;
        check(api_,
              api_.matmul(handle, product, &one, contents_.at(element, kOnes, 0), b, contents_.at(element, kOnes, 0), a, &zero, d_.data(), out, d_.data(), out,
                          &found[static_cast<std::size_t>(i)].algo, workspace_->data(), bytes, gpu_.handle()),
              "cublasLtMatmul");
        download(d_, sums.data(), sums.size() * sizeof(float));
        const auto bad = std::find_if(sums.begin(), sums.end(), [&](float sum) { return sum != static_cast<float>(k); });
        if (bad == sums.end()) continue;
        ++wrong;
        std::lock_guard lock(findings.mutex);
        if (findings.known_wrong + wrong <= 10)
          fmt::print("cuBLASLt itself: {} x {} x {} {}, {} {}: {} for {}, by {}\n", m, n, k, adj::dtype_name(element), of_a, of_b, *bad, k, describe(config));
      }
      api_.preference_destroy(preference);
      for (cu::BlasLayout one : {a, b, out}) api_.layout_destroy(one);
      api_.product_destroy(product);
      std::lock_guard lock(findings.mutex);
      findings.offered += count, findings.known += known, findings.known_wrong += wrong;
      return {};
    }));
  }

  // Runs every algorithm of a product 200 times, every other run beside another stream, and compares bits.
  void repeat(const adj_matmul_descriptor& d) {
    const int runs = options.host ? 2 : 200;
    const Gpu beside(gpu_.device().ordinal);
    const Noise noise(beside, contents_);
    const adj::Sku& sku = *sku_of({d.element, d.out, false});
    const adj::Problem problem = problem_of(d, false);
    adj::Choices first;
    if (!first_choice(problem, sku, first)) return;
    for (const std::string& alternative : first.parts().at(0).offered) {
      adj::Choices choices;
      choices.want(first.parts().at(0).name, alternative);
      const auto plan = must(plan_of(problem, sku, choices));
      std::vector<std::byte> d0, dbias0, d1, dbias1;
      for (int run = 0; run < runs; ++run) {
        if (run % 2) noise.run();
        execute(d, *plan, kNormal);
        take(d, d1, dbias1);
        if (run == 0) d0 = d1, dbias0 = dbias1;
        if (d0 == d1 && dbias0 == dbias1) continue;
        findings.fail(fmt::format("{} with {}: run {} has other bits of {}", words(d), describe(config(alternative)), run, d0 == d1 ? "dbias" : "d"));
        break;
      }
      beside.synchronize();
      std::lock_guard lock(findings.mutex);
      ++findings.repeated;
    }
  }

 private:
  static std::string words(const adj_matmul_descriptor& d) { return adj::words_of(op(), &d); }
  adj::BlasConfig config(const std::string& alternative) const { return must(adj::config_of(api_, algorithm_of(alternative))); }

  adj::Problem problem_of(const adj_matmul_descriptor& d, bool fast) const {
    adj_preference preference;
    if (fast) preference.math = ADJ_MATH_FAST;
    return {must(adj::DescriptorCopy::make(&d.header)), &op(), &gpu_.device(), preference};
  }
  adj::Result<std::unique_ptr<adj::Plan>> plan_of(const adj::Problem& problem, const adj::Sku& sku, adj::Choices& choices) const {
    adj::Sources sources{};
    adj::Attempt attempt = adj::load_candidate(adj::plan_candidate(problem, gpu_.stream(), sku, &choices), problem, sources);
    if (!attempt.plan) return attempt.error;
    must(adj::complete(*attempt.plan, problem));
    return std::move(attempt.plan);
  }
  // The plan with the first choice of the heuristics; null where cuBLASLt takes no such alignment, or offers only algorithms that are refused.
  std::unique_ptr<adj::Plan> first_choice(const adj::Problem& problem, const adj::Sku& sku, adj::Choices& choices) const {
    auto plan = plan_of(problem, sku, choices);
    if (plan) return std::move(*plan);
    if (plan.error().code != ADJ_ERROR_UNSUPPORTED) throw std::runtime_error(plan.error().message);
    ++findings.declined;
    return nullptr;
  }

  void download(const DeviceBuffer& from, void* to, std::size_t bytes) const {
    harness::check(gpu_.api().memcpy_dtoh_async(to, reinterpret_cast<adj::cu::DevicePtr>(from.data()), bytes, gpu_.handle()), "cuMemcpyDtoHAsync");
    gpu_.synchronize();
  }
  adj_workspace workspace(std::uint64_t bytes) {
    if (bytes > workspace_->bytes()) workspace_ = nullptr, workspace_ = std::make_unique<DeviceBuffer>(gpu_, bytes);
    return {workspace_->data(), workspace_->bytes()};
  }

  // Sums of products of the integers, and of the columns of A, by this library in f64.
  void refer(const adj_matmul_descriptor& d) {
    adj_matmul_descriptor r = d;
    r.element = ADJ_F64, r.out = {};
    r.alpha = 1, r.beta = 0, r.epilogue = {}, r.has_bias = r.has_preactivation = 0, r.write_mode = {}, r.ldd = r.stride_d = 0;
    adj_preference preference;
    if (!options.host) preference.sku = "matmul/tiles/*";
    const adj_stream stream = options.host ? adj::host_stream() : gpu_.stream();
    const PlanHandle plan(must(adj::select_plan(stream, &r.header, &preference)));
    adj_matmul_args args;
    args.a = contents_.tensor(ADJ_F64, kIntegers, 0), args.b = contents_.tensor(ADJ_F64, kIntegers, kShift);
    args.d = whole(sums_, ADJ_F64);
    if (d.has_dbias) args.dbias = whole(sums_of_a_, ADJ_F64);
    must(adj::run_plan(*plan, stream, workspace(plan->workspace_size), &args.header));
    products_.resize(static_cast<std::size_t>(d.batch * d.m * d.n));
    columns_.resize(static_cast<std::size_t>(d.m));
    download(sums_, products_.data(), products_.size() * sizeof(double));
    download(sums_of_a_, columns_.data(), columns_.size() * sizeof(double));
  }

  void execute(const adj_matmul_descriptor& d, const adj::Plan& plan, Set set) {
    const MatmulProblem p(d);
    const bool adds = d.write_mode == ADJ_WRITE_ACCUMULATE;
    const auto prepare = [&](const DeviceBuffer& buffer, std::int64_t elements) {
      const std::size_t bytes = static_cast<std::size_t>(elements) * adj::size_of(d.out);
      const auto to = reinterpret_cast<adj::cu::DevicePtr>(buffer.data());
      if (!adds) harness::check(gpu_.api().memset_d8_async(to, 0xFF, bytes, gpu_.handle()), "cuMemsetD8Async");
      else
        harness::check(gpu_.api().memcpy_dtod_async(to, reinterpret_cast<adj::cu::DevicePtr>(contents_.at(d.out, kIntegers, kBefore)), bytes, gpu_.handle()),
                       "cuMemcpyDtoDAsync");
    };
    prepare(d_, p.out.span(d.batch));
    prepare(pre_, p.out.span(d.batch));
    prepare(dbias_, d.m);
    adj_matmul_args args;
    args.a = contents_.tensor(d.element, set, 0), args.b = contents_.tensor(d.element, set, kShift);
    args.d = whole(d_, d.out);
    if (d.has_bias) args.bias = contents_.tensor(d.out, kIntegers, kBias);
    if (d.beta != 0) args.c = contents_.tensor(d.out, kIntegers, kOther);
    if (p.gelu_gradient()) args.saved = contents_.tensor(d.out, kIntegers, kOther);
    if (d.has_preactivation) args.preactivation = whole(pre_, d.out);
    if (d.has_dbias) args.dbias = whole(dbias_, d.out);
    must(adj::run_plan(plan, gpu_.stream(), workspace(plan.workspace_size), &args.header));
  }
  void take(const adj_matmul_descriptor& d, std::vector<std::byte>& out, std::vector<std::byte>& dbias) const {
    out.resize(static_cast<std::size_t>(MatmulProblem(d).out.span(d.batch)) * adj::size_of(d.out));
    dbias.resize(static_cast<std::size_t>(d.m) * adj::size_of(d.out));
    download(d_, out.data(), out.size());
    download(dbias_, dbias.data(), dbias.size());
  }

  void judge(const adj_matmul_descriptor& d, const adj::Sku& sku, const adj::Plan& plan, const std::string& alternative) {
    // A stand-in of the driver runs no kernel.
    if (options.host && std::any_of(plan.steps.begin(), plan.steps.end(), [](const adj::Step& step) { return std::holds_alternative<adj::KernelStep>(step); }))
      return;
    const adj::BlasConfig c = config(alternative);
    double worst = 0;
    bool wrong = false;
    for (const Set set : {kOnes, kIntegers}) {
      execute(d, plan, set);
      const std::string problem = compare(d, plan.guarantee, set, worst);
      if (problem.empty()) continue;
      wrong = true;
      findings.fail(fmt::format("{} of {}, {}: {}", words(d), set == kOnes ? "ones" : "integers", describe(c), problem));
    }
    std::lock_guard lock(findings.mutex);
    Row& row = findings.rows[sku.id];
    row.worst = std::max(row.worst, worst);
    row.wrong += wrong;
    ++findings.algorithms[{c.id, c.splits > 1 ? "split" : "whole"}];
  }

  // Compares what the last run wrote. Sums are exact, so that only the epilogue has an error of its own; its terms are the magnitude of what it is of.
  std::string compare(const adj_matmul_descriptor& d, const adj_guarantee& guarantee, Set set, double& worst) {
    const MatmulProblem p(d);
    const bool curved = p.gelu() || p.gelu_gradient(), adds = p.accumulates(), rounds_twice = may_round_twice(d);
    const auto integer = [&](std::int64_t i) { return contents_.integers[static_cast<std::size_t>(i)]; };
    std::string problem;
    const auto compare_one = [&](const char* name, std::int64_t i, std::int64_t j, double got, double want, double terms, double rounding) {
      const double allowed =
          guarantee.bound_ulp * harness::ulp(std::fabs(want) + rounding, d.out) + guarantee.bound_terms * terms + guarantee.bound_absolute + rounding;
      const double error = std::fabs(got - want) / allowed;
      if (error <= 1) worst = std::max(worst, error);
      else if (problem.empty()) problem = fmt::format("{}[{}, {}] is {} for {}", name, i, j, got, want);
    };
    adj::with_float(d.out, [&](auto* element) {
      using T = std::remove_pointer_t<decltype(element)>;
      std::vector<T> out(static_cast<std::size_t>(p.out.span(d.batch))), pre(d.has_preactivation ? out.size() : 0), dbias(static_cast<std::size_t>(d.m));
      download(d_, out.data(), out.size() * sizeof(T));
      if (!pre.empty()) download(pre_, pre.data(), pre.size() * sizeof(T));
      for (std::int64_t b = 0; b < d.batch; ++b)
        for (std::int64_t i = 0; i < d.m; ++i)
          for (std::int64_t j = 0; j < d.n; ++j) {
            const std::int64_t at = b * p.out.stride + i * p.out.ld + j;
            double z = d.alpha * (set == kOnes ? static_cast<double>(d.k) : products_[static_cast<std::size_t>((b * d.m + i) * d.n + j)]);
            const double rounding = rounds_twice ? 0.5 * harness::ulp(z, d.out) : 0;
            if (d.has_bias) z += integer(kBias + j);
            if (d.beta != 0) z += d.beta * integer(kOther + at);
            if (adds) z += integer(kBefore + at);
            if (!pre.empty()) compare_one("preactivation", b * d.m + i, j, adj::to_double(pre[static_cast<std::size_t>(at)]), z, 0, rounding);
            const double slope = p.gelu() ? 1.13 : p.gelu_gradient() ? std::fabs(gelu_slope(integer(kOther + at))) : 1;
            const double want = p.gelu() ? gelu(z) : p.gelu_gradient() ? z * gelu_slope(integer(kOther + at)) : z;
            compare_one("d", b * d.m + i, j, adj::to_double(out[static_cast<std::size_t>(at)]), want, curved ? 1.13 * std::fabs(z) : 0, slope * rounding);
          }
      if (!d.has_dbias) return;
      download(dbias_, dbias.data(), dbias.size() * sizeof(T));
      for (std::int64_t i = 0; i < d.m; ++i) {
        const double sum = set == kOnes ? static_cast<double>(d.k) : columns_[static_cast<std::size_t>(i)];
        compare_one("dbias", i, 0, adj::to_double(dbias[static_cast<std::size_t>(i)]), sum + (adds ? integer(kBefore + i) : 0), 0,
                    adds && rounds_twice ? 0.5 * harness::ulp(sum, d.out) : 0);
      }
    });
    return problem;
  }

  Gpu gpu_;
  const Contents& contents_;
  const adj::cu::BlasApi& api_;
  DeviceBuffer d_, pre_, dbias_, sums_, sums_of_a_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::vector<double> products_, columns_;
};

using Clock = std::chrono::steady_clock;

// Calls task(worker, i) for i below `count` on all workers, until the deadline. Returns how many were called.
template <class Task>
std::size_t share_out(std::vector<std::unique_ptr<Worker>>& workers, std::size_t count, Clock::time_point deadline, Task task) {
  std::atomic<std::size_t> next{0}, done{0};
  const auto work = [&](Worker& worker) {
    try {
      for (std::size_t i; Clock::now() < deadline && (i = next++) < count; ++done) task(worker, i);
    } catch (const std::exception& e) {
      next = count;
      findings.fail(e.what());
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i) threads.emplace_back(work, std::ref(*workers[i]));
  work(*workers[0]);
  threads.clear();
  return done;
}

int run() {
  const Gpu gpu;
  fmt::print("{} ({}), {}\nseed {}\n", gpu.device().name, adj::arch_name(gpu.device().cc), harness::versions_of_libraries(), options.seed);
  const Contents contents(gpu);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < options.jobs; ++i) workers.push_back(std::make_unique<Worker>(gpu.device().ordinal, contents));
  const std::vector<std::int64_t> all = depths();
  constexpr std::size_t kOfDepth = kLayouts * std::size(kKinds);
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };

  static constexpr std::int64_t kShapes[][2] = {{1, 8}, {8, 8}, {16, 64}, {64, 64}, {128, 128}, {32, 256}};
  share_out(workers, all.size() * kLayouts, Clock::time_point::max(), [&](Worker& worker, std::size_t i) {
    const std::int64_t k = all[i / kLayouts];
    if (k % 64 == 0) return;
    for (const auto& [m, n] : kShapes) worker.known_faults((i + static_cast<std::size_t>(n)) % 3 ? ADJ_F16 : ADJ_BF16, static_cast<int>(i % kLayouts), m, n, k);
  });
  fmt::print("{:6.1f} s: cuBLASLt offered {} algorithms; this library refuses {} of them, of which {} gave a wrong product of ones\n", seconds(),
             findings.offered, findings.known, findings.known_wrong);

  const auto of_depth = [&](bool others) {
    return [&, others](Worker& worker, std::size_t i) {
      worker.sweep(kKinds[i % std::size(kKinds)], static_cast<int>(i / std::size(kKinds) % kLayouts), all[i / kOfDepth], others);
    };
  };
  share_out(workers, all.size() * kOfDepth, Clock::time_point::max(), of_depth(false));
  fmt::print("{:6.1f} s: the first choice at {} depths\n", seconds(), all.size());
  const std::size_t tried =
      share_out(workers, all.size() * kOfDepth, Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds)),
                of_depth(true));
  fmt::print("{:6.1f} s: all other algorithms of {} in {} products\n", seconds(), tried, all.size() * kOfDepth);

  std::vector<adj_matmul_descriptor> repeated;
  static constexpr std::int64_t kDeep[][3] = {{128, 128, 32768}, {256, 192, 16384}, {64, 64, 30008}, {8, 8, 12808}, {128, 64, 9992}};
  for (const auto& [m, n, k] : kDeep)
    for (const auto& [element, out] : {std::pair{ADJ_BF16, ADJ_F32}, {ADJ_BF16, ADJ_BF16}, {ADJ_F16, ADJ_F32}, {ADJ_F32, ADJ_F32}}) {
      adj_matmul_descriptor d;
      d.m = m, d.n = n, d.k = std::min(k, options.most), d.element = element, d.out = out, d.transpose_a = d.has_dbias = 1;
      repeated.push_back(d);
    }
  share_out(workers, repeated.size(), Clock::time_point::max(), [&](Worker& worker, std::size_t i) { worker.repeat(repeated[i]); });
  fmt::print("{:6.1f} s: 200 runs of each of {} algorithms of products with dbias, every other one beside another stream\n", seconds(), findings.repeated);
  fmt::print("{:>8} plans were left to other SKUs\n", findings.declined.load());

  fmt::print("\n{:<40} {:>9} {:>9} {:>9} {:>9}\n", "SKU", "first", "others", "wrong", "err/bound");
  for (const auto& [sku, row] : findings.rows) fmt::print("{:<40} {:>9} {:>9} {:>9} {:>9.3f}\n", sku, row.first, row.others, row.wrong, row.worst);
  fmt::print("\nalgorithms that ran:");
  for (const auto& [algorithm, count] : findings.algorithms) fmt::print(" {} {} ({})", algorithm.first, algorithm.second, count);
  std::int64_t runs = 0;
  for (const auto& [sku, row] : findings.rows) runs += row.first + row.others;
  fmt::print("\n{} failures\n", findings.failures);
  if (runs == 0) fmt::print("FAILED nothing was run\n");
  return findings.failures || runs == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares products through cuBLASLt with exact ones.", "product_test");
  app.add_option("--seconds", options.seconds, "for the algorithms that are no first choice")->capture_default_str();
  app.add_option("--seed", options.seed, "of all that is drawn")->capture_default_str();
  app.add_option("--jobs", options.jobs, "threads, each with a stream of its own")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--least", options.least, "least depth")->capture_default_str();
  app.add_option("--most", options.most, "largest depth")->check(CLI::Range(std::int64_t{1}, kMostDepth))->capture_default_str();
  app.add_option("--count", options.count, "depths, drawn from all; 0: all of them");
  app.add_flag("--host", options.host, "the sums are computed by the host, which must reach device memory: for stand-ins of the driver");
  CLI11_PARSE(app, argc, argv);
  auto count = adj::device_count();
  auto blas = adj::cublaslt();
  if (!count || *count == 0 || !blas) {
    fmt::print("skipped: {}\n", !count ? count.error().message : *count == 0 ? "no CUDA device" : blas.error().message);
    return 77;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return run();
  } catch (const std::exception& e) {
    fmt::print("FAILED {}\n", e.what());
    return 1;
  }
}

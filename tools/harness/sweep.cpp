#include "harness/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/text.hpp"
#include "harness/accuracy.hpp"
#include "harness/plans.hpp"
#include "harness/random.hpp"
#include "harness/verify.hpp"

namespace harness {

namespace {

struct Row {
  int skus = 0, runs = 0, failed = 0, elsewhere = 0;
  double worst = 0, seconds = 0;
  std::string worst_case;

  void add(const Row& other) {
    skus += other.skus;
    runs += other.runs;
    failed += other.failed;
    elsewhere += other.elsewhere;
    seconds += other.seconds;
    if (other.worst > worst) worst = other.worst, worst_case = other.worst_case;
  }
};

std::string row_name(const adj::Sku& sku) { return fmt::format("{}/{}", sku.op->name, sku.variant->algorithm); }

// True for kernels, and calls of cuDNN and cuBLASLt, that the device can run. Calls of NCCL need several ranks.
bool can_run(const adj::Device& device, const adj::Variant& v) {
  if (v.backend != ADJ_BACKEND_BESPOKE && v.backend != ADJ_BACKEND_CUDNN && v.backend != ADJ_BACKEND_CUBLASLT) return false;
  return device.cc >= v.min_cc && (!v.exact_cc || v.exact_cc == device.cc);
}

// Larger problems get one trial instead of all: they test sizes, and cost seconds each.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20;

Outcome attempt(const Gpu& gpu, const Case& c, const adj::Sku& sku, const Outputs& reference, const Trials& trials) {
  try {
    return verify_on_gpu(gpu, c, sku, reference, trials);
  } catch (const std::exception& e) {
    Outcome outcome;
    outcome.ok = false;
    outcome.message = fmt::format("{} on {}: {}", c.name, sku.id, e.what());
    return outcome;
  }
}

// Lets problems run side by side while their bytes together fit a budget. A problem larger than the budget runs alone.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes) : left_(bytes), all_(bytes) {}
  class Share {
   public:
    Share(MemoryBudget& budget, std::uint64_t bytes) : budget_(budget), bytes_(std::min(bytes, budget.all_)) {
      std::unique_lock lock(budget_.mutex_);
      budget_.freed_.wait(lock, [&] { return budget_.left_ >= bytes_; });
      budget_.left_ -= bytes_;
    }
    ~Share() {
      {
        std::lock_guard lock(budget_.mutex_);
        budget_.left_ += bytes_;
      }
      budget_.freed_.notify_all();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    std::uint64_t bytes_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  std::uint64_t left_, all_;
};

}  // namespace

namespace {

bool chosen(const Gpu& gpu, const SweepOptions& options, const adj::Sku& sku) {
  return can_run(gpu.device(), *sku.variant) && std::ranges::any_of(options.globs, [&](const std::string& glob) { return adj::glob_match(glob, sku.id); });
}

}  // namespace

SweepResult sweep_random(const Gpu& gpu, const SweepOptions& options, double seconds) {
  SweepResult result;
  std::vector<std::vector<const adj::Sku*>> problems;  // SKUs of one operator and its element types
  for (const adj::Sku& sku : adj::all_skus()) {
    if (!random_case_of(sku.op->id) || !chosen(gpu, options, sku)) continue;
    const auto same = std::ranges::find_if(problems, [&](const auto& skus) { return skus[0]->op == sku.op && skus[0]->signature == sku.signature; });
    if (same == problems.end()) problems.push_back({&sku});
    else same->push_back(&sku);
  }
  if (problems.empty()) return result;
  std::map<std::string, Row> rows;
  std::mutex mutex;  // guards result and rows
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::atomic<std::uint64_t> next{0};
  const auto try_case = [&](const Gpu& mine, std::uint64_t seed) {
    Rng rng(seed);
    const std::vector<const adj::Sku*>& candidates = problems[rng() % problems.size()];
    const adj::OpInfo& op = *candidates[0]->op;
    const std::string again = fmt::format("{}, seed {}", op.name, seed);
    const auto fail = [&](const std::string& message) {
      std::lock_guard lock(mutex);
      ++result.failures;
      fmt::print(options.text, "FAILED {}: {}\n", again, message);
      std::fflush(options.text);
    };
    try {
      const Case c = random_case_of(op.id)(candidates[0]->signature, seed);
      const auto reference = run_reference(*c.problem);
      if (!reference) return fail(c.name + ": " + reference.error().message);
      for (const adj::Sku* sku : candidates) {
        Row row;
        const auto plan = select_sku(mine.stream(), *c.problem, *sku);
        if (!plan && plan.error().code != ADJ_ERROR_UNSUPPORTED && plan.error().code != ADJ_ERROR_BACKEND_UNAVAILABLE) {
          fail(fmt::format("{} on {}: {}", c.name, sku->id, plan.error().message));
          continue;
        }
        if (!plan) {
          row.elsewhere = 1;
        } else {
          const Outcome outcome = attempt(mine, c, *sku, *reference, {.repeats = 1, .graph = false, .bound = false});
          row.runs = 1, row.failed = !outcome.ok, row.worst = outcome.worst, row.worst_case = c.name;
          if (!outcome.ok) fail(outcome.message);
        }
        std::lock_guard lock(mutex);
        result.runs += row.runs;
        rows[row_name(*sku)].add(row);
      }
    } catch (const std::exception& e) { fail(e.what()); }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < options.jobs; ++i)
      threads.emplace_back([&] {
        const Gpu mine(gpu.device().ordinal);
        do try_case(mine, options.seed + next++);
        while (std::chrono::steady_clock::now() < deadline);
      });
  }
  fmt::print(options.text, "\n{} cases, seeds {} to {}\n{:<56} {:>6} {:>7} {:>9}  {:>9}\n", next.load(), options.seed, options.seed + next - 1,
             "operator/algorithm", "runs", "failed", "elsewhere", "err/bound");
  for (const auto& [name, r] : rows) fmt::print(options.text, "{:<56} {:>6} {:>7} {:>9}  {:>9.3f}\n", name, r.runs, r.failed, r.elsewhere, r.worst);
  return result;
}

SweepResult sweep(const Gpu& gpu, const SweepOptions& options) {
  SweepResult result;
  std::map<std::string, Row> rows;
  Accuracies accuracy;
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  std::map<std::string, int> waiting;  // number of SKUs of a row that are not done
  std::mutex mutex;                    // guards result, rows, accuracy, failures and waiting
  MemoryBudget budget(std::min<std::uint64_t>(gpu.device().memory / 8, std::uint64_t{12} << 30));
  auto report_failure = [&](const std::string& sku, const std::string& message) {
    ++result.failures;
    fmt::print(options.text, "FAILED {}\n", message);
    failures.push_back({{"sku", sku}, {"message", message}});
  };
  auto try_sku = [&](const Gpu& mine, const adj::Sku& sku) {
    Row row;
    row.skus = 1;
    const auto start = std::chrono::steady_clock::now();
    int applicable = 0;
    bool unavailable = false;
    auto cases = cases_of(sku.op->id)(sku.signature, options.level, options.seed);
    std::erase_if(cases, [&](const Case& c) { return c.name.find(options.case_text) == std::string::npos; });
    TriedAbsences tried;
    auto count = [&](const Case& c, const Outcome& outcome, std::uint64_t misalign) {
      ++row.runs;
      if (outcome.worst > row.worst) row.worst = outcome.worst, row.worst_case = c.name;
      std::lock_guard lock(mutex);
      accuracy[{sku.op->name, adj::dtype_name(sku.signature[0])}].add(outcome.worst, outcome.worst_ulp, sku.guarantee);
      if (outcome.ok) return;
      ++row.failed;
      report_failure(sku.id, outcome.message + (misalign ? " (bases moved by one element)" : ""));
    };
    for (const Case& c : cases) {
      const auto plan = select_sku(mine.stream(), *c.problem, sku);
      if (!plan && (plan.error().code == ADJ_ERROR_UNSUPPORTED || plan.error().code == ADJ_ERROR_BACKEND_UNAVAILABLE)) {
        ++row.elsewhere;  // another SKU of the operator serves this problem
        unavailable |= plan.error().code == ADJ_ERROR_BACKEND_UNAVAILABLE;
        continue;
      }
      if (applicable++ % options.every != 0) continue;
      const std::uint64_t bytes = bytes_of(*c.problem);
      const MemoryBudget::Share share(budget, bytes);
      const auto reference = c.unspecified ? Outputs() : run_reference(*c.problem);  // the host may refuse what a device leaves open
      if (!reference) throw std::runtime_error(c.name + ": " + reference.error().message);
      const bool once = options.once || bytes > kLargeBytes;
      for (const std::uint64_t misalign : {0, 1}) {
        if (misalign && sku.variant->backend != ADJ_BACKEND_BESPOKE) continue;  // libraries refuse such addresses
        const Trials trials{.repeats = once ? 1 : 3, .graph = !once, .bound = !once, .apart = options.once, .misalign = misalign};
        count(c, attempt(mine, c, sku, *reference, trials), misalign);
      }
      if (!plan || bytes > kLargeBytes) continue;
      for (const Absence& absence : absences_of(c, programs_of(**plan), tried)) {
        const auto rest = run_reference(*absence.c.problem);
        if (!rest) throw std::runtime_error(absence.c.name + ": " + rest.error().message);
        count(absence.c, attempt(mine, absence.c, sku, *rest, {.repeats = 1, .graph = false, .bound = !options.once, .apart = options.once}), 0);
      }
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::lock_guard lock(mutex);
    // An operator without cases runs the caller's code or needs several ranks; it has tests of its own.
    if (applicable == 0 && !cases.empty() && !unavailable && options.case_text.empty()) report_failure(sku.id, sku.id + ": no case applies to it");
    if (applicable == 0 && unavailable) {
      ++result.skipped;
      fmt::print(options.text, "SKIPPED {}: its library cannot be loaded\n", sku.id);
    }
    result.runs += row.runs;
    Row& r = rows[row_name(sku)];
    r.add(row);
    if (--waiting[row_name(sku)] == 0)
      fmt::print(options.text, "{:<56} {:>5} {:>6} {:>7}  {:>9.3f} {:>8.1f}\n", row_name(sku), r.skus, r.runs, r.failed, r.worst, r.seconds);
    std::fflush(options.text);
  };

  std::vector<const adj::Sku*> skus;
  for (const adj::Sku& sku : adj::all_skus())
    if (chosen(gpu, options, sku)) {
      skus.push_back(&sku);
      ++waiting[row_name(sku)];
    }
  fmt::print(options.text, "\n{:<56} {:>5} {:>6} {:>7}  {:>9} {:>8}\n", "operator/algorithm", "SKUs", "runs", "failed", "err/bound", "seconds");
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    const Gpu mine(gpu.device().ordinal);  // a stream of its own, so that kernels of several streams run at once
    for (std::size_t i; (i = next++) < skus.size();) {
      try {
        try_sku(mine, *skus[i]);
      } catch (const std::exception& e) {
        std::lock_guard lock(mutex);
        report_failure(skus[i]->id, fmt::format("{}: {}", skus[i]->id, e.what()));
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(options.jobs, skus.size()); ++i) threads.emplace_back(work);
    work();
  }

  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  for (const auto& [name, r] : rows)
    table.push_back({{"kernel", name},
                     {"skus", r.skus},
                     {"runs", r.runs},
                     {"failed", r.failed},
                     {"not_applicable", r.elsewhere},
                     {"worst_error_over_bound", r.worst},
                     {"worst_case", r.worst_case},
                     {"seconds", r.seconds}});
  result.report = {{"device", gpu.device().name},
                   {"seed", options.seed},
                   {"every", options.every},
                   {"table", table},
                   {"accuracy", nlohmann::ordered_json::parse(json_of(accuracy))},
                   {"failures", failures}};
  return result;
}

}  // namespace harness

#include "harness/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>

#include "base/text.hpp"

namespace harness {

namespace {

struct Row {
  int skus = 0, runs = 0, failed = 0, elsewhere = 0;
  double worst = 0, seconds = 0;
  std::string worst_case;
};

bool can_run(const adj::Device& device, const adj::Variant& v) {
  return v.backend == ADJ_BACKEND_BESPOKE && device.cc >= v.min_cc && (!v.exact_cc || v.exact_cc == device.cc);
}

// Problems beyond this get one trial instead of all: they are there for their sizes, and cost seconds each.
constexpr std::uint64_t kLargeBytes = std::uint64_t{64} << 20;

std::uint64_t bytes_of(const Problem& problem) {
  std::uint64_t bytes = 0;
  for (const Problem::SlotContents& c : problem.contents())
    for (const Data& d : c.data) bytes += d.bytes.size();
  return bytes;
}

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

}  // namespace

SweepResult sweep(const Gpu& gpu, const SweepOptions& options) {
  SweepResult result;
  std::map<std::string, Row> rows;
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  auto report_failure = [&](const std::string& sku, const std::string& message) {
    ++result.failures;
    fmt::print("FAILED {}\n", message);
    failures.push_back({{"sku", sku}, {"message", message}});
  };
  for (const adj::Sku& sku : adj::all_skus()) {
    if (!can_run(gpu.device(), *sku.variant) || !adj::glob_match(options.glob, sku.id)) continue;
    Row& row = rows[fmt::format("{}/{}", sku.op->name, sku.variant->algorithm)];
    ++row.skus;
    const auto start = std::chrono::steady_clock::now();
    int applicable = 0;
    for (const Case& c : cases_of(sku.op->id)(sku.signature, options.level, options.seed)) {
      if (auto ok = accepts(gpu, *c.problem, sku); !ok && ok.error().code == ADJ_ERROR_UNSUPPORTED) {
        ++row.elsewhere;  // another SKU of the operator serves this problem
        continue;
      }
      ++applicable;
      const auto reference = run_reference(*c.problem);
      if (!reference) throw std::runtime_error(c.name + ": " + reference.error().message);
      const bool once = options.once || bytes_of(*c.problem) > kLargeBytes;
      for (const std::uint64_t misalign : {0, 1}) {
        const Trials trials{.repeats = once ? 1 : 3, .graph = !once, .bound = !once, .misalign = misalign};
        const Outcome outcome = attempt(gpu, c, sku, *reference, trials);
        ++row.runs;
        ++result.runs;
        if (outcome.worst > row.worst) row.worst = outcome.worst, row.worst_case = c.name;
        if (!outcome.ok) {
          ++row.failed;
          report_failure(sku.id, outcome.message + (misalign ? " (bases moved by one element)" : ""));
        }
      }
    }
    if (applicable == 0) report_failure(sku.id, sku.id + ": no case applies to it");
    row.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  fmt::print("\n{:<56} {:>5} {:>6} {:>7}  {:>9} {:>8}\n", "operator/algorithm", "SKUs", "runs", "failed", "err/bound", "seconds");
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  for (const auto& [name, r] : rows) {
    fmt::print("{:<56} {:>5} {:>6} {:>7}  {:>9.3f} {:>8.1f}\n", name, r.skus, r.runs, r.failed, r.worst, r.seconds);
    table.push_back({{"kernel", name}, {"skus", r.skus}, {"runs", r.runs}, {"failed", r.failed}, {"not_applicable", r.elsewhere},
                     {"worst_error_over_bound", r.worst}, {"worst_case", r.worst_case}, {"seconds", r.seconds}});
  }
  result.report = {{"device", gpu.device().name}, {"seed", options.seed}, {"table", table}, {"failures", failures}};
  return result;
}

}  // namespace harness

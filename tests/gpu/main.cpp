// Every SKU that this GPU can run, against the host backend: error inside the SKU's bound, equal bits over repeated, captured and
// bound runs, nothing written beside any buffer. Exit 77 without a GPU.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "harness/gpu.hpp"

using namespace harness;

int main(int argc, char** argv) {
  CLI::App app("Runs every SKU on a GPU against the host backend.", "gpu_test");
  std::string glob = "*", json;
  bool quick = false, no_trials = false;
  std::uint64_t seed = 20240229;
  app.add_option("--sku", glob, "only SKUs that match this glob");
  app.add_option("--json", json, "write the results to this file");
  app.add_option("--seed", seed, "of the random contents")->capture_default_str();
  app.add_flag("--quick", quick, "small cases only (for compute-sanitizer)");
  app.add_flag("--once", no_trials, "one run per case, without repetition, graphs and binding");
  CLI11_PARSE(app, argc, argv);
  if (adj::device_count() == 0) {
    auto api = adj::cuda();
    fmt::print("skipped: {}\n", api ? "no CUDA device" : api.error().message);
    return 77;
  }
  struct Row {
    int skus = 0, cases = 0, failed = 0, inapplicable = 0;
    double worst = 0, seconds = 0;
    std::string worst_case;
  };
  std::map<std::string, Row> rows;
  nlohmann::ordered_json details = nlohmann::ordered_json::array();
  int failures = 0;
  try {
    const Gpu gpu;
    fmt::print("{} on {}, seed {}\n", gpu.device().name, adj::arch_name(gpu.device().cc), seed);
    for (const adj::Sku& sku : adj::all_skus()) {
      const adj::Variant& v = *sku.variant;
      if (v.backend != ADJ_BACKEND_BESPOKE || !adj::glob_match(glob, sku.id)) continue;
      if (gpu.device().cc < v.min_cc || (v.exact_cc && v.exact_cc != gpu.device().cc)) continue;
      Row& row = rows[fmt::format("{}/{}", sku.op->name, v.algorithm)];
      ++row.skus;
      const auto start = std::chrono::steady_clock::now();
      int applicable = 0;
      for (const Case& c : cases_of(sku.op->id)(sku.signature, quick ? Level::quick : Level::full, seed)) {
        for (std::uint64_t misalign : {0, 1}) {
          Trials trials;
          trials.misalign = misalign;
          if (no_trials) trials = {1, false, false, misalign};
          Outcome outcome;
          try {
            outcome = verify_on_gpu(gpu, c, sku, trials);
          } catch (const std::exception& e) {
            outcome.ok = false;
            outcome.message = fmt::format("{} on {}: {}", c.name, sku.id, e.what());
          }
          if (!outcome.applicable) {
            ++row.inapplicable;
            break;
          }
          ++applicable;
          ++row.cases;
          if (outcome.worst > row.worst) row.worst = outcome.worst, row.worst_case = c.name;
          if (!outcome.ok) {
            ++failures;
            ++row.failed;
            fmt::print("FAILED{} {}\n", misalign ? " (misaligned)" : "", outcome.message);
            details.push_back({{"sku", sku.id}, {"case", c.name}, {"misalign", misalign}, {"message", outcome.message}});
          }
        }
      }
      if (applicable == 0) {
        ++failures;
        fmt::print("FAILED {}: no case applies to it\n", sku.id);
      }
      row.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  } catch (const std::exception& e) {
    fmt::print("FAILED {}\n", e.what());
    ++failures;
  }
  fmt::print("\n{:<56} {:>5} {:>6} {:>7} {:>7}  {:>9} {:>8}\n", "operator/algorithm", "SKUs", "runs", "failed", "others", "err/bound", "seconds");
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  int runs = 0;
  for (const auto& [name, r] : rows) {
    fmt::print("{:<56} {:>5} {:>6} {:>7} {:>7}  {:>9.3f} {:>8.1f}\n", name, r.skus, r.cases, r.failed, r.inapplicable, r.worst, r.seconds);
    table.push_back({{"kernel", name}, {"skus", r.skus}, {"runs", r.cases}, {"failed", r.failed}, {"worst", r.worst}, {"worst_case", r.worst_case}});
    runs += r.cases;
  }
  if (!json.empty()) std::ofstream(json) << nlohmann::ordered_json{{"table", table}, {"failures", details}}.dump(1) << "\n";
  fmt::print("{} passed, {} failed\n", runs - failures, failures);
  return failures || runs == 0 ? 1 : 0;
}

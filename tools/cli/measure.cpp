// adjoint verify and adjoint bench: the commands that run kernels. They use the engine itself, beyond the C interface.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

#include "bench/bench.hpp"
#include "commands.hpp"
#include "harness/sweep.hpp"

namespace {

void save(const std::string& path, const nlohmann::ordered_json& report) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << report.dump(1) << "\n";
  if (!file.flush()) throw std::runtime_error(fmt::format("cannot write '{}'", path));
}

// Why there is no GPU to run on; empty when there is one.
std::string missing_gpu() {
  auto api = adj::cuda();
  if (!api) return api.error().message;
  auto count = adj::device_count();
  if (!count) return count.error().message;
  return *count > 0 ? "" : "the driver finds no CUDA device";
}

}  // namespace

void add_verify(CLI::App& app) {
  CLI::App* command = app.add_subcommand("verify", "run every SKU this machine can run against the host backend");
  auto options = std::make_shared<harness::SweepOptions>();
  options->jobs = std::max(1u, std::thread::hardware_concurrency());
  auto op = std::make_shared<std::string>("*");
  auto json = std::make_shared<std::string>();
  auto full = std::make_shared<bool>(false);
  command->add_option("--op", *op, "only operators that match this glob")->capture_default_str();
  command->add_flag("--full", *full, "large problems too, as the GPU test runs them");
  command->add_option("--seed", options->seed, "of the random contents")->capture_default_str();
  command->add_option("--json", *json, "write the results to this file");
  command->callback([=] {
    if (const std::string why = missing_gpu(); !why.empty()) {
      fmt::print("nothing to verify: {}; the host backend is what kernels are verified against\n", why);
      save(*json, {{"device", nullptr}, {"table", nlohmann::ordered_json::array()}, {"failures", nlohmann::ordered_json::array()}});
      return;
    }
    options->globs = {*op + "/*"};
    options->level = *full ? harness::Level::full : harness::Level::quick;
    const harness::Gpu gpu;
    fmt::print("{} ({}), seed {}\n", gpu.device().name, adj::arch_name(gpu.device().cc), options->seed);
    const harness::SweepResult result = harness::sweep(gpu, *options);
    save(*json, result.report);
    fmt::print("{} passed, {} failed\n", result.runs - result.failures, result.failures);
    if (result.runs == 0) throw std::runtime_error(fmt::format("no operator matches '{}'", *op));
    if (result.failures) throw CLI::RuntimeError(1);
  });
}

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "device time next to the copy ceiling of the same run, and host time per call");
  auto options = std::make_shared<bench::Options>();
  auto json = std::make_shared<std::string>();
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("PROBLEM", *words, "instead of the cases of the table: OPERATOR FIELD=VALUE..., then +ARGUMENT for one that may be left out, "
                      "ARGUMENT:<N for integers below N, ARGUMENT:positive, ARGUMENT:VALUE of a scalar, ARGUMENT:OTHER for the buffer of another, ARGUMENT:in for what is only read");
  command->add_option("--case", options->glob, "only cases that match this glob")->capture_default_str();
  command->add_option("--sku", options->sku, "force the kernels that match this glob");
  command->add_option("--repeats", options->repeats, "timed runs per case, of which the median counts")->check(CLI::Range(3, 1000))->capture_default_str();
  command->add_option("--json", *json, "write the results to this file");
  command->callback([=] {
    if (const std::string why = missing_gpu(); !why.empty()) throw std::runtime_error("bench needs a GPU: " + why);
    for (const std::string& word : *words) options->line += (options->line.empty() ? "" : " ") + word;
    save(*json, bench::run(*options));
  });
}

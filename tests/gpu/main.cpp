// Every SKU that this GPU can run, against the host backend: the error is inside the SKU's bound; repeated, captured and bound runs have equal
// bits; nothing is written outside any buffer. Exit 77 without a GPU.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "harness/sweep.hpp"
#include "tests/tier.hpp"

int main(int argc, char** argv) {
  CLI::App app("Runs every SKU on a GPU against the host backend.", "gpu_test");
  harness::SweepOptions options;
  std::string json;
  bool quick = false, one_each = false;
  double random = 0;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  app.add_option("--sku", options.globs, "only SKUs that match one of these globs")->capture_default_str();
  app.add_flag("--one-each", one_each, "one SKU of every algorithm: those that nvrtc_test --one-each puts into a pack");
  app.add_option("--json", json, "write the results to this file");
  app.add_option("--seed", options.seed, "of the random contents")->capture_default_str();
  app.add_option("--jobs", options.jobs, "SKUs tried at the same time, each on a stream of its own")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_flag("--quick", quick, "small cases only");
  app.add_option("--every", options.every, "every so many of the cases that apply to a SKU")->check(CLI::PositiveNumber);
  app.add_option("--case", options.case_text, "only cases whose names contain this text");
  app.add_flag("--once", options.once, "one run per case, without repetition, graphs and binding");
  app.add_option("--random", random, "for so many seconds, cases of attention and convolutions whose options are drawn together, from --seed on")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (one_each) {
    options.globs.clear();
    for (const adj::Sku* sku : Tier::one_of_each_algorithm().skus()) options.globs.push_back(sku->id);
  }
  if (quick) options.level = harness::Level::quick;
  if (auto count = adj::device_count(); !count || *count == 0) {
    auto api = adj::cuda();
    fmt::print("skipped: {}\n", api ? "no CUDA device" : api.error().message);
    return 77;
  }
  try {
    const harness::Gpu gpu;
    fmt::print("{} ({}), {}\nseed {}\n", gpu.device().name, adj::arch_name(gpu.device().cc), harness::versions_of_libraries(), options.seed);
    const harness::SweepResult result = random > 0 ? harness::sweep_random(gpu, options, random) : harness::sweep(gpu, options);
    if (!json.empty()) std::ofstream(json) << result.report.dump(1) << "\n";
    if (result.skipped) fmt::print("{} SKUs skipped: their library cannot be loaded\n", result.skipped);
    fmt::print("{} passed, {} failed\n", result.runs - result.failures, result.failures);
    return result.failures || result.runs == 0 ? 1 : 0;
  } catch (const std::exception& e) {
    fmt::print("FAILED {}\n", e.what());
    return 1;
  }
}

// Sweep: every SKU that a GPU can run, over every case of its operator, judged by the host backend and the SKU's guarantee.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "harness/gpu.hpp"
#include "harness/harness.hpp"

namespace harness {

struct SweepOptions {
  std::vector<std::string> globs{"*"};  // over SKU ids
  Level level = Level::full;
  std::string case_text;        // only cases whose names contain it
  bool once = false;            // one run per case, without repetition, graphs and binding (for compute-sanitizer)
  int every = 1;                // of the cases that apply to a SKU, only every n-th
  std::uint64_t seed = 20240229;
  std::FILE* text = stdout;     // receives failures and the table
  unsigned jobs = 1;            // SKUs tried at the same time, each on a stream of its own
};
struct SweepResult {
  int runs = 0, failures = 0;
  int skipped = 0;                // SKUs whose library could not be loaded
  nlohmann::ordered_json report;  // {"device", "table": [...], "accuracy": [...], "failures": [...]}
};

// Cases whose options are drawn together (random.hpp), for so many seconds, on every SKU that takes them. Case i has the seed options.seed + i.
SweepResult sweep_random(const Gpu& gpu, const SweepOptions& options, double seconds);

// Prints failures and the rows of the table as soon as they are known.
SweepResult sweep(const Gpu& gpu, const SweepOptions& options);

}  // namespace harness

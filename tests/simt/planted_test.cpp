// Programs of matmul, attention and fp8 with one planted fault each (faults/planted.tsv). The run of a case must find the fault, and nothing without it.
// Usage: simt_planted TABLE [ROW]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "harness/plans.hpp"
#include "planted.hpp"
#include "run.hpp"

namespace {

using simt::Planted;

// What a run says of a case: the name of a fault, "wrong result" or "".
std::string verdict(const adj::Plan& plan, const harness::Case& c, const adj::Sku& sku, const harness::Outputs& reference, std::uint64_t seed,
                    std::string& message) {
  const simt::Run run = simt::run(plan, *c.problem, {seed, 0xCD, 0, false});
  if (run.fault) {
    message = run.fault->message;
    return simt::fault_name(run.fault->kind);
  }
  const auto comparison = harness::compare(c, sku, run.outputs, reference);
  message = comparison.message;
  return comparison.ok ? "" : "wrong result";
}

// Returns what is not as it should be, or nothing.
std::string examine(const adj_stream& stream, const Planted& planted) {
  constexpr int kSeeds = 2;
  for (const adj::Sku& sku : adj::all_skus()) {
    if (!planted.is_of(sku)) continue;
    std::string names;
    for (const harness::Case& c : harness::cases_of(sku.op->id)(sku.signature, harness::Level::quick, 1)) {
      names += (names.empty() ? "" : "; ") + c.name;
      if (c.name != planted.case_name) continue;
      const auto plan = harness::select_sku(stream, *c.problem, sku);
      if (!plan) return plan.error().message;
      const auto programs = harness::programs_of(**plan);
      if (std::none_of(programs.begin(), programs.end(), [&](const adj::Program* p) { return p->name() == planted.program; }))
        return "the case does not launch the program";
      const auto reference = harness::run_reference(*c.problem);
      if (!reference) return reference.error().message;
      std::string message;
      simt::take_planted(0);
      if (const std::string says = verdict(**plan, c, sku, *reference, 1, message); !says.empty()) return "without its fault: " + says + ": " + message;
      for (int seed = 1; seed <= kSeeds; ++seed) {
        simt::take_planted(planted.row);
        const std::string says = verdict(**plan, c, sku, *reference, static_cast<std::uint64_t>(seed), message);
        std::printf("%2d %-14s %.200s\n", planted.row, says.c_str(), message.c_str());
        if (std::find(planted.found.begin(), planted.found.end(), says) == planted.found.end())
          return fmt::format("seed {}: found '{}', expected {}: {}", seed, says, fmt::join(planted.found, " or "), message);
      }
      return "";
    }
    return "no case has this name; the names are: " + names;
  }
  return "no SKU has this program";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  // One block takes all tiles, one after the other.
  adj::change_offline_devices([](adj::Device& device) { device.grid_limit = 1; });
  const auto stream = adj::offline_stream("sm_90a");
  if (!stream) return 1;
  int failures = 0, rows = 0;
  for (const Planted& planted : simt::read_planted(argv[1])) {
    if (argc > 2 && std::atoi(argv[2]) != planted.row) continue;
    ++rows;
    const std::string what = examine(*stream, planted);
    if (what.empty()) continue;
    ++failures;
    std::printf("FAIL row %d, %s on '%s': %s\n", planted.row, planted.program.c_str(), planted.case_name.c_str(), what.c_str());
  }
  std::printf("%d planted faults, %d not found, in %.1f s of processor time\n", rows, failures, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return failures || rows == 0;
}

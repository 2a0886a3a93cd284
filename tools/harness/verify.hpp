// Trials of one SKU on one case on a device, judged by the host backend and the SKU's guarantee.
#pragma once

#include <string>

#include "harness/gpu.hpp"
#include "harness/harness.hpp"

namespace harness {

// Outcome of one SKU on one case.
struct Outcome {
  bool ok = true;
  std::string message;      // first failure
  double worst = 0;         // error as a fraction of the bound
  double worst_ulp = 0;     // error in units in the last place
};
struct Trials {
  int repeats = 3;          // bit-identical repetitions
  bool graph = true;        // also captured, replayed, and replayed with changed contents
  bool bound = true;
  bool apart = false;       // every buffer an allocation of its own
  std::uint64_t misalign = 0;
};
// reference: result of run_reference for the case's problem.
Outcome verify_on_gpu(const Gpu& gpu, const Case& c, const adj::Sku& sku, const Outputs& reference, const Trials& trials);
// Fails with the reason when the SKU does not take the problem.
adj::Result<void> accepts(const Gpu& gpu, const Problem& problem, const adj::Sku& sku);

}  // namespace harness

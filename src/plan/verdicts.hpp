// Outcomes of measurements: which SKU, with which algorithms of a library, is the fastest for a problem on a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/candidates.hpp"

namespace adj {

// A verdict holds for what `subject` says, to the letter: the problem, what the preference requires of the result, the device model, the versions of
// this library with its kernels, of the driver, of NVRTC and of the libraries that the operator's SKUs call. A process without NVRTC, whose kernels
// come from packs, also follows verdicts of files that were measured with one.
struct Verdict {
  struct Time {
    std::string sku;
    double us;  // of a run with a cold level-2 cache, with the best choices of the SKU
  };
  std::string subject;  // lines
  std::string sku, choices;  // choices: Choices::text
  std::vector<Time> times;   // by SKU, in the order in which select tries them
};

// What a verdict for this problem on its device must say. Empty when none can be given: the descriptor has an address, or bytes that words do not show.
std::string subject_of(const Problem& problem);

// True when a tuning file was loaded, by load_verdicts or because ADJOINT_TUNING names it; select then looks for a verdict.
bool has_loaded_verdicts();
// The verdict for a subject from the loaded files and, with `all`, from what this process has measured and from the disk cache.
std::optional<Verdict> find_verdict(const std::string& subject, bool all);
// Keeps a verdict in this process and, with `on_disk`, in the disk cache.
void keep_verdict(const Verdict& verdict, bool on_disk);

Result<void> load_verdicts(const std::string& path);
// Writes the verdicts that this process has loaded, found or measured.
Result<void> save_verdicts(const std::string& path);

}  // namespace adj

// Programs with one planted fault each (faults/far.tsv), executed on large tensors. The run must say of each what the table says, and not without the fault.
// Usage: simt_far_faults TABLE REASONS
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "far.hpp"
#include "harness/plans.hpp"
#include "planted.hpp"
#include "run.hpp"

namespace {

// What a run prints of a SKU's algorithm.
std::string said_of(const adj::Sku& sku, const char* reasons) {
  std::FILE* const said = std::tmpfile();
  std::fflush(stdout);
  const int out = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(said), STDOUT_FILENO);
  const int code = simt::run_far_cases({&sku}, {.reasons = reasons, .only_case = "", .seed = 1, .verbose = true});
  std::fflush(stdout);
  ::dup2(out, STDOUT_FILENO);
  ::close(out);
  std::rewind(said);
  std::string text;
  for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said)) text += static_cast<char>(c);
  std::fclose(said);
  std::printf("%s", text.c_str());
  return (code ? "failed\n" : "passed\n") + text;
}

// Returns what is not as it should be, or nothing.
std::string examine(const simt::Planted& planted, const char* reasons) {
  for (const adj::Sku& sku : adj::all_skus()) {
    if (!planted.is_of(sku)) continue;
    const auto is_said = [](const std::string& text) { return [&text](const std::string& words) { return text.find(words) != std::string::npos; }; };
    simt::take_planted(0);
    if (const std::string text = said_of(sku, reasons); std::all_of(planted.found.begin(), planted.found.end(), is_said(text)) || !text.starts_with("passed"))
      return "without its fault: " + text;
    simt::take_planted(planted.row);
    const std::string text = said_of(sku, reasons);
    return std::all_of(planted.found.begin(), planted.found.end(), is_said(text)) ? "" : text;
  }
  return "no SKU has this program";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int failures = 0, rows = 0;
  for (const simt::Planted& planted : simt::read_planted(argv[1])) {
    ++rows;
    const std::string what = examine(planted, argv[2]);
    if (what.empty()) continue;
    ++failures;
    std::printf("FAIL row %d, %s: %s\n", planted.row, planted.program.c_str(), what.c_str());
  }
  std::printf("%d planted faults, %d not found\n", rows, failures);
  return failures || rows == 0;
}

// C++ layer over the C interface: statuses become exceptions, handles are released, enumerated items become vectors.
#pragma once

#include <charconv>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adjoint.h"

namespace cli {

// Refusal by the library or by the tool: exit code 1 and "adjoint: <code>: <sentence>".
class Refused : public std::runtime_error {
 public:
  Refused(adj_status code, const std::string& sentence, std::string details = {}) : std::runtime_error(sentence), code_(code), details_(std::move(details)) {}
  adj_status code() const { return code_; }
  const std::string& details() const { return details_; }  // a compiler's log, or empty

 private:
  adj_status code_;
  std::string details_;
};

// A command needs a GPU and there is none: exit code 77, which test runners take for "skipped".
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Invalid command line: exit code 2.
class Misuse : public std::runtime_error {
 public:
  explicit Misuse(const std::string& sentence, std::string details = {}) : std::runtime_error(sentence), details_(std::move(details)) {}
  const std::string& details() const { return details_; }  // valid choices, or empty

 private:
  std::string details_;
};

struct Release {
  void operator()(adj_error* error) const { adj_error_release(error); }
  void operator()(adj_plan* plan) const { adj_plan_release(plan); }
};
using ErrorPtr = std::unique_ptr<adj_error, Release>;
using PlanPtr = std::unique_ptr<adj_plan, Release>;

inline void check(adj_status status) {
  if (status != ADJ_OK) throw Refused(status, adj_last_error());
}

// check() for calls that also give an error object; adds the compiler's options and log.
inline void check(adj_status status, const ErrorPtr& error) {
  if (status == ADJ_OK) return;
  std::string details;
  if (const std::string options = adj_error_options(error.get()); !options.empty()) details += "options: " + options + "\n";
  details += adj_error_log(error.get());
  throw Refused(status, adj_last_error(), details);
}

// Information structure, filled by a call such as adj_sku_get, which takes it as its last parameter.
template <class Info, class... Parameters, class... Arguments>
Info get(adj_status (*function)(Parameters...) noexcept, Arguments... arguments) {
  Info info;
  check(function(arguments..., &info));
  return info;
}

template <class Info>
std::vector<Info> get_all(int64_t (*count)() noexcept, adj_status (*function)(int64_t, Info*) noexcept) {
  std::vector<Info> list;
  const int64_t n = count();
  for (int64_t i = 0; i < n; ++i) list.push_back(get<Info>(function, i));
  return list;
}

inline std::vector<adj_sku_info> all_skus() { return get_all(adj_sku_count, adj_sku_get); }

// True when a SKU's arch admits a device: "sm80" admits compute capability 8.0 and later, "sm90a" exactly 9.0.
inline bool runs_on(const adj_sku_info& sku, int capability) {
  const std::string_view arch = sku.arch;
  if (!arch.starts_with("sm")) return false;
  int own = 0;
  std::from_chars(arch.data() + 2, arch.data() + arch.size(), own);
  return arch.ends_with('a') ? capability == own : capability >= own;
}

}  // namespace cli

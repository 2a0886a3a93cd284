// Measures operators on a GPU: device time with a cold L2, beside the copy ceiling of the same run, and host time per call.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <adjoint.h>

#include "harness/gpu.hpp"

namespace bench {

using harness::Gpu;

// Device buffers for every argument of a problem, filled with random numbers by default; no copy in ordinary memory, so
// a problem may be as large as the device.
class Buffers {
 public:
  Buffers(const Gpu& gpu, const adj_header* descriptor);

  const adj::OpInfo& op() const { return *descriptor_.op(); }
  const adj_header* descriptor() const { return static_cast<const adj_header*>(descriptor_.get()); }
  const adj_header* args();
  void omit(const char* slot);
  void values(const char* slot, const std::vector<std::int64_t>& integers);  // indices and labels
  void constant(const char* slot, double value);                             // a tensor of one element
  void positive(const char* slot);                                           // absolute values
  void scalar(const char* slot, double value);

 private:
  std::size_t slot(const char* name) const;
  void fill(const harness::DeviceBuffer& buffer, adj_dtype dtype, bool positive);

  const Gpu* gpu_;
  adj::DescriptorCopy descriptor_;
  std::vector<adj::SlotSpec> specs_;
  std::vector<std::vector<harness::DeviceBuffer>> memory_;
  std::vector<bool> present_;
  std::vector<adj_scalar> scalars_;
  std::vector<std::uint64_t> args_;
  std::vector<std::vector<void*>> pointers_;
  std::vector<std::vector<std::uint64_t>> capacities_;
};

struct Case {
  std::string name;   // shared with tools/bench/peers.py, which measures the same problem
  double floor_bytes; // every input read once, every output written once
  std::function<std::unique_ptr<Buffers>(const Gpu&)> make;
};
std::vector<Case> all_cases();

struct Options {
  std::string glob = "*";
  std::string sku;   // only kernels of this glob
  int repeats = 15;
  double seconds_per_case = 2;
};

// Prints a table and returns it: {"device", "ceilings", "cases": [...], "host": [...]}.
nlohmann::ordered_json run(const Options& options);

}  // namespace bench

// Measures operators on a GPU: device time with a cold L2, beside the copy ceiling of the same run, and host time of a call (README.md).
#pragma once

#include <concepts>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <adjoint.h>

#include "bench/words.hpp"
#include "harness/gpu.hpp"
#include "harness/harness.hpp"

namespace bench {

using harness::Gpu;

// Device buffers for every argument of a problem, by default filled with random numbers. There is no copy in ordinary memory, so a problem
// may be as large as the device.
class Buffers {
 public:
  // optional: names of the optional arguments that are given; all are when it is null.
  Buffers(const Gpu& gpu, const adj_header* descriptor, const std::vector<std::string>* optional = nullptr);

  const adj::OpInfo& op() const { return *descriptor_.op(); }
  const adj_header* descriptor() const { return static_cast<const adj_header*>(descriptor_.get()); }
  const adj_header* args();
  void omit(const char* argument);
  void values(const char* argument, const std::vector<std::int64_t>& integers);  // indices and labels
  void constant(const char* argument, double value);                             // a tensor of one element
  void positive(const char* argument);                                           // absolute values
  void below(const char* argument, std::int64_t limit);                          // integers from 0 on, uniformly
  void same(const char* argument, const char* other);                            // the very buffers of another argument
  void scalar(const char* argument, double value);

 private:
  std::size_t argument(const char* name) const;
  // normal: normally distributed numbers; positive: their magnitudes; below: integers from 0 to limit - 1.
  enum class Fill { normal, positive, below };
  void fill(const harness::DeviceBuffer& buffer, adj_dtype dtype, Fill how, std::int64_t limit = 0);

  const Gpu* gpu_;
  adj::DescriptorCopy descriptor_;
  std::vector<adj::ArgumentSpec> specs_;
  std::vector<std::vector<harness::DeviceBuffer>> memory_;
  std::vector<std::size_t> source_;  // the argument whose memory each one uses, mostly its own
  std::vector<bool> present_;
  std::vector<adj_scalar> scalars_;
  std::vector<std::uint64_t> args_;
  std::vector<std::vector<void*>> pointers_;
  std::vector<std::vector<std::uint64_t>> capacities_;
};

// A number of bytes, which is counted when it is asked for: the cases of embeddings draw indices for it.
class Bytes {
 public:
  Bytes(double bytes) : count_([bytes] { return bytes; }) {}
  template <std::invocable Count>
  Bytes(Count count) : count_(std::move(count)) {}
  double operator()() const { return count_(); }

 private:
  std::function<double()> count_;
};
struct Case {
  std::string name;   // same name in tools/bench/peers.py, which measures the same problem
  Bytes floor_bytes;  // when every input is read once and every output written once
  std::function<std::unique_ptr<Buffers>(const Gpu&)> make;
};
std::vector<Case> all_cases();
// Case of a problem in words. Its floor is the bytes of all given arguments, each read or written once.
Case described_case(const ProblemWords& words);

struct Options {
  std::string glob = "*";
  std::vector<ProblemWords> problems;   // instead of the cases of the table
  std::string sku;                      // glob over SKU ids
  bool tune = false;                    // true: select measures
  bool copies = false;                  // true: a case has "copy_us" too, the time of a copy of as many bytes
  int repeats = 15;
  double seconds_per_case = 2;
  std::FILE* text = stdout;             // receives the table
};

// The cases that the options ask for.
std::vector<Case> cases_of(const Options& options);

// Prints a table and returns it: {"device", "copy_ceiling_gb_s", "cases": [...], "host": [...], "select"}.
nlohmann::ordered_json run(const Options& options);

}  // namespace bench

// Problems with data, run on a SKU and judged by the host backend and the SKU's own guarantee. Used by the tests that
// execute kernels, by `adjoint verify` and by the benchmark. Links the static library and uses the engine's tables, so a
// family only says which descriptors and contents are worth trying.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace harness {

using Rng = std::mt19937_64;

// One tensor's contents in ordinary memory.
struct Data {
  adj_dtype dtype = ADJ_DTYPE_NONE;
  std::vector<std::byte> bytes;

  std::int64_t numel() const;
  double get(std::int64_t i) const;
  void set(std::int64_t i, double value);  // rounds once, to nearest even; integers must be exact
};
void fill_uniform(Data& data, Rng& rng, double low, double high);
void fill_normal(Data& data, Rng& rng, double sigma = 1);
void fill_integers(Data& data, Rng& rng, std::int64_t low, std::int64_t high);  // inclusive
void fill_constant(Data& data, double value);
// Indices in [0, n): P(i) proportional to 1 / (i + 1)^exponent, shuffled over the range.
void fill_zipf(Data& data, Rng& rng, std::int64_t n, double exponent);

// A descriptor with contents for every argument. Buffers are made from the operator's own slot table: required and
// optional ones exist from the start, zero-filled; an absent optional one is dropped with omit().
class Problem {
 public:
  explicit Problem(const adj_header& descriptor);
  template <class Descriptor> static Problem of(const Descriptor& d) { return Problem(d.header); }

  const adj::OpInfo& op() const { return *descriptor_.op(); }
  const adj_header* descriptor() const { return static_cast<const adj_header*>(descriptor_.get()); }
  const std::vector<adj::SlotSpec>& specs() const { return specs_; }
  adj::Signature signature() const { return op().signature(descriptor_.get()); }

  Data& tensor(const char* name);
  std::vector<Data>& list(const char* name);
  void omit(const char* name);
  void scalar(const char* name, double value);  // passed by value
  void device_scalar(const char* name, double value, adj_dtype dtype);  // placed in the memory of the stream
  void random(const char* name, std::uint64_t seed, std::uint64_t offset);         // passed by value
  void device_random(const char* name, std::uint64_t seed, std::uint64_t offset);  // placed in the memory of the stream
  void handle(const char* name, void* handle);

  // Makes output `name` share the buffer of input `other` (in place).
  void share(const char* name, const char* other);

  std::size_t slot(const char* name) const;

  // What the runner works from, one entry per slot.
  struct SlotContents {
    bool present = false;
    std::vector<Data> data;  // one for a tensor, count for a list, one for a device scalar or random state
    adj_scalar scalar;
    adj_random random;
    void* handle = nullptr;
    int shares = -1;
  };
  std::vector<SlotContents>& contents() { return contents_; }
  const std::vector<SlotContents>& contents() const { return contents_; }

 private:
  adj::DescriptorCopy descriptor_;
  std::vector<adj::SlotSpec> specs_;
  std::vector<SlotContents> contents_;
};

// Sizes of the magnitudes summed into each element of an output, for the `bound_terms` part of a guarantee:
// result[list index][element]. Empty: zero everywhere.
using Magnitudes = std::function<std::vector<std::vector<double>>(const Problem& problem, const std::string& output)>;

struct Case {
  std::string name;  // within its operator: "T37 V11 D5 accumulate, all out of range"
  std::shared_ptr<Problem> problem;
  Magnitudes magnitudes;
  std::shared_ptr<Problem> twin{};  // when set, another problem: the outputs that both have are bitwise the same on every SKU
  bool unspecified = false;         // the outputs are: the kernels must end and keep to their buffers, no more
};

// How much to try: `quick` for the CPU-executed kernels and sanitizers (at most a few thousand elements each), `full` for
// a GPU.
enum class Level { quick, full };

// The cases of one operator for one signature. Every family defines `<operator>_cases` in tools/harness/<family>.cpp.
using CaseMaker = std::vector<Case> (*)(const adj::Signature& signature, Level level, std::uint64_t seed);
CaseMaker cases_of(adj_op op);

// ---- running

// Results of one run, slot by slot (outputs and in/outs only; others are empty).
struct Outputs {
  std::vector<std::vector<Data>> slots;
};

// ---- promises of the headers, to the last bit

// Whether results do not depend on where the buffers lie.
bool same_anywhere(const Problem& problem);
// A problem on the same tensors, or on some of them, in another order.
struct Variation {
  std::string name;
  Problem problem;
  std::vector<std::size_t> tensors;  // of the original list, in its own order
  bool whole;                        // it has all tensors, so that every output is that of the original
};
// Those whose results must be the original's: none but for operators on lists.
std::vector<Variation> variations_of(const Problem& problem);
// Which output of a variation has other bits; empty when none has.
std::string difference(const Problem& problem, const Outputs& outputs, const Variation& variation, const Outputs& varied);
// Which argument of an optimizer that has to skip is not what it was, empty when all are; nothing where it need not skip.
std::optional<std::string> changed_by_skip(const Problem& problem, const Outputs& outputs);

// Runs on the host stream with the reference SKU.
adj::Result<Outputs> run_reference(const Problem& problem);

// Runs with the magnitudes of the inputs of the given slots instead of their values; for operators that are linear in
// them the outputs are then the sums of the terms' magnitudes.
Outputs run_on_magnitudes(const Problem& problem, std::initializer_list<const char*> linear_inputs);

// Of the outputs that both have.
bool same_bits(const Outputs& a, const Outputs& b);

struct Comparison {
  bool ok = true;
  double worst = 0;      // largest error as a fraction of the bound
  std::string message;   // of the first element beyond the bound
};
Comparison compare(const Case& c, const adj::Sku& sku, const Outputs& got, const Outputs& reference);

double ulp(double value, adj_dtype dtype);  // spacing of the type's numbers at value

}  // namespace harness

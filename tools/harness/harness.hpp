// Problems with data, run on a SKU and judged by the host backend and the SKU's own guarantee. Used by the tests that
// execute kernels, by `adjoint verify` and by the benchmark. The harness works from the engine's tables (static library), so a
// family only lists the descriptors and contents that are worth trying.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"

namespace harness {

using Rng = std::mt19937_64;

// Contents of one tensor, in ordinary memory.
struct Data {
  adj_dtype dtype = ADJ_DTYPE_NONE;
  std::vector<std::byte> bytes;

  std::int64_t numel() const;
  double get(std::int64_t i) const;
  void set(std::int64_t i, double value);  // rounds once, to nearest even; integers must be exact
};
void fill_uniform(Data& data, Rng& rng, double low, double high);
void fill_normal(Data& data, Rng& rng, double sigma = 1, double mean = 0);
void fill_integers(Data& data, Rng& rng, std::int64_t low, std::int64_t high);  // inclusive
void fill_constant(Data& data, double value);
// Fills with indices in [0, n) by Zipf's law: the k-th most frequent has a probability proportional to 1 / k^exponent. Which index that is, is
// random.
void fill_zipf(Data& data, Rng& rng, std::int64_t n, double exponent);

// Descriptor with contents for every argument, as the operator's table has them. Required and optional arguments exist from the start,
// filled with zeros; omit() drops an optional one.
class Problem {
 public:
  explicit Problem(const adj_header& descriptor);
  template <class Descriptor> static Problem of(const Descriptor& d) { return Problem(d.header); }

  const adj::OpInfo& op() const { return *descriptor_.op(); }
  const adj_header* descriptor() const { return static_cast<const adj_header*>(descriptor_.get()); }
  const std::vector<adj::ArgumentSpec>& specs() const { return specs_; }
  adj::Signature signature() const { return op().signature(descriptor_.get()); }

  Data& tensor(const char* name);
  const Data& tensor(const char* name) const;
  std::vector<Data>& list(const char* name);
  void omit(const char* name);  // outputs that shared its buffer get their own
  void scalar(const char* name, double value);  // passed by value
  void device_scalar(const char* name, double value, adj_dtype dtype);  // placed in the memory of the stream
  void random(const char* name, std::uint64_t seed, std::uint64_t offset);         // passed by value
  void device_random(const char* name, std::uint64_t seed, std::uint64_t offset);  // placed in the memory of the stream
  void handle(const char* name, void* handle);

  // Makes output `name` share the buffer of input `other` (in place).
  void share(const char* name, const char* other);

  std::size_t argument(const char* name) const;

  // Contents of each argument.
  struct ArgumentContents {
    bool present = false;
    std::vector<Data> data;  // one for a tensor, one for each entry of a list, one for a device scalar or random state
    adj_scalar scalar;
    adj_random random;       // with data: its offset is what a CUDA device has more than the host
    void* handle = nullptr;
    int shares = -1;         // argument whose buffer this one shares, -1 for its own
  };
  std::vector<ArgumentContents>& contents() { return contents_; }
  const std::vector<ArgumentContents>& contents() const { return contents_; }

 private:
  adj::DescriptorCopy descriptor_;
  std::vector<adj::ArgumentSpec> specs_;
  std::vector<ArgumentContents> contents_;
};

// Sums of the magnitudes of the terms of each element of an output, for the `bound_terms` part of a guarantee:
// result[list index][element]. Empty: zero everywhere. Below 0: the header leaves the element open.
using Magnitudes = std::function<std::vector<std::vector<double>>(const Problem& problem, const std::string& output)>;

struct Case {
  std::string name;  // within its operator: "T37 V11 D5 accumulate, all out of range"
  std::shared_ptr<Problem> problem;
  Magnitudes magnitudes;
  std::shared_ptr<Problem> twin{};  // another problem: outputs that both have must have equal bits on every SKU that takes both
  bool unspecified = false;         // true: outputs may hold anything, but kernels must end and keep to their buffers
  std::vector<std::string> exact{}; // outputs that must have the reference's bits, signs of zeros included
  bool any_nan = false;             // true: the header leaves the payload of a NaN open, also where it defines all other bits
  Magnitudes of_libraries{};        // of cuDNN and its like, where the header has other terms for them
};

std::uint64_t bytes_of(const Problem& problem);  // of the contents of all arguments

// Amount of cases: `quick` for kernels executed on the CPU and for sanitizers (at most a few thousand elements each), `full` for a GPU.
enum class Level { quick, full };

// The cases of one operator for one signature. Every family defines `<operator>_cases` in tools/harness/<family>.cpp.
using CaseMaker = std::vector<Case> (*)(const adj::Signature& signature, Level level, std::uint64_t seed);
CaseMaker cases_of(adj_op op);

// ---- running

// Results of one run, argument by argument. Arguments that are only read are empty.
struct Outputs {
  std::vector<std::vector<Data>> arguments;
};

// Sets the bytes between the elements of an output with strides to 0 where they are still `poison`, which filled the output before the run, and to
// 0xFF where they are not. An output in the buffer of an input is left as it is: there the bytes are the input's.
void clear_gaps(const Problem& problem, std::size_t argument, Data& data, unsigned char poison);

// ---- promises of the headers, to the last bit

// True when the header promises that results do not depend on the addresses of the buffers.
bool same_anywhere(const Problem& problem);
// Variation of a problem: the same tensors, or some of them, in another order or in parts.
struct Variation {
  // A tensor of the variation: elements [begin, end) of a tensor of the original list.
  struct Entry {
    std::size_t tensor;
    std::int64_t begin, end;
  };
  std::string name;
  Problem problem;
  std::vector<Entry> entries;
  bool whole;  // true: it has all elements, so every output must be the original's
};
// Variations whose results must have the original's bits. Only operators on lists have any.
std::vector<Variation> variations_of(const Problem& problem);
// Names the first output of a variation that has other bits; empty when none has.
std::string difference(const Problem& problem, const Outputs& outputs, const Variation& variation, const Outputs& varied);
// Names an argument that an optimizer changed although it had to skip; empty when it changed none. No value when it need not skip.
std::optional<std::string> changed_by_skip(const Problem& problem, const Outputs& outputs);

// A case without one of its optional arguments, or without all of them.
struct Absence {
  Case c;
  bool same_bits;  // true: the outputs that remain must have the bits of the case with all arguments
};
// Programs and the arguments that they have been executed without.
using TriedAbsences = std::set<std::pair<const adj::Program*, std::vector<std::size_t>>>;
// What `tried` does not have yet for all of these programs: the case without each optional argument that it gives, and without all of them.
// Adds it to `tried`. An argument that another one needs is left out together with that one.
std::vector<Absence> absences_of(const Case& c, const std::vector<const adj::Program*>& programs, TriedAbsences& tried);

// Runs on the host stream with the reference SKU.
adj::Result<Outputs> run_reference(const Problem& problem);

// Runs with the magnitudes of the given inputs in place of their values. For operators that are linear in these inputs, the outputs are
// the sums of the terms' magnitudes.
Outputs run_on_magnitudes(const Problem& problem, std::initializer_list<const char*> linear_inputs);

// True when the outputs that both have are equal bit by bit.
bool same_bits(const Outputs& a, const Outputs& b);

struct Comparison {
  bool ok = true;
  double worst = 0;      // largest error as a fraction of the bound
  std::string message;   // of the first element beyond the bound
};
Comparison compare(const Case& c, const adj::Sku& sku, const Outputs& got, const Outputs& reference);

double ulp(double value, adj_dtype dtype);  // spacing of the type's numbers at value

}  // namespace harness

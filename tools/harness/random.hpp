// Cases whose options are drawn all together, for the operators that libraries compute: what a list of cases leaves out are combinations.
#pragma once

#include "harness/draw.hpp"
#include "harness/harness.hpp"

namespace harness {

// A case that follows from the seed. Small enough for the host: below 2^24 products.
using RandomCase = Case (*)(const adj::Signature& signature, std::uint64_t seed);
// Null for an operator that has none.
RandomCase random_case_of(adj_op op);

// Draws of a case.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(seed) {}
  bool one_in(std::uint64_t n) { return rng_() % n == 0; }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(rng_() % static_cast<std::uint64_t>(high - low + 1)); }
  template <class T>
  T of(std::initializer_list<T> all) {
    return all.begin()[rng_() % all.size()];
  }
  // A divisor of n.
  std::int64_t divisor(std::int64_t n) {
    std::int64_t d = between(1, n);
    while (n % d) --d;
    return d;
  }

 private:
  Rng rng_;
};

}  // namespace harness

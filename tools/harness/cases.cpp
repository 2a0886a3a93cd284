// Table of the functions that make the cases of the operators.
#include <adjoint/ops/all.gen.h>

#include <stdexcept>

#include "harness/harness.hpp"
#include "ops/table.gen.hpp"

namespace harness {

#define ADJ_DECLARE(name, NAME) std::vector<Case> name##_cases(const adj::Signature&, Level, std::uint64_t);
ADJ_OP_TABLE(ADJ_DECLARE)
#undef ADJ_DECLARE

namespace {

// Gives the flags and the copies that a case leaves at zero other contents: a kernel has to add to flags, and a call that skips to leave copies as
// they are.
template <CaseMaker make>
std::vector<Case> filled(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases = make(signature, level, seed);
  auto fill = [](Problem& problem) {
    for (std::size_t i = 0; i < problem.op().arguments.size(); ++i) {
      const std::string name = problem.op().arguments[i].name;
      if (problem.op().arguments[i].role != adj::Role::inout || (name != "error_flag" && name != "copies")) continue;
      for (Data& d : problem.contents()[i].data)
        if (std::all_of(d.bytes.begin(), d.bytes.end(), [](std::byte b) { return b == std::byte{0}; }))
          for (std::int64_t k = 0; k < d.numel(); ++k) d.set(k, static_cast<double>(3 + k % 5));
    }
  };
  for (Case& c : cases) {
    fill(*c.problem);
    if (c.twin) fill(*c.twin);
  }
  return cases;
}

}  // namespace

CaseMaker cases_of(adj_op op) {
  switch (op) {
#define ADJ_CASE(name, NAME) \
  case ADJ_OP_##NAME: return filled<name##_cases>;
    ADJ_OP_TABLE(ADJ_CASE)
#undef ADJ_CASE
    default: throw std::logic_error("harness: unknown operator");
  }
}

}  // namespace harness

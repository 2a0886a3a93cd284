// Table of the functions that make the cases of the operators.
#include <adjoint/ops/all.gen.h>

#include <stdexcept>

#include "harness/harness.hpp"
#include "ops/table.gen.hpp"

namespace harness {

#define ADJ_DECLARE(name, NAME) std::vector<Case> name##_cases(const adj::Signature&, Level, std::uint64_t);
ADJ_OP_TABLE(ADJ_DECLARE)
#undef ADJ_DECLARE

CaseMaker cases_of(adj_op op) {
  switch (op) {
#define ADJ_CASE(name, NAME) \
  case ADJ_OP_##NAME: return name##_cases;
    ADJ_OP_TABLE(ADJ_CASE)
#undef ADJ_CASE
    default: throw std::logic_error("harness: unknown operator");
  }
}

}  // namespace harness

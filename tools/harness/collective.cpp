// Collectives need ranks that run at the same time: see tests/host/collective.cpp.
#include <adjoint/ops/collective.h>

#include "harness/harness.hpp"

namespace harness {

#define ADJ_NO_CASES(op) \
  std::vector<Case> op##_cases(const adj::Signature&, Level, std::uint64_t) { return {}; }
ADJ_NO_CASES(all_reduce)
ADJ_NO_CASES(all_gather)
ADJ_NO_CASES(reduce_scatter)
ADJ_NO_CASES(send)
ADJ_NO_CASES(recv)
ADJ_NO_CASES(broadcast)
ADJ_NO_CASES(adasum_all_reduce)
ADJ_NO_CASES(megatron_f)
ADJ_NO_CASES(megatron_g)
#undef ADJ_NO_CASES

}  // namespace harness

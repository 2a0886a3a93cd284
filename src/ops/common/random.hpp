// Random states that the host reads.
#pragma once

#include "plan/plan.hpp"

namespace adj {

// A step before that of the host. What check_args refuses by value is refused of a state in memory as well.
template <class Args>
Result<void> check_state(const CallContext& call) {
  Args args = *reinterpret_cast<const Args*>(call.args);
  if (!args.random.device) return {};
  args.random = {args.random.device[0], args.random.device[1], nullptr};
  return call.plan.op->check_args(call.plan.descriptor.get(), &args);
}

}  // namespace adj

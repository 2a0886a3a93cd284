// Parts of plans that the softmax operators and their gradients share. A group is the `extent` elements that one softmax normalises.
#pragma once

#include "kernels/softmax/params.h"
#include "ops/common/rows.hpp"

namespace adj::softmax {

template <class Descriptor>
Result<void> check(const char* op, const char* result, const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  ADJ_TRY(check_extent(op, "outer", d.outer));
  ADJ_TRY(check_extent(op, "extent", d.extent));
  ADJ_TRY(check_extent(op, "inner", d.inner));
  return check_volume(op, result, {d.outer, d.extent, d.inner});
}
// All tensors have one shape.
template <class Descriptor>
bool is_empty(const Descriptor& d) {
  return d.outer == 0 || d.extent == 0 || d.inner == 0;
}
template <class Descriptor>
Result<void> check_row(const Descriptor& d) {
  if (d.inner == 1) return {};
  return fail(ADJ_ERROR_UNSUPPORTED, "reads the elements of a group side by side, inner = {}", d.inner);
}
template <class P, class Descriptor>
P params_of(const Descriptor& d) {
  P p{};
  p.outer = d.outer;
  p.extent = d.extent;
  p.inner = d.inner;
  return p;
}

// Planning functions of rows: `plan` on a device, and a call of the host function.
template <class Descriptor, Result<void> (*plan)(const Descriptor&, const Device&, PlanBuilder&)>
Result<void> on_device(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  return is_empty(d) ? Result<void>() : plan(d, *request.device, builder);
}
template <class Descriptor, class Args, void (*host)(const Descriptor&, const Args&, void*)>
Result<void> on_host(const PlanRequest& request, PlanBuilder& builder) {
  if (!is_empty(*static_cast<const Descriptor*>(request.descriptor))) builder.host(host_call<Descriptor, Args, host>);
  return {};
}

}  // namespace adj::softmax

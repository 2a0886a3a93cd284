// Host backend of the reductions, written from the operator's definition.
#pragma once

#include <adjoint/ops/reduce.h>

namespace adj::host {

void l2_norm(const adj_l2_norm_descriptor& d, const adj_l2_norm_args& a, void* workspace);
void reduce(const adj_reduce_descriptor& d, const adj_reduce_args& a, void* workspace);

}  // namespace adj::host

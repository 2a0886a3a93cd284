// Host backend of group norm, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/batch_norm.h>

namespace adj::host {

void group_norm_forward(const adj_group_norm_forward_descriptor& d, const adj_group_norm_forward_args& a, void* workspace);
void group_norm_backward(const adj_group_norm_backward_descriptor& d, const adj_group_norm_backward_args& a, void* workspace);

}  // namespace adj::host

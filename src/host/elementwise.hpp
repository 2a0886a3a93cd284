// Host backend of the elementwise family, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/elementwise.h>

namespace adj::host {

void div_backward(const adj_div_backward_descriptor& d, const adj_div_backward_args& a, void* workspace);

}  // namespace adj::host

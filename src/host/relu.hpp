// Host backend of the rectifier's gradient, written from its definition.
#pragma once

#include <adjoint/ops/relu.h>

namespace adj::host {

void relu_backward(const adj_relu_backward_descriptor& d, const adj_relu_backward_args& a, void* workspace);

}  // namespace adj::host

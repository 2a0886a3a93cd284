// Host backend of resize and its gradient, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/resize.h>

namespace adj::host {

void resize_forward(const adj_resize_forward_descriptor& d, const adj_resize_forward_args& a, void* workspace);
void resize_backward(const adj_resize_backward_descriptor& d, const adj_resize_backward_args& a, void* workspace);

}  // namespace adj::host

// Host backend of convolution, transposed convolution and their gradients, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/conv.h>

namespace adj::host {

void conv_forward(const adj_conv_forward_descriptor& d, const adj_conv_forward_args& a, void* workspace);
void conv_backward(const adj_conv_backward_descriptor& d, const adj_conv_backward_args& a, void* workspace);
void conv_transpose_forward(const adj_conv_transpose_forward_descriptor& d, const adj_conv_transpose_forward_args& a, void* workspace);
void conv_transpose_backward(const adj_conv_transpose_backward_descriptor& d, const adj_conv_transpose_backward_args& a, void* workspace);

}  // namespace adj::host

// Host backend of convolution, transposed convolution and their gradients, as products in blocks (host/product.hpp); no workspace.
//
// Order of additions: results and gradients of the input take their channels one after another, and of each channel its taps; gradients of the weight take
// the images, and of each image its places; gradients of the bias the same. An element outside of a tensor is no term, so a number that is not finite reaches
// those results alone that have a product with it.
#pragma once

#include <adjoint/ops/conv.h>

namespace adj::host {

void conv_forward(const adj_conv_forward_descriptor& d, const adj_conv_forward_args& a, void* workspace);
void conv_backward(const adj_conv_backward_descriptor& d, const adj_conv_backward_args& a, void* workspace);
void conv_transpose_forward(const adj_conv_transpose_forward_descriptor& d, const adj_conv_transpose_forward_args& a, void* workspace);
void conv_transpose_backward(const adj_conv_transpose_backward_descriptor& d, const adj_conv_transpose_backward_args& a, void* workspace);

}  // namespace adj::host

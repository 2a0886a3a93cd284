// Host backend of the activation family, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/activation.h>

namespace adj::host {

// Value f(z), and the product of dout and the slope f'(z), in f64. `alpha` is the function's constant.
double activation_value(adj_activation function, double z, double alpha);
double activation_gradient(adj_activation function, double dout, double z, double alpha);

void activation_forward(const adj_activation_forward_descriptor& d, const adj_activation_forward_args& a, void* workspace);
void activation_backward(const adj_activation_backward_descriptor& d, const adj_activation_backward_args& a, void* workspace);
void gated_activation_forward(const adj_gated_activation_forward_descriptor& d, const adj_gated_activation_forward_args& a, void* workspace);
void gated_activation_backward(const adj_gated_activation_backward_descriptor& d, const adj_gated_activation_backward_args& a, void* workspace);

}  // namespace adj::host

// Host backend of the norms, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/norm.h>

namespace adj::host {

void layer_norm_backward(const adj_layer_norm_backward_descriptor& d, const adj_layer_norm_backward_args& a, void* workspace);
void rms_norm_backward(const adj_rms_norm_backward_descriptor& d, const adj_rms_norm_backward_args& a, void* workspace);
void layer_norm_forward(const adj_layer_norm_forward_descriptor& d, const adj_layer_norm_forward_args& a, void* workspace);
void rms_norm_forward(const adj_rms_norm_forward_descriptor& d, const adj_rms_norm_forward_args& a, void* workspace);

}  // namespace adj::host

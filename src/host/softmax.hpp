// Host backend of softmax and its gradients, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/softmax.h>

namespace adj::host {

void softmax_backward(const adj_softmax_backward_descriptor& d, const adj_softmax_backward_args& a, void* workspace);
void log_softmax_backward(const adj_log_softmax_backward_descriptor& d, const adj_log_softmax_backward_args& a, void* workspace);

void softmax_forward(const adj_softmax_forward_descriptor& d, const adj_softmax_forward_args& a, void* workspace);
void log_softmax_forward(const adj_log_softmax_forward_descriptor& d, const adj_log_softmax_forward_args& a, void* workspace);

}  // namespace adj::host

// Host backend of the losses of a linear layer, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/loss.h>

namespace adj::host {

void linear_cross_entropy(const adj_linear_cross_entropy_descriptor& d, const adj_linear_cross_entropy_args& a, void* workspace);
void linear_cross_entropy_backward(const adj_linear_cross_entropy_backward_descriptor& d, const adj_linear_cross_entropy_backward_args& a, void* workspace);
void linear_log_prob(const adj_linear_log_prob_descriptor& d, const adj_linear_log_prob_args& a, void* workspace);
void linear_log_prob_backward(const adj_linear_log_prob_backward_descriptor& d, const adj_linear_log_prob_backward_args& a, void* workspace);

}  // namespace adj::host

// Host backend of the losses, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/loss.h>

namespace adj::host {

inline constexpr double kExpNanoseconds = 8;  // rough cost of one class of a sample

void softmax_cross_entropy_loss(const adj_softmax_cross_entropy_loss_descriptor& d, const adj_softmax_cross_entropy_loss_args& a, void* workspace);
void softmax_cross_entropy_loss_backward(const adj_softmax_cross_entropy_loss_backward_descriptor& d, const adj_softmax_cross_entropy_loss_backward_args& a,
                                         void* workspace);

void soft_label_cross_entropy_loss(const adj_soft_label_cross_entropy_loss_descriptor& d, const adj_soft_label_cross_entropy_loss_args& a, void* workspace);
void soft_label_cross_entropy_loss_backward(const adj_soft_label_cross_entropy_loss_backward_descriptor& d,
                                            const adj_soft_label_cross_entropy_loss_backward_args& a, void* workspace);
void cross_entropy_with_gradient(const adj_cross_entropy_with_gradient_descriptor& d, const adj_cross_entropy_with_gradient_args& a, void* workspace);
void log_prob_entropy(const adj_log_prob_entropy_descriptor& d, const adj_log_prob_entropy_args& a, void* workspace);
void log_prob_entropy_backward(const adj_log_prob_entropy_backward_descriptor& d, const adj_log_prob_entropy_backward_args& a, void* workspace);

}  // namespace adj::host

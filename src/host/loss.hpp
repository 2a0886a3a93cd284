// Host backend of the losses, written from the operators' definitions; no workspace.
#pragma once

#include <adjoint/ops/loss.h>

namespace adj::host {

void softmax_cross_entropy_loss(const adj_softmax_cross_entropy_loss_descriptor& d, const adj_softmax_cross_entropy_loss_args& a,
                                void* workspace);
void softmax_cross_entropy_loss_backward(const adj_softmax_cross_entropy_loss_backward_descriptor& d,
                                         const adj_softmax_cross_entropy_loss_backward_args& a, void* workspace);

}  // namespace adj::host

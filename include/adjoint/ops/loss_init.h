/* Written by tools/generate.py from loss.h. Do not edit. */
#ifndef ADJOINT_OPS_LOSS_INIT_H
#define ADJOINT_OPS_LOSS_INIT_H

#include "loss.h"

#ifndef __cplusplus
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR), 0, 0, 1, \
    0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS), {0}, {0}, {0}, {0}, \
    {0}, {0}, {0} }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR_INIT \
  { \
    ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR), \
    0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS), \
    {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(SoftmaxCrossEntropyLoss, softmax_cross_entropy_loss)
ADJ_CPP_NAMES(SoftmaxCrossEntropyLossBackward, softmax_cross_entropy_loss_backward)

#endif

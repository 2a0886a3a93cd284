/* Written by tools/generate.py from loss.h. Do not edit. */
#ifndef ADJOINT_OPS_LOSS_INIT_H
#define ADJOINT_OPS_LOSS_INIT_H

#include "loss.h"

#ifndef __cplusplus
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR), -1, -1, \
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS), {0}, {0}, {0}, {0}, \
    {0}, {0}, {0}, {0} }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR_INIT \
  { \
    ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR), \
    -1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_cross_entropy_loss_backward_args, ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS), \
    {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_descriptor, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_DESCRIPTOR), -1, \
    -1, 0, 0, 0, 0 }
#define ADJ_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS_INIT \
  { ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_args, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_ARGS), {0}, {0}, {0}, \
    {0}, {0} }
#define ADJ_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR_INIT \
  { \
    ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_backward_descriptor, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR), \
    -1, -1, 0, 0, 0, 0 }
#define ADJ_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS_INIT \
  { \
    ADJ_HEADER_OF(adj_soft_label_cross_entropy_loss_backward_args, ADJ_TAG_SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD_ARGS), \
    {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_cross_entropy_with_gradient_descriptor, ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_DESCRIPTOR), -1, -1, \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_CROSS_ENTROPY_WITH_GRADIENT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_cross_entropy_with_gradient_args, ADJ_TAG_CROSS_ENTROPY_WITH_GRADIENT_ARGS), {0}, {0}, {0}, \
    {1, NULL, 0, 0}, {0}, {0}, {0}, {0} }
#define ADJ_LOG_PROB_ENTROPY_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_log_prob_entropy_descriptor, ADJ_TAG_LOG_PROB_ENTROPY_DESCRIPTOR), -1, -1, 0, 0, 0, 0, 0 }
#define ADJ_LOG_PROB_ENTROPY_ARGS_INIT \
  { ADJ_HEADER_OF(adj_log_prob_entropy_args, ADJ_TAG_LOG_PROB_ENTROPY_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_log_prob_entropy_backward_descriptor, ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_DESCRIPTOR), -1, -1, 0, \
    0, 0, 0, 0 }
#define ADJ_LOG_PROB_ENTROPY_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_log_prob_entropy_backward_args, ADJ_TAG_LOG_PROB_ENTROPY_BACKWARD_ARGS), {0}, {0}, {0}, {0}, \
    {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(SoftmaxCrossEntropyLoss, softmax_cross_entropy_loss)
ADJ_CPP_NAMES(SoftmaxCrossEntropyLossBackward, softmax_cross_entropy_loss_backward)
ADJ_CPP_NAMES(SoftLabelCrossEntropyLoss, soft_label_cross_entropy_loss)
ADJ_CPP_NAMES(SoftLabelCrossEntropyLossBackward, soft_label_cross_entropy_loss_backward)
ADJ_CPP_NAMES(CrossEntropyWithGradient, cross_entropy_with_gradient)
ADJ_CPP_NAMES(LogProbEntropy, log_prob_entropy)
ADJ_CPP_NAMES(LogProbEntropyBackward, log_prob_entropy_backward)

#endif

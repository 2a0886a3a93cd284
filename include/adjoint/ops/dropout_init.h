/* Written by tools/generate.py from dropout.h. Do not edit. */
#ifndef ADJOINT_OPS_DROPOUT_INIT_H
#define ADJOINT_OPS_DROPOUT_INIT_H

#include "dropout.h"

#ifndef __cplusplus
#define ADJ_DROPOUT_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_dropout_forward_descriptor, ADJ_TAG_DROPOUT_FORWARD_DESCRIPTOR), -1, 0, 1, 0, 0, 0, 0, 0, 0 }
#define ADJ_DROPOUT_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_dropout_forward_args, ADJ_TAG_DROPOUT_FORWARD_ARGS), {0}, {-1, NULL, 0, 0}, \
    {0, UINT64_MAX, NULL}, {0}, {0}, {0} }
#define ADJ_DROPOUT_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_dropout_backward_descriptor, ADJ_TAG_DROPOUT_BACKWARD_DESCRIPTOR), -1, 0, 1, 0, 0, 0, 0 }
#define ADJ_DROPOUT_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_dropout_backward_args, ADJ_TAG_DROPOUT_BACKWARD_ARGS), {0}, {0}, {-1, NULL, 0, 0}, \
    {0, UINT64_MAX, NULL}, {0} }
#define ADJ_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_bias_softmax_dropout_forward_descriptor, ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_DESCRIPTOR), -1, \
    -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_bias_softmax_dropout_forward_args, ADJ_TAG_BIAS_SOFTMAX_DROPOUT_FORWARD_ARGS), {0}, {0}, \
    {-1, NULL, 0, 0}, {0, UINT64_MAX, NULL}, {0}, {0}, {0}, {0} }
#define ADJ_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_softmax_dropout_backward_descriptor, ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_DESCRIPTOR), -1, -1, 0, 0, \
    0, 0, 0, 0 }
#define ADJ_SOFTMAX_DROPOUT_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_dropout_backward_args, ADJ_TAG_SOFTMAX_DROPOUT_BACKWARD_ARGS), {0}, {0}, {0}, \
    {-1, NULL, 0, 0}, {0, UINT64_MAX, NULL}, {0} }
#endif

ADJ_CPP_NAMES(DropoutForward, dropout_forward)
ADJ_CPP_NAMES(DropoutBackward, dropout_backward)
ADJ_CPP_NAMES(BiasSoftmaxDropoutForward, bias_softmax_dropout_forward)
ADJ_CPP_NAMES(SoftmaxDropoutBackward, softmax_dropout_backward)

#endif

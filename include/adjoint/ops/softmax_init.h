/* Written by tools/generate.py from softmax.h. Do not edit. */
#ifndef ADJOINT_OPS_SOFTMAX_INIT_H
#define ADJOINT_OPS_SOFTMAX_INIT_H

#include "softmax.h"

#ifndef __cplusplus
#define ADJ_SOFTMAX_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_softmax_backward_descriptor, ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR), 1, -1, 1, 0, 0 }
#define ADJ_SOFTMAX_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_backward_args, ADJ_TAG_SOFTMAX_BACKWARD_ARGS), {0}, {0}, {0} }
#define ADJ_LOG_SOFTMAX_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_log_softmax_backward_descriptor, ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR), 1, -1, 1, 0, 0 }
#define ADJ_LOG_SOFTMAX_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_log_softmax_backward_args, ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS), {0}, {0}, {0} }
#define ADJ_SOFTMAX_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_softmax_forward_descriptor, ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR), 1, -1, 1, 0, 0 }
#define ADJ_SOFTMAX_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_softmax_forward_args, ADJ_TAG_SOFTMAX_FORWARD_ARGS), {0}, {0} }
#define ADJ_LOG_SOFTMAX_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_log_softmax_forward_descriptor, ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR), 1, -1, 1, 0, 0 }
#define ADJ_LOG_SOFTMAX_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_log_softmax_forward_args, ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(SoftmaxBackward, softmax_backward)
ADJ_CPP_NAMES(LogSoftmaxBackward, log_softmax_backward)
ADJ_CPP_NAMES(SoftmaxForward, softmax_forward)
ADJ_CPP_NAMES(LogSoftmaxForward, log_softmax_forward)

#endif

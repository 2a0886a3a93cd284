/* Written by tools/generate.py from attention.h. Do not edit. */
#ifndef ADJOINT_OPS_ATTENTION_INIT_H
#define ADJOINT_OPS_ATTENTION_INIT_H

#include "attention.h"

#ifndef __cplusplus
#define ADJ_ATTENTION_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_attention_forward_descriptor, ADJ_TAG_ATTENTION_FORWARD_DESCRIPTOR), -1, -1, -1, 0, -1, -1, 0, \
    {0}, {0}, {0}, {0}, 0, 0, 0, 0 }
#define ADJ_ATTENTION_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_attention_forward_args, ADJ_TAG_ATTENTION_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_ATTENTION_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_attention_backward_descriptor, ADJ_TAG_ATTENTION_BACKWARD_DESCRIPTOR), -1, -1, -1, 0, -1, -1, 0, \
    {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, 0, 0, 0, 0 }
#define ADJ_ATTENTION_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_attention_backward_args, ADJ_TAG_ATTENTION_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(AttentionForward, attention_forward)
ADJ_CPP_NAMES(AttentionBackward, attention_backward)

#endif

/* Written by tools/generate.py from conv.h. Do not edit. */
#ifndef ADJOINT_OPS_CONV_INIT_H
#define ADJOINT_OPS_CONV_INIT_H

#include "conv.h"

#ifndef __cplusplus
#define ADJ_CONV_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_conv_backward_descriptor, ADJ_TAG_CONV_BACKWARD_DESCRIPTOR), {0}, {0}, {0}, {0}, {0}, {0}, 1, 0, \
    1, 1, 0, 0, 0 }
#define ADJ_CONV_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_conv_backward_args, ADJ_TAG_CONV_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_conv_transpose_backward_descriptor, ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR), {0}, {0}, {0}, \
    {0}, {0}, {0}, 1, 0, 1, 1, 0, 0, 0 }
#define ADJ_CONV_TRANSPOSE_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_conv_transpose_backward_args, ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, \
    {0} }
#define ADJ_CONV_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_conv_forward_descriptor, ADJ_TAG_CONV_FORWARD_DESCRIPTOR), {0}, {0}, {0}, {0}, {0}, {0}, 1, 0, \
    0, 0, 0 }
#define ADJ_CONV_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_conv_forward_args, ADJ_TAG_CONV_FORWARD_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_CONV_TRANSPOSE_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_conv_transpose_forward_descriptor, ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR), {0}, {0}, {0}, \
    {0}, {0}, {0}, 1, 0, 0, 0, 0 }
#define ADJ_CONV_TRANSPOSE_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_conv_transpose_forward_args, ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS), {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(ConvBackward, conv_backward)
ADJ_CPP_NAMES(ConvTransposeBackward, conv_transpose_backward)
ADJ_CPP_NAMES(ConvForward, conv_forward)
ADJ_CPP_NAMES(ConvTransposeForward, conv_transpose_forward)

#endif

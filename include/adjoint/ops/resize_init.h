/* Written by tools/generate.py from resize.h. Do not edit. */
#ifndef ADJOINT_OPS_RESIZE_INIT_H
#define ADJOINT_OPS_RESIZE_INIT_H

#include "resize.h"

#ifndef __cplusplus
#define ADJ_RESIZE_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_resize_backward_descriptor, ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR), {0}, {0}, 0, NULL, 0, 0, 0, 0, \
    0, 0 }
#define ADJ_RESIZE_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_resize_backward_args, ADJ_TAG_RESIZE_BACKWARD_ARGS), {0}, {0} }
#define ADJ_RESIZE_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_resize_forward_descriptor, ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR), {0}, {0}, 0, NULL, 0, 0, 0, 0, 0, \
    0 }
#define ADJ_RESIZE_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_resize_forward_args, ADJ_TAG_RESIZE_FORWARD_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(ResizeBackward, resize_backward)
ADJ_CPP_NAMES(ResizeForward, resize_forward)

#endif

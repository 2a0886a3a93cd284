/* Written by tools/generate.py from rope.h. Do not edit. */
#ifndef ADJOINT_OPS_ROPE_INIT_H
#define ADJOINT_OPS_ROPE_INIT_H

#include "rope.h"

#ifndef __cplusplus
#define ADJ_ROPE_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_rope_forward_descriptor, ADJ_TAG_ROPE_FORWARD_DESCRIPTOR), 1, -1, -1, 0, -1, 0, 0, 10000.0, \
    1e-5, {0}, {0}, 0, 0, 0, 0, 0, 0 }
#define ADJ_ROPE_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_rope_forward_args, ADJ_TAG_ROPE_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0} }
#define ADJ_ROPE_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_rope_backward_descriptor, ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR), 1, -1, -1, 0, -1, 0, 0, 10000.0, \
    1e-5, {0}, {0}, {0}, 0, 0, 0, 0, 0, 0 }
#define ADJ_ROPE_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_rope_backward_args, ADJ_TAG_ROPE_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0} }
#endif

ADJ_CPP_NAMES(RopeForward, rope_forward)
ADJ_CPP_NAMES(RopeBackward, rope_backward)

#endif

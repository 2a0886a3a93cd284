/* Written by tools/generate.py from batch_norm.h. Do not edit. */
#ifndef ADJOINT_OPS_BATCH_NORM_INIT_H
#define ADJOINT_OPS_BATCH_NORM_INIT_H

#include "batch_norm.h"

#ifndef __cplusplus
#define ADJ_BATCH_NORM_FORWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_batch_norm_forward_descriptor, ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR), -1, -1, 1, 1e-5, 0.9, 1, \
    0, 0, 0 }
#define ADJ_BATCH_NORM_FORWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_batch_norm_forward_args, ADJ_TAG_BATCH_NORM_FORWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0}, {0} }
#define ADJ_BATCH_NORM_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_batch_norm_backward_descriptor, ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR), -1, -1, 1, 1e-5, 0, 0, \
    0, 0 }
#define ADJ_BATCH_NORM_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_batch_norm_backward_args, ADJ_TAG_BATCH_NORM_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, \
    {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(BatchNormForward, batch_norm_forward)
ADJ_CPP_NAMES(BatchNormBackward, batch_norm_backward)

#endif

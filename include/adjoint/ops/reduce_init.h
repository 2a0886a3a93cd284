/* Written by tools/generate.py from reduce.h. Do not edit. */
#ifndef ADJOINT_OPS_REDUCE_INIT_H
#define ADJOINT_OPS_REDUCE_INIT_H

#include "reduce.h"

#ifndef __cplusplus
#define ADJ_L2_NORM_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_l2_norm_descriptor, ADJ_TAG_L2_NORM_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_L2_NORM_ARGS_INIT \
  { ADJ_HEADER_OF(adj_l2_norm_args, ADJ_TAG_L2_NORM_ARGS), {0}, {0}, {0}, {0} }
#define ADJ_REDUCE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_reduce_descriptor, ADJ_TAG_REDUCE_DESCRIPTOR), {0}, {0}, -1, 0, 1, 0, 0, 0, 0, 0, 0 }
#define ADJ_REDUCE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_reduce_args, ADJ_TAG_REDUCE_ARGS), {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(L2Norm, l2_norm)
ADJ_CPP_NAMES(Reduce, reduce)

#endif

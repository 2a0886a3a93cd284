/* Written by tools/generate.py from fill.h. Do not edit. */
#ifndef ADJOINT_OPS_FILL_INIT_H
#define ADJOINT_OPS_FILL_INIT_H

#include "fill.h"

#ifndef __cplusplus
#define ADJ_FILL_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_fill_descriptor, ADJ_TAG_FILL_DESCRIPTOR), -1, 0, 0 }
#define ADJ_FILL_ARGS_INIT \
  { ADJ_HEADER_OF(adj_fill_args, ADJ_TAG_FILL_ARGS), {0, NULL, 0, 0}, {0} }
#define ADJ_NORMAL_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_normal_descriptor, ADJ_TAG_NORMAL_DESCRIPTOR), -1, 0, 0 }
#define ADJ_NORMAL_ARGS_INIT \
  { ADJ_HEADER_OF(adj_normal_args, ADJ_TAG_NORMAL_ARGS), {0, NULL, 0, 0}, {1, NULL, 0, 0}, {0, UINT64_MAX, NULL}, \
    {0} }
#endif

ADJ_CPP_NAMES(Fill, fill)
ADJ_CPP_NAMES(Normal, normal)

#endif

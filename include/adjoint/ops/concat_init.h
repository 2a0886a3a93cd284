/* Written by tools/generate.py from concat.h. Do not edit. */
#ifndef ADJOINT_OPS_CONCAT_INIT_H
#define ADJOINT_OPS_CONCAT_INIT_H

#include "concat.h"

#ifndef __cplusplus
#define ADJ_CONCAT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_concat_descriptor, ADJ_TAG_CONCAT_DESCRIPTOR), 1, 1, 0, NULL, 0, 0 }
#define ADJ_CONCAT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_concat_args, ADJ_TAG_CONCAT_ARGS), {0}, {0}, {0} }
#define ADJ_SPLIT_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_split_descriptor, ADJ_TAG_SPLIT_DESCRIPTOR), 1, 1, 0, NULL, 0, 0 }
#define ADJ_SPLIT_ARGS_INIT \
  { ADJ_HEADER_OF(adj_split_args, ADJ_TAG_SPLIT_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(Concat, concat)
ADJ_CPP_NAMES(Split, split)

#endif

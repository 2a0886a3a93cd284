/* Written by tools/generate.py from shape.h. Do not edit. */
#ifndef ADJOINT_OPS_SHAPE_INIT_H
#define ADJOINT_OPS_SHAPE_INIT_H

#include "shape.h"

#ifndef __cplusplus
#define ADJ_VIEW_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_view_descriptor, ADJ_TAG_VIEW_DESCRIPTOR), -1, 0, NULL, 0, 0 }
#define ADJ_VIEW_ARGS_INIT \
  { ADJ_HEADER_OF(adj_view_args, ADJ_TAG_VIEW_ARGS), {0}, {0}, {0} }
#define ADJ_COPY_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_copy_descriptor, ADJ_TAG_COPY_DESCRIPTOR), 0, NULL, 0, 0 }
#define ADJ_COPY_ARGS_INIT \
  { ADJ_HEADER_OF(adj_copy_args, ADJ_TAG_COPY_ARGS), {0}, {0} }
#define ADJ_TRANSPOSE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_transpose_descriptor, ADJ_TAG_TRANSPOSE_DESCRIPTOR), 1, -1, -1, 0, 0 }
#define ADJ_TRANSPOSE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_transpose_args, ADJ_TAG_TRANSPOSE_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(View, view)
ADJ_CPP_NAMES(Copy, copy)
ADJ_CPP_NAMES(Transpose, transpose)

#endif

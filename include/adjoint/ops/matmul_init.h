/* Written by tools/generate.py from matmul.h. Do not edit. */
#ifndef ADJOINT_OPS_MATMUL_INIT_H
#define ADJOINT_OPS_MATMUL_INIT_H

#include "matmul.h"

#ifndef __cplusplus
#define ADJ_MATMUL_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_matmul_descriptor, ADJ_TAG_MATMUL_DESCRIPTOR), -1, -1, -1, 1, 0, 0, 0, 0, 0, 0, 1.0, 0.0, 0, 0, \
    0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_MATMUL_ARGS_INIT \
  { ADJ_HEADER_OF(adj_matmul_args, ADJ_TAG_MATMUL_ARGS), {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(Matmul, matmul)

#endif

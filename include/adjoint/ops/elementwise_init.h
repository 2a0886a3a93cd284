/* Written by tools/generate.py from elementwise.h. Do not edit. */
#ifndef ADJOINT_OPS_ELEMENTWISE_INIT_H
#define ADJOINT_OPS_ELEMENTWISE_INIT_H

#include "elementwise.h"

#ifndef __cplusplus
#define ADJ_DIV_BACKWARD_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_div_backward_descriptor, ADJ_TAG_DIV_BACKWARD_DESCRIPTOR), {0}, {0}, 0, 0, 0, 0 }
#define ADJ_DIV_BACKWARD_ARGS_INIT \
  { ADJ_HEADER_OF(adj_div_backward_args, ADJ_TAG_DIV_BACKWARD_ARGS), {0}, {0}, {0}, {0}, {0} }
#endif

ADJ_CPP_NAMES(DivBackward, div_backward)

#endif

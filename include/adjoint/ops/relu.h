/* The gradient of max(x, 0). Definition: PyTorch's threshold_backward with threshold 0. */
#ifndef ADJOINT_OPS_RELU_H
#define ADJOINT_OPS_RELU_H

#include "table.h"

/* dinput[i] = dout[i] where out[i] > 0, else +0; out is the result, or the input, of the forward operator. A NaN in out counts as
 * not above 0. */
typedef struct adj_relu_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_relu_backward_descriptor, ADJ_TAG_RELU_BACKWARD_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1);    /* >= 0; -1: not given, refused */
  adj_dtype element ADJ_DEFAULT(0); /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_relu_backward_descriptor;

typedef struct adj_relu_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_relu_backward_args, ADJ_TAG_RELU_BACKWARD_ARGS));
  adj_tensor dout ADJ_DEFAULT({});   /* in, [numel] element */
  adj_tensor out ADJ_DEFAULT({});    /* in, [numel] element */
  adj_tensor dinput ADJ_DEFAULT({}); /* out, [numel] element; may be dout or out itself */
} adj_relu_backward_args;

#include "relu_init.h"

#endif

/* Gradients of arithmetic with broadcasting. Definition: com.microsoft DivGrad, and the gradients of PyTorch's div and numpy's divide. */
#ifndef ADJOINT_OPS_ELEMENTWISE_H
#define ADJOINT_OPS_ELEMENTWISE_H

#include "operator.h"

ADJ_OPERATOR(20, div_backward, DIV_BACKWARD, DivBackward)

/* Gradients of a / b, where both are broadcast to one shape by numpy's rules (aligned at the last dimension; a dimension of one element and a missing
 * one repeat):
 *     da = sum of dout / b               over the dimensions along which a repeats
 *     db = sum of -(dout / b) * (a / b)  over the dimensions along which b repeats
 *
 * Types. Quotients are formed in f32 (f64 for f64), and sums are rounded once, at the end. The order of additions depends on the shapes and the element
 * type alone. Nothing of the broadcast shape is stored.
 *
 * Edge cases:
 * - A division by 0 follows IEEE arithmetic.
 * - Where no element is summed, a gradient is 0.
 *
 * Terms (see adj_guarantee) of an element: its addends. */
typedef struct adj_div_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_div_backward_descriptor, ADJ_TAG_DIV_BACKWARD_DESCRIPTOR));
  adj_shape a_shape ADJ_DEFAULT({});       /* of a and da; broadcast to that of dout */
  adj_shape b_shape ADJ_DEFAULT({});       /* of b and db; broadcast to that of dout */
  int32_t skip_da ADJ_DEFAULT(0) ADJ_FLAG; /* 1: da is not wanted */
  int32_t skip_db ADJ_DEFAULT(0) ADJ_FLAG ADJ_REFUSE(skip_da && skip_db, "and skip_da leave nothing to compute"); /* 1: db is not wanted, and a is not read */
  adj_dtype element ADJ_DEFAULT({});       /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_div_backward_descriptor;

typedef struct adj_div_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_div_backward_args, ADJ_TAG_DIV_BACKWARD_ARGS));
  adj_tensor dout ADJ_DEFAULT({}) ADJ_IN(broadcast(a_shape, b_shape), element);
  adj_tensor a    ADJ_DEFAULT({}) ADJ_IN(a_shape, element) ADJ_ONLY_IF(!skip_db);
  adj_tensor b    ADJ_DEFAULT({}) ADJ_IN(b_shape, element);
  adj_tensor da   ADJ_DEFAULT({}) ADJ_OUT(a_shape, element) ADJ_ONLY_IF(!skip_da);
  adj_tensor db   ADJ_DEFAULT({}) ADJ_OUT(b_shape, element) ADJ_ONLY_IF(!skip_db);
} adj_div_backward_args;

#include <adjoint/ops/elementwise_init.h>

#endif

/* Softmax and log-softmax, and their gradients.
 *
 * Arguments. Tensors are [outer, extent, inner] in row-major order. The extent elements of one (outer, inner) form a group. For a tensor of any rank
 * and the axis a,
 *     one axis (opset 13, PyTorch):               outer = product of the dimensions before a, extent = dimension a,
 *                                                 inner = product of the dimensions after a
 *     coerced to two dimensions (before opset 13): outer = product of the dimensions before a, extent = product of dimension a and all after it,
 *                                                 inner = 1
 *
 * Types. f32, f64, f16, bf16. Sums are taken in f32 (f64 for f64), in an order that depends on extent, inner and the element type alone. Everything is
 * rounded once. With preference.math = ADJ_MATH_IEEE the forward operators and log_softmax_backward compute in f64 for every type.
 *
 * In place. dinput may be the very buffer of dout or of out, and a forward out that of input. Otherwise the buffers must not overlap.
 *
 * Edge cases:
 * - Nothing is done when an extent is 0.
 * - A NaN or an infinity affects its own group only.
 * - The forward operators: a group that has a NaN or +infinity, or whose elements are all -infinity, is NaN.
 * - log_softmax_backward where the sum of dout is infinite: minus that sum; NaN where out is -infinity or dout the same infinity.
 * - The gradient over a group need not add up to exactly 0.
 *
 * Terms (see adj_guarantee), m being the largest element of the group and q the mean of 1 + |x - m| weighted by exp(x - m):
 *     softmax_forward: out (1 + |x - m| + q)              log_softmax_forward: |x - m| + log(sum of exp(x - m)) + q
 *     softmax_backward: max(|out|, 1e-30) (|dout| + S)    log_softmax_backward: |dout| + max(exp(out), 1e-30) (1 + |out|) S
 * S is the sum of |dout out| over the group, for log-softmax the sum of |dout|.
 *
 * Source: ONNX Softmax and LogSoftmax; com.microsoft SoftmaxGrad, LogSoftmaxGrad and their _13 forms; the gradients of PyTorch's softmax and
 * log_softmax. */
#ifndef ADJOINT_OPS_SOFTMAX_H
#define ADJOINT_OPS_SOFTMAX_H

#include "operator.h"

ADJ_OPERATOR(7, softmax_backward, SOFTMAX_BACKWARD, SoftmaxBackward)
ADJ_OPERATOR(8, log_softmax_backward, LOG_SOFTMAX_BACKWARD, LogSoftmaxBackward)
ADJ_OPERATOR(29, softmax_forward, SOFTMAX_FORWARD, SoftmaxForward)
ADJ_OPERATOR(30, log_softmax_forward, LOG_SOFTMAX_FORWARD, LogSoftmaxForward)

ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)
ADJ_GRADIENT(log_softmax_forward, log_softmax_backward, dout, out)

/* Softmax gradient, out being the softmax itself:
 *     dinput[n, c, d] = out[n, c, d] * (dout[n, c, d] - sum over k of dout[n, k, d] * out[n, k, d]) */
typedef struct adj_softmax_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_backward_descriptor, ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t extent ADJ_DEFAULT(-1) ADJ_RANGE(0); /* of the axis */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_softmax_backward_descriptor;

typedef struct adj_softmax_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_backward_args, ADJ_TAG_SOFTMAX_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element);
  adj_tensor out    ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element); /* the result of the forward operator */
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(dout, out);
} adj_softmax_backward_args;

/* Log-softmax gradient, out being the log-softmax itself:
 *     dinput[n, c, d] = dout[n, c, d] - exp(out[n, c, d]) * sum over k of dout[n, k, d] */
typedef struct adj_log_softmax_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_softmax_backward_descriptor, ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t extent ADJ_DEFAULT(-1) ADJ_RANGE(0); /* of the axis */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_log_softmax_backward_descriptor;

typedef struct adj_log_softmax_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_softmax_backward_args, ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element);
  adj_tensor out    ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element); /* the result of the forward operator */
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(dout, out);
} adj_log_softmax_backward_args;

/* Softmax: out[n, c, d] = exp(input[n, c, d] - m) / sum over k of exp(input[n, k, d] - m), m the largest of the group. */
typedef struct adj_softmax_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_forward_descriptor, ADJ_TAG_SOFTMAX_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t extent ADJ_DEFAULT(-1) ADJ_RANGE(0); /* of the axis */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_softmax_forward_descriptor;

typedef struct adj_softmax_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_softmax_forward_args, ADJ_TAG_SOFTMAX_FORWARD_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(input);
} adj_softmax_forward_args;

/* Log-softmax: out[n, c, d] = input[n, c, d] - m - log(sum over k of exp(input[n, k, d] - m)), m the largest of the group. */
typedef struct adj_log_softmax_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_softmax_forward_descriptor, ADJ_TAG_LOG_SOFTMAX_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t extent ADJ_DEFAULT(-1) ADJ_RANGE(0); /* of the axis */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_log_softmax_forward_descriptor;

typedef struct adj_log_softmax_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_log_softmax_forward_args, ADJ_TAG_LOG_SOFTMAX_FORWARD_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN([outer, extent, inner], element);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(input);
} adj_log_softmax_forward_args;

#include <adjoint/ops/softmax_init.h>

#endif

/* Convolution, transposed convolution, and their gradients.
 *
 * Arguments. With 1 to 3 spatial dimensions and G groups,
 *     convolution            input [N, C, I], weight [M, C / G, K], out [N, M, O]
 *     transposed             input [N, C, O], weight [C, M / G, K], out [N, M, I]
 * With channels_last the channels are the last dimension of all three: input [N, I, C], weight [M, K, C / G], out [N, O, M]. In every spatial
 * dimension, with the stride s, the dilation d and the pads b and e at the beginning and the end,
 *     O = floor((I + b + e - d (K - 1) - 1) / s) + 1
 * For the transposed form this leaves s values of I: out says which. There is no auto_pad. Give the pads that it stands for, which may differ
 * between beginning and end.
 *
 * Types. f32, f64, f16, bf16. Products are added in f32 (f64 for f64) and rounded once. cuDNN may round sums of some of the products of f16 and bf16 to
 * the element type, and a sum before it adds the bias. The bounds of its kernels have room for that. The guarantee of the kernel that select chooses
 * says what the order of additions depends on.
 *
 * In place. No buffers overlap.
 *
 * Edge cases:
 * - An element outside of a tensor counts as 0.
 * - Where a weight, a gradient or the input of a transposed convolution is not a finite number, elements that it could only meet outside of a tensor
 *   are unspecified. cuDNN may carry a NaN or an infinity of any operand to elements of the result that it is no term of.
 *
 * Limits on a device. The places of a batch (N times I, or N times O), the products of an element and the elements of one image are below 2^31.
 *
 * Kernels. A plan of cuDNN needs every tensor at a multiple of 16 bytes: run, bind and can_implement refuse others with ADJ_ERROR_MISALIGNED. select
 * prefers cuDNN where it can be loaded and takes the problem. With preference.backend = ADJ_BACKEND_BESPOKE any address of an element will do:
 * - f16 and bf16 go to tensor cores. Tensors whose channels are not last, or not a multiple of 8 in a group, are copied into the workspace.
 * - Other problems, and groups of one channel, go to a slower kernel that needs workspace for sums alone.
 *
 * Terms (see adj_guarantee): the magnitudes of the products, of the bias, and of what an accumulating call adds to.
 *
 * Source: ONNX's Conv and ConvTranspose; com.microsoft ConvGrad and ConvTransposeGrad; PyTorch's conv1d to conv3d and conv_transpose1d to
 * conv_transpose3d. */
#ifndef ADJOINT_OPS_CONV_H
#define ADJOINT_OPS_CONV_H

#include "operator.h"

ADJ_OPERATOR(56, conv_backward, CONV_BACKWARD, ConvBackward)
ADJ_OPERATOR(57, conv_transpose_backward, CONV_TRANSPOSE_BACKWARD, ConvTransposeBackward)
ADJ_OPERATOR(58, conv_forward, CONV_FORWARD, ConvForward)
ADJ_OPERATOR(59, conv_transpose_forward, CONV_TRANSPOSE_FORWARD, ConvTransposeForward)

ADJ_GRADIENT(conv_forward, conv_backward, dout, input ? has_dweight, weight ? has_dinput)
ADJ_GRADIENT(conv_transpose_forward, conv_transpose_backward, dout, input ? has_dweight, weight ? has_dinput)

/* Convolution, with i = o * s + k * d - b in every spatial dimension and g = m / (M / G):
 *     out[n, m, o] = bias[m] + sum over c < C / G and k of input[n, g * C / G + c, i] * weight[m, c, k] */
typedef struct adj_conv_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_forward_descriptor, ADJ_TAG_CONV_FORWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});               /* as stored: 3 to 5 dimensions */
  adj_shape weight ADJ_DEFAULT({});              /* as stored */
  adj_shape out ADJ_DEFAULT({});                 /* as stored */
  adj_axes strides ADJ_DEFAULT({});              /* one per spatial dimension, or none for 1 */
  adj_axes pads ADJ_DEFAULT({});                 /* all beginnings, then all ends, or none for 0 */
  adj_axes dilations ADJ_DEFAULT({});            /* one per spatial dimension, or none for 1 */
  int64_t groups ADJ_DEFAULT(1) ADJ_RANGE(1);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG; /* 1: channels are the last dimension of all tensors */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;      /* 1: bias is given */
  adj_dtype element ADJ_DEFAULT({});             /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_conv_forward_descriptor;

typedef struct adj_conv_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_forward_args, ADJ_TAG_CONV_FORWARD_ARGS));
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN(input, element);
  adj_tensor weight ADJ_DEFAULT({}) ADJ_IN(weight, element);
  adj_tensor bias   ADJ_DEFAULT({}) ADJ_IN([extent(out, channels_last ? -1 : 1)], element) ADJ_ONLY_IF(has_bias);
  adj_tensor out    ADJ_DEFAULT({}) ADJ_OUT(out, element);
} adj_conv_forward_args;

/* Gradients of convolution, each on request:
 *     dinput[n, g * C / G + c, i] = sum over m of group g and all (o, k) with i = o * s + k * d - b of dout[n, m, o] * weight[m, c, k]
 *     dweight[m, c, k] (=|+=) sum over n and o of dout[n, m, o] * input[n, g * C / G + c, o * s + k * d - b]
 *     dbias[m] (=|+=) sum over n and o of dout[n, m, o] */
typedef struct adj_conv_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_backward_descriptor, ADJ_TAG_CONV_BACKWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});               /* as in the forward direction */
  adj_shape weight ADJ_DEFAULT({});              /* as in the forward direction */
  adj_shape out ADJ_DEFAULT({});                 /* as in the forward direction */
  adj_axes strides ADJ_DEFAULT({});              /* as in the forward direction */
  adj_axes pads ADJ_DEFAULT({});                 /* as in the forward direction */
  adj_axes dilations ADJ_DEFAULT({});            /* as in the forward direction */
  int64_t groups ADJ_DEFAULT(1) ADJ_RANGE(1);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG; /* 1: channels are the last dimension of all tensors */
  int32_t has_dinput ADJ_DEFAULT(1) ADJ_FLAG;    /* 1: dinput is computed */
  int32_t has_dweight ADJ_DEFAULT(1) ADJ_FLAG;   /* 1: dweight is computed */
  int32_t has_dbias ADJ_DEFAULT(0) ADJ_FLAG;     /* 1: dbias is computed */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_ONLY_IF(has_dweight || has_dbias); /* of dweight and dbias */
  adj_dtype element ADJ_DEFAULT({});             /* f32, f64, f16, bf16 */
} adj_conv_backward_descriptor;

typedef struct adj_conv_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_backward_args, ADJ_TAG_CONV_BACKWARD_ARGS));
  adj_tensor dout    ADJ_DEFAULT({}) ADJ_IN(out, element);
  adj_tensor input   ADJ_DEFAULT({}) ADJ_IN(input, element) ADJ_ONLY_IF(has_dweight);
  adj_tensor weight  ADJ_DEFAULT({}) ADJ_IN(weight, element) ADJ_ONLY_IF(has_dinput);
  adj_tensor dinput  ADJ_DEFAULT({}) ADJ_OUT(input, element) ADJ_ONLY_IF(has_dinput);
  adj_tensor dweight ADJ_DEFAULT({}) ADJ_OUT(weight, element) ADJ_ONLY_IF(has_dweight) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dbias   ADJ_DEFAULT({}) ADJ_OUT([extent(out, channels_last ? -1 : 1)], element) ADJ_ONLY_IF(has_dbias) ADJ_READ_IF(write_mode == accumulate);
} adj_conv_backward_args;

/* Transposed convolution:
 *     out[n, g * M / G + m, i] = bias[g * M / G + m] + sum over c of group g and all (o, k) with i = o * s + k * d - b of
 *                                input[n, c, o] * weight[c, m, k] */
typedef struct adj_conv_transpose_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_transpose_forward_descriptor, ADJ_TAG_CONV_TRANSPOSE_FORWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});               /* as stored: 3 to 5 dimensions */
  adj_shape weight ADJ_DEFAULT({});              /* as stored */
  adj_shape out ADJ_DEFAULT({});                 /* as stored */
  adj_axes strides ADJ_DEFAULT({});              /* as in conv_forward */
  adj_axes pads ADJ_DEFAULT({});                 /* as in conv_forward */
  adj_axes dilations ADJ_DEFAULT({});            /* as in conv_forward */
  int64_t groups ADJ_DEFAULT(1) ADJ_RANGE(1);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG; /* 1: channels are the last dimension of all tensors */
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;      /* 1: bias is given */
  adj_dtype element ADJ_DEFAULT({});             /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_conv_transpose_forward_descriptor;

typedef struct adj_conv_transpose_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_transpose_forward_args, ADJ_TAG_CONV_TRANSPOSE_FORWARD_ARGS));
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN(input, element);
  adj_tensor weight ADJ_DEFAULT({}) ADJ_IN(weight, element);
  adj_tensor bias   ADJ_DEFAULT({}) ADJ_IN([extent(out, channels_last ? -1 : 1)], element) ADJ_ONLY_IF(has_bias);
  adj_tensor out    ADJ_DEFAULT({}) ADJ_OUT(out, element);
} adj_conv_transpose_forward_args;

/* Gradients of transposed convolution, each on request:
 *     dinput[n, c, o] = sum over m < M / G and k of dout[n, g * M / G + m, o * s + k * d - b] * weight[c, m, k]
 *     dweight[c, m, k] (=|+=) sum over n and o of input[n, c, o] * dout[n, g * M / G + m, o * s + k * d - b]
 *     dbias[q] (=|+=) sum over n and i of dout[n, q, i] */
typedef struct adj_conv_transpose_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_transpose_backward_descriptor, ADJ_TAG_CONV_TRANSPOSE_BACKWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});               /* as in the forward direction */
  adj_shape weight ADJ_DEFAULT({});              /* as in the forward direction */
  adj_shape out ADJ_DEFAULT({});                 /* as in the forward direction */
  adj_axes strides ADJ_DEFAULT({});              /* as in conv_forward */
  adj_axes pads ADJ_DEFAULT({});                 /* as in conv_forward */
  adj_axes dilations ADJ_DEFAULT({});            /* as in conv_forward */
  int64_t groups ADJ_DEFAULT(1) ADJ_RANGE(1);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG; /* 1: channels are the last dimension of all tensors */
  int32_t has_dinput ADJ_DEFAULT(1) ADJ_FLAG;    /* 1: dinput is computed */
  int32_t has_dweight ADJ_DEFAULT(1) ADJ_FLAG;   /* 1: dweight is computed */
  int32_t has_dbias ADJ_DEFAULT(0) ADJ_FLAG;     /* 1: dbias is computed */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_ONLY_IF(has_dweight || has_dbias); /* of dweight and dbias */
  adj_dtype element ADJ_DEFAULT({});             /* f32, f64, f16, bf16 */
} adj_conv_transpose_backward_descriptor;

typedef struct adj_conv_transpose_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_conv_transpose_backward_args, ADJ_TAG_CONV_TRANSPOSE_BACKWARD_ARGS));
  adj_tensor dout    ADJ_DEFAULT({}) ADJ_IN(out, element);
  adj_tensor input   ADJ_DEFAULT({}) ADJ_IN(input, element) ADJ_ONLY_IF(has_dweight);
  adj_tensor weight  ADJ_DEFAULT({}) ADJ_IN(weight, element) ADJ_ONLY_IF(has_dinput);
  adj_tensor dinput  ADJ_DEFAULT({}) ADJ_OUT(input, element) ADJ_ONLY_IF(has_dinput);
  adj_tensor dweight ADJ_DEFAULT({}) ADJ_OUT(weight, element) ADJ_ONLY_IF(has_dweight) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dbias   ADJ_DEFAULT({}) ADJ_OUT([extent(out, channels_last ? -1 : 1)], element) ADJ_ONLY_IF(has_dbias) ADJ_READ_IF(write_mode == accumulate);
} adj_conv_transpose_backward_args;

#include <adjoint/ops/conv_init.h>

#endif

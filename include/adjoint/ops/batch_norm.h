/* Batch norm and group norm with their gradients.
 *
 * Arguments. Tensors are [outer, channels, inner] in row-major order:
 *     channels before the spatial dimensions (NCHW): outer = N, inner = product of the spatial dimensions
 *     channels last (NHWC):                          outer = N times the spatial dimensions, inner = 1
 * A channel has M = outer * inner elements.
 *
 * Types. X, Y and their gradients have `element`; scale, bias and their gradients `weight`; saved and running statistics `stats`: f32, f16, bf16 with
 * each other, or all f64. Arithmetic is f32 (f64 for f64). Statistics are put together in f64. There is one rounding at the store. What is stored in
 * 16 bits is rounded there only: Y is made of the unrounded statistics. Sums are split by the shape and the types alone.
 *
 * Edge cases:
 * - A NaN or an infinity stays in its channel and makes the statistics of that channel NaN.
 * - An extent is 0: dscale and dbias are 0. Nothing else is written.
 *
 * Terms (see adj_guarantee), with D the largest |x - mean| of the channel, or 16 standard deviations where that is less, and q = 1 + (D * inv_std)^2.
 * With the running statistics D is 0.
 *     Y: |scale| * inv_std * (|x - mean| + D) * q + |bias|
 *     mean: D;  inv_std: inv_std * q;  running statistics: the summands, with the variance times q
 *     dX: |scale| * inv_std * (|dy| + mean of |dy| + |h| * mean of |dy * h|);  dscale: sum of |dy * h|;  dbias: sum of |dy|
 *
 * Source: com.microsoft BatchNormInternal and BatchNormalizationGrad; ONNX BatchNormalization; PyTorch's batch_norm, but for the momentum, which is
 * ONNX's. */
#ifndef ADJOINT_OPS_BATCH_NORM_H
#define ADJOINT_OPS_BATCH_NORM_H

#include "operator.h"

ADJ_OPERATOR(54, batch_norm_forward, BATCH_NORM_FORWARD, BatchNormForward)
ADJ_OPERATOR(55, batch_norm_backward, BATCH_NORM_BACKWARD, BatchNormBackward)
ADJ_OPERATOR(120, group_norm_forward, GROUP_NORM_FORWARD, GroupNormForward)
ADJ_OPERATOR(121, group_norm_backward, GROUP_NORM_BACKWARD, GroupNormBackward)

ADJ_GRADIENT(batch_norm_forward, batch_norm_backward, dout, input, scale, saved_mean, saved_inv_std, running_mean ? frozen, running_variance ? frozen, frozen = !training)
ADJ_GRADIENT(group_norm_forward, group_norm_backward, dout, input, scale, mean, inv_std)

/* Batch norm:
 *     y = (x - mean[c]) * inv_std[c] * scale[c] + bias[c],  inv_std[c] = 1 / sqrt(variance[c] + epsilon)
 * training: mean and (biased) variance are those of the channel, and
 *     next_running_mean     = momentum * running_mean + (1 - momentum) * mean
 *     next_running_variance = momentum * running_variance + (1 - momentum) * variance * M / (M - 1)   (M = 1: variance)
 * otherwise the running statistics are used. PyTorch's momentum is 1 minus this one. */
typedef struct adj_batch_norm_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_batch_norm_forward_descriptor, ADJ_TAG_BATCH_NORM_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);
  int64_t channels ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0);
  double momentum ADJ_DEFAULT(0.9) ADJ_RANGE(0, 1); /* weight of the old running statistics */
  int32_t training ADJ_DEFAULT(1) ADJ_FLAG;         /* 0: with the running statistics */
  adj_dtype element ADJ_DEFAULT({});                /* of X and Y */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of scale and bias */
  adj_dtype stats ADJ_DEFAULT({}) ADJ_ZERO_IS(weight) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((stats == f64) != (element == f64), "does not go with that element"); /* of the statistics */
} adj_batch_norm_forward_descriptor;

typedef struct adj_batch_norm_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_batch_norm_forward_args, ADJ_TAG_BATCH_NORM_FORWARD_ARGS));
  adj_tensor input                 ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* X */
  adj_tensor scale                 ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor bias                  ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 0 without */
  adj_tensor running_mean          ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_OPTIONAL_IF(training); /* needed for next_running_mean */
  adj_tensor running_variance      ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_OPTIONAL_IF(training); /* needed for next_running_variance */
  adj_tensor out                   ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], element) ADJ_MAY_BE(input); /* Y */
  adj_tensor next_running_mean     ADJ_DEFAULT({}) ADJ_OUT([channels], stats) ADJ_OPTIONAL ADJ_MAY_BE(running_mean) ADJ_ONLY_IF(training);
  adj_tensor next_running_variance ADJ_DEFAULT({}) ADJ_OUT([channels], stats) ADJ_OPTIONAL ADJ_MAY_BE(running_variance) ADJ_ONLY_IF(training);
  adj_tensor saved_mean            ADJ_DEFAULT({}) ADJ_OUT([channels], stats) ADJ_OPTIONAL ADJ_ONLY_IF(training);
  adj_tensor saved_inv_std         ADJ_DEFAULT({}) ADJ_OUT([channels], stats) ADJ_OPTIONAL ADJ_ONLY_IF(training);
} adj_batch_norm_forward_args;

/* Batch norm, gradient, with h = (x - mean[c]) * inv_std[c]:
 *     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
 *     dx = scale[c] * inv_std[c] * (dy - dbias[c] / M - h * dscale[c] / M)
 * frozen: statistics are the running ones, which do not depend on X: dx = scale[c] * inv_std[c] * dy. */
typedef struct adj_batch_norm_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_batch_norm_backward_descriptor, ADJ_TAG_BATCH_NORM_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);
  int64_t channels ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0); /* read where frozen */
  int32_t frozen ADJ_DEFAULT(0) ADJ_FLAG;              /* 1: the forward operator used the running statistics */
  adj_dtype element ADJ_DEFAULT({});                   /* of X and its gradient, and of dY */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of scale, dscale and dbias */
  adj_dtype stats ADJ_DEFAULT({}) ADJ_ZERO_IS(weight) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((stats == f64) != (element == f64), "does not go with that element"); /* of the statistics */
} adj_batch_norm_backward_descriptor;

typedef struct adj_batch_norm_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_batch_norm_backward_args, ADJ_TAG_BATCH_NORM_BACKWARD_ARGS));
  adj_tensor dout             ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* dY */
  adj_tensor input            ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* X */
  adj_tensor scale            ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor saved_mean       ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_ONLY_IF(!frozen);
  adj_tensor saved_inv_std    ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_ONLY_IF(!frozen);
  adj_tensor running_mean     ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_ONLY_IF(frozen);
  adj_tensor running_variance ADJ_DEFAULT({}) ADJ_IN([channels], stats) ADJ_ONLY_IF(frozen);
  adj_tensor dinput           ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], element) ADJ_MAY_BE(dout, input); /* dX */
  adj_tensor dscale           ADJ_DEFAULT({}) ADJ_OUT([channels], weight) ADJ_OPTIONAL;
  adj_tensor dbias            ADJ_DEFAULT({}) ADJ_OUT([channels], weight) ADJ_OPTIONAL;
} adj_batch_norm_backward_args;

/* Group norm: the channels of a sample form `groups` groups of channels / groups neighbours, and each group of each sample is normalised by itself,
 * over its m = channels / groups * inner elements:
 *     y = (x - mean[n, g]) * inv_std[n, g] * scale[c] + bias[c],  inv_std[n, g] = 1 / sqrt(variance of the group + epsilon)  (biased variance)
 * Here outer = N, and inner is the product of the spatial dimensions. One group is a layer norm over all of a sample; as many groups as channels are
 * an instance norm. A NaN or an infinity stays in its group of its sample, and makes its statistics NaN.
 *
 * Terms, with D and q as above, of a group: as batch norm's Y, mean and inv_std.
 *
 * Source: ONNX GroupNormalization of opset 21; PyTorch's group_norm. */
typedef struct adj_group_norm_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_norm_forward_descriptor, ADJ_TAG_GROUP_NORM_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t channels ADJ_DEFAULT(-1) ADJ_RANGE(0); /* a multiple of groups */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t groups ADJ_DEFAULT(-1) ADJ_RANGE(1) ADJ_REFUSE(channels % groups != 0, "does not divide channels");
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0);
  adj_dtype element ADJ_DEFAULT({});             /* of X and Y */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of scale and bias */
} adj_group_norm_forward_descriptor;

typedef struct adj_group_norm_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_norm_forward_args, ADJ_TAG_GROUP_NORM_FORWARD_ARGS));
  adj_tensor input   ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* X */
  adj_tensor scale   ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor bias    ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 0 without */
  adj_tensor out     ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], element) ADJ_MAY_BE(input); /* Y */
  adj_tensor mean    ADJ_DEFAULT({}) ADJ_OUT([outer, groups], accumulator(element)) ADJ_OPTIONAL;
  adj_tensor inv_std ADJ_DEFAULT({}) ADJ_OUT([outer, groups], accumulator(element)) ADJ_OPTIONAL;
} adj_group_norm_forward_args;

/* Group norm, gradient, with h = (x - mean[n, g]) * inv_std[n, g] and means over the m elements of a group:
 *     dbias[c] = sum of dy;  dscale[c] = sum of dy * h
 *     dx = inv_std[n, g] * (scale[c] * dy - mean of scale * dy - h * mean of scale * dy * h)
 * Terms:
 *     dX: inv_std * (|scale * dy| + mean of |scale * dy| + |h| * mean of |scale * dy * h|);  dscale: sum of |dy * h|;  dbias: sum of |dy| */
typedef struct adj_group_norm_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_norm_backward_descriptor, ADJ_TAG_GROUP_NORM_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t channels ADJ_DEFAULT(-1) ADJ_RANGE(0); /* a multiple of groups */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t groups ADJ_DEFAULT(-1) ADJ_RANGE(1) ADJ_REFUSE(channels % groups != 0, "does not divide channels");
  adj_dtype element ADJ_DEFAULT({});             /* of X and its gradient, and of dY */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of scale, dscale and dbias */
} adj_group_norm_backward_descriptor;

typedef struct adj_group_norm_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_norm_backward_args, ADJ_TAG_GROUP_NORM_BACKWARD_ARGS));
  adj_tensor dout    ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* dY */
  adj_tensor input   ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element); /* X */
  adj_tensor scale   ADJ_DEFAULT({}) ADJ_IN([channels], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor mean    ADJ_DEFAULT({}) ADJ_IN([outer, groups], accumulator(element));
  adj_tensor inv_std ADJ_DEFAULT({}) ADJ_IN([outer, groups], accumulator(element));
  adj_tensor dinput  ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], element) ADJ_MAY_BE(dout, input); /* dX */
  adj_tensor dscale  ADJ_DEFAULT({}) ADJ_OUT([channels], weight) ADJ_OPTIONAL;
  adj_tensor dbias   ADJ_DEFAULT({}) ADJ_OUT([channels], weight) ADJ_OPTIONAL;
} adj_group_norm_backward_args;

#include <adjoint/ops/batch_norm_init.h>

#endif

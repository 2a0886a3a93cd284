/* Layer norm and RMS norm with their gradients.
 *
 * `axis` splits the shape of X into rows (the dimensions before it) and columns (axis and all after it). Every row is normalised by itself:
 *     layer norm:  h[i, j] = (x[i, j] - mean[i]) * inv_std[i],  inv_std[i] = 1 / sqrt(variance of row i + epsilon)  (biased variance)
 *     RMS norm:    h[i, j] = x[i, j] * inv_std[i],              inv_std[i] = 1 / sqrt(mean of squares of row i + epsilon)
 *     y[i, j] = h[i, j] * gamma[j] + beta[j]
 *
 * Arguments. X, dX, Y and dY have the shape. gamma, beta and their gradients have `columns` elements, mean and inv_std `rows`.
 *
 * Types. X has `element`, Y and dY have `output`, gamma, beta and their gradients have `weight`: f32, f16, bf16 with each other, or all f64. Where
 * element and output are both of 16 bits, they are the same. mean and inv_std are f32, f64 where X is f64.
 * Arithmetic is f32 (f64 for f64), with one rounding at the store. A row's dX does not depend on other rows. Sums over rows are split by the shape
 * and the types alone.
 *
 * Edge cases:
 * - A NaN or an infinity stays in its row, and in its column of the gradients of gamma and beta.
 * - rows = 0: the gradients of gamma and beta are 0, or keep what they hold when they accumulate. Nothing else is written.
 * - columns = 0: nothing is written.
 * - A sum of two -0 is -0.
 *
 * Terms (see adj_guarantee), with g = dy * gamma and a mean over the row:
 *     dX: inv_std * (|g| + mean of |g| + |h| * mean of |g * h|) + |dresidual|, for RMS norm without the mean of |g|
 *     dgamma: sum of |dy * h|;  dbeta: sum of |dy|;  with write_mode accumulate what they held before is a term as well
 * Forward, with e = |x - mean| + 2^-20 * mean of |x|, for RMS norm e = |x|, where |x| + |residual| is added to e if the sum is not stored, and
 * q = 1 + mean of (e * inv_std)^2:
 *     Y: inv_std * |gamma| * (e + mean of e) * q + |beta|, for RMS norm inv_std * |gamma| * e * q
 *     mean: mean of e;  inv_std: inv_std * q;  sum: none
 *
 * Source: com.microsoft LayerNormalizationGrad, SimplifiedLayerNormalizationGrad and InvertibleLayerNormalizationGrad; ONNX LayerNormalization;
 * PyTorch's layer_norm and rms_norm. */
#ifndef ADJOINT_OPS_NORM_H
#define ADJOINT_OPS_NORM_H

#include "operator.h"

ADJ_OPERATOR(50, layer_norm_backward, LAYER_NORM_BACKWARD, LayerNormBackward)
ADJ_OPERATOR(51, rms_norm_backward, RMS_NORM_BACKWARD, RmsNormBackward)
ADJ_OPERATOR(52, layer_norm_forward, LAYER_NORM_FORWARD, LayerNormForward)
ADJ_OPERATOR(53, rms_norm_forward, RMS_NORM_FORWARD, RmsNormForward)

ADJ_GRADIENT(layer_norm_forward, layer_norm_backward, dout, input = sum | input, gamma, mean, inv_std, dresidual = dsum, dinput = input | residual)
ADJ_GRADIENT(rms_norm_forward, rms_norm_backward, dout, input = sum | input, gamma, inv_std, dresidual = dsum, dinput = input | residual)

ADJ_LET(rows, product(shape, 0, axis))
ADJ_LET(columns, product(shape, axis))

/* Layer norm, gradient:
 *     g = dy * gamma
 *     dx[i, j] = inv_std[i] * (g[i, j] - mean over j of g - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
 *     dgamma[j] = sum over i of dy * h;  dbeta[j] = sum over i of dy
 *
 * From the output. With from_output, X need not be kept:
 *     h = (y - beta) / gamma,  mean over j of (g * h) = mean over j of (dy * (y - beta))
 * h is as exact as the stored Y. Where a gamma is 0, or smaller than the least normal number of the arithmetic, its column of dX and dgamma has an
 * infinity or a NaN. Other columns are not affected. */
typedef struct adj_layer_norm_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_layer_norm_backward_descriptor, ADJ_TAG_LAYER_NORM_BACKWARD_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});             /* of X */
  int32_t axis ADJ_DEFAULT(-1);                /* first axis that is normalised; negative: counted from the end */
  int32_t from_output ADJ_DEFAULT(0) ADJ_FLAG; /* 0: from X, mean and inv_std; 1: from Y, gamma, beta and inv_std */
  int32_t has_dgamma ADJ_DEFAULT(1) ADJ_FLAG;  /* 1: dgamma is wanted */
  int32_t has_dbeta ADJ_DEFAULT(1) ADJ_FLAG;   /* 1: dbeta is wanted */
  adj_write_mode write_mode ADJ_DEFAULT({});   /* of dgamma and dbeta */
  adj_dtype element ADJ_DEFAULT({});           /* of X and dX */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((output == f64) != (element == f64), "does not go with that element"); /* of Y and dY */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(output) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of gamma, beta and their gradients */
} adj_layer_norm_backward_descriptor;

typedef struct adj_layer_norm_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_layer_norm_backward_args, ADJ_TAG_LAYER_NORM_BACKWARD_ARGS));
  adj_tensor dout      ADJ_DEFAULT({}) ADJ_IN(shape, output); /* dY */
  adj_tensor input     ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_ONLY_IF(!from_output); /* X */
  adj_tensor out       ADJ_DEFAULT({}) ADJ_IN(shape, output) ADJ_ONLY_IF(from_output); /* Y */
  adj_tensor gamma     ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL_IF(!from_output); /* 1 without */
  adj_tensor beta      ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL ADJ_ONLY_IF(from_output); /* 0 without */
  adj_tensor mean      ADJ_DEFAULT({}) ADJ_IN([rows], accumulator(element)) ADJ_ONLY_IF(!from_output);
  adj_tensor inv_std   ADJ_DEFAULT({}) ADJ_IN([rows], accumulator(element));
  adj_tensor dresidual ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_OPTIONAL; /* another gradient flowing into X, added before the rounding */
  adj_tensor dinput    ADJ_DEFAULT({}) ADJ_OUT(shape, element) ADJ_MAY_BE(dout, input, out, dresidual); /* dX; may share a buffer when the types agree */
  adj_tensor dgamma    ADJ_DEFAULT({}) ADJ_OUT([columns], weight) ADJ_ONLY_IF(has_dgamma) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dbeta     ADJ_DEFAULT({}) ADJ_OUT([columns], weight) ADJ_ONLY_IF(has_dbeta) ADJ_READ_IF(write_mode == accumulate);
} adj_layer_norm_backward_args;

/* RMS norm, gradient:
 *     g = dy * gamma
 *     dx[i, j] = inv_std[i] * (g[i, j] - h[i, j] * mean over j of (g * h)) + dresidual[i, j]
 *     dgamma[j] = sum over i of dy * h
 * from_output: h is y / gamma; see layer norm. */
typedef struct adj_rms_norm_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rms_norm_backward_descriptor, ADJ_TAG_RMS_NORM_BACKWARD_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});             /* of X */
  int32_t axis ADJ_DEFAULT(-1);                /* first axis that is normalised; negative: counted from the end */
  int32_t from_output ADJ_DEFAULT(0) ADJ_FLAG; /* 0: from X and inv_std; 1: from Y, gamma and inv_std */
  int32_t has_dgamma ADJ_DEFAULT(1) ADJ_FLAG;  /* 1: dgamma is wanted */
  adj_write_mode write_mode ADJ_DEFAULT({});   /* of dgamma */
  adj_dtype element ADJ_DEFAULT({});           /* of X and dX */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((output == f64) != (element == f64), "does not go with that element"); /* of Y and dY */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(output) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of gamma and dgamma */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_rms_norm_backward_descriptor;

typedef struct adj_rms_norm_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rms_norm_backward_args, ADJ_TAG_RMS_NORM_BACKWARD_ARGS));
  adj_tensor dout      ADJ_DEFAULT({}) ADJ_IN(shape, output); /* dY */
  adj_tensor input     ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_ONLY_IF(!from_output); /* X */
  adj_tensor out       ADJ_DEFAULT({}) ADJ_IN(shape, output) ADJ_ONLY_IF(from_output); /* Y */
  adj_tensor gamma     ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL_IF(!from_output); /* 1 without */
  adj_tensor inv_std   ADJ_DEFAULT({}) ADJ_IN([rows], accumulator(element));
  adj_tensor dresidual ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_OPTIONAL; /* another gradient flowing into X, added before the rounding */
  adj_tensor dinput    ADJ_DEFAULT({}) ADJ_OUT(shape, element) ADJ_MAY_BE(dout, input, out, dresidual); /* dX; may share a buffer when the types agree */
  adj_tensor dgamma    ADJ_DEFAULT({}) ADJ_OUT([columns], weight) ADJ_ONLY_IF(has_dgamma) ADJ_READ_IF(write_mode == accumulate);
} adj_rms_norm_backward_args;

/* Layer norm, of X or of X + residual. Where `sum` is given, X + residual is rounded to `element`, stored there, and normalised after the rounding.
 * The gradient then takes `sum` for X. */
typedef struct adj_layer_norm_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_layer_norm_forward_descriptor, ADJ_TAG_LAYER_NORM_FORWARD_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});              /* of X */
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0);
  int32_t axis ADJ_DEFAULT(-1);                 /* first axis that is normalised; negative: counted from the end */
  int32_t has_residual ADJ_DEFAULT(0) ADJ_FLAG; /* 1: residual is given */
  adj_dtype element ADJ_DEFAULT({});            /* of X, residual and sum */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((output == f64) != (element == f64), "does not go with that element"); /* of Y */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(output) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of gamma and beta */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_layer_norm_forward_descriptor;

typedef struct adj_layer_norm_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_layer_norm_forward_args, ADJ_TAG_LAYER_NORM_FORWARD_ARGS));
  adj_tensor input    ADJ_DEFAULT({}) ADJ_IN(shape, element); /* X */
  adj_tensor residual ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_ONLY_IF(has_residual);
  adj_tensor gamma    ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor beta     ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL; /* 0 without */
  adj_tensor out      ADJ_DEFAULT({}) ADJ_OUT(shape, output) ADJ_MAY_BE(input, residual); /* Y; may share a buffer when the types agree */
  adj_tensor sum      ADJ_DEFAULT({}) ADJ_OUT(shape, element) ADJ_OPTIONAL ADJ_MAY_BE(input, residual) ADJ_ONLY_IF(has_residual); /* X + residual */
  adj_tensor mean     ADJ_DEFAULT({}) ADJ_OUT([rows], accumulator(element)) ADJ_OPTIONAL;
  adj_tensor inv_std  ADJ_DEFAULT({}) ADJ_OUT([rows], accumulator(element)) ADJ_OPTIONAL;
} adj_layer_norm_forward_args;

/* RMS norm, of X or of X + residual; see layer norm. */
typedef struct adj_rms_norm_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rms_norm_forward_descriptor, ADJ_TAG_RMS_NORM_FORWARD_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});              /* of X */
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0);
  int32_t axis ADJ_DEFAULT(-1);                 /* first axis that is normalised; negative: counted from the end */
  int32_t has_residual ADJ_DEFAULT(0) ADJ_FLAG; /* 1: residual is given */
  adj_dtype element ADJ_DEFAULT({});            /* of X, residual and sum */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((output == f64) != (element == f64), "does not go with that element"); /* of Y */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(output) ADJ_TYPES(f32, f64, f16, bf16)
    ADJ_REFUSE((weight == f64) != (element == f64), "does not go with that element"); /* of gamma */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_rms_norm_forward_descriptor;

typedef struct adj_rms_norm_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rms_norm_forward_args, ADJ_TAG_RMS_NORM_FORWARD_ARGS));
  adj_tensor input    ADJ_DEFAULT({}) ADJ_IN(shape, element); /* X */
  adj_tensor residual ADJ_DEFAULT({}) ADJ_IN(shape, element) ADJ_ONLY_IF(has_residual);
  adj_tensor gamma    ADJ_DEFAULT({}) ADJ_IN([columns], weight) ADJ_OPTIONAL; /* 1 without */
  adj_tensor out      ADJ_DEFAULT({}) ADJ_OUT(shape, output) ADJ_MAY_BE(input, residual); /* Y; may share a buffer when the types agree */
  adj_tensor sum      ADJ_DEFAULT({}) ADJ_OUT(shape, element) ADJ_OPTIONAL ADJ_MAY_BE(input, residual) ADJ_ONLY_IF(has_residual); /* X + residual */
  adj_tensor inv_std  ADJ_DEFAULT({}) ADJ_OUT([rows], accumulator(element)) ADJ_OPTIONAL;
} adj_rms_norm_forward_args;

#include <adjoint/ops/norm_init.h>

#endif

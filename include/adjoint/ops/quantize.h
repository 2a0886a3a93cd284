/* Fake quantization: numbers are rounded to a grid of integers and back. Definitions: com.microsoft FakeQuant and FakeQuantGrad, and
 * PyTorch's fake_quantize functions. Nothing is done when an extent is 0. */
#ifndef ADJOINT_OPS_QUANTIZE_H
#define ADJOINT_OPS_QUANTIZE_H

#include "operator.h"

ADJ_OPERATOR(23, fake_quantize_forward, FAKE_QUANTIZE_FORWARD, FakeQuantizeForward)
ADJ_OPERATOR(24, fake_quantize_backward, FAKE_QUANTIZE_BACKWARD, FakeQuantizeBackward)

ADJ_GRADIENT(fake_quantize_forward, fake_quantize_backward, dout, mask)

/* Tensors are [outer, channels, inner] in row-major order. Without per_channel only their product matters. With s and z, the scale and the zero point
 * of the tensor or of an element's channel:
 *     q = rint(input / s) + z, half to even
 *     out = (min(max(q, quant_min), quant_max) - z) * s,  mask = quant_min <= q <= quant_max
 *
 * Types. All of it is computed in f32 (f64 for f64) and rounded once, at the end. Scales and zero points are used as they are: the zero point is not
 * rounded.
 *
 * Edge cases:
 * - A NaN gives NaN and a mask of 0.
 * - A scale on the device that is 0 or not finite gives what IEEE arithmetic gives. */
typedef struct adj_fake_quantize_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fake_quantize_forward_descriptor, ADJ_TAG_FAKE_QUANTIZE_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t channels ADJ_DEFAULT(1) ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);
  int64_t quant_min ADJ_DEFAULT(0) ADJ_RANGE(-16777216, 16777216) ADJ_REFUSE(quant_min >= quant_max, "is not below quant_max");
  int64_t quant_max ADJ_DEFAULT(255) ADJ_RANGE(-16777216, 16777216);
  int32_t per_channel ADJ_DEFAULT(0) ADJ_FLAG; /* 1: scales and zero_points have one number a channel */
  int32_t nan_to_min ADJ_DEFAULT(0) ADJ_FLAG;  /* 1: a NaN counts as quant_min, as in ONNX Runtime */
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_fake_quantize_forward_descriptor;

typedef struct adj_fake_quantize_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fake_quantize_forward_args, ADJ_TAG_FAKE_QUANTIZE_FORWARD_ARGS));
  adj_tensor input       ADJ_DEFAULT({}) ADJ_IN([outer, channels, inner], element);
  adj_scalar scale       ADJ_DEFAULT({}) ADJ_IN(f32, f64) ADJ_ONLY_IF(!per_channel); /* > 0 */
  adj_scalar zero_point  ADJ_DEFAULT({}) ADJ_IN(f32, f64) ADJ_ONLY_IF(!per_channel); /* quant_min to quant_max */
  adj_tensor scales      ADJ_DEFAULT({}) ADJ_IN([channels], accumulator(element)) ADJ_ONLY_IF(per_channel);
  adj_tensor zero_points ADJ_DEFAULT({}) ADJ_IN([channels], accumulator(element)) ADJ_ONLY_IF(per_channel);
  adj_tensor out         ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], element) ADJ_MAY_BE(input);
  adj_tensor mask        ADJ_DEFAULT({}) ADJ_OUT([outer, channels, inner], bool) ADJ_OPTIONAL;
} adj_fake_quantize_forward_args;

/* Gradient of fake quantization that passes straight through: dinput = mask ? dout : 0. */
typedef struct adj_fake_quantize_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fake_quantize_backward_descriptor, ADJ_TAG_FAKE_QUANTIZE_BACKWARD_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({}); /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_fake_quantize_backward_descriptor;

typedef struct adj_fake_quantize_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fake_quantize_backward_args, ADJ_TAG_FAKE_QUANTIZE_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor mask   ADJ_DEFAULT({}) ADJ_IN([numel], bool);
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(dout);
} adj_fake_quantize_backward_args;

#include <adjoint/ops/quantize_init.h>

#endif

/* Resizing of the spatial dimensions of a tensor by nearest neighbours or linear interpolation, and its gradient.
 *
 * Arguments. Tensors are [N, C, spatial] as stored, or [N, spatial, C] with channels_last, with 1 to 3 spatial dimensions of at most 2^29 each. N and
 * C are the same on both sides.
 *
 * Coordinates. In a spatial dimension of `in` elements of the input and `out` of the result, with q = in / out, or 1 / scale when scales are given,
 * element o of the result lies at
 *     half_pixel           (o + 0.5) * q - 0.5
 *     pytorch_half_pixel   the same, and 0 when out is 1
 *     asymmetric           o * q
 *     align_corners        o * (in - 1) / (out - 1), whatever the scales; 0 when out is 1
 * clamped to [0, in - 1]. Without scales, and where a scale equals out / in, this is exact. With other scales q is rounded to f64, and the coordinate is
 *     half_pixel, pytorch_half_pixel   fma(o + 0.5, q, -0.5), product and difference rounded once to f64
 *     asymmetric                       o * q, rounded to f64
 * Scales are not looked at when both shapes are equal: the result is then the input.
 *
 * Weights. nearest: the element at the rounded coordinate has weight 1. linear: with c the integer part and f the rest of the coordinate, element c has
 * weight 1 - f, and element c + 1 has weight f. Weights of several dimensions multiply. The gradient uses the weights of the forward operator.
 *
 * Types. Sums are taken in f32 (f64 for f64) and rounded once, in an order that depends on the spatial extents, the scales and the element type alone.
 *
 * Edge cases:
 * - An element of weight 0 takes no part: a NaN or an infinity there is not seen.
 *
 * Terms (see adj_guarantee): weight times element, with the weights that follow from these coordinates.
 *
 * Source: ONNX's Resize and com.microsoft ResizeGrad; PyTorch's interpolate with modes nearest-exact, linear, bilinear and trilinear. */
#ifndef ADJOINT_OPS_RESIZE_H
#define ADJOINT_OPS_RESIZE_H

#include "operator.h"

ADJ_OPERATOR(60, resize_backward, RESIZE_BACKWARD, ResizeBackward)
ADJ_OPERATOR(61, resize_forward, RESIZE_FORWARD, ResizeForward)

ADJ_GRADIENT(resize_forward, resize_backward, dout)

ADJ_ENUM(adj_resize_mode) { ADJ_RESIZE_MODE_DEFAULT = 0 /* linear */, ADJ_RESIZE_MODE_LINEAR = 1, ADJ_RESIZE_MODE_NEAREST = 2 };

ADJ_ENUM(adj_resize_coordinates) {
  ADJ_RESIZE_COORDINATES_DEFAULT = 0, /* half_pixel */
  ADJ_RESIZE_COORDINATES_HALF_PIXEL = 1,
  ADJ_RESIZE_COORDINATES_ALIGN_CORNERS = 2,
  ADJ_RESIZE_COORDINATES_ASYMMETRIC = 3,
  ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL = 4
};

/* How nearest rounds a coordinate. */
ADJ_ENUM(adj_resize_rounding) {
  ADJ_RESIZE_ROUNDING_DEFAULT = 0,            /* round_prefer_floor */
  ADJ_RESIZE_ROUNDING_ROUND_PREFER_FLOOR = 1, /* a half down */
  ADJ_RESIZE_ROUNDING_ROUND_PREFER_CEIL = 2,  /* a half up */
  ADJ_RESIZE_ROUNDING_FLOOR = 3,
  ADJ_RESIZE_ROUNDING_CEIL = 4
};

/* Resize:   out[n, c, o] = sum over i of weight(o, i) * input[n, c, i] */
typedef struct adj_resize_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_resize_forward_descriptor, ADJ_TAG_RESIZE_FORWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});                    /* as stored: 3 to 5 dimensions */
  adj_shape out ADJ_DEFAULT({});                      /* as stored */
  int64_t num_scales ADJ_DEFAULT(0);                  /* 0: out / in in every spatial dimension; else their number */
  const double* scales ADJ_DEFAULT(nullptr);          /* out over in, finite and > 0 */
  adj_resize_mode mode ADJ_DEFAULT({});               /* linear, nearest */
  adj_resize_coordinates coordinates ADJ_DEFAULT({}); /* half_pixel, align_corners, asymmetric, pytorch_half_pixel */
  adj_resize_rounding rounding ADJ_DEFAULT({}) ADJ_ONLY_IF(mode == nearest);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG;      /* 1: [N, spatial, C] */
  adj_dtype element ADJ_DEFAULT({});                  /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_resize_forward_descriptor;

typedef struct adj_resize_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_resize_forward_args, ADJ_TAG_RESIZE_FORWARD_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN(input, element);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT(out, element);
} adj_resize_forward_args;

/* Its gradient:   dinput[n, c, i] = sum over o of weight(o, i) * dout[n, c, o]
 *
 * Every element of dinput is written, with zero where no weight falls on it. */
typedef struct adj_resize_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_resize_backward_descriptor, ADJ_TAG_RESIZE_BACKWARD_DESCRIPTOR));
  adj_shape input ADJ_DEFAULT({});                    /* of dinput, as stored: 3 to 5 dimensions */
  adj_shape out ADJ_DEFAULT({});                      /* of dout, as stored */
  int64_t num_scales ADJ_DEFAULT(0);                  /* as in the forward direction */
  const double* scales ADJ_DEFAULT(nullptr);          /* as in the forward direction */
  adj_resize_mode mode ADJ_DEFAULT({});               /* linear, nearest */
  adj_resize_coordinates coordinates ADJ_DEFAULT({}); /* half_pixel, align_corners, asymmetric, pytorch_half_pixel */
  adj_resize_rounding rounding ADJ_DEFAULT({}) ADJ_ONLY_IF(mode == nearest);
  int32_t channels_last ADJ_DEFAULT(0) ADJ_FLAG;      /* 1: [N, spatial, C] */
  adj_dtype element ADJ_DEFAULT({});                  /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_resize_backward_descriptor;

typedef struct adj_resize_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_resize_backward_args, ADJ_TAG_RESIZE_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN(out, element);
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT(input, element);
} adj_resize_backward_args;

#include <adjoint/ops/resize_init.h>

#endif

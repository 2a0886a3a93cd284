/* Activation functions and gated activations, forward and backward.
 *
 * Arguments. Tensors are [outer, inner] in row-major order. Without bias and dbias only the product of both matters, and outer may stay 1.
 *
 * Types. f32, f64, f16, bf16. Elements are computed in f32 (f64 for f64) and rounded once. On GPUs functions with an exponential are computed in f64
 * for every type where the preference demands ADJ_MATH_IEEE.
 *
 * Edge cases:
 * - A product of a value or a slope with dout and with the linear part is in range wherever the exact product is, whatever the magnitude of its factors.
 * - It is infinite where a factor is infinite, unless the value or the slope is 0 there.
 * - outer or inner is 0: dbias is 0, or keeps what it holds when it accumulates. Nothing else is written.
 *
 * Terms (see adj_guarantee). They are stated for the slope of each function. A gradient has the terms of the slope times |dout|, an output those
 * of the value. With v the argument of an exponential in the formula, terms that carry exp(-|v|) count 1 + |v| times. dbias has the terms of all
 * elements of its column of dinput, and with write_mode accumulate what it held before.
 *
 * Source: com.microsoft GeluGrad, FastGeluGrad, QuickGeluGrad, ReluGrad, SigmoidGrad, TanhGrad, LeakyReluGrad, BiasGeluGrad_dX, BiasFastGeluGrad_dX;
 * PyTorch's functions of the same names. */
#ifndef ADJOINT_OPS_ACTIVATION_H
#define ADJOINT_OPS_ACTIVATION_H

#include "operator.h"

ADJ_OPERATOR(16, activation_backward, ACTIVATION_BACKWARD, ActivationBackward)
ADJ_OPERATOR(17, activation_forward, ACTIVATION_FORWARD, ActivationForward)
ADJ_OPERATOR(18, gated_activation_backward, GATED_ACTIVATION_BACKWARD, GatedActivationBackward)
ADJ_OPERATOR(19, gated_activation_forward, GATED_ACTIVATION_FORWARD, GatedActivationForward)

ADJ_GRADIENT(activation_forward, activation_backward, dout, saved = out | input, bias)
ADJ_GRADIENT(gated_activation_forward, gated_activation_backward, dout, input)

/* f(z) and its slope f'(z), with sigma(v) = 1 / (1 + exp(-v)). At an infinity both take their limits, with the constants as given. A NaN gives NaN
 * where nothing else is said. */
ADJ_ENUM(adj_activation) {
  ADJ_ACTIVATION_NONE = 0,        /* not given: refused */
  ADJ_ACTIVATION_RELU = 1,        /* max(z, 0); dinput = z > 0 ? dout : 0, so 0 where z is NaN */
  ADJ_ACTIVATION_LEAKY_RELU = 2,  /* z > 0 ? z : leaky_slope * z */
  ADJ_ACTIVATION_GELU = 3,        /* z * Phi(z), Phi the normal distribution function; slope Phi(z) + z * exp(-z^2 / 2) / sqrt(2 pi) */
  ADJ_ACTIVATION_GELU_TANH = 4,   /* z * sigma(v), v = sqrt(8 / pi) * (z + 0.044715 z^3), which is z * (1 + tanh(v / 2)) / 2 */
  ADJ_ACTIVATION_QUICK_GELU = 5,  /* z * sigma(v), v = quick_gelu_alpha * z */
  ADJ_ACTIVATION_SIGMOID = 6,     /* sigma(z) */
  ADJ_ACTIVATION_TANH = 7,        /* tanh(z) */
  ADJ_ACTIVATION_SILU = 8,        /* z * sigma(z) */
  ADJ_ACTIVATION_ELU = 9,         /* z > 0 ? z : elu_alpha * (exp(z) - 1) */
  ADJ_ACTIVATION_SOFTPLUS = 10,   /* log(1 + exp(z)) */
  ADJ_ACTIVATION_MISH = 11,       /* z * tanh(log(1 + exp(z))) */
  ADJ_ACTIVATION_HARD_SWISH = 12, /* z * min(max(z + 3, 0), 6) / 6; dinput is 0 from -3 on down, dout from 3 on up, dout * (z / 3 + 1/2) between */
  ADJ_ACTIVATION_RELU_SQUARED = 13 /* max(z, 0)^2; dinput = z <= 0 ? 0 : 2 z * dout */
};

/* What the backward operator gets as `saved`. */
ADJ_ENUM(adj_activation_saved) {
  ADJ_ACTIVATION_SAVED_DEFAULT = 0, /* the output for leaky_relu, sigmoid and tanh, else the input */
  ADJ_ACTIVATION_SAVED_INPUT = 1,   /* X, to which bias is added */
  ADJ_ACTIVATION_SAVED_OUTPUT = 2   /* f(z): relu, leaky_relu with a slope of at least 0, sigmoid, tanh, elu with an alpha of at least 0, softplus */
};

/* Activation function: out = f(z), z = input + bias, a sum that is rounded to f32 (f64 for f64). */
typedef struct adj_activation_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_activation_forward_descriptor, ADJ_TAG_ACTIVATION_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  double leaky_slope ADJ_DEFAULT(0.01) ADJ_RANGE(finite) ADJ_ONLY_IF(function == leaky_relu);
  double quick_gelu_alpha ADJ_DEFAULT(1.702) ADJ_RANGE(finite) ADJ_ONLY_IF(function == quick_gelu);
  double elu_alpha ADJ_DEFAULT(1.0) ADJ_RANGE(finite) ADJ_ONLY_IF(function == elu);
  adj_activation function ADJ_DEFAULT({}) ADJ_REFUSE(function == none, "is not given");
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG; /* 1: bias is added to input */
  adj_dtype element ADJ_DEFAULT({});        /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_activation_forward_descriptor;

typedef struct adj_activation_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_activation_forward_args, ADJ_TAG_ACTIVATION_FORWARD_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN([outer, inner], element);
  adj_tensor bias  ADJ_DEFAULT({}) ADJ_IN([inner], element) ADJ_ONLY_IF(has_bias);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT([outer, inner], element) ADJ_MAY_BE(input);
} adj_activation_forward_args;

/* Gradient of an activation function:
 *     dinput = dout * f'(z),  z = saved + bias as in the forward operator, or f'(z) taken from the saved f(z)
 *     dbias[i] (=|+=) sum over the rows of dinput[row, i]
 * dbias is the gradient of bias, and may be asked for without a bias. It adds unrounded elements in f32 (f64 for f64), in an order that follows from
 * the shape and the element type, and is rounded once. */
typedef struct adj_activation_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_activation_backward_descriptor, ADJ_TAG_ACTIVATION_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  double leaky_slope ADJ_DEFAULT(0.01) ADJ_RANGE(finite) ADJ_ONLY_IF(function == leaky_relu);
  double quick_gelu_alpha ADJ_DEFAULT(1.702) ADJ_RANGE(finite) ADJ_ONLY_IF(function == quick_gelu);
  double elu_alpha ADJ_DEFAULT(1.0) ADJ_RANGE(finite) ADJ_ONLY_IF(function == elu);
  adj_activation function ADJ_DEFAULT({}) ADJ_REFUSE(function == none, "is not given");
  adj_activation_saved saved ADJ_DEFAULT({});
  int32_t has_bias ADJ_DEFAULT(0) ADJ_FLAG;                         /* 1: bias is added to saved, which is the input */
  int32_t has_dbias ADJ_DEFAULT(0) ADJ_FLAG;                        /* 1: dbias is written */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_ONLY_IF(has_dbias); /* of dbias; only with has_dbias */
  adj_dtype element ADJ_DEFAULT({});                                /* f32, f64, f16, bf16 */
} adj_activation_backward_descriptor;

typedef struct adj_activation_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_activation_backward_args, ADJ_TAG_ACTIVATION_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN([outer, inner], element);
  adj_tensor saved  ADJ_DEFAULT({}) ADJ_IN([outer, inner], element); /* the input or the output of the forward operator */
  adj_tensor bias   ADJ_DEFAULT({}) ADJ_IN([inner], element) ADJ_ONLY_IF(has_bias);
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT([outer, inner], element) ADJ_MAY_BE(dout, saved);
  adj_tensor dbias  ADJ_DEFAULT({}) ADJ_OUT([inner], element) ADJ_ONLY_IF(has_dbias) ADJ_READ_IF(write_mode == accumulate);
} adj_activation_backward_args;

/* Gated activations: out = f(gate) * linear. */
ADJ_ENUM(adj_gated_activation) {
  ADJ_GATED_ACTIVATION_NONE = 0,       /* not given: refused */
  ADJ_GATED_ACTIVATION_SWIGLU = 1,     /* f is silu */
  ADJ_GATED_ACTIVATION_GEGLU = 2,      /* f is gelu */
  ADJ_GATED_ACTIVATION_GEGLU_TANH = 3, /* f is gelu_tanh */
  ADJ_GATED_ACTIVATION_REGLU = 4       /* f is relu */
};

/* Where a row of 2 * inner elements has gate and linear, inner of each. */
ADJ_ENUM(adj_gated_layout) {
  ADJ_GATED_LAYOUT_DEFAULT = 0,     /* halves */
  ADJ_GATED_LAYOUT_HALVES = 1,      /* gate, then linear */
  ADJ_GATED_LAYOUT_INTERLEAVED = 2  /* gate and linear by turns */
};

/* Gated activation: out[n, i] = f(gate[n, i]) * linear[n, i]. The terms of an output are those of f times |linear|. */
typedef struct adj_gated_activation_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gated_activation_forward_descriptor, ADJ_TAG_GATED_ACTIVATION_FORWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_gated_activation function ADJ_DEFAULT({}) ADJ_REFUSE(function == none, "is not given");
  adj_gated_layout layout ADJ_DEFAULT({});
  int32_t gate_second ADJ_DEFAULT(0) ADJ_FLAG; /* 1: gate and linear change places */
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
} adj_gated_activation_forward_descriptor;

typedef struct adj_gated_activation_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gated_activation_forward_args, ADJ_TAG_GATED_ACTIVATION_FORWARD_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN([outer, 2 * inner], element);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT([outer, inner], element);
} adj_gated_activation_forward_args;

/* Gradient of a gated activation, laid out like its input:
 *     dgate = dout * linear * f'(gate),  dlinear = dout * f(gate)
 * The terms of dgate are those of f' times |dout * linear|, those of dlinear the terms of f times |dout|. */
typedef struct adj_gated_activation_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gated_activation_backward_descriptor, ADJ_TAG_GATED_ACTIVATION_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_gated_activation function ADJ_DEFAULT({}) ADJ_REFUSE(function == none, "is not given");
  adj_gated_layout layout ADJ_DEFAULT({});
  int32_t gate_second ADJ_DEFAULT(0) ADJ_FLAG; /* 1: gate and linear change places */
  adj_dtype element ADJ_DEFAULT({});           /* f32, f64, f16, bf16 */
} adj_gated_activation_backward_descriptor;

typedef struct adj_gated_activation_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gated_activation_backward_args, ADJ_TAG_GATED_ACTIVATION_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN([outer, inner], element);
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN([outer, 2 * inner], element); /* what the forward operator got */
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT([outer, 2 * inner], element) ADJ_MAY_BE(input);
} adj_gated_activation_backward_args;

#include <adjoint/ops/activation_init.h>

#endif

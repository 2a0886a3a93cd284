/* Rotary position embedding of queries and keys, with their RMS norm before it as an option.
 *
 * A head x of `head_dim` elements at position p becomes
 *     z[i] = x[i],   with has_norm x[i] * inv * weight[i],   inv = 1 / sqrt(mean over the head of x^2 + epsilon)
 *     out[first(j)]  = z[first(j)] * cos[p, j] - z[second(j)] * sin[p, j]
 *     out[second(j)] = z[second(j)] * cos[p, j] + z[first(j)] * sin[p, j]       for j < rotary_dim / 2
 *     out[i] = z[i]                                                             for i >= rotary_dim
 * where first(j) = j, second(j) = j + rotary_dim / 2, and with interleaved first(j) = 2 j, second(j) = 2 j + 1.
 *
 * Angles. With table_rows > 0 cos and sin are given. No relation between the two is assumed. Otherwise they are the cosine and the sine of the angle
 *     p * base^(-2 j / rotary_dim)
 *
 * Positions. Without `position` a token has its place in its sequence, counted from 0. With it, positions are given for every token, so that several
 * sequences may follow one another.
 *
 * Strides. Tensors hold batch * tokens tokens, each with `heads` heads of queries and behind them `kv_heads` heads of keys. Head h of token t of
 * sequence b begins at
 *     b * strides[0] + t * strides[1] + h * strides[2]
 * - No strides mean a packed tensor [batch, tokens, heads + kv_heads, head_dim].
 * - A stride of 0 in a list has its packed value: head_dim for heads, the heads times head_dim for tokens, `tokens` times the stride of tokens for
 *   sequences.
 * - No two elements may share a place: of the dimensions with more than one entry, ordered by stride, each stride is at least the span of those below
 *   it.
 * - A tensor with strides is stated as a buffer of as many elements as it spans, from its first element to its last. What lies between its elements
 *   keeps what it holds.
 * So queries and keys may stay where they are in a buffer [batch, tokens, (heads + 2 kv_heads) head_dim] of queries, keys and values.
 *
 * Types. Arithmetic is f32 (f64 for f64), angles f64, with one rounding at the store. The result of a token does not depend on other tokens.
 *
 * In place. An output may be its input only where both have the same strides. Two tensors may lie in one buffer where neither has an element in the
 * place of the other and both repeat at the same pitch, as the parts of a packed tensor do. Otherwise no buffers overlap.
 *
 * Edge cases:
 * - A position outside [0, table_rows), or [0, 2^31) without tables, is counted once for its token in error_flag. The heads of the token become 0, and
 *   the gradients of its heads are 0.
 * - Without `position` and with tables, tokens must not exceed table_rows.
 * - A NaN or an infinity stays in its head, and in the gradients of the weights; without a norm it stays in its pair.
 * - batch or tokens is 0: the gradients of weights are 0, or keep what they hold when they accumulate. Nothing else is written.
 *
 * Terms (see adj_guarantee), with a pair z1, z2 and a = 1 + p * 2^-29 (1 + p for f64), or 1 with tables:
 *     out: (|z1 cos| + |z2 sin|) with tables, else (|z1| + |z2|) a; beyond rotary_dim |z| with has_norm, else 0
 *     dinput: the same of the gradient, with has_norm inv * (|g| + |h| * mean of |g * h|), h = x * inv, where |g| is weight times those terms
 *     dq_weight, dk_weight: sum of |h| times those terms, and with write_mode accumulate what they held before
 *
 * Source: RoFormer (Su et al., 2021) and ONNX RotaryEmbedding (opset 23); the norm is the QK norm of Llama- and Qwen-like models. */
#ifndef ADJOINT_OPS_ROPE_H
#define ADJOINT_OPS_ROPE_H

#include "operator.h"

ADJ_OPERATOR(91, rope_forward, ROPE_FORWARD, RopeForward)
ADJ_OPERATOR(92, rope_backward, ROPE_BACKWARD, RopeBackward)

ADJ_GRADIENT(rope_forward, rope_backward, dout, input ? has_norm, positions, cos, sin, q_weight, k_weight)

ADJ_LET(rotated, rotary_dim ? rotary_dim : head_dim)

/* Rotary position embedding: out of the formulas above. */
typedef struct adj_rope_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rope_forward_descriptor, ADJ_TAG_ROPE_FORWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);                           /* sequences */
  int64_t tokens ADJ_DEFAULT(-1) ADJ_RANGE(0);                                  /* tokens of a sequence */
  int64_t heads ADJ_DEFAULT(-1) ADJ_RANGE(1, 65535);                            /* heads of queries */
  int64_t kv_heads ADJ_DEFAULT(0) ADJ_RANGE(0, 65535);                          /* heads of keys behind them */
  int64_t head_dim ADJ_DEFAULT(-1) ADJ_RANGE(2, 1024);
  int64_t rotary_dim ADJ_DEFAULT(0) ADJ_RANGE(0, 512); /* elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim */
  int64_t table_rows ADJ_DEFAULT(0) ADJ_RANGE(0, 2147483648);                   /* rows of cos and sin; 0: no tables */
  double base ADJ_DEFAULT(10000.0) ADJ_RANGE(above 0) ADJ_ONLY_IF(!table_rows); /* of the angles */
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0) ADJ_ONLY_IF(has_norm);    /* of the norm */
  adj_axes strides ADJ_DEFAULT({});                                             /* elements between sequences, tokens and heads of input; none: packed */
  adj_axes out_strides ADJ_DEFAULT({});                                         /* of out; none: packed */
  int32_t interleaved ADJ_DEFAULT(0) ADJ_FLAG;                                  /* 1: neighbours are a pair; 0: elements rotary_dim / 2 apart are */
  int32_t has_norm ADJ_DEFAULT(0) ADJ_FLAG;                                     /* 1: heads are normalised before the rotation */
  adj_dtype element ADJ_DEFAULT({});                                            /* f32, f64, f16, bf16 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, accumulator(element)) ADJ_ONLY_IF(has_norm); /* of q_weight and k_weight */
  adj_dtype position ADJ_DEFAULT({}) ADJ_TYPES(i32, i64);                       /* 0: positions are not given */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_rope_forward_descriptor;

typedef struct adj_rope_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rope_forward_args, ADJ_TAG_ROPE_FORWARD_ARGS));
  adj_tensor input      ADJ_DEFAULT({}) ADJ_IN([batch, tokens, heads + kv_heads, head_dim], element) ADJ_STRIDES(strides);
  adj_tensor positions  ADJ_DEFAULT({}) ADJ_IN([batch, tokens], position) ADJ_ONLY_IF(position);
  adj_tensor cos        ADJ_DEFAULT({}) ADJ_IN([table_rows, rotated / 2], accumulator(element)) ADJ_ONLY_IF(table_rows > 0);
  adj_tensor sin        ADJ_DEFAULT({}) ADJ_IN([table_rows, rotated / 2], accumulator(element)) ADJ_ONLY_IF(table_rows > 0);
  adj_tensor q_weight   ADJ_DEFAULT({}) ADJ_IN([head_dim], weight) ADJ_ONLY_IF(has_norm);
  adj_tensor k_weight   ADJ_DEFAULT({}) ADJ_IN([head_dim], weight) ADJ_ONLY_IF(has_norm && kv_heads > 0);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_OUT([batch, tokens, heads + kv_heads, head_dim], element) ADJ_STRIDES(out_strides) ADJ_MAY_BE(input);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* positions out of range are added to it */
} adj_rope_forward_args;

/* Rotary position embedding, gradient: the transpose of the rotation, then the gradient of the norm.
 *     dz[first(j)]  = dout[first(j)] * cos[p, j] + dout[second(j)] * sin[p, j]
 *     dz[second(j)] = dout[second(j)] * cos[p, j] - dout[first(j)] * sin[p, j],   dz[i] = dout[i] for i >= rotary_dim
 *     dinput = dz,   with has_norm inv * (dz * weight - h * mean over the head of (dz * weight * h)),   h = input * inv
 *     dq_weight[i] = sum over tokens and heads of queries of dz[i] * h[i];   dk_weight[i] likewise for keys
 * The norm is taken from input again, so nothing but input has to be kept; input is then not to be overwritten by rope_forward. */
typedef struct adj_rope_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rope_backward_descriptor, ADJ_TAG_ROPE_BACKWARD_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);                           /* sequences */
  int64_t tokens ADJ_DEFAULT(-1) ADJ_RANGE(0);                                  /* tokens of a sequence */
  int64_t heads ADJ_DEFAULT(-1) ADJ_RANGE(1, 65535);                            /* heads of queries */
  int64_t kv_heads ADJ_DEFAULT(0) ADJ_RANGE(0, 65535);                          /* heads of keys behind them */
  int64_t head_dim ADJ_DEFAULT(-1) ADJ_RANGE(2, 1024);
  int64_t rotary_dim ADJ_DEFAULT(0) ADJ_RANGE(0, 512); /* elements of a head that are rotated: even, at most head_dim and 512; 0: head_dim */
  int64_t table_rows ADJ_DEFAULT(0) ADJ_RANGE(0, 2147483648);                   /* rows of cos and sin; 0: no tables */
  double base ADJ_DEFAULT(10000.0) ADJ_RANGE(above 0) ADJ_ONLY_IF(!table_rows); /* of the angles */
  double epsilon ADJ_DEFAULT(1e-5) ADJ_RANGE(above 0) ADJ_ONLY_IF(has_norm);    /* of the norm */
  adj_axes strides ADJ_DEFAULT({}) ADJ_ONLY_IF(has_norm);                       /* elements between sequences, tokens and heads of input; none: packed */
  adj_axes dout_strides ADJ_DEFAULT({});                                        /* of dout; none: packed */
  adj_axes dinput_strides ADJ_DEFAULT({});                                      /* of dinput; none: packed */
  int32_t interleaved ADJ_DEFAULT(0) ADJ_FLAG;                                  /* 1: neighbours are a pair; 0: elements rotary_dim / 2 apart are */
  int32_t has_norm ADJ_DEFAULT(0) ADJ_FLAG;                                     /* 1: heads were normalised before the rotation */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_ONLY_IF(has_norm);              /* of dq_weight and dk_weight */
  adj_dtype element ADJ_DEFAULT({});                                            /* f32, f64, f16, bf16 */
  adj_dtype weight ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, accumulator(element))
    ADJ_ONLY_IF(has_norm); /* of q_weight, k_weight and their gradients */
  adj_dtype position ADJ_DEFAULT({}) ADJ_TYPES(i32, i64);                       /* 0: positions are not given */
} adj_rope_backward_descriptor;

typedef struct adj_rope_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_rope_backward_args, ADJ_TAG_ROPE_BACKWARD_ARGS));
  adj_tensor dout       ADJ_DEFAULT({}) ADJ_IN([batch, tokens, heads + kv_heads, head_dim], element) ADJ_STRIDES(dout_strides);
  adj_tensor input      ADJ_DEFAULT({}) ADJ_IN([batch, tokens, heads + kv_heads, head_dim], element) ADJ_STRIDES(strides) ADJ_ONLY_IF(has_norm);
  adj_tensor positions  ADJ_DEFAULT({}) ADJ_IN([batch, tokens], position) ADJ_ONLY_IF(position);
  adj_tensor cos        ADJ_DEFAULT({}) ADJ_IN([table_rows, rotated / 2], accumulator(element)) ADJ_ONLY_IF(table_rows > 0);
  adj_tensor sin        ADJ_DEFAULT({}) ADJ_IN([table_rows, rotated / 2], accumulator(element)) ADJ_ONLY_IF(table_rows > 0);
  adj_tensor q_weight   ADJ_DEFAULT({}) ADJ_IN([head_dim], weight) ADJ_ONLY_IF(has_norm);
  adj_tensor k_weight   ADJ_DEFAULT({}) ADJ_IN([head_dim], weight) ADJ_ONLY_IF(has_norm && kv_heads > 0);
  adj_tensor dinput     ADJ_DEFAULT({}) ADJ_OUT([batch, tokens, heads + kv_heads, head_dim], element) ADJ_STRIDES(dinput_strides) ADJ_MAY_BE(dout, input);
  adj_tensor dq_weight  ADJ_DEFAULT({}) ADJ_OUT([head_dim], weight) ADJ_ONLY_IF(has_norm) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor dk_weight  ADJ_DEFAULT({}) ADJ_OUT([head_dim], weight) ADJ_ONLY_IF(has_norm && kv_heads > 0) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* positions out of range are added to it */
} adj_rope_backward_args;

#include <adjoint/ops/rope_init.h>

#endif

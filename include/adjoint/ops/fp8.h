/* Numbers of eight bits with scales: largest magnitudes, codes of a matrix and back, and the scales of delayed scaling.
 *
 * Codes. A number is rounded to f8_e4m3 or f8_e5m2 to nearest, ties to even, subnormal codes included. F is the largest finite code: 448 or 57344.
 * - A finite number beyond F becomes F of its sign.
 * - An infinity becomes NaN in f8_e4m3 and an infinity in f8_e5m2; with saturate_infinity it becomes F of its sign, as with cvt.satfinite of PTX.
 * - A NaN becomes 0x7f, or 0xff where its sign bit is set. -0 keeps its sign.
 *
 * Scales. Numbers are multiplied by a scale s before they are rounded, and codes by its inverse r afterwards. Both are f32 in [2^-126, 2^126].
 *
 * Devices. Below sm_89 there is no conversion to these types: operators with codes are refused there.
 *
 * Source: NVIDIA Transformer Engine, DeepGEMM, torchao, llmq. */
#ifndef ADJOINT_OPS_FP8_H
#define ADJOINT_OPS_FP8_H

#include "operator.h"

ADJ_OPERATOR(130, amax, AMAX, Amax)
ADJ_OPERATOR(131, quantize, QUANTIZE, Quantize)
ADJ_OPERATOR(132, dequantize, DEQUANTIZE, Dequantize)
ADJ_OPERATOR(133, fp8_scale_update, FP8_SCALE_UPDATE, Fp8ScaleUpdate)

/* Shape of the scales of a matrix. */
ADJ_LET(of_groups, scale_layout == gemm ? [ ceil_div(columns, 128), ceil_div(rows, 4) * 4 ] : [ rows, ceil_div(columns, 128) ])
ADJ_LET(of_blocks, scale_layout == gemm ? [ ceil_div(rows, 128), ceil_div(ceil_div(columns, 128), 4) * 4 ] : [ ceil_div(rows, 128), ceil_div(columns, 128) ])
ADJ_LET(scales, granularity == row ? [rows] : granularity == block_1x128 ? of_groups : granularity == block_128x128 ? of_blocks : [1])
/* The same of the transposed codes. */
ADJ_LET(of_groups_t, scale_layout == gemm ? [ ceil_div(rows, 128), ceil_div(columns, 4) * 4 ] : [ columns, ceil_div(rows, 128) ])
ADJ_LET(of_blocks_t, scale_layout == gemm ? [ ceil_div(columns, 128), ceil_div(ceil_div(rows, 128), 4) * 4 ] : [ ceil_div(columns, 128), ceil_div(rows, 128) ])

/* Largest magnitude:   amax (=|max=) max over all elements of |x|
 *
 * Edge cases:
 * - A NaN counts as 0. Infinities count, unless finite_only is set.
 * - Where no element counts, the maximum is 0.
 * - With accumulate a NaN in amax stays, and a negative number there counts as 0. Where there are no elements, amax stays as it is. */
typedef struct adj_amax_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_amax_descriptor, ADJ_TAG_AMAX_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  int32_t finite_only ADJ_DEFAULT(0) ADJ_FLAG;            /* 1: infinities count as 0 */
  adj_write_mode write_mode ADJ_DEFAULT({});              /* overwrite; accumulate: the maximum with what amax holds */
  adj_dtype element ADJ_DEFAULT({});                      /* f32, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_amax_descriptor;

typedef struct adj_amax_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_amax_args, ADJ_TAG_AMAX_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor amax ADJ_DEFAULT({}) ADJ_OUT([1], f32) ADJ_READ_IF(write_mode == accumulate);
} adj_amax_args;

/* What is rounded first when a scale is made of a largest magnitude a. */
ADJ_ENUM(adj_scale_rule) {
  ADJ_SCALE_RULE_DEFAULT = 0,    /* reciprocal */
  ADJ_SCALE_RULE_RECIPROCAL = 1, /* s = F / a, r = 1 / s (Transformer Engine, torchao, llmq) */
  ADJ_SCALE_RULE_QUOTIENT = 2    /* r = a / F, s = 1 / r (DeepGEMM) */
};
ADJ_ENUM(adj_scale_source) {
  ADJ_SCALE_SOURCE_DEFAULT = 0,  /* computed */
  ADJ_SCALE_SOURCE_COMPUTED = 1, /* from the largest magnitudes of x; with granularity tensor and row x is read twice */
  ADJ_SCALE_SOURCE_GIVEN = 2,    /* the argument scale; granularity tensor and row */
  ADJ_SCALE_SOURCE_AMAX = 3      /* from amax_in, a largest magnitude that is known; granularity tensor */
};

/* Codes of a matrix x [rows, columns]. With s the scale of the group of an element, and F that of the code or max_value:
 *     code = f8(x * s),   the product rounded to f32
 *     a = largest |x| of the group, NaN left out
 *     reciprocal: s = F / max(a, eps), r = 1 / s;   quotient: r = max(a, eps) / F, s = 1 / r;   each rounded to f32 and bounded to [2^-126, 2^126]
 *     pow2:       s = 2^floor(log2(F / max(a, eps))), bounded likewise, r = 1 / s
 *     a = 0, infinite or NaN (of amax_in): s = r = 1;   given: s is scale, r = 1 / s
 *
 * Transposed codes. codes_t [columns, rows] is made in the same pass. With granularity tensor, row and block_128x128 it has the codes of `codes`. With
 * block_1x128 its groups are 128 neighbours of its own rows, so that they have maxima and scales of their own: it is made from x, never from codes.
 *
 * Stochastic rounding. A code is one of the two neighbours of x * s: the one away from 0 with the probability d, the distance from the other over the distance
 * of both, truncated to 2^-16. Element e = row * columns + column takes 16 random bits, those at 16 (e mod 2) of word e / 2 of the words that `random` counts
 * from its offset on. The neighbour away from 0 is taken where these bits are below d * 2^16. codes_t has the same numbers, scaled for itself.
 *
 * Edge cases:
 * - rows or columns is 0: there are no codes. Where there is one scale of the tensor, s = r = 1 (given: as always).
 * - NaN and infinities of x are counted in error_flag.
 * - The argument scale must be positive and finite; one that is not gives what IEEE arithmetic gives, in r as in the codes. The sign of a NaN code is that
 *   of x.
 *
 * Definition: the quantizers of Transformer Engine (Float8CurrentScaling, Float8BlockScaling with pow2), torchao (float8) and DeepGEMM (quotient, eps 1e-4). */
typedef struct adj_quantize_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_quantize_descriptor, ADJ_TAG_QUANTIZE_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2251799813685248);
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0, 2251799813685248);
  double eps ADJ_DEFAULT(0.0) ADJ_RANGE(0);                                                     /* least magnitude that a scale is made for */
  double max_value ADJ_DEFAULT(0.0); /* 0: F of the code; else used in its place, > 0 and at most F */
  adj_scale_granularity granularity ADJ_DEFAULT({});
  adj_scale_rule rule ADJ_DEFAULT({});
  adj_scale_source scale_source ADJ_DEFAULT({})
    ADJ_REFUSE(scale_source == given && (granularity == block_1x128 || granularity == block_128x128), "(given) goes with the granularity tensor or row")
    ADJ_REFUSE(scale_source == amax && granularity != default && granularity != tensor, "(amax) goes with the granularity tensor")
    ADJ_REFUSE(scale_source == given && (eps > 0 || max_value > 0 || pow2 || rule != default), "(given) takes no eps, max_value, pow2 or rule");
  adj_scale_layout scale_layout ADJ_DEFAULT({});
  int32_t has_codes ADJ_DEFAULT(1) ADJ_FLAG;                                                    /* 1: codes are written */
  int32_t has_transposed ADJ_DEFAULT(0) ADJ_FLAG;                                               /* 1: codes_t is written */
  int32_t pow2 ADJ_DEFAULT(0) ADJ_FLAG;                                                         /* 1: scales are powers of two */
  int32_t stochastic_rounding ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(has_codes || has_transposed); /* 1: codes are rounded at random */
  int32_t saturate_infinity ADJ_DEFAULT(0) ADJ_FLAG;                                            /* 1: infinities become F of their sign */
  adj_dtype element ADJ_DEFAULT({});                                                            /* of x: f32, f16, bf16 */
  adj_dtype code ADJ_DEFAULT(ADJ_F8_E4M3);                                                      /* f8_e4m3, f8_e5m2 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_quantize_descriptor;

typedef struct adj_quantize_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_quantize_args, ADJ_TAG_QUANTIZE_ARGS));
  adj_tensor x ADJ_DEFAULT({}) ADJ_IN([ rows, columns ], element);
  adj_tensor scale ADJ_DEFAULT({}) ADJ_IN(granularity == row ? [rows] : [1], f32) ADJ_ONLY_IF(scale_source == given);
  adj_tensor amax_in ADJ_DEFAULT({}) ADJ_IN([1], f32) ADJ_ONLY_IF(scale_source == amax); /* a */
  adj_random random ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN() ADJ_ONLY_IF(stochastic_rounding);
  adj_tensor codes ADJ_DEFAULT({}) ADJ_OUT([ rows, columns ], code) ADJ_ONLY_IF(has_codes);
  adj_tensor codes_t ADJ_DEFAULT({}) ADJ_OUT([ columns, rows ], code) ADJ_ONLY_IF(has_transposed);
  adj_tensor scale_out ADJ_DEFAULT({}) ADJ_OUT(scales, f32) ADJ_OPTIONAL; /* s */
  adj_tensor inverse_out ADJ_DEFAULT({}) ADJ_OUT(scales, f32) ADJ_OPTIONAL; /* r */
  adj_tensor inverse_t_out ADJ_DEFAULT({}) ADJ_OUT(granularity == block_1x128 ? of_groups_t : of_blocks_t, f32) ADJ_OPTIONAL
      ADJ_ONLY_IF(has_transposed && (granularity == block_1x128 || granularity == block_128x128)); /* r of codes_t */
  adj_tensor amax_out ADJ_DEFAULT({}) ADJ_INOUT([1], f32) ADJ_OPTIONAL; /* the maximum with the largest |x|, as amax with accumulate */
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of NaN and infinities of x is added to it */
} adj_quantize_args;

/* Numbers of codes:   out (=|+=) code * r,   r of the code's group, the product rounded to f32
 *
 * With accumulate the sum is rounded once, from f32.
 *
 * Edge cases:
 * - A NaN gives NaN; an infinity stays.
 * - r may be any number: 0, an infinity or NaN give what IEEE arithmetic gives. */
typedef struct adj_dequantize_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dequantize_descriptor, ADJ_TAG_DEQUANTIZE_DESCRIPTOR));
  int64_t rows ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2251799813685248);
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0, 2251799813685248);
  adj_scale_granularity granularity ADJ_DEFAULT({});
  adj_scale_layout scale_layout ADJ_DEFAULT({});
  adj_write_mode write_mode ADJ_DEFAULT({}); /* overwrite, accumulate */
  adj_dtype code ADJ_DEFAULT({});            /* f8_e4m3, f8_e5m2 */
  adj_dtype element ADJ_DEFAULT({});         /* of out: f32, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_dequantize_descriptor;

typedef struct adj_dequantize_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_dequantize_args, ADJ_TAG_DEQUANTIZE_ARGS));
  adj_tensor codes ADJ_DEFAULT({}) ADJ_IN([ rows, columns ], code);
  adj_tensor inverse ADJ_DEFAULT({}) ADJ_IN(scales, f32); /* r */
  adj_tensor out ADJ_DEFAULT({}) ADJ_OUT([ rows, columns ], element) ADJ_READ_IF(write_mode == accumulate);
} adj_dequantize_args;

ADJ_ENUM(adj_amax_algorithm) {
  ADJ_AMAX_ALGORITHM_DEFAULT = 0,    /* max */
  ADJ_AMAX_ALGORITHM_MAX = 1,        /* the largest of the history */
  ADJ_AMAX_ALGORITHM_MOST_RECENT = 2 /* row 0 of the history */
};

/* Delayed scaling: the scales of the next step from the largest magnitudes of the last ones. Row 0 of the history collects the magnitudes of a step, for which
 * amax and quantize accumulate into it. For each tensor, with A the largest of its history or its row 0:
 *     scale = F 2^-margin / A where A is finite and > 0, rounded to f32 and bounded to [2^-126, 2^126]; else it stays
 *     inverse = 1 / scale
 *     row h of the history = row h + 1, the last row = row 0, row 0 = 0
 * so that row 1, the oldest, is lost.
 *
 * Edge cases:
 * - A NaN in the history counts as 0.
 * - An infinity keeps the scale for as long as it is in the history, unless skip_nonfinite leaves it out. Tensors that have one are counted in error_flag.
 *
 * Definition: Transformer Engine's DelayedScaling. */
typedef struct adj_fp8_scale_update_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fp8_scale_update_descriptor, ADJ_TAG_FP8_SCALE_UPDATE_DESCRIPTOR));
  int64_t length ADJ_DEFAULT(-1) ADJ_RANGE(1);    /* rows of the history */
  int64_t tensors ADJ_DEFAULT(-1) ADJ_RANGE(0);
  double max_value ADJ_DEFAULT(0.0);              /* 0: F of the code; else used in its place, > 0 and at most F */
  int32_t margin ADJ_DEFAULT(0) ADJ_RANGE(0, 64); /* powers of two kept free above A */
  adj_amax_algorithm algorithm ADJ_DEFAULT({});
  int32_t skip_nonfinite ADJ_DEFAULT(0) ADJ_FLAG; /* 1: infinities of the history count as 0 */
  adj_dtype code ADJ_DEFAULT(ADJ_F8_E4M3);        /* f8_e4m3, f8_e5m2 */
} adj_fp8_scale_update_descriptor;

typedef struct adj_fp8_scale_update_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fp8_scale_update_args, ADJ_TAG_FP8_SCALE_UPDATE_ARGS));
  adj_tensor history ADJ_DEFAULT({}) ADJ_INOUT([ length, tensors ], f32);
  adj_tensor scale ADJ_DEFAULT({}) ADJ_INOUT([tensors], f32);
  adj_tensor inverse ADJ_DEFAULT({}) ADJ_OUT([tensors], f32) ADJ_OPTIONAL;
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of tensors with an infinity in their history is added to it */
} adj_fp8_scale_update_args;

#include <adjoint/ops/fp8_init.h>

#endif

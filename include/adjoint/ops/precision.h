/* Mixed precision: checks for infinities and NaN, scaling, clearing and accumulation of lists of tensors, and the scale of a loss.
 *
 * Arguments. A descriptor gives the lengths of the tensors. The arguments give lists of the same count. Tensors and lists may be empty. Scalars may
 * be host values or device elements (adj_scalar).
 *
 * Types. Arithmetic is in f32 (f64 where an operand is f64). Each stored value is rounded once.
 *
 * Equal bits. No bit of a result depends on the order of a list, on its division into several calls, or on the division of a tensor into several. */
#ifndef ADJOINT_OPS_PRECISION_H
#define ADJOINT_OPS_PRECISION_H

#include "operator.h"

ADJ_OPERATOR(41, is_finite, IS_FINITE, IsFinite)
ADJ_OPERATOR(42, all_finite, ALL_FINITE, AllFinite)
ADJ_OPERATOR(43, all, ALL, All)
ADJ_OPERATOR(44, scale, SCALE, Scale)
ADJ_OPERATOR(45, zero, ZERO, Zero)
ADJ_OPERATOR(46, accumulate, ACCUMULATE, Accumulate)
ADJ_OPERATOR(47, scaled_sum, SCALED_SUM, ScaledSum)
ADJ_OPERATOR(85, update_loss_scale, UPDATE_LOSS_SCALE, UpdateLossScale)

/* IsFinite:   outputs[i][j] = inputs[i][j] is neither an infinity nor NaN
 *
 * Definition: com.microsoft IsFinite, PyTorch torch.isfinite. */
typedef struct adj_is_finite_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_is_finite_descriptor, ADJ_TAG_IS_FINITE_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                      /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_is_finite_descriptor;

typedef struct adj_is_finite_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_is_finite_args, ADJ_TAG_IS_FINITE_ARGS));
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], bool);
} adj_is_finite_args;

ADJ_ENUM(adj_finite_test) {
  ADJ_FINITE_TEST_DEFAULT = 0,  /* neither infinities nor NaN */
  ADJ_FINITE_TEST_NO_INF = 1,   /* no infinities; NaN passes (isinf_only) */
  ADJ_FINITE_TEST_NO_NAN = 2    /* no NaN; infinities pass (isnan_only) */
};

/* AllFinite:   output = every element of every input passes the test; true without elements
 *
 * Definition: com.microsoft IsAllFinite. */
typedef struct adj_all_finite_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_finite_descriptor, ADJ_TAG_ALL_FINITE_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  adj_finite_test test ADJ_DEFAULT({});
  adj_dtype element ADJ_DEFAULT({});                      /* f32, f64, f16, bf16 */
} adj_all_finite_descriptor;

typedef struct adj_all_finite_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_finite_args, ADJ_TAG_ALL_FINITE_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor output      ADJ_DEFAULT({}) ADJ_OUT([1], bool);
  adj_tensor found_inf   ADJ_DEFAULT({}) ADJ_OUT([1], f32) ADJ_OPTIONAL; /* 0 where output is true, else 1 */
} adj_all_finite_args;

/* All:   output = every element of every input is true; true without elements
 *
 * Definition: com.microsoft All. */
typedef struct adj_all_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_descriptor, ADJ_TAG_ALL_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
} adj_all_descriptor;

typedef struct adj_all_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_all_args, ADJ_TAG_ALL_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([numel], bool); /* a byte that is not 0 is true */
  adj_tensor output      ADJ_DEFAULT({}) ADJ_OUT([1], bool);
} adj_all_args;

/* Scale:   outputs[i] = scale * inputs[i],   outputs_1[i] = scale_1 * inputs[i],   outputs_2[i] = scale_2 * inputs[i]
 *
 * The factor is rounded to the type of the arithmetic; with scale_down it is 1 / scale in that type. With fused, output is one buffer in
 * which the tensors follow each other without gaps.
 * Definition: com.microsoft MixedPrecisionScale, Scale and BatchScale. */
typedef struct adj_scale_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scale_descriptor, ADJ_TAG_SCALE_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                                    /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);          /* host array of count element counts; copied by select */
  int32_t outputs ADJ_DEFAULT(1) ADJ_RANGE(1, 3);                  /* scaled copies of each input */
  int32_t fused ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(outputs == 1); /* 1: one buffer of all outputs */
  int32_t scale_down ADJ_DEFAULT(0) ADJ_FLAG;                      /* 1: divides by the scales */
  adj_dtype element ADJ_DEFAULT({});                               /* of the inputs: f32, f64, f16, bf16 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element);           /* of the outputs: f32, f16, bf16, or f64 exactly when the inputs are */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_scale_descriptor;

typedef struct adj_scale_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scale_args, ADJ_TAG_SCALE_ARGS));
  adj_tensor_list inputs    ADJ_DEFAULT({})  ADJ_IN([numel], element);
  adj_tensor_list outputs   ADJ_DEFAULT({})  ADJ_OUT([numel], output) ADJ_ONLY_IF(!fused) ADJ_MAY_BE(inputs);
  adj_tensor_list outputs_1 ADJ_DEFAULT({})  ADJ_OUT([numel], output) ADJ_ONLY_IF(outputs >= 2) ADJ_MAY_BE(inputs);
  adj_tensor_list outputs_2 ADJ_DEFAULT({})  ADJ_OUT([numel], output) ADJ_ONLY_IF(outputs >= 3) ADJ_MAY_BE(inputs);
  adj_tensor fused          ADJ_DEFAULT({})  ADJ_OUT([sum(numel)], output) ADJ_ONLY_IF(fused);
  adj_scalar scale          ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_scalar scale_1        ADJ_DEFAULT({1}) ADJ_IN(f32, f64) ADJ_ONLY_IF(outputs >= 2);
  adj_scalar scale_2        ADJ_DEFAULT({1}) ADJ_IN(f32, f64) ADJ_ONLY_IF(outputs >= 3);
  adj_tensor found_inf      ADJ_DEFAULT({})  ADJ_INOUT([1], f32) ADJ_OPTIONAL; /* 1 is stored when an input is an infinity or NaN, else it stays */
} adj_scale_args;

/* Zero:   outputs[i] = +0
 *
 * Definition: com.microsoft ZeroGradient. */
typedef struct adj_zero_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_zero_descriptor, ADJ_TAG_ZERO_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                      /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_zero_descriptor;

typedef struct adj_zero_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_zero_args, ADJ_TAG_ZERO_ARGS));
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element);
} adj_zero_args;

/* Accumulate:   outputs[i] = update ? (overwrite ? 0 : sums[i]) + values[i] : sums[i]
 *
 * With overwrite nothing is read from sums, so that it may hold anything.
 * Definition: com.microsoft InPlaceAccumulator (update) and InPlaceAccumulatorV2 (overwrite; its second output is copies). */
typedef struct adj_accumulate_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_accumulate_descriptor, ADJ_TAG_ACCUMULATE_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  int32_t copies ADJ_DEFAULT(0) ADJ_FLAG;                 /* 1: the results are written to copies, too */
  adj_dtype element ADJ_DEFAULT({});                      /* of sums, outputs and copies: f32, f64, f16, bf16 */
  adj_dtype value ADJ_DEFAULT({}) ADJ_ZERO_IS(element);   /* of values: f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_accumulate_descriptor;

typedef struct adj_accumulate_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_accumulate_args, ADJ_TAG_ACCUMULATE_ARGS));
  adj_tensor_list sums    ADJ_DEFAULT({})  ADJ_IN([numel], element);
  adj_tensor_list values  ADJ_DEFAULT({})  ADJ_IN([numel], value);
  adj_tensor_list outputs ADJ_DEFAULT({})  ADJ_OUT([numel], element) ADJ_MAY_BE(sums);
  adj_tensor_list copies  ADJ_DEFAULT({})  ADJ_OUT([numel], element) ADJ_ONLY_IF(copies);
  adj_scalar update       ADJ_DEFAULT({1}) ADJ_IN(bool); /* 0: outputs and copies are sums */
  adj_scalar overwrite    ADJ_DEFAULT({0}) ADJ_IN(bool); /* not 0: outputs and copies are values */
  adj_tensor updated_flag ADJ_DEFAULT({})  ADJ_OUT([1], bool) ADJ_OPTIONAL ADJ_HOST; /* 1, written by the call itself before it returns */
} adj_accumulate_args;

/* ScaledSum:   outputs[i] = scale_0 * inputs_0[i] + scale_1 * inputs_1[i] [+ scale_2 * inputs_2[i]]
 *
 * The factors are rounded to the type of the arithmetic; each term is added with one rounding, from the left. Error terms: the magnitudes
 * of the two or three products.
 * Definition: com.microsoft ScaledSum. */
typedef struct adj_scaled_sum_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scaled_sum_descriptor, ADJ_TAG_SCALED_SUM_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  int32_t inputs ADJ_DEFAULT(2) ADJ_RANGE(2, 3);          /* terms */
  adj_dtype element ADJ_DEFAULT({});                      /* f32, f64, f16, bf16 */
} adj_scaled_sum_descriptor;

typedef struct adj_scaled_sum_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_scaled_sum_args, ADJ_TAG_SCALED_SUM_ARGS));
  adj_tensor_list inputs_0 ADJ_DEFAULT({})  ADJ_IN([numel], element);
  adj_tensor_list inputs_1 ADJ_DEFAULT({})  ADJ_IN([numel], element);
  adj_tensor_list inputs_2 ADJ_DEFAULT({})  ADJ_IN([numel], element) ADJ_ONLY_IF(inputs >= 3);
  adj_tensor_list outputs  ADJ_DEFAULT({})  ADJ_OUT([numel], element) ADJ_MAY_BE(inputs_0, inputs_1, inputs_2);
  adj_scalar scale_0       ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_scalar scale_1       ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_scalar scale_2       ADJ_DEFAULT({1}) ADJ_IN(f32, f64) ADJ_ONLY_IF(inputs >= 3);
} adj_scaled_sum_args;

/* UpdateLossScale: the dynamic scale of a loss, after a step of training.
 *     found_inf is not 0:                    new = scale * backoff_factor,   growth_tracker = 0
 *     growth_tracker + 1 >= growth_interval: new = scale * growth_factor,    growth_tracker = 0
 *     otherwise:                             new = scale,                    growth_tracker += 1
 *     scale = max(min_scale, min(max_scale, new)) in the first two cases
 *
 * Arguments. found_inf is what clip_grad_norm, l2_norm, all_finite or scale has written. The scale belongs to the gradients of the step, so the call
 * comes after clip_grad_norm and the optimizer, which take the scale as their grad_scale. Nothing needs the host: a captured step scales, checks,
 * skips and adapts by itself.
 *
 * Types. Products and limits are in f64. The stored scale is rounded once.
 *
 * Edge cases:
 * - A growth whose result is not finite leaves the scale as it is.
 * - A scale of NaN stays NaN.
 * - Unlike PyTorch, the scale grows at growth_tracker + 1 >= growth_interval, not only at equality.
 *
 * Source: PyTorch torch._amp_update_scale_ and torch.amp.GradScaler.update; min_scale and max_scale are those of NVIDIA Apex's LossScaler. With the
 * defaults of both limits the scale is that of PyTorch. */
typedef struct adj_update_loss_scale_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_update_loss_scale_descriptor, ADJ_TAG_UPDATE_LOSS_SCALE_DESCRIPTOR));
  double growth_factor ADJ_DEFAULT(2) ADJ_RANGE(1);
  double backoff_factor ADJ_DEFAULT(0.5) ADJ_RANGE(above 0, 1);
  double min_scale ADJ_DEFAULT(0) ADJ_RANGE(0);
  double max_scale ADJ_DEFAULT(1e308) ADJ_RANGE(above 0, infinity) ADJ_REFUSE(max_scale < min_scale, "is below min_scale");
  int32_t growth_interval ADJ_DEFAULT(2000) ADJ_RANGE(1, 2147483647); /* steps without found_inf before the scale grows */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_update_loss_scale_descriptor;

typedef struct adj_update_loss_scale_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_update_loss_scale_args, ADJ_TAG_UPDATE_LOSS_SCALE_ARGS));
  adj_tensor found_inf      ADJ_DEFAULT({}) ADJ_IN([1], f32); /* not 0, a NaN included, when the step has been skipped */
  adj_tensor scale          ADJ_DEFAULT({}) ADJ_INOUT([1], f32);
  adj_tensor growth_tracker ADJ_DEFAULT({}) ADJ_INOUT([1], i32); /* steps without found_inf since the scale has changed */
} adj_update_loss_scale_args;

#include <adjoint/ops/precision_init.h>

#endif

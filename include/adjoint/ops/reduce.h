/* Reductions: of one tensor over any set of axes or in segments of one axis, and the norm of a list of tensors. */
#ifndef ADJOINT_OPS_REDUCE_H
#define ADJOINT_OPS_REDUCE_H

#include "operator.h"

ADJ_OPERATOR(48, l2_norm, L2_NORM, L2Norm)
ADJ_OPERATOR(49, reduce, REDUCE, Reduce)

ADJ_ENUM(adj_reduce_kind) {
  ADJ_REDUCE_KIND_SUM = 0,
  ADJ_REDUCE_KIND_MEAN = 1,
  ADJ_REDUCE_KIND_SUM_SQUARE = 2, /* sum of x^2 */
  ADJ_REDUCE_KIND_L2 = 3,         /* root of the sum of x^2 */
  ADJ_REDUCE_KIND_MAX = 4,        /* NaN if an element is */
  ADJ_REDUCE_KIND_MIN = 5,        /* NaN if an element is */
  ADJ_REDUCE_KIND_PROD = 6,
  ADJ_REDUCE_KIND_LOGSUMEXP = 7   /* log of the sum of e^x */
};

/* Reduce:   output[kept axes] (=|+=) kind over the other axes of input
 *
 * Segments. With segments >= 0 one axis, of n elements, is reduced in so many segments:
 *     output[.., s, ..] = kind over the elements offsets[s] <= i < offsets[s + 1] of input[.., i, ..]
 * Offsets must ascend within [0, n]. Segments need not cover the axis. The result of a segment depends on its own elements alone, not on the number
 * of segments nor on where it lies.
 *
 * Types. Sums, squares and products of 16-bit and f32 elements are formed in f32: what leaves its range is infinite or 0. Those of i32 wrap around.
 * mean, L2 and logsumexp of i32 are not defined. The bits of the result depend on the elements, the shape, the axes and the kind alone. With write_mode
 * accumulate, which a sum has, the result is added to what output holds, before the one rounding.
 *
 * Edge cases:
 * - Of no elements: sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN. Of i32,
 *   max is the smallest and min the largest number.
 * - A segment whose own two offsets do not ascend within [0, n] is empty, and is counted in error_flag. Where bad offsets make segments overlap, each
 *   is reduced as it stands.
 *
 * Terms (see adj_guarantee), of n elements x:
 *     sum         the sum of |x|                       mean         the sum of |x|, divided by n
 *     sum_square  the sum of x^2                       l2           the root of the sum of x^2
 *     prod        (n + 2) times the product of |x|     logsumexp    1 + the largest finite |x| + log(n + 1)
 * max and min are exact. With write_mode accumulate, what output held before is a term as well.
 *
 * Source: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp, and segment_reduce with
 * offsets. */
typedef struct adj_reduce_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_descriptor, ADJ_TAG_REDUCE_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});                      /* of input */
  adj_axes axes ADJ_DEFAULT({});                        /* the axes to reduce, in any order; negative ones count from the end; none: all of them */
  int64_t segments ADJ_DEFAULT(-1) ADJ_RANGE(-1, 576460752303423487); /* their number, with one axis and keepdims; -1: none, the axes are reduced whole */
  adj_reduce_kind kind ADJ_DEFAULT({}) ADJ_REFUSE(element == i32 && (kind == mean || kind == l2 || kind == logsumexp), "is not defined for i32");
  int32_t keepdims ADJ_DEFAULT(1) ADJ_FLAG
    ADJ_REFUSE(segments >= 0 && !keepdims, "does not go with segments"); /* 1: output keeps reduced axes with one element; 0: they are left out of its shape */
  int32_t noop_with_empty_axes ADJ_DEFAULT(0) ADJ_FLAG; /* 1: no axes mean that none is reduced */
  adj_write_mode write_mode ADJ_DEFAULT({}) ADJ_REFUSE(write_mode == accumulate && (kind != sum || element == i32 || segments >= 0),
    "(accumulate) needs a sum of floating-point numbers without segments"); /* of output */
  adj_dtype element ADJ_DEFAULT({});                    /* of input: f32, f64, f16, bf16, i32 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element) ADJ_TYPES(element, element == i32 ? i32 : accumulator(element)); /* of output */
  adj_dtype offset ADJ_DEFAULT({}) ADJ_TYPES(i32, i64) ADJ_ONLY_IF(segments >= 0)
    ADJ_REFUSE(segments >= 0 && !offset, "is not given, the element type of offsets"); /* of offsets; exactly with segments */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_reduce_descriptor;

typedef struct adj_reduce_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_args, ADJ_TAG_REDUCE_ARGS));
  adj_tensor input      ADJ_DEFAULT({}) ADJ_IN(shape, element);
  adj_tensor output     ADJ_DEFAULT({}) ADJ_OUT(computed, output)
                        ADJ_READ_IF(write_mode == accumulate); /* shape without the reduced axes; with keepdims one element in each of them, with segments as
                                                                * many as these */
  adj_tensor offsets    ADJ_DEFAULT({}) ADJ_IN([segments + 1], offset) ADJ_ONLY_IF(segments >= 0);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL ADJ_ONLY_IF(segments >= 0); /* 1 is added for each segment with bad offsets */
} adj_reduce_args;

/* L2Norm:   output = root of the sum of x^2 over all elements of all inputs,   norms[i] = the same of inputs[i]
 *
 * Results. Squares neither overflow nor vanish: where the norm is a number of the output's type, it is returned. To the last bit, the norm of a tensor
 * does not depend on the rest of the list, nor that of the list on the order of the tensors.
 *
 * Edge cases:
 * - The norm of no elements is 0.
 *
 * Source: com.microsoft ReduceAllL2, PyTorch torch.nn.utils.get_total_norm. */
typedef struct adj_l2_norm_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_l2_norm_descriptor, ADJ_TAG_L2_NORM_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                      /* of inputs: f32, f64, f16, bf16 */
  adj_dtype output ADJ_DEFAULT({}) ADJ_ZERO_IS(element); /* of output and norms: f32 or a 16-bit type that is that of inputs or has f32 inputs; f64 exactly
                                                          * when the inputs are */
} adj_l2_norm_descriptor;

typedef struct adj_l2_norm_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_l2_norm_args, ADJ_TAG_L2_NORM_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor output      ADJ_DEFAULT({}) ADJ_OUT([1], output);
  adj_tensor norms       ADJ_DEFAULT({}) ADJ_OUT([count], output) ADJ_OPTIONAL;
  adj_tensor found_inf   ADJ_DEFAULT({}) ADJ_OUT([1], f32) ADJ_OPTIONAL; /* 1 where an element of inputs is an infinity or NaN, else 0 */
} adj_l2_norm_args;

#include <adjoint/ops/reduce_init.h>

#endif

/* Reductions over any set of axes. */
#ifndef ADJOINT_OPS_REDUCE_H
#define ADJOINT_OPS_REDUCE_H

#include "table.h"

typedef int32_t adj_reduce_kind;
enum {
  ADJ_REDUCE_KIND_SUM = 0,
  ADJ_REDUCE_KIND_MEAN = 1,
  ADJ_REDUCE_KIND_SUM_SQUARE = 2, /* sum of x^2 */
  ADJ_REDUCE_KIND_L2 = 3,         /* root of the sum of x^2 */
  ADJ_REDUCE_KIND_MAX = 4,        /* NaN if an element is */
  ADJ_REDUCE_KIND_MIN = 5,        /* NaN if an element is */
  ADJ_REDUCE_KIND_PROD = 6,
  ADJ_REDUCE_KIND_LOGSUMEXP = 7   /* log of the sum of e^x */
};

/* Reduce:   output[kept axes] = kind over the other axes of input
 *
 * Of no elements, sum, sum of squares and L2 are 0, prod is 1, max is -infinity, min is infinity, logsumexp is -infinity and mean is NaN; of
 * i32, max is the smallest and min the largest number. Sums, squares and products of 16-bit and f32 elements are formed in f32: what
 * leaves its range is infinite or 0. Those of i32 wrap around; mean, L2 and logsumexp of i32 are not defined here. The result is bitwise
 * independent of everything but the shape, the axes and the kind.
 * Definition: com.microsoft ReduceSumTraining; PyTorch torch.sum, mean, linalg.vector_norm, amax, amin, prod, logsumexp. */
typedef struct adj_reduce_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_descriptor, ADJ_TAG_REDUCE_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});               /* of input */
  adj_axes axes ADJ_DEFAULT({});                 /* the axes to reduce, in any order; negative ones count from the end; none: all of them */
  adj_reduce_kind kind ADJ_DEFAULT(0);
  adj_dtype element ADJ_DEFAULT(0);              /* of input: f32, f64, f16, bf16, i32 */
  adj_dtype output ADJ_DEFAULT(0);               /* of output: that of input, or f32 where that has 16 bits; 0 = element */
  int32_t keepdims ADJ_DEFAULT(1);               /* 1: output keeps reduced axes with one element; 0: they are left out of its shape */
  int32_t noop_with_empty_axes ADJ_DEFAULT(0);   /* 1: no axes mean that none is reduced */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_reduce_descriptor;

typedef struct adj_reduce_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_reduce_args, ADJ_TAG_REDUCE_ARGS));
  adj_tensor input ADJ_DEFAULT({});  /* in, shape */
  adj_tensor output ADJ_DEFAULT({}); /* out, shape without the reduced axes, or with one element in each */
} adj_reduce_args;

#include "reduce_init.h"

#endif

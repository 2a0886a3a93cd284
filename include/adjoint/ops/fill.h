/* Initial values: a constant, and normally distributed numbers. Definition: PyTorch's Tensor.fill_ and nn.init.normal_. */
#ifndef ADJOINT_OPS_FILL_H
#define ADJOINT_OPS_FILL_H

#include "operator.h"

ADJ_OPERATOR(94, fill, FILL, Fill)
ADJ_OPERATOR(95, normal, NORMAL, Normal)

/* Fill:   out[i] = value, rounded once */
typedef struct adj_fill_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fill_descriptor, ADJ_TAG_FILL_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */
  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_fill_descriptor;

typedef struct adj_fill_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_fill_args, ADJ_TAG_FILL_ARGS));
  adj_scalar value ADJ_DEFAULT({0}) ADJ_IN(f32, f64);
  adj_tensor out   ADJ_DEFAULT({})  ADJ_OUT([numel], element);
} adj_fill_args;

/* Normal:   out[e] = mean + std * n(e), rounded once
 *
 * n is made by Box and Muller from Philox4x32-10, keyed and counted as in dropout.h. Elements 2 k and 2 k + 1, counted in row-major order, take words
 * u and v: the words (2 k) mod 4 and (2 k + 1) mod 4 of the block whose counter is (b mod 2^32, b / 2^32, 0, 0), b = (offset / 4 + e / 4) mod 2^64.
 *     r = sqrt(-2 log((u + 1/2) * 2^-32)),   t = 2 pi v * 2^-32,   n(2 k) = r cos t,   n(2 k + 1) = r sin t
 * in f64. So an element depends on seed, offset, mean, std and e alone, and |n| is at most 6.77.
 *
 * Arguments. A call consumes 4 * ceil(numel / 4) words. The next call takes an offset that much larger. random has no default. Its offset is a multiple
 * of 4; the host refuses others. A CUDA device cannot: it uses offset - offset mod 4 of one in its memory.
 *
 * Terms (see adj_guarantee): |mean| + |std| (1 + |n|). */
typedef struct adj_normal_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_normal_descriptor, ADJ_TAG_NORMAL_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */
  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_normal_descriptor;

typedef struct adj_normal_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_normal_args, ADJ_TAG_NORMAL_ARGS));
  adj_scalar mean   ADJ_DEFAULT({0}) ADJ_IN(f32, f64);
  adj_scalar std    ADJ_DEFAULT({1}) ADJ_IN(f32, f64);
  adj_random random ADJ_DEFAULT({0, UINT64_MAX}) ADJ_IN(); /* seed and offset, must be given */
  adj_tensor out    ADJ_DEFAULT({})  ADJ_OUT([numel], element);
} adj_normal_args;

#include <adjoint/ops/fill_init.h>

#endif

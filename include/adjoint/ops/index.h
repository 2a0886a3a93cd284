/* Gradients of lookups by several indices, of slices and of padding.
 *
 * Indices. Those of gather_nd_backward, gather_elements_backward and index_add lie in [-s, s) along an axis of extent s. Negative ones count from the end. Rows
 * of pad_and_unflatten and flatten_and_unpad lie in [0, batch * length). What lies outside is skipped, and is counted in error_flag if that is given.
 *
 * Types. Where several positions name one element, their sum is taken in f32 (f64 for f64), in an order that depends on the indices alone, and is
 * rounded once. Where a preference asks for no determinism, gather_elements_backward may add up in memory in f32 and f64, in the order of arrival.
 *
 * Index plans. With use_index_plan, index_plan (ops/embedding.h) has sorted the positions and counted what lies outside. Rows or elements are then at
 * most 2^31 - 1. gather_nd_backward and index_add give the same bits as without a plan. gather_elements_backward may add in another order.
 *
 * Edge cases:
 * - A NaN or an infinity affects its own element only.
 * - Extents may be 0 where nothing else is said. A tensor without elements may be null.
 *
 * Source: com.microsoft GatherNDGrad, GatherElementsGrad, SliceGrad, PadAndUnflatten and FlattenAndUnpad; PyTorch index_add. */
#ifndef ADJOINT_OPS_INDEX_H
#define ADJOINT_OPS_INDEX_H

#include "operator.h"

ADJ_OPERATOR(62, gather_nd_backward, GATHER_ND_BACKWARD, GatherNdBackward)
ADJ_OPERATOR(63, gather_elements_backward, GATHER_ELEMENTS_BACKWARD, GatherElementsBackward)
ADJ_OPERATOR(64, index_add, INDEX_ADD, IndexAdd)
ADJ_OPERATOR(65, slice_backward, SLICE_BACKWARD, SliceBackward)
ADJ_OPERATOR(66, pad_and_unflatten, PAD_AND_UNFLATTEN, PadAndUnflatten)
ADJ_OPERATOR(67, flatten_and_unpad, FLATTEN_AND_UNPAD, FlattenAndUnpad)

/* GatherND gradient. With b = batch_dims, K = the last extent of indices, B = the product of the first b extents of dinput,
 * M = the product of all extents of indices but the last, and L = that of the extents of dinput from b + K on:
 *     dinput = 0 (or what it holds);   dinput[batch(m), index(m), j] += dout[m, j]   for m < M, j < L
 * where batch(m) = m / (M / B) and index(m) = indices[m, 0], .., indices[m, K - 1] along the axes b to b + K - 1.
 * The first b extents of dinput and indices are the same. dinput overlaps nothing. */
typedef struct adj_gather_nd_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_nd_backward_descriptor, ADJ_TAG_GATHER_ND_BACKWARD_DESCRIPTOR));
  adj_shape input_shape ADJ_DEFAULT({});          /* of dinput, rank 1 to 8 */
  adj_shape indices_shape ADJ_DEFAULT({});        /* rank 1 to 8; the last extent is K, with batch_dims + K <= the rank of dinput */
  int64_t batch_dims ADJ_DEFAULT(0);              /* b, in [0, rank of indices) */
  adj_write_mode write_mode ADJ_DEFAULT({});      /* default: overwrite */
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG; /* 1: sorted_rows and order, of an index plan of slices, instead of indices */
  adj_dtype element ADJ_DEFAULT({});              /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                /* i32, i64 */
} adj_gather_nd_backward_descriptor;

typedef struct adj_gather_nd_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_nd_backward_args, ADJ_TAG_GATHER_ND_BACKWARD_ARGS));
  adj_tensor dout        ADJ_DEFAULT({}) ADJ_IN([part(indices_shape, 0, -1), part(input_shape, batch_dims + extent(indices_shape, -1))], element);
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN(indices_shape, index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor dinput      ADJ_DEFAULT({}) ADJ_OUT(input_shape, element) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of indexed slices left out is added */
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_IN([product(indices_shape, 0, -1)], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_IN([product(indices_shape, 0, -1)], i32) ADJ_ONLY_IF(use_index_plan);
} adj_gather_nd_backward_args;

/* GatherElements gradient:
 *     dinput = 0 (or what it holds);   dinput[i_0, .., indices[i], .., i_(r-1)] += dout[i]   for every i of indices_shape
 * where indices[i] stands in place of i_axis. indices_shape has the rank of input_shape, and no larger extents besides that of
 * the axis. dinput overlaps nothing. */
typedef struct adj_gather_elements_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_elements_backward_descriptor, ADJ_TAG_GATHER_ELEMENTS_BACKWARD_DESCRIPTOR));
  adj_shape input_shape ADJ_DEFAULT({});          /* of dinput, rank 1 to 8 */
  adj_shape indices_shape ADJ_DEFAULT({});        /* of dout and indices, the same rank */
  int64_t axis ADJ_DEFAULT(0);                    /* in [-rank, rank) */
  adj_write_mode write_mode ADJ_DEFAULT({});      /* default: overwrite */
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG; /* 1: sorted_rows and order, of an index plan of elements, instead of indices */
  adj_dtype element ADJ_DEFAULT({});              /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                /* i32, i64 */
} adj_gather_elements_backward_descriptor;

typedef struct adj_gather_elements_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_elements_backward_args, ADJ_TAG_GATHER_ELEMENTS_BACKWARD_ARGS));
  adj_tensor dout        ADJ_DEFAULT({}) ADJ_IN(indices_shape, element);
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN(indices_shape, index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor dinput      ADJ_DEFAULT({}) ADJ_OUT(input_shape, element) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of indices outside the axis is added */
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_IN([product(indices_shape)], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_IN([product(indices_shape)], i32) ADJ_ONLY_IF(use_index_plan);
} adj_gather_elements_backward_args;

/* Addition of rows along an axis:
 *     output = input;   output[p, indices[n], q] += source[p, n, q]
 * for every p of the extents before the axis and q of those after it. The sum of an element begins with what input holds there.
 * output may be input itself; otherwise it overlaps nothing. */
typedef struct adj_index_add_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_index_add_descriptor, ADJ_TAG_INDEX_ADD_DESCRIPTOR));
  adj_shape shape ADJ_DEFAULT({});                /* of input and output, rank 1 to 8 */
  int64_t axis ADJ_DEFAULT(0);                    /* in [-rank, rank) */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647);
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG; /* 1: sorted_rows and order, of an index plan with wrap_negative, instead of indices */
  adj_dtype element ADJ_DEFAULT({});              /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                /* i32, i64 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_index_add_descriptor;

typedef struct adj_index_add_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_index_add_args, ADJ_TAG_INDEX_ADD_ARGS));
  adj_tensor input       ADJ_DEFAULT({}) ADJ_IN(shape, element);
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN([num_indices], index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor source      ADJ_DEFAULT({}) ADJ_IN(replaced(shape, axis, num_indices), element);
  adj_tensor output      ADJ_DEFAULT({}) ADJ_OUT(shape, element) ADJ_MAY_BE(input);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of indices outside the axis is added */
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
} adj_index_add_args;

/* Slice gradient: dinput is 0, but for the elements that the slice has taken, which are those of dout:
 *     dinput[start_0 + i_0 step_0, .., start_(r-1) + i_(r-1) step_(r-1)] = dout[i]
 * starts, ends, axes and steps are those of ONNX Slice: negative starts, ends and axes count from the end, starts and ends are
 * clamped to the axis, an end before the start gives an empty slice. Element k of each list belongs to axis axes[k]; without axes
 * to axis k; without steps each is 1. Axes that are not named are taken whole. Elements are copied bit by bit. */
typedef struct adj_slice_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_slice_backward_descriptor, ADJ_TAG_SLICE_BACKWARD_DESCRIPTOR));
  adj_shape input_shape ADJ_DEFAULT({}); /* of dinput, rank 1 to 8 */
  adj_axes starts ADJ_DEFAULT({});       /* up to one for each axis */
  adj_axes ends ADJ_DEFAULT({}) ADJ_REFUSE(count(ends) != count(starts), "is not that of starts"); /* as many */
  adj_axes axes ADJ_DEFAULT({}) ADJ_REFUSE(count(axes) && count(axes) != count(starts), "is not that of starts"); /* as many, or none; no axis twice */
  adj_axes steps ADJ_DEFAULT({}) ADJ_REFUSE(count(steps) && count(steps) != count(starts), "is not that of starts"); /* as many, or none; not 0 */
  adj_dtype element ADJ_DEFAULT({});     /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_slice_backward_descriptor;

typedef struct adj_slice_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_slice_backward_args, ADJ_TAG_SLICE_BACKWARD_ARGS));
  adj_tensor dout   ADJ_DEFAULT({}) ADJ_IN(computed, element); /* the extents of the slice */
  adj_tensor dinput ADJ_DEFAULT({}) ADJ_OUT(input_shape, element);
} adj_slice_backward_args;

/* Rows to their places in a padded batch:
 *     output = 0;   output[indices[i] / length, indices[i] % length, :] = input[i, :]
 * Indices are unique; of equal ones the last counts. Elements are copied bit by bit. Its gradient is flatten_and_unpad. */
typedef struct adj_pad_and_unflatten_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_pad_and_unflatten_descriptor, ADJ_TAG_PAD_AND_UNFLATTEN_DESCRIPTOR));
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of input */
  int64_t batch ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t length ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);           /* elements of a row */
  adj_dtype element ADJ_DEFAULT({});                            /* f32, f64, f16, bf16, i32, i64 */
  adj_dtype index ADJ_DEFAULT({});                              /* i32, i64 */
} adj_pad_and_unflatten_descriptor;

typedef struct adj_pad_and_unflatten_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_pad_and_unflatten_args, ADJ_TAG_PAD_AND_UNFLATTEN_ARGS));
  adj_tensor input      ADJ_DEFAULT({}) ADJ_IN([num_indices, inner], element);
  adj_tensor indices    ADJ_DEFAULT({}) ADJ_IN([num_indices], index);
  adj_tensor output     ADJ_DEFAULT({}) ADJ_OUT([batch, length, inner], element);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of indices outside [0, batch * length) is added */
} adj_pad_and_unflatten_args;

/* Rows of a padded batch:
 *     output[i, :] = input[indices[i] / length, indices[i] % length, :]
 * and zeros for an index outside [0, batch * length). Elements are copied bit by bit. Its gradient is pad_and_unflatten where
 * indices are unique. */
typedef struct adj_flatten_and_unpad_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_flatten_and_unpad_descriptor, ADJ_TAG_FLATTEN_AND_UNPAD_DESCRIPTOR));
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647); /* rows of output */
  int64_t batch ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t length ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);           /* elements of a row */
  adj_dtype element ADJ_DEFAULT({});                            /* f32, f64, f16, bf16, i32, i64 */
  adj_dtype index ADJ_DEFAULT({});                              /* i32, i64 */
} adj_flatten_and_unpad_descriptor;

typedef struct adj_flatten_and_unpad_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_flatten_and_unpad_args, ADJ_TAG_FLATTEN_AND_UNPAD_ARGS));
  adj_tensor input          ADJ_DEFAULT({}) ADJ_IN([batch, length, inner], element);
  adj_tensor indices        ADJ_DEFAULT({}) ADJ_IN([num_indices], index);
  adj_tensor output         ADJ_DEFAULT({}) ADJ_OUT([num_indices, inner], element);
  adj_tensor unflatten_dims ADJ_DEFAULT({}) ADJ_OUT([2], i64) ADJ_OPTIONAL ADJ_HOST; /* batch and length, written by the call itself */
  adj_tensor error_flag     ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* the number of indices outside is added */
} adj_flatten_and_unpad_args;

#include <adjoint/ops/index_init.h>

#endif

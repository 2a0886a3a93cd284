/* Views, copies and transposes. Definition: com.microsoft View and PassThrough; PyTorch's Tensor.mT.contiguous(). Elements are copied bit by bit, whatever
 * their type. */
#ifndef ADJOINT_OPS_SHAPE_H
#define ADJOINT_OPS_SHAPE_H

#include "operator.h"

ADJ_OPERATOR(68, view, VIEW, View)
ADJ_OPERATOR(69, copy, COPY, Copy)
ADJ_OPERATOR(93, transpose, TRANSPOSE, Transpose)

/* Consecutive parts of a tensor: part i is numel[i] elements of input from the element offsets[i] = numel[0] + .. + numel[i - 1]
 * on. Without copies nothing is launched: the caller uses the address of input plus the offset, which is a multiple of the element
 * size only. With copies every part is copied to a buffer of its own, none of which overlaps another or input. */
typedef struct adj_view_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_view_descriptor, ADJ_TAG_VIEW_DESCRIPTOR));
  int64_t total ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements of input: the sum of numel */
  int64_t count ADJ_DEFAULT(0);                         /* number of parts >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  int32_t copies ADJ_DEFAULT(0) ADJ_FLAG;               /* 1: outputs are written; 0: they are absent */
  adj_dtype element ADJ_DEFAULT({});                    /* every type of adj_dtype */
} adj_view_descriptor;

typedef struct adj_view_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_view_args, ADJ_TAG_VIEW_ARGS));
  adj_tensor input        ADJ_DEFAULT({}) ADJ_IN([total], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_ONLY_IF(copies);
  adj_tensor offsets      ADJ_DEFAULT({}) ADJ_OUT([count], i64) ADJ_OPTIONAL ADJ_HOST; /* offsets in elements, written by the call itself */
} adj_view_args;

/* outputs[i] = inputs[i], a list in one launch. An output that is the very buffer of its input is left out; where all are, nothing is
 * launched. */
typedef struct adj_copy_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_copy_descriptor, ADJ_TAG_COPY_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);      /* number of tensors >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({}); /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_copy_descriptor;

typedef struct adj_copy_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_copy_args, ADJ_TAG_COPY_ARGS));
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(inputs);
} adj_copy_args;

/* Transpose of matrices:   output[b, c, r] = input[b, r, c] */
typedef struct adj_transpose_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_transpose_descriptor, ADJ_TAG_TRANSPOSE_DESCRIPTOR));
  int64_t batch ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0); /* matrices */
  int64_t rows ADJ_DEFAULT(-1) ADJ_RANGE(0);
  int64_t columns ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({});                  /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_transpose_descriptor;

typedef struct adj_transpose_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_transpose_args, ADJ_TAG_TRANSPOSE_ARGS));
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN([batch, rows, columns], element);
  adj_tensor output ADJ_DEFAULT({}) ADJ_OUT([batch, columns, rows], element);
} adj_transpose_args;

#include <adjoint/ops/shape_init.h>

#endif

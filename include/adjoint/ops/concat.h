/* Joining tensors along an axis and cutting them apart again. Definition: com.microsoft ConcatTraining and SplitTraining,
 * PyTorch torch.cat and torch.split.
 *
 * Both see the axis between two extents: outer is the product of the extents before it, inner that of the extents after
 * it, so every shape and every axis is one case. Piece i has lengths[i] along the axis; the joint tensor has their sum, and
 * piece i begins at the sum of the lengths before it. Elements are copied bit by bit, whatever their type: NaN payloads
 * stay. Lengths, outer and inner may be 0; a tensor without elements may be null. */
#ifndef ADJOINT_OPS_CONCAT_H
#define ADJOINT_OPS_CONCAT_H

#include "operator.h"

ADJ_OPERATOR(9, concat, CONCAT, Concat)
ADJ_OPERATOR(10, split, SPLIT, Split)

/* Concat:   output[p, o_i + a, n] = inputs[i][p, a, n],   o_i = lengths[0] + .. + lengths[i - 1]
 *
 * Inputs may overlap each other, not the output. */
typedef struct adj_concat_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_concat_descriptor, ADJ_TAG_CONCAT_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t count ADJ_DEFAULT(0);      /* number of inputs >= 1 */
  const int64_t* lengths ADJ_DEFAULT(nullptr) ADJ_RANGE(0) ADJ_REFUSE(count < 1, "needs at least 1 entry"); /* host array of count lengths; copied by select */
  adj_dtype element ADJ_DEFAULT({}); /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_concat_descriptor;

typedef struct adj_concat_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_concat_args, ADJ_TAG_CONCAT_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([outer, lengths, inner], element);
  adj_tensor output      ADJ_DEFAULT({}) ADJ_OUT([outer, sum(lengths), inner], element);
  adj_tensor lengths_out ADJ_DEFAULT({}) ADJ_OUT([count], i64) ADJ_OPTIONAL
                         ADJ_HOST; /* the lengths, written by the call itself before it returns (a replayed graph does not write them again) */
} adj_concat_args;

/* Split:   outputs[i][p, a, n] = input[p, o_i + a, n],   o_i = lengths[0] + .. + lengths[i - 1]
 *
 * No output may overlap another or the input. */
typedef struct adj_split_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_split_descriptor, ADJ_TAG_SPLIT_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t count ADJ_DEFAULT(0);      /* number of outputs >= 1 */
  const int64_t* lengths ADJ_DEFAULT(nullptr) ADJ_RANGE(0) ADJ_REFUSE(count < 1, "needs at least 1 entry"); /* host array of count lengths; copied by select */
  adj_dtype element ADJ_DEFAULT({}); /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_split_descriptor;

typedef struct adj_split_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_split_args, ADJ_TAG_SPLIT_ARGS));
  adj_tensor input        ADJ_DEFAULT({}) ADJ_IN([outer, sum(lengths), inner], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([outer, lengths, inner], element);
} adj_split_args;

#include <adjoint/ops/concat_init.h>

#endif

/* Embedding lookup and its gradient, the gradient of Gather, and the sorted indices that gradients share. Definition: ONNX Gather and
 * PyTorch's nn.functional.embedding; com.microsoft GatherGrad; index_plan is defined here. */
#ifndef ADJOINT_OPS_EMBEDDING_H
#define ADJOINT_OPS_EMBEDDING_H

#include "operator.h"

ADJ_OPERATOR(1, embedding_forward, EMBEDDING_FORWARD, EmbeddingForward)
ADJ_OPERATOR(2, embedding_backward, EMBEDDING_BACKWARD, EmbeddingBackward)
ADJ_OPERATOR(11, gather_backward, GATHER_BACKWARD, GatherBackward)
ADJ_OPERATOR(15, index_plan, INDEX_PLAN, IndexPlan)

ADJ_GRADIENT(embedding_forward, embedding_backward, dout, indices, scale_grad_by_freq)

/* Embedding forward:   out[n, :] = weight[indices[n], :], a bit-exact copy.
 *
 * An index outside [0, num_embeddings) (negative ones included: there is no wrap-around) yields a row of zeros and is
 * counted in error_flag. padding_idx is not special in the forward direction unless padding_zeroes_forward is set. */
typedef struct adj_embedding_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_forward_descriptor, ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0);        /* V */
  int64_t embedding_dim ADJ_DEFAULT(-1) ADJ_RANGE(0);         /* D */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* N */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;            /* 1: padding_idx holds */
  int32_t padding_zeroes_forward ADJ_DEFAULT(0) ADJ_FLAG;     /* 1: rows of padding_idx come out as zeros */
  adj_dtype element ADJ_DEFAULT({});                          /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                            /* i32, i64 */
} adj_embedding_forward_descriptor;

typedef struct adj_embedding_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_forward_args, ADJ_TAG_EMBEDDING_FORWARD_ARGS));
  adj_tensor weight     ADJ_DEFAULT({}) ADJ_IN([num_embeddings, embedding_dim], element);
  adj_tensor indices    ADJ_DEFAULT({}) ADJ_IN([num_indices], index);
  adj_tensor out        ADJ_DEFAULT({}) ADJ_OUT([num_indices, embedding_dim], element);
  adj_tensor error_flag ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range indices are added to it */
} adj_embedding_forward_args;

/* Embedding backward:   dweight[r, :] (=|+=) s_r * sum over n with indices[n] == r of dout[n, :]
 *     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq
 *
 * Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone.
 *
 * In place. dout and dweight must not overlap.
 *
 * Edge cases:
 * - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
 * - Indices outside [0, num_embeddings) are skipped and counted in error_flag.
 *
 * Workspace on a device. None for up to 1024 indices into a dweight of up to 16 MB. Other calls sort the indices: at most 16 N + 516 Ki bytes and,
 * beyond 127 indices, D accumulators (f32, or f64 for f64) for every 64 indices. V is then at most 2^32 - 2.
 *
 * Index plans. With use_index_plan the call takes sorted_rows and order in place of indices: what index_plan gave for the same V and N.
 * - Nothing is sorted, and 2 N + 1024 bytes of workspace take the place of 16 N + 516 Ki.
 * - Positions that the plan leaves out get no gradient, so has_padding_idx must be 0. The plan has counted them, so error_flag stays as it is.
 * - The bits are those of the same SKU without a plan.
 * - Contents that index_plan did not write for this V and N give an unspecified dweight. Nothing is read or written outside the buffers.
 *
 * Without determinism. A preference of determinism none may take a kernel that adds to dweight in memory, in the order in which additions arrive.
 * - It serves f32 and f64, since 16-bit sums would be rounded at every addition, up to 65536 indices, and neither scale_grad_by_freq nor
 *   use_index_plan.
 * - n additions to an element are up to n roundings. The guarantee states the bound for the most.
 * - In f32 it takes numbers and intermediate sums below 2^-126 in magnitude for zero. The bound leaves that out, and ADJ_MATH_IEEE excludes it.
 * - It needs no workspace. It is chosen where there are few addends, and few that share a row; preference.sku = "embedding_backward/atomic*"
 *   forces it. */
typedef struct adj_embedding_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_backward_descriptor, ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0);                    /* V */
  int64_t embedding_dim ADJ_DEFAULT(-1) ADJ_RANGE(0);                     /* D */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2147483647); /* N */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  adj_write_mode write_mode ADJ_DEFAULT({});                              /* overwrite unless stated */
  int32_t scale_grad_by_freq ADJ_DEFAULT(0) ADJ_FLAG;                     /* 1: a row is divided by the number of its indices */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;                        /* 1: padding_idx holds */
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG;                         /* 1: sorted_rows and order instead of indices; V at most 2^31 - 1 */
  adj_dtype element ADJ_DEFAULT({});                                      /* f32, f64, f16, bf16: type of dout and dweight */
  adj_dtype index ADJ_DEFAULT({});                                        /* i32, i64 */
} adj_embedding_backward_descriptor;

typedef struct adj_embedding_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_backward_args, ADJ_TAG_EMBEDDING_BACKWARD_ARGS));
  adj_tensor dout        ADJ_DEFAULT({}) ADJ_IN([num_indices, embedding_dim], element);
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN([num_indices], index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor dweight     ADJ_DEFAULT({}) ADJ_OUT([num_embeddings, embedding_dim], element) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range indices are added to it */
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
} adj_embedding_backward_args;

/* Gather gradient, the gradient of out = Gather(input, indices, axis) in input:
 *     dinput[o, r, i] (=|+=) sum over n with row(indices[n]) == r of dout[o, n, i]
 *     row(x) = x, or x + extent when x is negative
 *
 * Arguments. outer is the product of the extents of input before the axis, extent that of the axis, inner the product of those after it, and
 * num_indices the product of the extents of indices. dout is [outer, indices..., inner].
 *
 * Types. 16-bit types accumulate in f32 and are rounded once. The addends are taken in a fixed order that depends on the indices alone, or with
 * determinism none as in embedding_backward.
 *
 * In place. dout and dinput must not overlap.
 *
 * Edge cases:
 * - An index outside [-extent, extent) is skipped and counted in error_flag, once, whatever outer is.
 * - Rows that no index names are zero when overwriting and unchanged when accumulating.
 *
 * Workspace and the most rows on a device are those of embedding_backward, with outer * inner for D. Only where outer is 1 can no workspace be needed.
 *
 * Index plans. use_index_plan is as in embedding_backward, with extent for V. wrap_negative in the plan's descriptor lets negative indices count from
 * the end. */
typedef struct adj_gather_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_backward_descriptor, ADJ_TAG_GATHER_BACKWARD_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t extent ADJ_DEFAULT(-1) ADJ_RANGE(0);    /* of the axis */
  int64_t inner ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2147483647);
  adj_write_mode write_mode ADJ_DEFAULT({});      /* overwrite unless stated */
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG; /* 1: sorted_rows and order instead of indices; extent at most 2^31 - 1 */
  adj_dtype element ADJ_DEFAULT({});              /* f32, f64, f16, bf16: type of dout and dinput */
  adj_dtype index ADJ_DEFAULT({});                /* i32, i64 */
} adj_gather_backward_descriptor;

typedef struct adj_gather_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gather_backward_args, ADJ_TAG_GATHER_BACKWARD_ARGS));
  adj_tensor dout        ADJ_DEFAULT({}) ADJ_IN([outer, num_indices, inner], element);
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN([num_indices], index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor dinput      ADJ_DEFAULT({}) ADJ_OUT([outer, extent, inner], element) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range indices are added to it */
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
} adj_gather_backward_args;

/* What has a position of an index plan. */
ADJ_ENUM(adj_index_positions) {
  ADJ_INDEX_POSITIONS_ROWS = 0,    /* each index, which names a row */
  ADJ_INDEX_POSITIONS_SLICES = 1,  /* each slice of gather_nd_backward, whose indices name one */
  ADJ_INDEX_POSITIONS_ELEMENTS = 2 /* each index of gather_elements_backward, whose place names an element with it */
};

/* Index plan: the positions of indices, stably sorted by the rows that the indices name.
 *     sorted_rows[i]   the row of the i-th position in that order, ascending; V for positions that take no part, which come last
 *     order[i]         the position itself; ascending among those of one row, and among those that take no part
 *
 * Arguments. `positions` says what a row is:
 * - Rows: index x names row x, or x + V when it is negative and wrap_negative is set. A position takes no part when its index is then outside
 *   [0, V), which is counted in error_flag, or is padding_idx.
 * - Slices and elements: the rows are those that gather_nd_backward and gather_elements_backward (ops/index.h) add to, of the same input_shape and
 *   indices_shape: slices of dinput, or single elements of it. Negative indices count from the end. A position with an index outside its axis takes
 *   no part and is counted.
 *
 * Use. Gradients that sum by row take the results in place of indices and sort nothing: use_index_plan of embedding_backward,
 * embedding_bag_backward, gather_backward, gather_nd_backward, gather_elements_backward and index_add. One plan serves any number of them with the
 * same V and N, of any element type and width: the tables and layers that look up the same indices, and every step for which these stay as they are.
 * Embeddings with padding_idx take a plan with the same padding_idx; gather_backward and index_add take one with wrap_negative.
 *
 * Results. order is a permutation of 0 ... N - 1. Both results follow from the indices alone: exactly, on every backend.
 *
 * In place. Neither result may overlap the other one or indices.
 *
 * Edge cases:
 * - With N = 0 nothing is launched.
 *
 * Workspace on a device: none up to 4096 indices; else 8 N bytes and at most 512 KB; for slices and elements 8 N bytes more. */
typedef struct adj_index_plan_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_index_plan_descriptor, ADJ_TAG_INDEX_PLAN_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647);        /* V: rows that positions may name */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0, 2147483647); /* N: positions */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  adj_shape input_shape ADJ_DEFAULT({});                                  /* of slices and elements: the gradient's */
  adj_shape indices_shape ADJ_DEFAULT({});                                /* of slices and elements */
  int64_t batch_dims ADJ_DEFAULT(0);                                      /* of slices: as gather_nd_backward's */
  int64_t axis ADJ_DEFAULT(0);                                            /* of elements: as gather_elements_backward's */
  int32_t wrap_negative ADJ_DEFAULT(0) ADJ_FLAG;                          /* of rows, 1: negative indices count from the end; 0: they are out of range */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;                        /* of rows, 1: padding_idx holds */
  adj_index_positions positions ADJ_DEFAULT({});                          /* rows unless stated */
  adj_dtype index ADJ_DEFAULT({});                                        /* i32, i64 */
} adj_index_plan_descriptor;

typedef struct adj_index_plan_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_index_plan_args, ADJ_TAG_INDEX_PLAN_ARGS));
  adj_tensor indices     ADJ_DEFAULT({}) ADJ_IN(positions != rows ? indices_shape : [num_indices], index);
  adj_tensor sorted_rows ADJ_DEFAULT({}) ADJ_OUT([num_indices], i32);
  adj_tensor order       ADJ_DEFAULT({}) ADJ_OUT([num_indices], i32);
  adj_tensor error_flag  ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* out-of-range indices are added to it */
} adj_index_plan_args;

#include <adjoint/ops/embedding_init.h>

#endif

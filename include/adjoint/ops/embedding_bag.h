/* Reduction of bags of embedding rows and its gradients.
 *
 * Bags. N indices in B bags. They are a matrix [B, N / B] whose rows are the bags, or have one dimension with has_offsets:
 * - Bag b is the positions [offsets[b], offsets[b + 1]). The last bag ends at N. With include_last_offset there are B + 1 offsets, and the last bag
 *   ends at offsets[B].
 * - offsets[0] must be 0, and offsets must ascend up to at most N. A bag whose own two bounds break this is empty, and is counted in error_flag by
 *   every operator.
 * - A position that descending offsets put into several bags belongs to each of them in the forward direction, and to the last of them in the
 *   gradients.
 *
 * Entries. A position takes part unless its index is padding_idx or outside [0, num_embeddings). Negative indices do not wrap around. Every index of
 * a bag outside that range is counted in error_flag. Positions in no bag are not looked at.
 *
 * Source: PyTorch's nn.functional.embedding_bag, which differs in three points: here max_positions holds positions in place of rows, a NaN is a maximum
 * wherever it stands, and bad offsets and indices are counted. */
#ifndef ADJOINT_OPS_EMBEDDING_BAG_H
#define ADJOINT_OPS_EMBEDDING_BAG_H

#include "operator.h"

ADJ_OPERATOR(12, embedding_bag_forward, EMBEDDING_BAG_FORWARD, EmbeddingBagForward)
ADJ_OPERATOR(13, embedding_bag_backward, EMBEDDING_BAG_BACKWARD, EmbeddingBagBackward)
ADJ_OPERATOR(14, embedding_bag_per_sample_weights_backward, EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD, EmbeddingBagPerSampleWeightsBackward)

ADJ_GRADIENT(embedding_bag_forward, embedding_bag_backward, dout, indices, offsets, per_sample_weights, max_positions, scale_grad_by_freq)

ADJ_LET(positions, has_offsets ? [num_indices] : [num_bags, num_indices / num_bags])

ADJ_ENUM(adj_bag_mode) { ADJ_BAG_DEFAULT = 0 /* mean */, ADJ_BAG_SUM = 1, ADJ_BAG_MEAN = 2, ADJ_BAG_MAX = 3 };

/* EmbeddingBag forward, over the positions n of bag b that take part:
 *     sum    out[b, :] = sum of per_sample_weights[n] * weight[indices[n], :], with weights of 1 when they are absent
 *     mean   out[b, :] = sum of weight[indices[n], :] / number of such n
 *     max    out[b, c] = max of weight[indices[n], c];  max_positions[b, c] = the first n that has it
 *
 * Types. 16-bit types accumulate in f32 and are rounded once. max is exact. The order of additions depends on the shape alone.
 *
 * Edge cases:
 * - A bag without positions that take part gives zeros, and -1 in max_positions.
 * - Where there is a NaN, the first one is the maximum. */
typedef struct adj_embedding_bag_forward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_forward_descriptor, ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0);                             /* V */
  int64_t embedding_dim ADJ_DEFAULT(-1) ADJ_RANGE(0);                              /* D */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647)
    ADJ_REFUSE(!has_offsets && num_indices % num_bags != 0, "is not a multiple of num_bags, and there are no offsets"); /* N */
  int64_t num_bags ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647);                       /* B */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  adj_bag_mode mode ADJ_DEFAULT({});                                               /* mean unless stated */
  int32_t has_offsets ADJ_DEFAULT(0) ADJ_FLAG;                                     /* 1: bags of any length */
  int32_t include_last_offset ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(has_offsets);    /* 1: offsets has the end of the last bag too */
  int32_t has_per_sample_weights ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(mode == sum); /* 1: positions have weights */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;                                 /* 1: padding_idx holds */
  adj_dtype element ADJ_DEFAULT({});                                               /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                                                 /* i32, i64: of indices and offsets */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_embedding_bag_forward_descriptor;

typedef struct adj_embedding_bag_forward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_forward_args, ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS));
  adj_tensor weight             ADJ_DEFAULT({}) ADJ_IN([num_embeddings, embedding_dim], element);
  adj_tensor indices            ADJ_DEFAULT({}) ADJ_IN(positions, index);
  adj_tensor offsets            ADJ_DEFAULT({}) ADJ_IN([num_bags + include_last_offset], index) ADJ_ONLY_IF(has_offsets);
  adj_tensor per_sample_weights ADJ_DEFAULT({}) ADJ_IN(positions, element) ADJ_ONLY_IF(has_per_sample_weights);
  adj_tensor out                ADJ_DEFAULT({}) ADJ_OUT([num_bags, embedding_dim], element);
  adj_tensor max_positions      ADJ_DEFAULT({}) ADJ_OUT([num_bags, embedding_dim], i32) ADJ_OPTIONAL ADJ_ONLY_IF(mode == max);
  adj_tensor error_flag         ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* bad offsets and indices are added to it */
} adj_embedding_bag_forward_args;

/* EmbeddingBag backward to the weight, over the positions n that take part with indices[n] == r, bag(n) being the bag of n:
 *     sum    dweight[r, :] (=|+=) s_r * sum of per_sample_weights[n] * dout[bag(n), :]
 *     mean   dweight[r, :] (=|+=) s_r * sum of dout[bag(n), :] / number of positions of bag(n) that take part
 *     max    dweight[r, c] (=|+=) sum of dout[bag(n), c] over those n that are max_positions[bag(n), c]
 *     s_r = 1, or 1 / (number of such n) with scale_grad_by_freq, which max does not have
 *
 * Types. Accumulation and order are those of embedding_backward. max_positions are compared, never used as addresses. Terms: |s_r| times |addends|.
 *
 * In place. dweight must not overlap an input.
 *
 * Edge cases:
 * - Rows of padding_idx get no gradient: they are zero when overwriting and unchanged when accumulating.
 *
 * Workspace on a device: 4 N bytes with offsets, and B accumulators for the mean. Where embedding_backward sorts: what it takes, 4 N bytes more, and N
 * accumulators for the mean and with per_sample_weights.
 *
 * Without determinism. Determinism none is as in embedding_backward. max adds once for every bag and column, so its kernel serves up to 65536 bags
 * with any number of indices.
 *
 * Index plans. use_index_plan is as in embedding_backward. offsets, per_sample_weights and max_positions are given all the same, and error_flag counts
 * bad offsets alone. The plan knows no bags:
 * - s_r counts all positions of row r in the plan, also those in no bag.
 * - Where bad offsets let bags overlap, the mean counts a position for the last of them only. */
typedef struct adj_embedding_bag_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_backward_descriptor, ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0);                             /* V */
  int64_t embedding_dim ADJ_DEFAULT(-1) ADJ_RANGE(0);                              /* D */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647)
    ADJ_REFUSE(!has_offsets && num_indices % num_bags != 0, "is not a multiple of num_bags, and there are no offsets"); /* N */
  int64_t num_bags ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647);                       /* B */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  adj_bag_mode mode ADJ_DEFAULT({});                                               /* mean unless stated */
  int32_t has_offsets ADJ_DEFAULT(0) ADJ_FLAG;                                     /* 1: bags of any length */
  int32_t include_last_offset ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(has_offsets);    /* 1: offsets has the end of the last bag too */
  int32_t has_per_sample_weights ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(mode == sum); /* 1: positions have weights */
  adj_write_mode write_mode ADJ_DEFAULT({});                                       /* overwrite unless stated */
  int32_t scale_grad_by_freq ADJ_DEFAULT(0) ADJ_FLAG
    ADJ_REFUSE(scale_grad_by_freq && mode == max, "is not defined for the mode max"); /* 1: a row is divided by the number of its indices */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;                                 /* 1: padding_idx holds */
  int32_t use_index_plan ADJ_DEFAULT(0) ADJ_FLAG;                                  /* 1: sorted_rows and order instead of indices; V at most 2^31 - 1 */
  adj_dtype element ADJ_DEFAULT({});                                               /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                                                 /* i32, i64: of indices and offsets */
} adj_embedding_bag_backward_descriptor;

typedef struct adj_embedding_bag_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_backward_args, ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS));
  adj_tensor dout               ADJ_DEFAULT({}) ADJ_IN([num_bags, embedding_dim], element);
  adj_tensor indices            ADJ_DEFAULT({}) ADJ_IN(positions, index) ADJ_ONLY_IF(!use_index_plan);
  adj_tensor offsets            ADJ_DEFAULT({}) ADJ_IN([num_bags + include_last_offset], index) ADJ_ONLY_IF(has_offsets);
  adj_tensor per_sample_weights ADJ_DEFAULT({}) ADJ_IN(positions, element) ADJ_ONLY_IF(has_per_sample_weights);
  adj_tensor max_positions      ADJ_DEFAULT({}) ADJ_IN([num_bags, embedding_dim], i32) ADJ_ONLY_IF(mode == max); /* from the forward direction */
  adj_tensor dweight            ADJ_DEFAULT({}) ADJ_OUT([num_embeddings, embedding_dim], element) ADJ_READ_IF(write_mode == accumulate);
  adj_tensor error_flag         ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* bad offsets and indices are added to it */
  adj_tensor sorted_rows        ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
  adj_tensor order              ADJ_DEFAULT({}) ADJ_IN([num_indices], i32) ADJ_ONLY_IF(use_index_plan);
} adj_embedding_bag_backward_args;

/* Gradient of sum's per_sample_weights:   dper_sample_weights[n] = dot(dout[bag(n), :], weight[indices[n], :])
 *
 * Types. 16-bit types accumulate in f32 and are rounded once. The order of additions depends on the shape alone.
 *
 * Edge cases:
 * - A position that does not take part, or is in no bag, gets 0. */
typedef struct adj_embedding_bag_per_sample_weights_backward_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_per_sample_weights_backward_descriptor,
                                              ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR));
  int64_t num_embeddings ADJ_DEFAULT(-1) ADJ_RANGE(0);                          /* V */
  int64_t embedding_dim ADJ_DEFAULT(-1) ADJ_RANGE(0);                           /* D */
  int64_t num_indices ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647)
    ADJ_REFUSE(!has_offsets && num_indices % num_bags != 0, "is not a multiple of num_bags, and there are no offsets"); /* N */
  int64_t num_bags ADJ_DEFAULT(-1) ADJ_RANGE(0, 2147483647);                    /* B */
  int64_t padding_idx ADJ_DEFAULT(0) ADJ_ONLY_IF(has_padding_idx)
    ADJ_REFUSE(has_padding_idx && (padding_idx < -num_embeddings || padding_idx >= num_embeddings), "is outside of the rows"); /* negative: from the end */
  int32_t has_offsets ADJ_DEFAULT(0) ADJ_FLAG;                                  /* 1: bags of any length */
  int32_t include_last_offset ADJ_DEFAULT(0) ADJ_FLAG ADJ_ONLY_IF(has_offsets); /* 1: offsets has the end of the last bag too */
  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;                              /* 1: padding_idx holds */
  adj_dtype element ADJ_DEFAULT({});                                            /* f32, f64, f16, bf16 */
  adj_dtype index ADJ_DEFAULT({});                                              /* i32, i64: of indices and offsets */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_embedding_bag_per_sample_weights_backward_descriptor;

typedef struct adj_embedding_bag_per_sample_weights_backward_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_embedding_bag_per_sample_weights_backward_args,
                                              ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS));
  adj_tensor dout                ADJ_DEFAULT({}) ADJ_IN([num_bags, embedding_dim], element);
  adj_tensor weight              ADJ_DEFAULT({}) ADJ_IN([num_embeddings, embedding_dim], element);
  adj_tensor indices             ADJ_DEFAULT({}) ADJ_IN(positions, index);
  adj_tensor offsets             ADJ_DEFAULT({}) ADJ_IN([num_bags + include_last_offset], index) ADJ_ONLY_IF(has_offsets);
  adj_tensor dper_sample_weights ADJ_DEFAULT({}) ADJ_OUT(positions, element);
  adj_tensor error_flag          ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL; /* bad offsets and indices are added to it */
} adj_embedding_bag_per_sample_weights_backward_args;

#include <adjoint/ops/embedding_bag_init.h>

#endif
